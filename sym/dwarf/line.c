/* Line tables (DWARF 5 section 6.2, versions 2 to 5): prof runs the program of a unit at the first question about it, and keeps
 * the rows where file or line change. */
#include "line.h"

#include <string.h>

#include "form.h"
#include "lib/work.h"
#include "path.h"

enum {
	DW_LNS_copy = 1, DW_LNS_advance_pc, DW_LNS_advance_line, DW_LNS_set_file, DW_LNS_set_column, DW_LNS_negate_stmt,
	DW_LNS_set_basic_block, DW_LNS_const_add_pc, DW_LNS_fixed_advance_pc, DW_LNS_set_prologue_end, DW_LNS_set_epilogue_begin,
	DW_LNS_set_isa,
	DW_LNE_end_sequence = 1, DW_LNE_set_address,
	DW_LNCT_path = 1, DW_LNCT_directory_index
};
enum { FORMATS_MAX = 16 };

struct file {
	const char *name, *path;   /* path: whole, once it was asked for */
	uint64_t dir;
};

struct row {
	uint64_t at;
	uint32_t line, file;
};

struct line_table {
	struct unit table;         /* the sizes of forms in it */
	struct cursor program;
	uint8_t min_insn, max_ops, line_range, opcode_base;
	int8_t line_base;
	struct cursor lengths;     /* of standard opcodes' operands */
	const char **dir;
	struct file *file;
	uint32_t ndir, nfile;
	bool ran;
	struct row *row;
	struct disjoint_range *sequence;     /* settled; WHAT: its first row and, from bit 32 on, their number */
	uint32_t nsequence, nrow;
};

/* Tables in the making. */
struct making {
	const char **dir;
	struct file *file;
	struct row *row;
	struct disjoint_ranges sequence;
	uint32_t ndir, dir_cap, nfile, file_cap, nrow, row_cap;
	uint64_t after, next;      /* the lowest address above AFTER that has a row, or what NEXT was */
};

static bool
add_dir(struct making *m, const char *name)
{
	bool room = vec_room(&m->dir, &m->dir_cap, (uint64_t)m->ndir + 1, sizeof(const char *));

	if (room)
		m->dir[m->ndir++] = name;
	return room;
}

static bool
add_file(struct making *m, const char *name, uint64_t dir)
{
	bool room = vec_room(&m->file, &m->file_cap, (uint64_t)m->nfile + 1, sizeof *m->file);

	if (room)
		m->file[m->nfile++] = (struct file){ .name = name, .dir = dir };
	return room;
}

/* Versions 2 to 4: strings up to an empty one.  Numbers begin with 1. */
static bool
read_names(struct cursor *c, struct making *m)
{
	const char *name;

	add_dir(m, NULL);
	while (*(name = cur_str(c)))
		if (!add_dir(m, name))
			return false;
	add_file(m, NULL, 0);
	while (*(name = cur_str(c))) {
		uint64_t dir = cur_uleb(c);

		cur_uleb(c);   /* time, size */
		cur_uleb(c);
		if (!add_file(m, name, dir))
			return false;
	}
	return !c->bad;
}

/* Version 5: a table, with a description of its columns before it. */
static bool
read_table(const struct unit *u, struct cursor *c, struct making *m, bool files)
{
	uint64_t type[FORMATS_MAX], count;
	struct spec spec[FORMATS_MAX];
	uint8_t n = cur_u8(c);

	if (n > FORMATS_MAX)
		return false;
	for (unsigned i = 0; i < n; i++) {
		uint64_t form;

		type[i] = cur_uleb(c);
		form = cur_uleb(c);
		spec[i] = (struct spec){ .form = form < UINT16_MAX ? (uint16_t)form : UINT16_MAX };
		spec[i].size = form_size(u, spec[i].form);
	}
	count = cur_uleb(c);
	for (; count && cur_left(c); count--) {   /* it ends at the section's end, whatever the count */
		const uint8_t *begin = c->pos;
		const char *name = NULL;
		uint64_t dir = 0;

		for (unsigned i = 0; i < n; i++) {
			struct value v = form_read(u, c, &spec[i]);

			if (type[i] == DW_LNCT_path)
				name = value_string(u, &v);
			else if (type[i] == DW_LNCT_directory_index)
				dir = v.u;
		}
		if (c->pos == begin || !(files ? add_file(m, name, dir) : add_dir(m, name)))
			return false;
	}
	return !c->bad;
}

static bool
read_header(struct unit *u, struct line_table *l, struct making *m)
{
	struct cursor c = dwarf_section(u->dwarf, LINE);
	struct unit *t = &l->table;
	uint64_t length;

	*t = *u;
	t->offset_size = 4;
	cur_take(&c, u->line);
	if ((length = cur_u32(&c)) == 0xffffffff) {
		t->offset_size = 8;
		length = cur_u64(&c);
	}
	c = length < cur_left(&c) ? cur_sub(&c, length) : c;
	t->version = cur_u16(&c);
	if (t->version < 2 || t->version > 5)
		return false;
	if (t->version >= 5) {
		t->address_size = cur_u8(&c);
		cur_u8(&c);   /* segment selectors */
	}
	length = cur_uint(&c, t->offset_size);
	l->program = c;
	cur_take(&l->program, length);
	l->min_insn = cur_u8(&c);
	l->max_ops = t->version >= 4 ? cur_u8(&c) : 1;
	cur_u8(&c);   /* is_stmt */
	l->line_base = (int8_t)cur_u8(&c);
	l->line_range = cur_u8(&c);
	l->opcode_base = cur_u8(&c);
	l->lengths = cur_sub(&c, l->opcode_base ? l->opcode_base - 1u : 0);
	if (l->program.bad || c.bad || !l->line_range || !l->opcode_base || !l->max_ops)
		return false;
	return t->version < 5 ? read_names(&c, m) : read_table(t, &c, m, false) && read_table(t, &c, m, true);
}

static void *
keep(struct unit *u, const void *bytes, size_t n)
{
	void *p = unit_alloc(u, n);

	if (p && n)
		memcpy(p, bytes, n);
	return p;
}

/* The unit that has the line table: for split units the skeleton. */
static struct unit *
holder(struct unit *u)
{
	return u->skeleton ? u->skeleton : u;
}

/* The table of a unit without its rows; NULL at the memory cap.  A table that prof cannot read is empty. */
static struct line_table *
open_lines(struct unit *u)
{
	struct making m = { 0 };
	struct line_table *l = u->lines;

	if (l || !(l = unit_alloc(u, sizeof *l)))
		return l;
	u->lines = l;
	if (!u->has_line || !read_header(u, l, &m))
		l->program.pos = l->program.end;
	if ((l->dir = keep(u, m.dir, m.ndir * sizeof *m.dir)))
		l->ndir = m.ndir;
	if ((l->file = keep(u, m.file, m.nfile * sizeof *m.file)))
		l->nfile = m.nfile;
	vec_free(&m.dir, &m.dir_cap, sizeof *m.dir);
	vec_free(&m.file, &m.file_cap, sizeof *m.file);
	return l;
}

/* ---- running the program ---- */

struct machine {
	const struct line_table *lines;
	struct cursor c;
	uint64_t addr, op, file, lo, last;   /* lo, last: of the sequence's first and last row */
	uint32_t line, first;      /* first: number of its first row */
	bool begun;
	struct making *m;
};

static void
reset(struct machine *x)
{
	x->addr = x->op = 0;
	x->file = x->line = 1;
	x->begun = false;
	x->first = x->m->nrow;
}

static void
advance(struct machine *x, uint64_t by)
{
	const struct line_table *l = x->lines;

	if (l->max_ops == 1) {
		x->addr += by * l->min_insn;
		return;
	}
	x->addr += l->min_insn * ((x->op + by) / l->max_ops);
	x->op = (x->op + by) % l->max_ops;
}

/* Adds a row; of several rows at one address the last one counts. */
static inline bool
emit(struct machine *x)
{
	struct making *m = x->m;
	struct row row = { x->addr, x->line, x->file < UINT32_MAX ? (uint32_t)x->file : UINT32_MAX }, *prev;

	if (!x->begun) {
		x->begun = true;
		x->lo = x->addr;
	}
	if (row.at < m->next && row.at > m->after && row.line)
		m->next = row.at;
	prev = m->nrow > x->first ? &m->row[m->nrow - 1] : NULL;
	if (prev && prev->at == row.at && (m->nrow - x->first == 1 || prev[-1].line != row.line || prev[-1].file != row.file)) {
		*prev = row;
		return true;
	}
	if (prev && prev->at == row.at)
		m->nrow--;
	else if (!prev || prev->line != row.line || prev->file != row.file) {
		if (m->nrow == m->row_cap && !vec_room(&m->row, &m->row_cap, (uint64_t)m->nrow + 1, sizeof row))
			return false;
		m->row[m->nrow++] = row;
	}
	return true;
}

static bool
end_sequence(struct machine *x, const struct dwarf *d)
{
	struct making *m = x->m;
	uint32_t n = m->nrow - x->first;

	if (!n || x->lo >= x->addr || !dwarf_is_code(d, x->lo))
		m->nrow = x->first;
	else if (!disjoint_add(&m->sequence, x->lo, x->addr, x->first | (uint64_t)n << 32))
		return false;
	reset(x);
	return true;
}

static bool
extended(struct machine *x, const struct dwarf *d)
{
	uint64_t length = cur_uleb(&x->c);
	struct cursor c = cur_sub(&x->c, length);
	uint8_t op = cur_u8(&c);
	size_t size = cur_left(&c);

	if (op == DW_LNE_end_sequence && length)
		return end_sequence(x, d);
	if (op == DW_LNE_set_address && size && size <= 8) {
		x->addr = cur_uint(&c, (unsigned)size);
		x->op = 0;
	}
	return true;
}

static void
unknown(struct machine *x, uint8_t op)
{
	struct cursor lengths = x->lines->lengths;
	unsigned n;

	cur_take(&lengths, op - 1u);
	for (n = cur_u8(&lengths); n; n--)
		cur_uleb(&x->c);
}

static bool
standard(struct machine *x, uint8_t op)
{
	switch (op) {
	case DW_LNS_copy:
		return emit(x);
	case DW_LNS_advance_pc:
		advance(x, cur_uleb(&x->c));
		break;
	case DW_LNS_advance_line:
		x->line += (uint32_t)cur_sleb(&x->c);
		break;
	case DW_LNS_set_file:
		x->file = cur_uleb(&x->c);
		break;
	case DW_LNS_set_column:
	case DW_LNS_set_isa:
		cur_uleb(&x->c);
		break;
	case DW_LNS_const_add_pc:
		advance(x, (255u - x->lines->opcode_base) / x->lines->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		x->addr += cur_u16(&x->c);
		x->op = 0;
		break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		break;
	default:
		unknown(x, op);
	}
	return true;
}

static bool
special(struct machine *x, uint8_t op)
{
	const struct line_table *l = x->lines;
	unsigned by = (unsigned)op - l->opcode_base;

	advance(x, by / l->line_range);
	x->line += (uint32_t)(l->line_base + (int)(by % l->line_range));
	return emit(x);
}

static bool
run(const struct dwarf *d, const struct line_table *l, struct making *m)
{
	struct machine x = { .lines = l, .c = l->program, .m = m };
	bool good = true;

	reset(&x);
	while (good && x.c.pos < x.c.end && work_step(1)) {
		uint8_t op = *x.c.pos++;

		if (op >= l->opcode_base)
			good = special(&x, op);
		else
			good = op ? standard(&x, op) : extended(&x, d);
	}
	m->nrow = x.first;   /* rows without an end_sequence behind them do not count */
	return good && disjoint_settle(&m->sequence, false);
}

static void
run_once(struct unit *u, struct line_table *l)
{
	struct making m = { 0 };

	l->ran = true;
	if (run(u->dwarf, l, &m) && (l->row = keep(u, m.row, m.nrow * sizeof *m.row)) &&
	    (l->sequence = keep(u, m.sequence.span, m.sequence.n * sizeof *l->sequence)))
		l->nsequence = m.sequence.n;
	l->nrow = l->nsequence ? m.nrow : 0;
	vec_free(&m.row, &m.row_cap, sizeof *m.row);
	disjoint_free(&m.sequence);
}

static struct line_table *
ran_lines(struct unit *u)
{
	struct line_table *l = open_lines(u);

	if (l && !l->ran)
		run_once(u, l);
	return l;
}

/* ---- questions ---- */

bool
lines_find(struct unit *u, uint64_t addr, const char **file, uint32_t *line)
{
	struct line_table *l = ran_lines(holder(u));
	const struct disjoint_range *s;
	uint32_t lo, hi;

	if (!l || !(s = disjoint_find(l->sequence, l->nsequence, addr)))
		return false;
	lo = (uint32_t)s->what;
	hi = lo + (uint32_t)(s->what >> 32);
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (l->row[mid].at <= addr)
			lo = mid;
		else
			hi = mid;
	}
	*line = l->row[lo].line;
	*file = lines_file(u, l->row[lo].file);
	return true;
}

const char *
lines_file(struct unit *unit, uint64_t i)
{
	struct unit *u = holder(unit);
	struct line_table *l = open_lines(u);
	struct file *f = l && i < l->nfile ? &l->file[i] : NULL;

	if (!f || !f->name || !*f->name)
		return NULL;
	if (!f->path) {
		/* In version 5 the first directory is the compiler's own. */
		bool own = l->table.version >= 5 && !f->dir;

		f->path = path_keep(u->dwarf->modules, own ? NULL : u->comp_dir, f->dir < l->ndir ? l->dir[f->dir] : NULL, f->name);
	}
	return f->path;
}

bool
lines_row(struct unit *u, uint32_t i, uint64_t *addr, uint32_t *file, uint32_t *line)
{
	const struct line_table *l = ran_lines(holder(u));

	if (!l || i >= l->nrow)
		return false;
	*addr = l->row[i].at;
	*file = l->row[i].file;
	*line = l->row[i].line;
	return true;
}

bool
lines_row_after(struct unit *u, uint64_t lo, uint64_t hi, uint64_t *addr)
{
	struct making m = { .after = lo, .next = hi };
	struct line_table *l = open_lines(holder(u));

	if (l)
		run(u->dwarf, l, &m);
	vec_free(&m.row, &m.row_cap, sizeof *m.row);
	disjoint_free(&m.sequence);
	*addr = m.next;
	return m.next < hi;
}

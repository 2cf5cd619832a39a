/* Reads perf script's text: prof's own (see script.c) and perf's, whose first line of a sample is
 *
 *     comm  TID|PID/TID  [CPU]  SECONDS.FRACTION:  PERIOD EVENT:  ...
 *
 * where CPU, time, period and event may be missing, and a frame may follow at once.  Below it stand frames, as in script.c,
 * each perhaps with "  file:line" on a line of its own.  Inlined functions stand before the one that they are inlined into,
 * at one address.  The text of a frame with what is inlined there is parsed once; after that it is found by its bytes. */
#include "lib/sink.h"
#include "out/profile/profile_names.h"
#include "script_read.h"
#include "script_line.h"
#include "script_marks.h"

#include <string.h>

struct seen {
	struct text text;
	uint32_t code;
};

struct reading {
	struct profile *p;
	struct cursor *in;
	struct seen *seen;
	uint32_t nseen, seen_cap;
	struct index index;
	uint32_t *code;            /* of the sample at hand, innermost first */
	uint32_t ncode, code_cap;
	struct text file;          /* the last one's, and its mapping */
	uint32_t mapping;
	uint32_t mappings;         /* the number of this text's first mapping among the profile's */
	struct head head;          /* the sample's */
	bool any, open, begun;     /* a sample was there; one is being read; one was added */
	uint64_t first;            /* where the profile's start is on this text's clock */
	uint64_t sum;              /* of weights */
	struct sink name, module;  /* to end texts with a NUL */
};

enum { FRAMES_MAX = 1 << 16 };

/* A copy of T with a NUL behind, alive until SCRATCH is used again. */
static const char *
string(struct sink *scratch, struct text t)
{
	scratch->len = 0;
	sink_put(scratch, t.s, t.n);
	sink_char(scratch, 0);
	return scratch->err ? "" : scratch->buf;
}

static enum function_kind
kind_of(const struct frame *f)
{
	static const char *const user[] = { "[vdso]", "[vsyscall]", "[heap]", "[stack]", "[anon]", "[uprobes]", NULL };
	struct text base = text_base_name(f->file);

	if (f->inlined)
		return FUNCTION_INLINED;
	if (!f->file.n || text_is(f->file, "[unknown]"))
		return f->name.n && *f->name.s == '[' ? FUNCTION_MARK : FUNCTION_USER;
	if (text_is(f->file, "[jit]") || (text_begins(base, "perf-") && text_ends(base, ".map")) || text_begins(base, "jitted-"))
		return FUNCTION_JIT;
	for (const char *const *u = user; *u; u++)
		if (text_is(f->file, *u))
			return FUNCTION_USER;
	return *f->file.s == '[' || text_begins(base, "vmlinux") || text_ends(base, ".ko") ? FUNCTION_KERNEL : FUNCTION_USER;
}

/* What prof calls the file. */
static struct text
module_of(const struct frame *f, enum function_kind kind)
{
	if (kind == FUNCTION_MARK || text_is(f->file, "[unknown]"))
		return (struct text){ "", 0 };
	if (kind == FUNCTION_JIT)
		return (struct text){ "[jit]", 5 };
	if (kind == FUNCTION_KERNEL && (text_begins(f->file, "[kernel") || text_begins(f->file, "[guest.kernel")))
		return (struct text){ "[kernel]", 8 };
	return text_base_name(f->file);
}

/* If a frame has no symbol, it takes the file's name. */
static const char *
name_of(struct reading *r, const struct frame *f, struct text module)
{
	if (!module.n || !text_is(f->name, "[unknown]"))
		return string(&r->name, f->name);
	r->name.len = 0;
	if (*module.s != '[')
		sink_char(&r->name, '[');
	sink_put(&r->name, module.s, module.n);
	if (*module.s != '[')
		sink_char(&r->name, ']');
	sink_char(&r->name, 0);
	return r->name.err ? "" : r->name.buf;
}

static uint32_t
function_of(struct reading *r, const struct frame *f, struct text module)
{
	struct function fn = { .name = name_of(r, f, module), .kind = kind_of(f) };

	fn.module = string(&r->module, module);
	return profile_function(r->p, &fn);
}

/* The mapping of the file, if it has one.  Stacks mostly stay in one file for some frames. */
static uint32_t
mapping_of(struct reading *r, struct text file)
{
	const char *name;

	if (!file.n || *file.s != '/')
		return MAPPING_NONE;
	if (file.n == r->file.n && memcmp(file.s, r->file.s, file.n) == 0)
		return r->mapping;
	r->file = file;
	name = string(&r->name, file);
	for (r->mapping = r->mappings; r->mapping < r->p->nmapping; r->mapping++)
		if (strcmp(r->p->mapping[r->mapping].file, name) == 0)
			return r->mapping;
	return r->mapping = profile_mapping(r->p, name, "");
}

/* The code of frames at one address: N of them, the innermost first. */
static uint32_t
code_of(struct reading *r, const struct frame *f, const uint32_t *line, unsigned n)
{
	struct site site[NAME_MAX_INLINE];
	const struct frame *outer = &f[n - 1];
	struct location where = { .address = outer->address };
	struct text module = outer->inlined ? (struct text){ "", 0 } : module_of(outer, kind_of(outer));

	for (unsigned i = 0; i < n; i++) {
		struct site *to = &site[n - 1 - i];

		*to = (struct site){ function_of(r, &f[i], module), line[i] };
		if (to->function == UINT32_MAX)
			return UINT32_MAX;
	}
	where.mapping = kind_of(outer) == FUNCTION_USER ? mapping_of(r, outer->file) : MAPPING_NONE;
	return profile_location(r->p, &where, site, n);
}

/* The code of a group's frames. */
static uint32_t
parse_group(struct reading *r, struct text group)
{
	struct cursor in = cur_of(group.s, group.n, false);
	struct frame f[NAME_MAX_INLINE];
	uint32_t line[NAME_MAX_INLINE];
	struct text text;
	unsigned n = 0;

	while (line_next(&in, &text))
		if (n < NAME_MAX_INLINE && line_frame(text, &f[n]))
			line[n++] = 0;
		else if (n)
			line[n - 1] = line_source(text_trim(text));
	return n ? code_of(r, f, line, n) : UINT32_MAX;
}

/* Puts a group's code behind the stack, if there is room. */
static void
add_group(struct reading *r, struct text group)
{
	uint32_t hash = hash_bytes(group.s, group.n), slot, i;
	struct seen new = { .text = group };

	if (r->ncode == FRAMES_MAX || !vec_room(&r->code, &r->code_cap, (uint64_t)r->ncode + 1, sizeof *r->code))
		return;
	for (slot = index_first(&r->index, hash); (i = index_at(&r->index, slot)) != INDEX_NONE; slot = index_next(&r->index, slot))
		if (r->seen[i].text.n == group.n && memcmp(r->seen[i].text.s, group.s, group.n) == 0) {
			r->code[r->ncode++] = r->seen[i].code;
			return;
		}
	if ((new.code = parse_group(r, group)) == UINT32_MAX)
		return;
	r->code[r->ncode++] = new.code;
	if (vec_room(&r->seen, &r->seen_cap, (uint64_t)r->nseen + 1, sizeof new) &&
	    index_add(&r->index, hash, r->nseen))
		r->seen[r->nseen++] = new;
}

/* The number of the event of that name; if there is no room for more, the last event. */
static uint32_t
event_of(struct reading *r, struct text name, uint64_t period)
{
	struct profile *p = r->p;
	const uint32_t most = sizeof p->event / sizeof *p->event;
	uint32_t i;

	for (i = 0; i < p->nevent; i++)
		if (text_is(name, p->event[i].name))
			return i;
	if (p->nevent == most || !(p->event[i].name = arena_str(&p->arena, name.s, name.n)))
		return p->nevent ? p->nevent - 1 : 0;
	p->event[i].period_ns = period;
	p->nevent++;
	return i;
}

static bool
is_clock(struct text event)
{
	return text_begins(event, "cpu-clock") || text_begins(event, "task-clock");
}

/* "# event : name = NAME, ..., period_ns = N": what prof's own text says of an event; and "# cmdline : ...". */
static void
read_comment(struct reading *r, struct text line)
{
	static const char event[] = "# event : name = ", command[] = "# cmdline : ";
	struct text name, period;
	const char *comma;
	uint64_t ns;

	if (text_begins(line, command) && !*r->p->command) {
		name = text_trim(text_from(&line, line.s + strlen(command)));
		name.s = arena_str(&r->p->arena, name.s, name.n);
		r->p->command = name.s ? name.s : "";
	}
	if (!text_begins(line, event) || !(comma = memchr(line.s, ',', line.n)))
		return;
	name = text_until(&line, comma);
	name = text_from(&name, line.s + strlen(event));
	period = text_trim(text_from(&line, comma + 1));
	if (!text_begins(period, SCRIPT_PERIOD))
		return;
	period = text_from(&period, period.s + strlen(SCRIPT_PERIOD));
	if (text_number(&period, &ns))
		event_of(r, name, ns);
}

/* Adds the sample whose stack was read. */
static void
end_sample(struct reading *r)
{
	const struct head *h = &r->head;
	struct profile *p = r->p;
	uint64_t period, weight = 1, time;
	uint32_t event;

	if (!r->open)
		return;
	r->open = false;
	event = event_of(r, h->event.n ? h->event : (struct text){ "samples", 7 }, is_clock(h->event) ? h->period : 0);
	period = event < p->nevent ? p->event[event].period_ns : 0;
	if (h->period)
		weight = period ? h->period / period + (h->period % period > period / 2) : h->period;
	r->sum += weight < WEIGHT_MAX ? weight : WEIGHT_MAX;
	if (!r->begun) {
		r->begun = true;
		r->first = h->time > period ? h->time - period : 0;
		if (!p->nthread)
			p->start = r->first;
	}
	time = p->start + (h->time > r->first ? h->time - r->first : 0);
	if (p->end < time)
		p->end = time;
	profile_add(p, profile_thread(p, h->pid, h->tid, string(&r->name, h->comm), event), time, weight ? weight : 1, r->code, r->ncode);
}

static void
begin_sample(struct reading *r, const struct head *h)
{
	end_sample(r);
	r->head = *h;
	r->ncode = 0;
	r->any = true;
	r->p->timeless |= h->timeless;
	r->open = !text_begins(h->event, "PERF_RECORD_") && !text_begins(h->rest, "PERF_RECORD_");
	if (r->open && line_has_address(h->rest))
		add_group(r, h->rest);
}

/* The line after the next one. */
static struct text
second_line(const struct cursor *in)
{
	struct cursor ahead = *in;
	struct text line;

	line_next(&ahead, &line);
	return line_peek(&ahead);
}

/* NULL, or what is wrong with the line at which the reader stands. */
static const char *
read_line(struct reading *r)
{
	struct text line = line_peek(r->in), rest = text_trim(line);
	struct head h;

	if (line.n && *line.s == '\t' && line_is_frame(line)) {
		if (!r->any)
			return "this frame belongs to no sample";
		rest = line_group(r->in, NAME_MAX_INLINE);
		if (r->open)
			add_group(r, rest);
		return NULL;
	}
	if (!rest.n)
		end_sample(r);
	else if (*line.s == '#')
		read_comment(r, line);
	else if (*line.s != '\t' && line_head(line, &h))
		begin_sample(r, &h);
	else if (line_is_frame(line) && r->open) {
		add_group(r, line_group(r->in, NAME_MAX_INLINE));
		return NULL;
	} else if (*line.s != '\t' && line_head_timeless(line, second_line(r->in), &h))
		begin_sample(r, &h);
	else if (r->open && line_has_address(line) && text_ends(rest, ")"))   /* a frame that is not indented */
		add_group(r, line);
	else if ((*line.s != ' ' && *line.s != '\t') || !r->any)
		return "this is neither a sample nor a frame";
	line_next(r->in, &line);
	return NULL;
}

const char *
script_read(struct profile *p, struct cursor *in)
{
	struct reading r = { .p = p, .in = in, .mapping = MAPPING_NONE, .mappings = p->nmapping };
	const char *why = NULL;

	sink_open(&r.name, -1);
	sink_open(&r.module, -1);
	while (!why && cur_left(in) && r.sum < WEIGHT_MAX)
		why = read_line(&r);
	if (!why)
		end_sample(&r);
	if (!why && r.sum >= WEIGHT_MAX)
		why = "the sum of the weights is too large";
	vec_free(&r.seen, &r.seen_cap, sizeof *r.seen);
	vec_free(&r.code, &r.code_cap, sizeof *r.code);
	index_free(&r.index);
	if ((sink_close(&r.module) | sink_close(&r.name)) && !why)
		why = "out of memory";
	return why;
}

bool
script_is(struct cursor in)
{
	struct text line;
	struct head h;

	if (text_begins((struct text){ (const char *)in.pos, cur_left(&in) }, "# ========\n"))
		return true;
	while (line_next(&in, &line))
		if (text_trim(line).n && *line.s != '#')
			return *line.s != '\t' && (line_head(line, &h) || line_head_timeless(line, line_peek(&in), &h));
	return false;
}

/* See ruby_code.h.  vm_core.h: struct rb_iseq_constant_body; method.h: struct rb_callable_method_entry_struct.  A frame's environment has
 * three words: the method entry (or what leads to it), the environment around it, and flags. */
#include "ruby_code.h"

#include <stdio.h>
#include <string.h>

#include "ruby_lines.h"

enum {
	BODY = 192, WORDS_MOST = 1 << 24, ENTRIES_MOST = 4096, POSITIONS_MOST = 12 << 10, AROUND_MOST = 16, LOCAL = 2, CODES_MOST = 1 << 18,
	READS_EACH = 64, READS_KEPT = 128 /* for the frames */, METHOD = 1, TRIES_MOST = 6,
};

#define LOOK_AGAIN UINT64_C(100000000)   /* ns */
#define TRY_AGAIN UINT64_C(10000000)     /* ns: samples that are read sooner count as one try: memory holds the same frames */

struct ruby_table {
	char path[RUBY_TEXT_MOST], label[RUBY_TEXT_MOST], base[RUBY_TEXT_MOST], class[RUBY_TEXT_MOST], name[4 * RUBY_TEXT_MOST];
	uint8_t positions[POSITIONS_MOST], entries[ENTRIES_MOST * RUBY_LINES_ENTRY], lines[ENTRIES_MOST * RUBY_LINES_ITEM];
};

void
ruby_codes_free(struct ruby_codes *c)
{
	vec_free(&c->code, &c->cap, sizeof *c->code);
	index_free(&c->index);
}

/* ---- what a function is called ---- */

/* The method entry that an environment is of. */
static uint64_t
entry_of(struct look *l, uint64_t ep)
{
	uint64_t flags, entry;
	unsigned kind;

	for (unsigned i = 0; i < AROUND_MOST; i++) {
		if (ep % 8 || !look_word(l, ep, &flags))
			return 0;
		if (flags & LOCAL)
			break;
		if (!look_word(l, ep - 8, &ep))
			return 0;
		ep &= ~(uint64_t)3;
	}
	if (!look_word(l, ep - 16, &entry))
		return 0;
	kind = ruby_kind(l, entry);
	if (kind == RUBY_OF_INTERNAL(RUBY_SVAR) && look_word(l, entry + 8, &entry))
		kind = ruby_kind(l, entry);
	return kind == RUBY_OF_INTERNAL(RUBY_METHOD) ? entry : 0;
}

/* Whether the method entry is of that iseq. */
static bool
is_entry_of(struct look *l, uint64_t entry, uint64_t iseq)
{
	uint64_t def, of;
	const uint8_t *type;

	return look_word(l, entry + RB_M_DEF, &def) && (type = look_at(l, def, 1)) && !(*type & 15) && look_word(l, def + RB_DEF_ISEQ, &of) && of == iseq;
}

static bool
is_new_try(const struct ruby_code *c, const struct look *l)
{
	return !c->tries || l->since - c->tried > TRY_AGAIN;
}

/* Whether to wait for a sample whose frame still tells the class. */
static bool
may_try_again(struct ruby_code *c, const struct look *l)
{
	if (c->tries == TRIES_MOST)
		return false;
	if (is_new_try(c, l)) {
		c->tried = l->since;
		c->tries++;
	}
	return true;
}

/* Whether the iseq is a method, and no block or file. */
static bool
is_method(struct look *l, uint64_t iseq)
{
	uint64_t body, type;

	return look_word(l, iseq + RB_ISEQ_BODY, &body) && look_word(l, body, &type) && (uint32_t)type == METHOD;
}

static void
find_class(struct ruby_codes *p, struct look *l, uint64_t entry, char to[RUBY_TEXT_MOST])
{
	uint64_t owner;

	if (!look_word(l, entry + RB_M_OWNER, &owner) || !ruby_class_text(&p->ids, l, owner, to))
		*to = 0;
}

static bool
find_path(const struct ruby_image *r, struct look *l, uint64_t path, char to[RUBY_TEXT_MOST])
{
	return ruby_text(r, l, path, to) || ruby_text(r, l, ruby_element(r, l, path, 1), to) || ruby_text(r, l, ruby_element(r, l, path, 0), to);
}

/* file.rb:block in Class#method. */
static void
put_name(struct ruby_table *t)
{
	const char *slash = strrchr(t->path, '/'), *file = *t->path != '<' && slash ? slash + 1 : t->path;
	size_t n = strlen(t->label), method = *t->class ? strlen(t->base) : 0;

	if (method > n || strcmp(t->label + n - method, t->base))
		*t->class = 0;
	snprintf(t->name, sizeof t->name, "%s:%.*s%s%s", file, (int)(*t->class ? n - method : n), t->label, t->class, *t->class ? t->base : "");
}

/* ---- functions ---- */

static uint32_t
read_lines(const struct ruby_image *r, struct look *l, const uint8_t *body, struct ruby_table *t)
{
	const uint8_t *info = body + r->at[RB_B_INFO];
	uint32_t size = look_u32(body + RB_B_SIZE), n = look_u32(info + 16), bytes = ruby_lines_positions(size);

	if (!n || n > ENTRIES_MOST || !bytes || bytes > sizeof t->positions || !look_copy(l, look_u64(info), t->entries, (size_t)n * RUBY_LINES_ENTRY) ||
	    !look_copy(l, look_u64(info + 24), t->positions, bytes))
		return 0;
	return ruby_lines(t->positions, size, t->entries, n, t->lines);
}

static bool
find_iseq(struct ruby_codes *p, struct look *l, struct ruby_code *c, uint64_t ep)
{
	struct ruby_table *t = languages_room(p->languages, RUBY_ROOM_TABLE, sizeof *t);
	struct language_function f = { 0 };
	uint64_t entry, local;
	uint8_t body[BODY];

	if (!t || !look_copy(l, c->seen[0], body, sizeof body) || !find_path(p->ids.image, l, c->seen[2], t->path) ||
	    !ruby_text(p->ids.image, l, c->seen[3], t->label))
		return false;
	*t->class = 0;
	local = look_u64(body + p->ids.image->at[RB_B_LOCAL]);
	if (ruby_text(p->ids.image, l, look_u64(body + RB_B_BASE_LABEL), t->base) && (entry = entry_of(l, ep)) && is_entry_of(l, entry, local))
		find_class(p, l, entry, t->class);
	else if (is_method(l, local) && may_try_again(c, l))
		return false;
	put_name(t);
	f.name = t->name;
	f.file = t->path;
	f.lines = (const char *)t->lines;
	f.nlines = read_lines(p->ids.image, l, body, t);
	f.line = look_u32(body + RB_B_LINE) >> (p->ids.image->minor == 1);
	c->code = languages_code(p->languages, &language_ruby, &f, 0);
	return c->code != CODE_UNKNOWN;
}

static bool
find_method(struct ruby_codes *p, struct look *l, struct ruby_code *c)
{
	struct ruby_table *t = languages_room(p->languages, RUBY_ROOM_TABLE, sizeof *t);
	struct language_function f = { 0 };

	if (!t || !ruby_id_text(&p->ids, l, c->seen[1], t->label))
		return false;
	find_class(p, l, c->addr, t->class);
	snprintf(t->name, sizeof t->name, "%s%s", t->class, t->label);
	f.name = t->name;
	f.lines = "";
	c->code = languages_code(p->languages, &language_ruby, &f, 0);
	return c->code != CODE_UNKNOWN;
}

/* The words by which prof recognizes a function: an iseq's body, code, path and label; of a method entry what it is made of. */
static bool
read_words(struct look *l, uint64_t addr, bool iseq, uint64_t to[4])
{
	const uint8_t *o;

	if (!iseq)
		return look_word(l, addr + RB_M_DEF, &to[0]) && look_word(l, addr + RB_M_ID, &to[1]) && look_word(l, addr + RB_M_OWNER, &to[2]);
	if (!look_word(l, addr + RB_ISEQ_BODY, &to[0]) || to[0] % 8 || !(o = look_at(l, to[0], RB_B_LINE)))
		return false;
	to[1] = look_u64(o + RB_B_CODE);
	to[2] = look_u64(o + RB_B_PATH);
	to[3] = look_u64(o + RB_B_LABEL);
	return true;
}

static bool
learn(struct ruby_codes *p, struct look *l, struct ruby_code *c, uint64_t ep)
{
	unsigned kind = ruby_kind(l, c->addr);
	bool iseq = kind == RUBY_OF_INTERNAL(RUBY_ISEQ);
	const uint8_t *o;
	uint64_t now[4] = { 0 };

	if (c->code != CODE_UNKNOWN && !look_at(l, c->addr, 8))   /* the process has ended since */
		return true;
	if ((!iseq && kind != RUBY_OF_INTERNAL(RUBY_METHOD)) || !read_words(l, c->addr, iseq, now))
		return false;
	c->looked = l->moment->time;
	if (c->code != CODE_UNKNOWN && !memcmp(now, c->seen, sizeof now))
		return true;
	c->code = CODE_UNKNOWN;
	c->tries = memcmp(now, c->seen, sizeof now) ? 0 : c->tries;
	memcpy(c->seen, now, sizeof now);
	c->words = c->size = 0;
	if (p->grants && l->reads < READS_EACH && is_new_try(c, l)) {   /* else its name would depend on what the sample has read before */
		p->grants--;
		l->reads = READS_EACH;
	}
	if (!iseq)
		return find_method(p, l, c);
	if (!(o = look_at(l, now[0], RB_B_CODE)))
		return false;
	c->words = now[1];
	c->size = look_u32(o + RB_B_SIZE);
	return c->words && c->words % 8 == 0 && c->size && c->size <= WORDS_MOST && find_iseq(p, l, c, ep);
}

/* Whether a new iseq lies where this one was: eval makes and drops many. */
static bool
is_replaced(struct look *l, struct ruby_code *c)
{
	uint64_t body;

	if (!c->size || c->same == l->moment->time || l->reads < READS_KEPT || !look_word(l, c->addr + RB_ISEQ_BODY, &body))
		return false;
	if (body != c->seen[0])
		return true;
	c->same = l->moment->time;
	return false;
}

const struct ruby_code *
ruby_code_at(struct ruby_codes *p, struct look *l, uint64_t addr, uint64_t ep)
{
	uint32_t h = hash_u64(addr), slot, i;

	if (addr % 8 || !addr)
		return NULL;
	for (slot = index_first(&p->index, h); (i = index_at(&p->index, slot)) != INDEX_NONE; slot = index_next(&p->index, slot))
		if (p->code[i].addr == addr)
			break;
	if (i == INDEX_NONE) {
		if (p->n == CODES_MOST || !vec_room(&p->code, &p->cap, (uint64_t)p->n + 1, sizeof *p->code))
			return NULL;
		i = p->n;
		p->code[i] = (struct ruby_code){ .addr = addr, .code = CODE_UNKNOWN };
		if ((!learn(p, l, &p->code[i], ep) && !p->code[i].tries) || !index_add(&p->index, h, i))
			return NULL;
		p->n++;
		return p->code[i].code == CODE_UNKNOWN ? NULL : &p->code[i];
	}
	if ((p->code[i].code == CODE_UNKNOWN || l->moment->time - p->code[i].looked > LOOK_AGAIN || is_replaced(l, &p->code[i])) &&
	    !learn(p, l, &p->code[i], ep))
		return NULL;
	return &p->code[i];
}

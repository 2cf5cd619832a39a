/* See ruby_object.h.  The first word of an object is its flags: its kind, then bits that mean something else for each kind
 * (include/ruby/internal/fl_type.h, core/rstring.h, core/rarray.h; internal/imemo.h).  An identifier's number is an index into arrays of 512
 * pairs, a string and a symbol (symbol.c).  Up to 3.1 a class's name is an instance variable of it, in a hash table (st.c). */
#include "ruby_object.h"

#include <string.h>

enum {
	OUTSIDE = 1 << 13,         /* of strings: not in the object */
	INSIDE = 1 << 13,          /* of arrays: in the object */
	LAST_OPERATOR = 169, UNIT = 512, SYMBOLS_MOST = 1 << 26, TABLE_MOST = 64, DATA_MOST = 1 << 16, ENTRY = 24,
};

unsigned
ruby_kind(struct look *l, uint64_t addr)
{
	uint64_t flags;

	if (addr % 8 || !look_word(l, addr, &flags))
		return 0;
	return (flags & RUBY_KINDS) == RUBY_INTERNAL ? RUBY_OF_INTERNAL(flags >> 12 & 15) : flags & RUBY_KINDS;
}

bool
ruby_text(const struct ruby_image *r, struct look *l, uint64_t addr, char to[RUBY_TEXT_MOST])
{
	enum { HEAD = 32 };
	const uint8_t *o = ruby_kind(l, addr) == RUBY_STRING ? look_at(l, addr, HEAD) : NULL;
	uint64_t flags, n, from;

	if (!o)
		return false;
	flags = look_u64(o);
	n = r->at[RB_TEXT] || flags & OUTSIDE ? look_u64(o + 16) : flags >> 14 & 31;
	from = flags & OUTSIDE ? look_u64(o + 24) : addr + (r->at[RB_TEXT] ? 24 : 16);
	if (!n || n >= RUBY_TEXT_MOST || !look_copy(l, from, to, (size_t)n))
		return false;
	for (uint64_t i = 0; i < n; i++)
		if ((uint8_t)to[i] < ' ')
			to[i] = '?';
	to[n] = 0;
	return true;
}

uint64_t
ruby_element(const struct ruby_image *r, struct look *l, uint64_t addr, uint64_t i)
{
	enum { HEAD = 40 };
	const uint8_t *o = ruby_kind(l, addr) == RUBY_ARRAY ? look_at(l, addr, HEAD) : NULL;
	uint64_t flags, n, from, v;

	if (!o)
		return 0;
	flags = look_u64(o);
	n = flags & INSIDE ? flags >> 15 & (r->at[RB_TEXT] ? 127 : 3) : look_u64(o + 16);
	from = flags & INSIDE ? addr + 16 : look_u64(o + 32);
	return i < n && look_word(l, from + 8 * i, &v) ? v : 0;
}

/* ---- identifiers ---- */

static bool
in_symbols(const struct ruby_image *r, struct look *l, uint64_t symbols, uint64_t id, char to[RUBY_TEXT_MOST])
{
	uint64_t number = id > LAST_OPERATOR ? id >> 4 : id, ids;

	return number < SYMBOLS_MOST && look_word(l, symbols + 16, &ids) &&
	       ruby_text(r, l, ruby_element(r, l, ruby_element(r, l, ids, number / UNIT), number % UNIT * 2), to);
}

/* A count, a pointer, an array and a hash, one behind the other; and identifier '+' is named so. */
static bool
are_symbols(const struct ruby_image *r, struct look *l, uint64_t addr)
{
	char text[RUBY_TEXT_MOST];
	uint64_t last, table, ids, hash;

	return look_word(l, addr, &last) && last > LAST_OPERATOR && last < SYMBOLS_MOST && look_word(l, addr + 8, &table) && table &&
	       look_word(l, addr + 16, &ids) && look_word(l, addr + 24, &hash) && table % 8 == 0 && ruby_kind(l, ids) == RUBY_ARRAY &&
	       ruby_kind(l, hash) == RUBY_HASH && in_symbols(r, l, addr, '+', text) && !strcmp(text, "+");
}

/* The table has a symbol, but not in a stripped file. */
static bool
find_symbols(struct ruby_ids *s, struct look *l)
{
	const struct ruby_range *d = &s->image->data;

	if (s->symbols || s->tries == RUBY_TRIES_MOST)
		return s->symbols;
	if (l->reads < DATA_MOST / LOOK_PIECE)   /* another sample may read more */
		return false;
	s->tries++;
	for (uint64_t at = d->lo; at + 32 <= d->hi && at - d->lo < DATA_MOST; at += 8)
		if (are_symbols(s->image, l, at + s->bias)) {
			s->symbols = at + s->bias;
			break;
		}
	return s->symbols;
}

bool
ruby_id_text(struct ruby_ids *s, struct look *l, uint64_t id, char to[RUBY_TEXT_MOST])
{
	return find_symbols(s, l) && in_symbols(s->image, l, s->symbols, id, to);
}

/* ---- classes ---- */

/* An instance variable of a class, up to 3.1. */
static uint64_t
variable(struct ruby_ids *s, struct look *l, uint64_t class, const char *name, uint64_t *known)
{
	enum { EXTENSION = 24, VARIABLES = 8, UPTO = 40, ENTRIES = 48 };
	uint64_t extension, table, n, entry, id, value = 0;
	char text[RUBY_TEXT_MOST];

	if (!look_word(l, class + EXTENSION, &extension) || !look_word(l, extension + VARIABLES, &table) || !table ||
	    !look_word(l, table + UPTO, &n) || !look_word(l, table + ENTRIES, &entry))
		return 0;
	for (uint64_t i = 0; i < n && i < TABLE_MOST; i++, entry += ENTRY) {
		if (!look_word(l, entry + 8, &id) || (*known ? id != *known : !ruby_id_text(s, l, id, text) || strcmp(text, name)))
			continue;
		*known = id;
		look_word(l, entry + 16, &value);
		break;
	}
	return value;
}

static uint64_t
path_of(struct ruby_ids *s, struct look *l, uint64_t class)
{
	uint64_t v;

	if (!s->image->at[RB_CLASS_PATH])
		return variable(s, l, class, "__classpath__", &s->classpath);
	return look_word(l, class + s->image->at[RB_CLASS_PATH], &v) ? v : 0;
}

static uint64_t
attached_of(struct ruby_ids *s, struct look *l, uint64_t class)
{
	uint64_t v;

	if (!s->image->at[RB_CLASS_ATTACHED])
		return variable(s, l, class, "__attached__", &s->attached);
	return look_word(l, class + s->image->at[RB_CLASS_ATTACHED], &v) ? v : 0;
}

static bool
is_class(struct look *l, uint64_t addr)
{
	unsigned kind = ruby_kind(l, addr);

	return kind == RUBY_CLASS || kind == RUBY_MODULE;
}

bool
ruby_class_text(struct ruby_ids *s, struct look *l, uint64_t addr, char to[RUBY_TEXT_MOST])
{
	uint64_t flags;
	bool own;
	size_t n;

	if (!is_class(l, addr) || !look_word(l, addr, &flags))
		return false;
	own = (flags & RUBY_KINDS) == RUBY_CLASS && flags >> s->image->at[RB_CLASS_SINGLETON] & 1;
	if (own && (!(addr = attached_of(s, l, addr)) || !is_class(l, addr)))
		return false;
	if (!ruby_text(s->image, l, path_of(s, l, addr), to) || (n = strlen(to)) + 2 > RUBY_TEXT_MOST)
		return false;
	memcpy(to + n, own ? "." : "#", 2);
	return true;
}

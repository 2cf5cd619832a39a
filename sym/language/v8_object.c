/* See v8_object.h.  src/objects/string.h, instance-type.h and scope-info.tq of V8 10 to 14. */
#include "v8_object.h"

#include <string.h>

enum {
	MAP_TYPE = 12, STRING_LENGTH = 12, STRING_CHARS = 16, FIRST = 16, SECOND = 24, OUTSIDE_CHARS = 24,
	/* of a string's type */
	KIND = 7, CONS = 1, EXTERNAL = 2, SLICED = 3, THIN = 5, ONE_BYTE = 8, UNCACHED = 16,
	DEPTH = 8, CHARS_MOST = 1 << 29, PIECE = 256,
	SCOPE_LOCALS = 24, SCOPE_WORDS = 8, INLINED_MOST = 75, LOCALS_MOST = 1 << 16, SCOPE_LOOK = 12,
};

bool
v8_member(struct look *l, uint64_t object, int32_t offset, uint64_t *v)
{
	*v = 0;
	return object % 8 == 1 && look_word(l, object - 1 + (uint64_t)offset, v);
}

uint32_t
v8_type(struct look *l, uint64_t object)
{
	uint64_t map;
	const uint8_t *type;

	if (!v8_member(l, object, 0, &map) || !v8_is_object(map) || !(type = look_at(l, map - 1 + MAP_TYPE, 2)))
		return V8_NO_TYPE;
	return type[0] | (uint32_t)type[1] << 8;
}

/* In place of a moved object's map is the address where it is now (MapWord::FromForwardingAddress). */
uint64_t
v8_moved(struct look *l, uint64_t object)
{
	enum { MOVES = 3 };
	uint64_t map;

	for (unsigned i = 0; i < MOVES && v8_member(l, object, 0, &map) && map % 8 == 0 && map > UINT32_MAX; i++)
		object = map + 1;
	return object;
}

/* ---- strings ---- */

/* Follows strings that only stand for another one.  Of a string of two, that is the first one if the second one is empty. */
static bool
find_flat(struct look *l, uint64_t *string, uint32_t *type, uint64_t *skip, uint32_t *n)
{
	uint64_t v, second;

	*skip = 0;
	*n = UINT32_MAX;
	for (unsigned i = 0; i < DEPTH; i++) {
		*string = v8_moved(l, *string);
		*type = v8_type(l, *string);
		if (*type >= V8_NOT_STRING || !v8_member(l, *string, 8, &v))
			return false;
		*n = *n == UINT32_MAX ? (uint32_t)(v >> 32) : *n;
		switch (*type & KIND) {
		case CONS:
			if (!v8_member(l, *string, SECOND, &second) || !v8_member(l, second, 8, &v) || v >> 32)
				return true;
			break;
		case SLICED:
			if (!v8_member(l, *string, SECOND, &v))
				return false;
			*skip += v >> 32;
			break;
		case THIN:
			break;
		default:
			return true;
		}
		if (!v8_member(l, *string, FIRST, string))
			return false;
	}
	return false;
}

bool
v8_chars(struct look *l, uint64_t string, struct v8_chars *c)
{
	uint64_t skip, length;
	uint32_t type;

	if (!find_flat(l, &string, &type, &skip, &c->n) || (type & KIND) == CONS || !v8_member(l, string, 8, &length) ||
	    c->n > CHARS_MOST || skip > length >> 32 || c->n > (length >> 32) - skip)
		return false;
	c->at = string - 1 + STRING_CHARS;
	if ((type & KIND) == EXTERNAL && (type & UNCACHED || !look_word(l, string - 1 + OUTSIDE_CHARS, &c->at)))
		return false;
	c->width = type & ONE_BYTE ? 1 : 2;
	c->at += skip * c->width;
	return true;
}

/* The number of bytes of a character in UTF-8; halves of characters become '?'. */
static unsigned
put_char(char *to, unsigned c)
{
	c = c < ' ' || c == 127 || (c >= 0xd800 && c < 0xe000) ? '?' : c;
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	to[0] = (char)(0xe0 | c >> 12);
	to[1] = (char)(0x80 | (c >> 6 & 63));
	to[2] = (char)(0x80 | (c & 63));
	return 3;
}

static bool
put_chars(struct look *l, const struct v8_chars *c, char *to, uint32_t *n)
{
	uint32_t count = c->n < PIECE ? c->n : PIECE;
	const uint8_t *p = count ? look_at(l, c->at, (size_t)count * c->width) : NULL;

	for (uint32_t i = 0; p && i < count && *n + 4 < V8_TEXT_MOST; i++)
		*n += put_char(to + *n, c->width == 1 ? p[i] : p[2 * i] | (unsigned)p[2 * i + 1] << 8);
	return p || !count;
}

bool
v8_text(struct look *l, uint64_t string, char to[V8_TEXT_MOST])
{
	uint64_t left[DEPTH + 1], skip, first, second;
	uint32_t n = 0, depth = 0, type, length;
	struct v8_chars c;
	bool read = true;

	left[depth++] = string;
	for (unsigned rounds = 0; depth && rounds < 4 * DEPTH; rounds++) {
		string = left[--depth];
		if (v8_chars(l, string, &c))
			read = put_chars(l, &c, to, &n) && read;
		else if (!find_flat(l, &string, &type, &skip, &length))
			read = false;
		else if (depth + 2 <= DEPTH && (type & KIND) == CONS && v8_member(l, string, FIRST, &first) &&
		         v8_member(l, string, SECOND, &second)) {
			left[depth++] = second;
			left[depth++] = first;
		}
	}
	to[n] = 0;
	return read;
}

/* ---- scopes ---- */

static bool
has_text(struct look *l, uint64_t string)
{
	uint64_t length;

	return v8_member(l, string, 8, &length) && length >> 32;
}

/* Behind the names of variables a scope has, as far as its kind needs them: numbers, the function's name and a number, the name that
 * V8 found for it, the beginning and the end (from 13 on these are in front of the variables), and the scope around it. */
bool
v8_scope(const struct v8_image *v, struct look *l, uint64_t scope, struct v8_scope *to)
{
	int32_t at = SCOPE_WORDS + 8 * v->at[V8_SCOPE_FIRST];
	uint64_t locals, w, before = 0;
	unsigned numbers = 0;
	uint32_t type;

	*to = (struct v8_scope){ 0 };
	if (!v8_member(l, scope, SCOPE_LOCALS, &locals) || !v8_is_number(locals) || locals >> 32 > LOCALS_MOST || !v8_member(l, scope, at, &w))
		return false;
	at += locals && v8_is_number(w) ? 8 : 0;   /* a module's */
	locals >>= 32;
	at += 8 * (int32_t)(locals < INLINED_MOST ? 2 * locals : locals + 1);
	for (unsigned i = 0; i < SCOPE_LOOK && v8_member(l, scope, at, &w); i++, at += 8, before = w) {
		numbers = v8_is_number(w) ? numbers + 1 : 0;
		if (numbers >= 2)
			to->start = (uint32_t)(before >> 32);
		if (numbers)
			continue;
		w = v8_moved(l, w);
		if ((type = v8_type(l, w)) == V8_NO_TYPE)
			return false;
		if (type >= V8_NOT_STRING && type != (uint32_t)v->at[V8_TYPE_ODDBALL])
			break;
		if (type < V8_NOT_STRING && !to->name && has_text(l, w))
			to->name = w;
	}
	if (v->at[V8_SCOPE_FIRST] > 3 && v8_member(l, scope, SCOPE_LOCALS + 8, &w))
		to->start = (uint32_t)(w >> 32);
	return true;
}

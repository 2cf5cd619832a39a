/* See python_object.h.  Objects/unicodeobject.c; Objects/dictobject.c (struct _dictkeysobject, its indices and entries); an instance's
 * attributes up to 3.10 are in a dict, from 3.11 on in an array of values beside it (3.11, 3.12) or in it (3.13), until somebody asks for
 * the dict.  The names of such values are those of the class. */
#include "python_object.h"

#include <string.h>

enum { ENTRIES_MOST = 64, KEYS_LOG_MOST = 12 };

static void
put_utf8(char *to, size_t *n, uint32_t c)
{
	if (*n > PYTHON_TEXT_MOST - 5)
		return;
	if (c < 0x80)
		to[(*n)++] = c ? (char)c : '?';
	else if (c < 0x800) {
		to[(*n)++] = (char)(0xc0 | c >> 6);
		to[(*n)++] = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		to[(*n)++] = (char)(0xe0 | c >> 12);
		to[(*n)++] = (char)(0x80 | (c >> 6 & 63));
		to[(*n)++] = (char)(0x80 | (c & 63));
	} else if (c < 0x110000) {
		to[(*n)++] = (char)(0xf0 | c >> 18);
		to[(*n)++] = (char)(0x80 | (c >> 12 & 63));
		to[(*n)++] = (char)(0x80 | (c >> 6 & 63));
		to[(*n)++] = (char)(0x80 | (c & 63));
	}
}

bool
python_object_text(const struct python_image *p, struct look *l, uint64_t addr, char to[PYTHON_TEXT_MOST])
{
	const uint32_t *at = p->at;
	const uint8_t *o = look_at(l, addr, at[PY_STR_ASCII]);
	unsigned shift = p->free_threaded && p->minor >= 14 ? 8 : 2, kind, ascii;
	uint8_t data[PYTHON_TEXT_MOST];
	uint64_t length;
	size_t n = 0;

	if (!o || at[PY_STR_LENGTH] + 8 > at[PY_STR_ASCII] || at[PY_STR_STATE] + 4 > at[PY_STR_ASCII])
		return false;
	length = look_u64(o + at[PY_STR_LENGTH]);
	kind = look_u32(o + at[PY_STR_STATE]) >> shift & 7;
	ascii = look_u32(o + at[PY_STR_STATE]) >> (shift + 3) & 3;
	if (!(ascii & 1) || (kind != 1 && kind != 2 && kind != 4) || !length || length > PYTHON_TEXT_MOST / 4)
		return false;
	addr += at[PY_STR_ASCII] + (ascii & 2 ? 0 : p->minor >= 12 ? 16 : 24);
	if (!look_copy(l, addr, data, (size_t)length * kind))
		return false;
	for (uint64_t i = 0; i < length; i++) {
		const uint8_t *d = data + i * kind;

		put_utf8(to, &n, kind == 1 ? *d : kind == 2 ? (uint32_t)(d[0] | d[1] << 8) : look_u32(d));
	}
	to[n] = 0;
	return true;
}

/* ---- attributes ---- */

/* The names of attributes: the entries of a dict's keys. */
struct names {
	uint64_t entry;            /* the first one */
	uint32_t n, size;          /* bytes of each */
	uint32_t key;              /* where in an entry the name is; the value is behind it */
};

/* Up to 3.10: dk_size, dk_nentries, and as many indices of 1, 2 or 4 bytes; from 3.11 on their logarithms. */
static bool
read_keys(const struct python_image *p, struct look *l, uint64_t keys, struct names *n)
{
	const uint8_t *o = look_at(l, keys, 40);
	bool old = p->minor < 11;
	uint64_t size, entries;

	if (!o)
		return false;
	size = old ? look_u64(o + 8) : o[9];
	entries = look_u64(o + (old ? 32 : 24));
	if (size > (old ? 1 << KEYS_LOG_MOST : KEYS_LOG_MOST))
		return false;
	entries = entries < ENTRIES_MOST ? entries : ENTRIES_MOST;
	*n = (struct names){ old ? keys + 40 + size * (size > 0xff ? 2 : 1) : keys + 32 + (UINT64_C(1) << size), (uint32_t)entries,
	                     old || !o[10] ? 24 : 16, old || !o[10] ? 8 : 0 };
	return true;
}

/* The number of NAME; n->n: it is not there. */
static uint32_t
find_name(const struct python_image *p, struct look *l, const struct names *n, const char *name)
{
	char text[PYTHON_TEXT_MOST];
	uint64_t key;
	uint32_t i = 0;

	while (i < n->n && !(look_word(l, n->entry + i * n->size + n->key, &key) && key && python_object_text(p, l, key, text) && !strcmp(text, name)))
		i++;
	return i;
}

/* The value of NAME: in the array of VALUES, or (0) in the entries of KEYS themselves. */
static uint64_t
value_of(const struct python_image *p, struct look *l, uint64_t keys, uint64_t values, const char *name)
{
	struct names n;
	uint64_t v = 0;
	uint32_t i;

	if (!keys || !read_keys(p, l, keys, &n) || (i = find_name(p, l, &n, name)) == n.n)
		return 0;
	look_word(l, values ? values + 8 * i : n.entry + i * n.size + n.key + 8, &v);
	return v;
}

uint64_t
python_object_in_dict(const struct python_image *p, struct look *l, uint64_t dict, const char *name)
{
	enum { KEYS = 24, VALUES = 32 };   /* behind the type */
	uint64_t keys, values, type = dict + p->at[PY_TYPE];

	if (!dict || dict % 8 || !look_word(l, type + KEYS, &keys) || !look_word(l, type + VALUES, &values))
		return 0;
	return value_of(p, l, keys, values && p->minor >= 13 ? values + 8 : values, name);
}

uint64_t
python_object_attribute(const struct python_image *p, struct look *l, uint64_t addr, const char *name)
{
	enum { BASICSIZE = 8, DICTOFFSET = 264, INLINE_VALID = 3 };   /* behind the type's name; a byte before inline values */
	uint64_t type, keys, offset, word, head;

	if (!p->at[PY_TYPE_KEYS] || addr % 8 || !look_word(l, addr + p->at[PY_TYPE], &type) || type % 8 ||
	    !look_word(l, type + p->at[PY_TYPE_KEYS], &keys))
		return 0;
	if (p->minor < 11)
		return look_word(l, type + p->at[PY_TYPE_NAME] + DICTOFFSET, &offset) && offset && offset < 4096 &&
		       look_word(l, addr + offset, &word) ? python_object_in_dict(p, l, word, name) : 0;
	if (p->minor == 11 && look_word(l, addr - 32, &word) && word)
		return value_of(p, l, keys, word, name);
	if (p->minor >= 13 && look_word(l, type + p->at[PY_TYPE_NAME] + BASICSIZE, &offset) && offset < 4096 &&
	    look_word(l, addr + offset, &head) && (head >> 8 * INLINE_VALID & 0xff) == 1)
		return value_of(p, l, keys, addr + offset + 8, name);
	if (!look_word(l, addr - (p->free_threaded ? 8 : 24), &word))   /* there is nothing of the garbage collector's before it */
		return 0;
	return p->minor == 12 && word & 1 ? value_of(p, l, keys, word + 1, name) : python_object_in_dict(p, l, word, name);
}

/* Objects of V8: pointers to them have the lowest bit set, small numbers (Smi) lie in the upper half of a word.  The first word leads to
 * the object's map, which has its type. */
#ifndef SYM_LANGUAGE_V8_OBJECT_H
#define SYM_LANGUAGE_V8_OBJECT_H

#include "look.h"
#include "v8_image.h"

enum { V8_TEXT_MOST = 512, V8_NOT_STRING = 128 /* the first type that is none */, V8_NO_TYPE = 0xffff };

/* The characters of a string that lie in one piece: N of them at AT, of WIDTH bytes each. */
struct v8_chars {
	uint64_t at;
	uint32_t n;
	uint8_t width;
};

/* What a scope tells of its function. */
struct v8_scope {
	uint64_t name;             /* or the name that V8 found for it; 0: none */
	uint32_t start;            /* where it begins in the source */
};

/* Whether V is a pointer to an object of the heap.  Compiled code may lie lower, near a program with a fixed address. */
static inline bool
v8_is_object(uint64_t v)
{
	return v % 8 == 1 && v > UINT32_MAX;
}

static inline bool
v8_is_number(uint64_t v)
{
	return !(v & UINT32_MAX);
}

/* V8_NO_TYPE if it cannot be read. */
uint32_t v8_type(struct look *, uint64_t object);
bool v8_member(struct look *, uint64_t object, int32_t offset, uint64_t *);
/* Where an object is now, if the collector has moved it and has not used the memory again. */
uint64_t v8_moved(struct look *, uint64_t object);
/* The beginning of a string, as UTF-8; false if it cannot be read, as while the collector moves it. */
bool v8_text(struct look *, uint64_t string, char to[V8_TEXT_MOST]);
/* False if the string does not lie in one piece. */
bool v8_chars(struct look *, uint64_t string, struct v8_chars *);
/* False if it cannot be read. */
bool v8_scope(const struct v8_image *, struct look *, uint64_t scope, struct v8_scope *);

#endif

/* Reads JSON (RFC 8259) that may be hostile, from front to back, value by value; it keeps nothing.
 *
 *     for (list = json_open(c, '{'); json_next(c, &list);) {
 *             json_key(c, &text);
 *             ...   one value is read or skipped
 *     }
 *
 * At the first thing that is wrong the cursor's BAD is set and it stays there: from then on lists are at their end, numbers
 * are 0 and texts empty. */
#ifndef LIB_JSON_H
#define LIB_JSON_H

#include "cursor.h"
#include "sink.h"

struct json_list {
	char close;
	bool begun;
};

/* The first character of the value at hand, which tells its kind; 0 at the end. */
char json_peek(struct cursor *);
/* The array ('[') or object ('{') at hand, which must be one. */
struct json_list json_open(struct cursor *, char kind);
/* Whether there is another element.  The cursor then stands before it, else behind the list. */
bool json_next(struct cursor *, struct json_list *);
/* A string, into TEXT, which is kept in memory: its bytes, with a NUL behind, are TEXT's whole content. */
const char *json_string(struct cursor *, struct sink *text);
/* The name of an object's element. */
const char *json_key(struct cursor *, struct sink *text);
/* A number times ten to the PLACES, rounded. */
int64_t json_number(struct cursor *, unsigned places);
void json_skip(struct cursor *);
/* Sets what is wrong at the cursor. */
void json_bad(struct cursor *, const char *why);

#endif

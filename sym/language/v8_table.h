/* Tables that V8 keeps for code: arrays of bytes with numbers of variable length. */
#ifndef SYM_LANGUAGE_V8_TABLE_H
#define SYM_LANGUAGE_V8_TABLE_H

#include "lib/cursor.h"
#include "v8_object.h"

enum { V8_TABLE = 8192, V8_POSITION_MOST = 0x3fffffff };

/* A room's, for the table that is being read. */
struct v8_table {
	uint8_t bytes[V8_TABLE];
};

/* The bytes of an array whose first one lies FIRST behind its object; empty if they cannot be read.  PART: the first ones if there are too many. */
struct cursor v8_table_read(struct v8_table *, struct look *, uint64_t array, int32_t first, bool part);
/* The place in the source that a table of places has for what lies AT bytes into the code; 0: none. */
uint64_t v8_table_place(struct v8_table *, const struct v8_image *, struct look *, uint64_t table, uint64_t at);

/* The position in the source of a place; 0: none. */
static inline uint32_t
v8_place_position(uint64_t place)
{
	return (uint32_t)(place >> 1 & V8_POSITION_MOST);
}

#endif

/* Writing protobuf's wire format, and the table of strings of a pprof profile.  For pprof.c only. */
#ifndef OUT_FORMAT_PPROF_PPROF_PUT_H
#define OUT_FORMAT_PPROF_PPROF_PUT_H

#include <stdbool.h>

#include "lib/index.h"
#include "lib/mem.h"
#include "lib/sink.h"

void pprof_varint(struct sink *, uint64_t);
/* Leaves out fields that are 0, because readers take missing fields for 0. */
void pprof_number(struct sink *, unsigned field, uint64_t);
/* A message or string that is kept in memory. */
void pprof_bytes(struct sink *, unsigned field, const struct sink *bytes);

struct strings {
	struct string *string;     /* a text, and what is written behind it */
	uint32_t n, cap;
	struct index index;
	bool full;                 /* at the memory cap */
};

/* The number of a string.  Its text must stay alive; the first string must be the empty one. */
uint32_t pprof_string(struct strings *, const char *text, const char *suffix);
/* Writes them all, as UTF-8. */
void pprof_strings(const struct strings *, struct sink *out);
void pprof_strings_free(struct strings *);

#endif

/* Reading pprof's profile.proto: the wire format, its tables, and one sample after the other.  Inside this folder only. */
#ifndef OUT_FORMAT_PPROF_PPROF_TABLES_H
#define OUT_FORMAT_PPROF_PPROF_TABLES_H

#include <string.h>

#include "lib/cursor.h"
#include "out/profile/profile.h"
#include "pprof_fields.h"

enum { TYPES_MAX = 32 };
#define NONE UINT32_MAX

struct field {
	uint32_t number, wire;
	uint64_t value;
	struct cursor bytes;
};

struct string {
	const uint8_t *at;
	size_t n;
	const char *text;          /* once asked for */
};

/* The file's own numbers for things, mostly 1, 2, 3, … */
struct ids {
	uint64_t *id;
	uint32_t n, cap;
	struct index index;
};

struct map {
	uint64_t start, off, file, build_id;
	uint32_t number;           /* among the profile's + 1; 0: not yet */
};

struct fn {
	uint64_t name, system_name, file, line;
};

struct line {
	uint64_t function, line;
};

struct place {
	uint64_t address, mapping;
	uint32_t line, lines;      /* innermost first */
	uint32_t code;             /* + 1; 0: not yet */
};

/* What the values of a sample mean: the weight of an event, and the number of samples. */
struct measure {
	struct event_info info;
	uint32_t event, value, count;   /* the event's number; columns, count NONE: as many as the weight */
	uint64_t scale;                 /* ns of one in the file; 0: it is the weight */
	uint64_t carry;                 /* ns below one of weight, from sample to sample */
};

struct reading {
	struct profile *p;
	struct cursor file;
	const char *why;
	const uint8_t *at, *here;  /* where it is wrong; what is being read */
	struct arena arena;
	struct string *string;
	struct map *map;
	struct fn *fn;
	struct place *place;
	struct line *line;
	uint64_t *comment;
	uint32_t strings, string_cap, map_cap, fn_cap, place_cap, lines, line_cap, comments, comment_cap;
	struct ids maps, fns, places;
	struct { uint64_t name, unit; } type[TYPES_MAX], period_type;
	uint32_t types;
	uint64_t period, default_type, time, duration, sum, samples;
	struct measure measure[TYPES_MAX];
	uint32_t measures;
	int64_t value[TYPES_MAX];
	uint32_t values;
	uint32_t *code, codes, code_cap;
	const char *program;       /* the first mapping's file name */
	/* of the sample at hand; threads without a name are the program's */
	int32_t pid, tid;
	const char *comm, *thread;
};

extern const char pprof_no_memory[];

/* Keeps the first complaint, and reads nothing after it. */
void pprof_fail(struct reading *, const uint8_t *at, const char *why);
/* The next field of a message, or false at its end, or where it is broken. */
bool pprof_field(struct cursor *, struct field *);
/* The next field of a message within the file; if that is broken, so is the file. */
bool pprof_next(struct reading *, struct cursor *, struct field *);
/* Calls TAKE for each number of a repeated field, packed or not. */
void pprof_each(struct reading *, struct field *, void (*take)(struct reading *, uint64_t));
/* Reads a message's numbers 1 to N - 1 into VALUE; a missing number is 0. */
void pprof_numbers(struct reading *, struct cursor, uint64_t *value, unsigned n);
/* Reads everything but the samples. */
void pprof_tables(struct reading *);
/* The number of the entry with that id, or NONE. */
uint32_t pprof_find(const struct ids *, uint64_t id);
/* A string by its number; it lives as long as the reading. */
const char *pprof_text(struct reading *, uint64_t number);

/* For each sample: reads its values, calls TAKE (unless it is NULL) for each other field, and then calls FN. */
void pprof_samples(struct reading *, void (*take)(struct reading *, struct field *), void (*fn)(struct reading *));

static inline bool
pprof_begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

#endif

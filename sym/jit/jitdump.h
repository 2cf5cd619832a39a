/* jit-PID.dump: records of code that a JIT made, moved, and knows the lines of, with the time of each. */
#ifndef SYM_JIT_JITDUMP_H
#define SYM_JIT_JITDUMP_H

#include "lib/cursor.h"
#include "jitcode.h"

enum jitdump_type { JITDUMP_LOAD, JITDUMP_MOVE, JITDUMP_DEBUG, JITDUMP_CLOSE, JITDUMP_UNWINDING };

struct jitdump_reader {
	const uint8_t *begin;
	struct cursor c;         /* what was not read yet */
	bool clocked;            /* times are CLOCK_MONOTONIC's, ns; else of a clock that is not known here */
	bool is64;               /* of a 64-bit machine */
};

struct jitdump_record {
	uint32_t type;
	uint64_t time, at;       /* AT: where it begins in the file */
	uint64_t lo, hi;         /* LOAD, MOVE: the code; DEBUG: LO is where the code of the next LOAD lies */
	uint64_t id;             /* LOAD, MOVE: of the code, whatever its place */
	const char *name;        /* LOAD */
	size_t len;
	struct cursor rest;      /* LOAD: the code's bytes; DEBUG: COUNT entries; UNWINDING: an .eh_frame */
	uint64_t count;          /* and UNWINDING: bytes of tables to be mapped */
};

/* Reads FILE's header; what is wrong with it in words, or NULL. */
const char *jitdump_begin(struct jitdump_reader *, struct cursor file);
/* The next whole record; those that make no sense are passed over.  False at the end. */
bool jitdump_next(struct jitdump_reader *, struct jitdump_record *);
/* From the record at FROM on, which jitdump_at gave. */
void jitdump_seek(struct jitdump_reader *, uint64_t from);
/* Where the next record begins, or will begin. */
uint64_t jitdump_at(const struct jitdump_reader *);

/* All of FILE, bounded in memory; NULL where there is nothing in it. */
struct jitcode *jitdump_open(struct arena *, struct cursor file);

#endif

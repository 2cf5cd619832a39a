/* jit-PID.dump: records with times, about code that a JIT made or moved, and about its lines. */
#ifndef SYM_JIT_JITDUMP_H
#define SYM_JIT_JITDUMP_H

#include "lib/cursor.h"
#include "jitcode.h"

enum jitdump_type { JITDUMP_LOAD, JITDUMP_MOVE, JITDUMP_DEBUG, JITDUMP_CLOSE, JITDUMP_UNWINDING };

struct jitdump_reader {
	const uint8_t *begin;
	const uint8_t *kept;     /* what was read before it need not stay in memory */
	struct cursor c;         /* what was not read yet */
	bool clocked;            /* times are CLOCK_MONOTONIC's, ns; else of an unknown clock */
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
/* The next whole record; it passes over records that make no sense.  False at the end. */
bool jitdump_next(struct jitdump_reader *, struct jitdump_record *);
/* Goes on with the record at FROM, which jitdump_at gave. */
void jitdump_seek(struct jitdump_reader *, uint64_t from);
/* Where the next record begins, or will begin. */
uint64_t jitdump_at(const struct jitdump_reader *);

/* Reads all of FILE, with bounded memory; NULL if there is nothing in it.  It belongs to the caller, as jitcode_new's does. */
struct jitcode *jitdump_open(struct arena *, struct cursor file);

#endif

/* perf's records: bytes to values.  All events of a capture share one sample_type, so that a record's time and its
 * event lie at fixed places. */
#ifndef SAMPLE_EVENTS_RECORD_H
#define SAMPLE_EVENTS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cursor.h"
#include "sym/module/symbol.h"

/* Registers of that number and above: there may be one, aarch64's length of vectors (Linux 6.1, SVE). */
enum { REGS_EXTENDED = 40 };
#define REGS_USUAL (((uint64_t)1 << REGS_EXTENDED) - 1)

/* What differs between captures, but not within one. */
struct record_shape {
	bool period;           /* PERF_SAMPLE_PERIOD */
	bool chain;            /* PERF_SAMPLE_CALLCHAIN */
	bool stack;            /* PERF_SAMPLE_REGS_USER and STACK_USER */
	uint8_t regs;          /* bits set in sample_regs_user */
	bool raw;              /* PERF_SAMPLE_RAW */
	uint8_t kernel_regs;   /* bits set in sample_regs_intr; 0: no PERF_SAMPLE_REGS_INTR */
	const uint64_t *part;  /* by CPU: samples of this event are parts of stacks */
	uint32_t nparts;
};

/* The type of such a sample. */
enum { RECORD_PART = 1 << 16 };
enum { RECORD_PAGE = 4096, RECORD_HEAD = 136 };

struct record {
	uint32_t type;         /* PERF_RECORD_*, or RECORD_PART */
	uint16_t misc;
	uint64_t time, id;
	uint32_t cpu;
	int32_t pid, tid;      /* the thread that the record is about; for FORK, the child */
	union {
		struct {
			uint64_t ip, period;
			const uint64_t *chain;
			uint64_t nchain;
			struct cursor raw;         /* a tracepoint's own fields */
			uint64_t abi;              /* PERF_SAMPLE_REGS_ABI_*; NONE (0): no user side */
			const uint64_t *regs;
			const uint8_t *stack;
			uint64_t stack_size;
			const uint64_t *kernel_regs;   /* as the event found them, on either side; or NULL */
		} sample;
		struct {
			uint64_t lo, size, off;
			uint32_t maj, min;
			uint64_t ino, gen;
			uint8_t build_id[20], build_id_len;
			bool exec;
			const char *path;
		} map;
		struct { const uint8_t *head, *bytes; uint64_t size; } part;   /* pages, and RECORD_HEAD bytes that tell which: see deep_program.h */
		struct { const char *name; bool exec; } comm;
		struct { struct symbol code; bool bpf, gone; } ksymbol;   /* code of the kernel that appeared, or went away */
		struct { int32_t ppid, ptid; } task;   /* FORK, EXIT */
		struct { bool out, runnable; } turn;   /* SWITCH: the thread leaves the CPU, although it could run on */
		uint64_t lost;
		uint64_t running;                      /* READ */
	};
};

/* The attr.sample_type of that shape. */
uint64_t record_sample_type(const struct record_shape *);
/* How long a record of that type really is, if it says SIZE: the kernel adds a trailer's length to a KSYMBOL for each event that has
 * taken it before, and leaves bytes of older records behind it.  WORD gives the 8 bytes at an offset of the record OF, whose trailer has
 * TRAILER bytes. */
uint64_t record_size(uint32_t type, uint64_t size, uint64_t trailer, uint64_t (*word)(const void *of, uint64_t off), const void *of);
/* A WORD for a record that lies in one piece, at OF. */
uint64_t record_word(const void *of, uint64_t off);
/* The place of the time in a record of that type and size, or 0 if it has none. */
uint64_t record_time_offset(uint32_t type, uint64_t size);
/* Bytes of the trailer. */
enum { RECORD_TRAILER = 32 };
/* NULL if all is well, else what is wrong with the record, in words.  Pointers go into BYTES, which lie on a multiple of 8.  Of
 * unknown types it reads just the common part. */
const char *record_parse(struct record *, const struct record_shape *, struct cursor bytes);
/* What a record that is no sample says between its header and its trailer: TYPE and MISC are known.  Latches BAD. */
void record_body(struct record *, struct cursor *);

/* A callchain's kernel and user parts, told apart by the kernel's markers. */
struct chains {
	const uint64_t *kernel, *user;
	uint32_t nkernel, nuser;
};
struct chains record_chains(const uint64_t *chain, uint64_t n);

#endif

/* The stopper: a process of its own that holds the rights, stops threads for a moment and tells what they were at, as
 * records of perf's in a ring of perf's layout.  This is what it shares with sample/ptrace.c, which talks to it. */
#ifndef SAMPLE_STOPPER_H
#define SAMPLE_STOPPER_H

#include <linux/perf_event.h>

#include "lib/clock.h"
#include "sample/session.h"
#include "sample/tasks/threads.h"

enum { PAUSES = 512, STACK_MOST = 63 << 10 };   /* a sample's length must fit in 16 bits */

/* Memory of both. */
struct desk {
	uint32_t stack_size;       /* bytes copied with a sample, from now on */
	uint64_t ticks, stops;     /* how often it looked, and how many threads it stopped for a sample */
	uint64_t on_ns;            /* for how long it did */
	uint64_t used;             /* ns of CPU that it took itself */
	uint64_t longest;          /* ns that a thread was paused for at most */
	uint32_t paused[PAUSES];   /* how many for so many us; the last: for longer */
};

/* The writer's side of the ring. */
struct emit {
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size, head, put;  /* where the next bytes go: the head is told once a record is whole */
	uint64_t at;               /* the time that records tell; 0: now */
	uint64_t lost;             /* samples that found no room, and are still to be told of */
	int wake;                  /* eventfd */
};

/* What is asked of it over its socket, and what it says to that. */
struct request {
	enum request_what { REQUEST_ATTACH, REQUEST_ON, REQUEST_OFF } what;
	int32_t pid;
};
struct reply {
	int32_t err;               /* 0 or an errno; EBUSY: another one traces it */
	int32_t pid;               /* whom that concerns; EBUSY: who does */
};

struct stopper {
	const struct capture *capture;
	uint64_t freq;
	unsigned ncpu;
	struct desk *desk;
	int socket;
	int32_t prof;              /* it ends with that process */
	struct emit out;
};
__attribute__((noreturn)) void stopper_run(const struct stopper *);

/* A record but a sample; N bytes of BODY, a multiple of 8, as PERF_RECORD_* have it. */
void emit_record(struct emit *, uint32_t type, uint16_t misc, const struct thread *, const void *body, size_t n);
/* PERF_RECORD_FORK or _EXIT. */
void emit_task(struct emit *, uint32_t type, const struct thread *, const struct thread *parent);
/* A sample of N words, of which the last becomes the stack's size, and GOT bytes of stack, up to 7 more of which are read. */
void emit_sample(struct emit *, uint64_t *word, unsigned n, const uint8_t *stack, uint64_t got);
/* The executable mappings, read from /proc/PID/maps. */
void emit_maps(struct emit *, const struct thread *, int maps);
void emit_wake(const struct emit *);

#endif

/* The stopper's records, written into its ring as the kernel writes perf's. */
#ifndef SAMPLE_PTRACE_STOPPER_EMIT_H
#define SAMPLE_PTRACE_STOPPER_EMIT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample/events/deep_program.h"
#include "sample/tasks/threads.h"

/* The writer's side of the ring. */
struct emit {
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size, head, put;  /* where the next bytes go; the head moves once a record is complete */
	uint64_t at;               /* the time that records tell; 0: now */
	uint64_t lost;             /* samples that found no room, and that no record tells of yet */
	int wake;                  /* eventfd */
};

/* Any record that is not a sample.  BODY has N bytes, a multiple of 8, in the form of PERF_RECORD_*. */
void emit_record(struct emit *, uint32_t type, uint16_t misc, const struct thread *, const void *body, size_t n);
/* PERF_RECORD_FORK or _EXIT. */
void emit_task(struct emit *, uint32_t type, const struct thread *, const struct thread *parent);
/* A sample of N words (the last one becomes the size of the stack), and GOT bytes of stack.  Reads up to 7 bytes behind
 * these. */
void emit_sample(struct emit *, uint64_t *word, unsigned n, const uint8_t *stack, uint64_t got);
/* Writes PAGES of memory as a part of the sample that comes next; WORD is that sample's, too.  Writes nothing, and
 * gives false, if part and sample do not both find room. */
enum { EMIT_PART = 1 << 16 };   /* the id of such samples */
bool emit_part(struct emit *, const uint64_t *word, const struct deep_head *, const uint8_t *bytes, uint64_t pages);
/* The executable mappings, read from /proc/PID/maps. */
void emit_maps(struct emit *, const struct thread *, int maps);
void emit_wake(const struct emit *);

#endif

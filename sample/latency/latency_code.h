/* The BPF programs that measure: one where something begins, one where it ends. */
#ifndef SAMPLE_LATENCY_LATENCY_CODE_H
#define SAMPLE_LATENCY_LATENCY_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/histogram.h"
#include "sample/events/event.h"
#include "sample/events/probe_arg.h"

/* How many calls of one thread may nest; how many system calls there are. */
enum { LATENCY_DEPTH = 64, LATENCY_SYSCALLS = 1024 };
enum latency_whom { WHOM_ALL, WHOM_PROCESSES, WHOM_THREADS, WHOM_CGROUP };
enum latency_by_kind { PER_NONE, PER_THREAD, PER_PROCESS, PER_ARGUMENT, PER_VALUE };

/* Where a number lies that the programs tell calls apart by: a word of their input; or so many pointers away from it, each in memory
 * at the one before, plus OFF. */
struct latency_value {
	int16_t at;
	uint8_t size, depth;       /* of the number: bytes */
	bool is_signed;
	int32_t off[PROBE_ARG_DEPTH];
};
/* The number where there was no memory, or none that could be read. */
#define LATENCY_UNKNOWN (UINT64_C(1) << 63 | 0xbad)

/* The programs measure apart what differs in this key. */
struct latency_key {
	uint64_t by;
	uint32_t site;             /* the cookie, or the number of the system call */
	uint32_t cpu;
};

/* A call that has begun. */
struct latency_call {
	uint64_t time, sp, by;
};
struct latency_calls {
	uint64_t n;
	struct latency_call call[LATENCY_DEPTH];
};

/* What the programs count, and what prof tells them. */
enum latency_lost { LOST_ROOM, LOST_DEEP, LOST_GROUP, LOST_BEGUN, LOST_LEFT, LATENCY_LOST };
struct latency_told {
	uint64_t lost[LATENCY_LOST];
	uint8_t wanted[LATENCY_SYSCALLS];
	struct latency_calls no_calls;   /* zeros, to make new values of */
	struct histogram no_durations;   /* ns */
	/* The stacks of the slowest calls: each call from bucket LEAST / 8 on gives a sample, its site and its length as two words.  Once
	 * there were enough of them, LEAST goes up by one bucket.  So all of the slowest are among the samples, but for calls that
	 * are no slower than many that are. */
	uint64_t least, given;
};

/* Maps by number, as the programs know them. */
enum { MAP_TOLD, MAP_WHOM, MAP_CALLS, MAP_GROUPS, MAP_OUTPUT, LATENCY_MAPS };

struct latency_shape {
	enum latency_whom whom;
	enum latency_by_kind by;
	struct latency_value value;   /* of PER_ARGUMENT at the beginning, of PER_VALUE at the end */
	int16_t sp_at;             /* 0: none */
	uint8_t popped, word;
	uint32_t slowest;          /* how many calls give a sample before LEAST goes up; 0: none */
	bool kernel;               /* some place is in the kernel: a program for bpf_link_places cannot be attached there */
	bool syscalls;             /* the site is the number of the system call, and WANTED tells which */
	bool tracepoint;
	bool places;               /* bpf_link_places will attach it */
};

/* The event that takes the programs' samples of slow calls; its descriptors belong into MAP_OUTPUT, by CPU. */
struct event latency_slow_event(void);

/* Each function returns a program's descriptor, or -1 with errno. */
int latency_code_begin(const struct latency_shape *, const int *map);
int latency_code_end(const struct latency_shape *, const int *map);
/* At tracepoint sched:sched_process_fork: a child belongs to MAP_WHOM if its parent does.  CHILD_AT: where its pid lies. */
int latency_code_fork(const int *map, int16_t child_at);

#endif

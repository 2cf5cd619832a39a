/* Measures in the kernel how long things take: functions, pairs of probes or tracepoints, system calls.  BPF programs pair the
 * beginning with the end, by thread, and count in histograms.  Nothing of it outlives prof: programs, maps and probes go with
 * their descriptors. */
#ifndef SAMPLE_LATENCY_LATENCY_H
#define SAMPLE_LATENCY_LATENCY_H

#include "latency_code.h"
#include "sample/events/refusal.h"
#include "sample/probes/probe_sites.h"

/* Without a link for many places (before Linux 6.6), each takes up to half a second to remove. */
enum { LATENCY_SINGLE = 20 };

struct latency {
	int map[LATENCY_MAPS];
	int begin, end, fork;      /* programs; -1: none */
	int *fd;                   /* links and events, a vector */
	uint32_t n, cap;
	struct latency_shape shape;
};

/* A thing that prof measures: all with the same BY (task or argument) at the same site. */
struct latency_row {
	uint64_t by;
	uint32_t site;
	struct histogram durations;   /* ns */
};
struct latency_rows {
	struct latency_row *row;   /* a vector */
	uint32_t n, cap;
	uint64_t lost[LATENCY_LOST], missed;   /* MISSED: a program was running on that CPU already */
};

/* Loads the programs.  It fills in SHAPE's places, sp and word.  False with the reason. */
bool latency_open(struct latency *, struct latency_shape *, struct refusal *);
/* Whom to measure: a process, or a thread; or the cgroup that has the directory FD. */
bool latency_whom(struct latency *, int32_t pid);
bool latency_cgroup(struct latency *, int fd);
/* Makes children belong to the measured processes; false if tracefs does not tell how. */
bool latency_children(struct latency *);

/* Begins to measure.  SITE: the number of the first of their sites. */
bool latency_functions(struct latency *, const struct probe_sites *, uint32_t site, int32_t pid, struct refusal *);
bool latency_place(struct latency *, const struct probe_sites *, bool end, int32_t pid, struct refusal *);
bool latency_tracepoint(struct latency *, const char *tracepoint, bool end, struct refusal *);
/* Whether there is no TRACEPOINT, SYSTEM:NAME; then WHY says so in words, with the nearest. */
bool latency_no_tracepoint(const char *tracepoint, char *why, size_t size);
/* Begins to measure these system calls, a byte each. */
bool latency_syscalls(struct latency *, const uint8_t *wanted, struct refusal *);

/* The measurements until now; false at the memory cap. */
bool latency_read(struct latency *, struct latency_rows *);
void latency_close(struct latency *);

#endif

/* How waits are captured; what the closing line, the profile's notes and --stats say of waits. */
#ifndef CMD_WAITS_H
#define CMD_WAITS_H

#include "lib/sink.h"
#include "sample/waiting/wait.h"

/* Bytes of stack copied with each wait at first: waits may be many more than samples. */
enum { WAIT_STACK_FIRST = 8 << 10 };

struct collector;
struct need;

/* The target's cgroup has been throttled for US in all, as it was before the records that are collected next were read. */
void waits_throttled(struct collector *, uint64_t us);
/* How much of the stack a wait's copy needs, by what is known now, where it was SIZE until now. */
uint32_t waits_stack(struct need *, uint32_t size);
void waits_words(struct sink *, const struct wait_counts *);
void waits_stats(struct sink *, const struct wait_counts *);

#endif

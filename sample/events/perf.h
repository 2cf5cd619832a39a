/* The raw door to perf_event_open. */
#ifndef SAMPLE_EVENTS_PERF_H
#define SAMPLE_EVENTS_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens an event, close-on-exec: a descriptor, or -1 and errno.  The attr's size may be 0: then perf_open takes the size that
 * prof knows.  If the kernel is older, it makes the size smaller (also in the attr).  That cuts off only fields that such a
 * kernel does not know, such as sample_max_stack. */
int perf_open(struct perf_event_attr *, pid_t pid, int cpu, int group, unsigned long flags);

/* ioctl(2) on an event. */
bool perf_control(int fd, unsigned long what, unsigned long with);

/* Where in the kernel's struct pt_regs the user's sp is; 0: not looked at on this machine. */
extern const int16_t perf_sp_at;

/* Whether this event, as type and configs name it, really interrupts a spinning program: some virtual machines have
 * counters that open, and stay silent.  Takes up to 2 ms of CPU. */
bool perf_interrupts(const struct perf_event_attr *);

#endif

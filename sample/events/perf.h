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

/* Where in the kernel's struct pt_regs the user's sp is; 0: prof does not look at it on this machine. */
extern const int16_t perf_sp_at;

/* Where in NT_PRSTATUS, in words, the thread pointer is; 0: prof does not look at it on this machine. */
extern const uint8_t perf_pointer_at;

/* Where in struct pt_regs a program at a probe finds things; -1: not in a register. */
struct probe_regs {
	int16_t sp;                /* 0: sp does not tell which call returns */
	int16_t arg[6], value;     /* a function's arguments, and what it returns */
	bool kernel_returns;       /* at the return of a kernel's function, the kernel can walk its own stack */
	bool adds;                 /* BPF programs can add to 64-bit numbers in hash maps */
	uint8_t popped;            /* bytes by which sp is higher after the return than at the function's first instruction */
};
extern const struct probe_regs perf_probe_regs;
/* The same of a register, by its number among those of perf_reg_words. */
int16_t perf_probe_reg_at(unsigned reg);

/* The names of the registers that prof samples, in their order, with blanks between them; which of them hold a function's
 * arguments, its value, and the second to the fourth argument of a system call. */
struct perf_reg_words {
	const char *names, *args, *value, *call;
	bool parts;                /* and parts of registers have names of their own */
	const char *dwarf;         /* the names by DWARF's numbers; NULL: as NAMES has them */
	const char *call32;        /* as CALL, of 32-bit programs on a 64-bit kernel; NULL: there are none */
};
extern const struct perf_reg_words perf_reg_words;

/* Whether this event, as type and configs name it, really interrupts a spinning program: some virtual machines have
 * counters that open, and stay silent.  Takes up to 2 ms of CPU. */
bool perf_interrupts(const struct perf_event_attr *);

#endif

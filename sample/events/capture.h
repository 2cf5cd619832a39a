/* What a capture must do: its targets, its events, how often it samples, and what comes with each sample. */
#ifndef SAMPLE_EVENTS_CAPTURE_H
#define SAMPLE_EVENTS_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct wait;

enum engine { ENGINE_ANY, ENGINE_PERF, ENGINE_PTRACE };
enum target { TARGET_COMMAND, TARGET_PROCESSES, TARGET_THREADS, TARGET_SYSTEM };

struct capture {               /* what to capture */
	enum engine engine;
	enum target target;
	const int32_t *pid;        /* the command's pid (looked at by session_enable), pids, or tids */
	unsigned npid;
	const char *cgroup;        /* -G, with TARGET_SYSTEM: the capture is of all that runs in it; else NULL */
	const int32_t *cpu;        /* -C; ncpu 0: all that are online */
	unsigned ncpu;
	struct event *event;       /* the sides may be narrowed to those that the kernel allows */
	unsigned nevent;
	uint64_t freq, count;      /* -F (0: use count), -c */
	bool freq_max;             /* -F max */
	uint64_t delay;            /* ns at the beginning that the collector leaves out */
	bool inherit, idle;
	bool descendants;          /* with TARGET_PROCESSES: also what they have forked before the capture, as far as prof may see it */
	bool user_stack;           /* copy registers and stack (--call-graph auto, dwarf) */
	bool user_chain;           /* ask for the kernel's user callchain (--call-graph fp) */
	bool kernel_chain;         /* and for the kernel's own part (not with --call-graph none) */
	bool chain_may;            /* the kernel's user callchain may be used where copies of stacks are too short (--call-graph auto) */
	uint32_t stack_size;       /* bytes to begin with, of waits, too; 0: pressure.c chooses */
	bool stack_fixed;          /* keep the size of copies even if samples are lost */
	bool wall;
	bool lent;                 /* the rights are those of prof's file: see lent_event.h */
	uint32_t wait_stack_size;  /* of a thread that begins to wait */
	/* Called for each wait once it is over, in the order of time of their ends; with the sample callback's CTX. */
	void (*waited)(void *ctx, const struct wait *);
	/* Called when a process's memory is gone, because it ended or EXECUTED another program; with the same CTX; or NULL. */
	void (*gone)(void *ctx, int32_t pid, bool executed, uint64_t time);
	uint64_t regs_mask;        /* the host's attr.sample_regs_user: arch_host->sample */
	struct prstatus {          /* for ptrace: first for the host's own kind of tasks, then for 32-bit ones, if there are any */
		const uint8_t *at; /* where in NT_PRSTATUS, in words, each register is; NULL: at perf's own number */
		uint64_t mask;
		uint8_t sp, pc;    /* which of the registers these two are; */
		uint8_t arg;       /* and which one has the first argument of a system call */
	} prstatus[2];
};

#endif

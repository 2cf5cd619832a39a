/* A capture: events open on a target, rings drained in the order of time.  The only door to perf_event_open. */
#ifndef SAMPLE_SESSION_H
#define SAMPLE_SESSION_H

#include "sample/events/deep_stack.h"
#include "sample/events/event.h"
#include "sample/tasks/process.h"
#include "sample/waiting/wait.h"

enum engine { ENGINE_ANY, ENGINE_PERF, ENGINE_PTRACE };
enum target { TARGET_COMMAND, TARGET_PROCESSES, TARGET_THREADS, TARGET_SYSTEM };

struct capture {               /* what is asked for */
	enum engine engine;
	enum target target;
	const int32_t *pid;        /* the command's pid (looked at by session_enable), pids, or tids */
	unsigned npid;
	const char *cgroup;        /* -G, with TARGET_SYSTEM: whoever runs in it; else NULL */
	const int32_t *cpu;        /* -C; ncpu 0: all that are online */
	unsigned ncpu;
	struct event *event;       /* sides may be narrowed to what is allowed */
	unsigned nevent;
	uint64_t freq, count;      /* -F (0: use count), -c */
	bool freq_max;             /* -F max */
	uint64_t delay;            /* ns at the beginning that are left out by who takes the samples */
	bool inherit, idle;
	bool user_stack;           /* copy registers and stack (--call-graph auto, dwarf) */
	bool user_chain;           /* ask for the kernel's user callchain (--call-graph fp) */
	bool kernel_chain;         /* and for the kernel's own part (not with --call-graph none) */
	uint32_t stack_size;       /* 0: chosen by need */
	bool stack_fixed;          /* no smaller copies where samples would be lost otherwise */
	bool wall;
	uint32_t wait_stack_size;  /* the same of a thread that begins to wait */
	/* Called for each wait once it is over, in the order of time of their ends; with the sample callback's CTX. */
	void (*waited)(void *ctx, const struct wait *);
	uint64_t regs_mask;        /* the host's attr.sample_regs_user: arch_host->sample */
	struct prstatus {          /* the same for ptrace: of tasks of the host's kind, then of 32-bit ones, if there are any */
		const uint8_t *at; /* where in NT_PRSTATUS, in words, each of them is; NULL: at perf's own number */
		uint64_t mask;
		uint8_t sp, pc;    /* which of them these are */
	} prstatus[2];
};

/* One sample, its process and maps as of its time.  Pointers live until the callback returns. */
struct sample {
	uint64_t time, period;
	uint64_t count;            /* how many samples it counts for */
	uint64_t ip;
	uint32_t event;            /* number in capture.event */
	uint32_t cpu;
	struct task *task;
	bool kernel;               /* interrupted in the kernel */
	const uint64_t *kchain;    /* kernel addresses, innermost first; nkchain 0: none given */
	uint32_t nkchain;
	const uint64_t *uchain;    /* user addresses, as the kernel walked them */
	uint32_t nuchain;
	const uint64_t *regs;      /* in the order of arch.sample's bits; NULL: no user registers (kernel thread) */
	uint8_t nregs;             /* how many of them there are: a kernel may not know the last */
	bool regs32;               /* of a 32-bit task */
	bool sp_only;              /* instead of REGS only SP is known, and IP */
	uint64_t sp;
	struct task *wakes;        /* not a sample of TASK's time: it wakes that one, */
	bool interrupt;            /* or an interrupt does that came by */
	uint64_t ran;              /* --wall: ns on the CPU that it stands for */
	const uint8_t *stack;      /* from the user sp on */
	uint64_t stack_size;
	struct rest rest;          /* and what follows upon that; DEEP learns from its walk, where it is not NULL */
	struct deep *deep;
};

struct session_counts {
	uint64_t samples, lost, throttled;
	uint64_t idle;             /* with -a: samples of the idle task that were left out */
	uint64_t too_short;        /* samples' worth of CPU time of threads whose like was never sampled */
	uint64_t strangers;        /* samples of processes that are in no pid namespace of prof's: nothing is known of them */
	uint64_t others;           /* samples of other processes that were left out */
	uint64_t enabled_ns;       /* CPU time of the target that the events saw, as the kernel counts it */
	uint64_t unseen_samples;   /* expected from enabled_ns, but in the kernel and not visible */
	uint64_t processes, threads;   /* with at least one sample */
	uint64_t freq;             /* as really used (clamped) */
	uint64_t stack_size;       /* as last used */
	uint64_t deep;             /* samples whose stacks were read beyond that */
	uint64_t rings, ring_bytes;
	uint64_t maps_reread;
	struct wait_counts waits;
	const char *reach;         /* what the events are on, in words */
	const char *no_cgroup;     /* why not on a cgroup of the command's own, or NULL */
	uint64_t stops, ticks, ticks_ns;   /* of the ptrace engine: samples taken, how often it looked, in how many ns */
	uint64_t stopper_ns;       /* of CPU that it took for that */
	uint64_t paused, paused_most;      /* us that a thread was stopped for: the median, and at most */
};

/* Which ways to measure were tried, best first, and what the system said: an errno, 0 where it was not tried or is had. */
struct ladder {
	bool ptrace;               /* on the last rung */
	bool asked;                /* ... because that was asked for */
	int cycles;                /* hardware; EIO: it opens, and is silent */
	int kernel;                /* the kernel's side */
	int perf;                  /* perf_event_open at all */
	bool filtered;             /* by a seccomp filter that was there before prof's own */
};

/* Why a capture could not be opened. */
struct refusal {
	char what[256];            /* what was tried and what the system said */
	char mend[256];            /* the one line that mends it, or "" */
	char last[256];            /* why ptrace could not stand in, or "" */
};

struct session;
struct keeper_also;

/* Opens everything, stopped; a command is to be forked after that.  NULL and REFUSAL filled where it cannot be had.
 * Falls back from kernel+user to user only by itself, when the event's sides were not given. */
struct session *session_open(const struct capture *, struct modules *, struct refusal *);
/* All that is ahead of counting and takes rights; a command must be there by then, and wait: its samples start with its
 * exec.  False and REFUSAL filled where it cannot be had. */
bool session_prepare(struct session *, struct refusal *);
/* Has another process keep the rights: see keeper.h.  False with errno. */
bool session_keep(struct session *, const struct keeper_also *);
/* Start and stop counting. */
void session_enable(struct session *);
void session_disable(struct session *);
/* Waits until a ring wants to be drained, all targets are gone, EXTRA (a descriptor, or -1) is readable, or TIMEOUT_NS
 * has passed (negative: none).  Signals interrupt it.  False once all targets of an attach are gone. */
bool session_wait(struct session *, int extra, int64_t timeout_ns);
/* Drains the rings in the order of time.  Keeps back what another ring may still precede, unless FINAL. */
void session_drain(struct session *, bool final, void (*sample)(void *ctx, const struct sample *), void *ctx);
/* Reopens the events with another stack size and user chain: by need, while the capture runs. */
void session_stack(struct session *, uint32_t stack_size, bool user_chain);
void session_wait_stack(struct session *, uint32_t stack_size);
/* How long, ns, the rings have room for samples that nobody reads. */
uint64_t session_patience(const struct session *);
/* After the last drain: waits that still go on end here, at TIME. */
void session_end_waits(struct session *, uint64_t time);
void session_counts(struct session *, struct session_counts *);
bool session_kernel_visible(const struct session *);
const struct ladder *session_ladder(const struct session *);
struct processes *session_processes(struct session *);
void session_close(struct session *);

#endif

/* A capture: events open on a target, rings drained in the order of time.  The only door to perf_event_open. */
#ifndef SAMPLE_SESSION_H
#define SAMPLE_SESSION_H

#include "event.h"
#include "process.h"

enum target { TARGET_COMMAND, TARGET_PROCESSES, TARGET_THREADS, TARGET_SYSTEM };

struct capture {               /* what is asked for */
	enum target target;
	const int32_t *pid;        /* the command's pid (looked at by session_enable), pids, or tids */
	unsigned npid;
	const int32_t *cpu;        /* -C; ncpu 0: all that are online */
	unsigned ncpu;
	struct event *event;       /* sides may be narrowed to what is allowed */
	unsigned nevent;
	uint64_t freq, count;      /* -F (0: use count), -c */
	bool freq_max;             /* -F max */
	bool inherit, idle;
	bool user_stack;           /* copy registers and stack (--call-graph auto, dwarf) */
	bool user_chain;           /* ask for the kernel's user callchain (--call-graph fp) */
	bool kernel_chain;         /* and for the kernel's own part (not with --call-graph none) */
	uint32_t stack_size;       /* 0: chosen by need */
	bool stack_fixed;          /* no smaller copies where samples would be lost otherwise */
	uint64_t regs_mask;        /* the host's attr.sample_regs_user: arch_host->sample */
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
	bool regs32;               /* of a 32-bit task */
	const uint8_t *stack;      /* from the user sp on */
	uint64_t stack_size;
};

struct session_counts {
	uint64_t samples, lost, throttled;
	uint64_t idle;             /* with -a: samples of the idle task that were left out */
	uint64_t too_short;        /* samples' worth of CPU time of threads whose like was never sampled */
	uint64_t others;           /* samples of other processes that were left out */
	uint64_t enabled_ns;       /* CPU time of the target that the events saw, as the kernel counts it */
	uint64_t unseen_samples;   /* expected from enabled_ns, but in the kernel and not visible */
	uint64_t processes, threads;   /* with at least one sample */
	uint64_t freq;             /* as really used (clamped) */
	uint64_t stack_size;       /* as last used */
	uint64_t rings, ring_bytes;
	uint64_t maps_reread;
	const char *reach;         /* what the events are on, in words */
	const char *no_cgroup;     /* why not on a cgroup of the command's own, or NULL */
};

/* Why a capture could not be opened. */
struct refusal {
	char what[256];            /* what was tried and what the system said */
	char mend[256];            /* the one line that mends it, or "" */
};

struct session;

/* Opens everything, stopped; a command is to be forked after that.  NULL and REFUSAL filled where it cannot be had.
 * Falls back from kernel+user to user only by itself, when the event's sides were not given. */
struct session *session_open(const struct capture *, struct modules *, struct refusal *);
/* Starts and stops counting; a command must be there by then, and wait: its samples start with its exec.  False and
 * REFUSAL filled where it cannot be had. */
bool session_enable(struct session *, struct refusal *);
void session_disable(struct session *);
/* Waits until a ring wants to be drained, all targets are gone, EXTRA (a descriptor, or -1) is readable, or TIMEOUT_NS
 * has passed (negative: none).  Signals interrupt it.  False once all targets of an attach are gone. */
bool session_wait(struct session *, int extra, int64_t timeout_ns);
/* Drains the rings in the order of time.  Keeps back what another ring may still precede, unless FINAL. */
void session_drain(struct session *, bool final, void (*sample)(void *ctx, const struct sample *), void *ctx);
/* Reopens the events with another stack size and user chain: by need, while the capture runs. */
void session_stack(struct session *, uint32_t stack_size, bool user_chain);
void session_counts(struct session *, struct session_counts *);
bool session_kernel_visible(const struct session *);
struct processes *session_processes(struct session *);
void session_close(struct session *);

#endif

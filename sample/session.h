/* A capture: events open on a target, rings drained in the order of time.  The only door to perf_event_open. */
#ifndef SAMPLE_SESSION_H
#define SAMPLE_SESSION_H

#include <signal.h>

#include "sample/events/capture.h"
#include "sample/events/event.h"
#include "sample/events/pressure.h"
#include "sample/events/refusal.h"
#include "sample/events/sample.h"
#include "sample/tasks/process.h"
#include "session_counts.h"

struct session;
struct keeper_also;

/* Opens everything, stopped; the caller forks a command after that.  NULL if that fails, with the reason in REFUSAL. Falls
 * back from kernel+user to user only by itself, when the event's sides were not given. */
struct session *session_open(const struct capture *, struct modules *, struct refusal *);
/* Does everything that needs rights before counting begins.  A command must exist by then, and wait: its samples start with
 * its exec.  False, with the reason in REFUSAL, if that fails. */
bool session_prepare(struct session *, struct refusal *);
/* Makes another process keep the rights: see keeper.h.  False with errno. */
bool session_keep(struct session *, const struct keeper_also *);
/* Starts the events before session_enable, and calls EACH with the descriptor and the CPU of each. */
void session_events(struct session *, void (*each)(void *ctx, int fd, int32_t cpu), void *ctx);
/* Start and stop counting. */
void session_enable(struct session *);
void session_disable(struct session *);
/* The capture ends at DEADLINE (ns; 0: none), or with one of SIGNALS, which are blocked.  It ends in time even if the reader
 * still waits for a file. */
void session_ends(struct session *, uint64_t deadline, const sigset_t *signals);
/* The time until which events were on. */
uint64_t session_until(const struct session *);
/* Waits until a ring wants to be drained, all targets are gone, EXTRA (a descriptor, or -1) is readable, or TIMEOUT_NS
 * has passed (negative: none).  Signals interrupt it.  False once all targets of an attach are gone. */
bool session_wait(struct session *, int extra, int64_t timeout_ns);
/* Whether EXTRA may be readable since the last session_wait. */
bool session_called(const struct session *);
/* Drains the rings in the order of time.  Keeps back what another ring may still precede, unless FINAL. */
void session_drain(struct session *, bool final, void (*sample)(void *ctx, const struct sample *), void *ctx);
/* Tells how walks used the copies of stacks, so that these may become longer or shorter: see pressure_used. */
bool session_used(struct session *, struct stack_use *samples, struct stack_use *waits);
const struct pressure *session_pressure(const struct session *);
/* ns that the reader may do something else. */
uint64_t session_spare(const struct session *);
/* After the last drain: waits that still go on end here, at TIME. */
void session_end_waits(struct session *, uint64_t time);
void session_counts(struct session *, struct session_counts *);
bool session_kernel_visible(const struct session *);
const struct ladder *session_ladder(const struct session *);
struct processes *session_processes(struct session *);
void session_close(struct session *);

#endif

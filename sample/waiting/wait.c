/* See wait.h.  Each switch has a sample, with the stack at which the thread leaves, and two records: when the thread leaves a
 * CPU, and when it comes back to one (perf_event_open(2): PERF_RECORD_SWITCH).  If prof has opened the events on a thread
 * twice, or opens them again, each may come twice; if records were lost, any may be missing. */
#include "wait.h"

#include <linux/perf_event.h>

#include "lib/clock.h"
#include "sample/events/record.h"
#include "sample/events/switch_event.h"

/* ns: how near to each other the records of one switch are, where each comes twice. */
#define SAME_SWITCH UINT64_C(1000000)
/* ns: how far apart the clocks of two CPUs may be, and the kernel's and prof's reading of one clock. */
#define CLOCKS_APART UINT64_C(20000)

/* The state of a task.  A new task is UNKNOWN (0).  From BEFORE on, the task is off the CPU.  BEFORE: it seems to be off
 * since before the capture.  LEAVING: prof has its stack, but does not know yet why it leaves. */
enum { UNKNOWN, RUNNING, BEFORE, LEAVING, WAITING };

/* Counts the time since the task's last record as not known. */
static void
doubt(struct waits *w, const struct task *t, uint64_t time)
{
	w->counts.unknown++;
	w->counts.unknown_ns += time > t->wait.since ? time - t->wait.since : 0;
}

/* Notes that the task is off the CPU, or on it, from this time on. */
static void
turn(struct waits *w, struct task *t, uint64_t time, uint8_t state)
{
	t->wait.state = state;
	t->wait.since = time;
	t->wait.losses = w->losses;
	t->wait.runnable = t->wait.stack = false;
	t->wait.woken = t->wait.read = 0;
}

/* Adds up the time on the CPU until TIME, at which it is still there. */
static void
run_on(struct waits *w, struct task *t, uint64_t time)
{
	if (t->wait.state == UNKNOWN || t->wait.state == BEFORE)   /* no record has told that it came: it was on the CPU already */
		turn(w, t, w->since, RUNNING);
	if (t->wait.state == RUNNING && t->wait.losses == w->losses)
		t->wait.ran += time > t->wait.since ? time - t->wait.since : 0;
	else if (w->wall)
		doubt(w, t, time);
	turn(w, t, time, RUNNING);
}

uint64_t
wait_ran(struct waits *w, struct task *t, uint64_t time)
{
	uint64_t ran;

	if (t->wait.state >= LEAVING)   /* it is about to leave, or just has come */
		return 0;
	run_on(w, t, time);
	ran = t->wait.ran;
	t->wait.ran = 0;
	return ran;
}

static void
begin(struct waits *w, struct task *t, uint64_t time, uint8_t state)
{
	if (t->wait.state >= LEAVING)
		doubt(w, t, time);
	else if (w->wall)
		run_on(w, t, time);
	turn(w, t, time, state);
}

static void
tell(struct waits *w, struct task *t, uint64_t from, uint64_t to, enum wait_kind kind)
{
	struct wait wait = { t, from, to, kind, t->wait.stack, t->wait.stack && t->wait.read };

	w->counts.waits++;
	w->counts.ns += to - from;
	w->counts.no_stack += !wait.stack && kind == WAIT_ASLEEP;
	w->waited(w->ctx, &wait);
}

bool
wait_goes_on(const struct task *t)
{
	return !t->dead && t->wait.state >= BEFORE && t->wait.stack && !t->wait.woken;
}

void
wait_read(struct task *t, bool known)
{
	t->wait.read = known ? 1 : clock_now() + CLOCKS_APART;
}

/* The task may have run from TIME on.  What prof read later may be of another stack. */
static void
may_have_run(struct task *t, uint64_t time)
{
	if (time <= t->wait.read)
		t->wait.read = 0;
}

/* The wait ends, or the capture does. */
static void
end(struct waits *w, struct task *t, uint64_t time)
{
	may_have_run(t, time);
	if (t->wait.losses != w->losses)
		doubt(w, t, time);
	else if (t->wait.state == BEFORE) {
		t->wait.stack &= time > t->wait.since;   /* otherwise prof looked at a later wait */
		if (t->wait.stack || w->wall)
			tell(w, t, w->since, time, WAIT_BEFORE);
		else {
			w->counts.before++;
			w->counts.before_ns += time - w->since;
		}
	} else if (t->wait.woken > t->wait.since && time > t->wait.woken) {
		tell(w, t, t->wait.since, t->wait.woken, WAIT_ASLEEP);
		tell(w, t, t->wait.woken, time, WAIT_RUN_QUEUE);
	} else if (t->wait.state >= LEAVING)
		tell(w, t, t->wait.since, time, t->wait.runnable ? WAIT_RUN_QUEUE : WAIT_ASLEEP);
}

void
wait_before(struct waits *w, struct task *t, uint64_t time, bool looked)
{
	if (t->wait.state != UNKNOWN)
		return;
	turn(w, t, time, BEFORE);
	t->wait.stack = looked;
}

void
wait_stack(struct waits *w, struct task *t, uint64_t time)
{
	if (t->dead)   /* the kernel goes on switching what is left of it for a while */
		return;
	if (t->wait.state < LEAVING || time > t->wait.since + SAME_SWITCH)
		begin(w, t, time, LEAVING);
	t->wait.state = LEAVING;
	t->wait.stack = true;
	t->wait.read = 0;
}

struct task *
wait_woken(struct processes *ps, const struct record *r, bool *interrupt)
{
	struct task *t;
	int32_t tid;
	bool told = switch_event_woken(r->sample.raw, &tid, interrupt);

	t = processes_thread(ps, tid);
	if (!told || !t || t->dead || t->wait.state < LEAVING || !t->wait.stack || t->wait.woken || t->wait.runnable)
		return NULL;
	may_have_run(t, r->time);
	t->wait.woken = r->time;
	return t;
}

static void
out(struct waits *w, struct task *t, uint64_t time, bool runnable)
{
	if (t->wait.state < LEAVING || (t->wait.state == WAITING && time > t->wait.since + SAME_SWITCH))
		begin(w, t, time, WAITING);
	if (t->wait.state == LEAVING) {   /* the sample itself takes the time between */
		t->wait.ran += time - t->wait.since;
		t->wait.since = time;
	}
	t->wait.state = WAITING;
	t->wait.runnable = runnable;
}

static void
in(struct waits *w, struct task *t, uint64_t time)
{
	if (t->wait.state == RUNNING)   /* the record came twice */
		return;
	if (t->wait.state == UNKNOWN) {
		w->counts.before++;
		w->counts.before_ns += time - w->since;
	}
	end(w, t, time);
	turn(w, t, time, RUNNING);
}

/* The thread ends, or the capture: counts what it ran since its last sample. */
static void
last(struct waits *w, struct task *t, uint64_t time)
{
	struct wait wait = { .task = t, .to = time, .kind = WAIT_NOT };

	if (t->wait.state != RUNNING || !w->wall)
		return;
	run_on(w, t, time);
	wait.from = time - t->wait.ran;
	t->wait.ran = 0;
	w->waited(w->ctx, &wait);
}

void
wait_record(struct waits *w, struct processes *ps, const struct record *r)
{
	bool turns = r->type == PERF_RECORD_SWITCH || r->type == PERF_RECORD_SWITCH_CPU_WIDE;
	struct task *t = r->tid > 0 ? (turns ? processes_task : processes_known)(ps, r->pid, r->tid) : NULL;

	if (r->type == PERF_RECORD_LOST || r->type == PERF_RECORD_LOST_SAMPLES)
		w->losses++;
	if (!t || process_is_before_exec(t->process))
		return;
	switch (r->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (t->dead)
			break;
		if (r->turn.out)
			out(w, t, r->time, r->turn.runnable);
		else
			in(w, t, r->time);
		break;
	case PERF_RECORD_FORK:   /* of each event one */
		if (t->wait.state != UNKNOWN)
			break;
		turn(w, t, r->time, WAITING);
		t->wait.runnable = true;
		break;
	case PERF_RECORD_EXIT:
		if (t->wait.state >= LEAVING)   /* a thread ends on a CPU */
			doubt(w, t, r->time);
		last(w, t, r->time);
		turn(w, t, r->time, RUNNING);
		break;
	}
}

struct ending {
	struct waits *waits;
	uint64_t time;
};

static void
end_task(void *ctx, struct task *t)
{
	const struct ending *e = ctx;
	struct waits *w = e->waits;

	last(w, t, e->time);
	if (t->wait.state < BEFORE || e->time <= t->wait.since)
		return;
	if (t->wait.state == BEFORE && !w->wall) {
		w->counts.idle++;
		return;
	}
	if (t->wait.losses == w->losses) {
		w->counts.unfinished++;
		w->counts.unfinished_ns += e->time - (t->wait.state == BEFORE ? w->since : t->wait.since);
	}
	end(w, t, e->time);
}

void
wait_over(struct waits *w, struct processes *ps, uint64_t time)
{
	processes_tasks(ps, end_task, &(struct ending){ w, time });
}

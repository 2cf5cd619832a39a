/* See stack_live.h. */
#include "stack_live.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/capture/registers.h"
#include "cmd/options/refused.h"
#include "lib/clock.h"
#include "lib/msg.h"
#include "lib/text.h"
#include "sample/rights/permit_trace.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/foreign.h"
#include "sample/tasks/process.h"
#include "sample/tasks/target.h"
#include "sample/tasks/whose.h"
#include "waits_for.h"

#define SECOND UINT64_C(1000000000)
enum { KERNEL_FRAMES = 64 };

/* Asks for the owner of the process before and after.  If the process became another user's meanwhile, a caller with fewer rights
 * than prof does not see it. */
static bool
may(int32_t pid)
{
	return !sandbox_lent() || whose_may(pid);
}

/* Says why there are no stacks, by the first thread, and how to mend that. */
static bool
explain(const struct stack_live *l)
{
	struct refusal r = { .what = "" };

	for (uint32_t i = 0; i < l->snapshots.n; i++) {
		const struct snapshot *s = l->snapshots.one[i];

		if (!s->err)
			return true;
	}
	if (!l->snapshots.n || l->snapshots.one[0]->err == ESRCH) {
		error("the process has ended");
		return false;
	}
	permit_trace_explain(&r, &l->capture, l->snapshots.one[0]->tracer ? l->snapshots.one[0]->tracer : l->snapshots.one[0]->pid,
	                     l->snapshots.one[0]->err);
	refused_tell(&r, "stack");
	return false;
}

static bool
look(struct stack_live *l)
{
	if (snapshots_take(&l->snapshots))
		return true;
	error("cannot look at threads: %s", strerror(errno));
	return false;
}

static void
wait_until(uint64_t time)
{
	uint64_t now;

	while ((now = clock_now()) < time) {
		struct timespec left = { (time_t)((time - now) / SECOND), (long)((time - now) % SECOND) };

		nanosleep(&left, NULL);
	}
}

bool
stack_live_take(struct stack_live *l, const struct target_options *t)
{
	uint64_t began;

	for (unsigned i = 0; i < t->npid; i++)
		if (!may(t->pid[i])) {
			error("process %d is not yours: prof has more rights here than you; it uses them for your own processes only", t->pid[i]);
			return false;
		}
	if (t->kind == TARGET_SYSTEM && sandbox_lent()) {
		error("only root may see the stacks of other users");
		return false;
	}
	l->capture = (struct capture){ .target = t->kind, .pid = t->pid, .npid = t->npid };
	registers_describe(&l->capture);
	l->snapshots.of = &l->capture;
	began = clock_now();
	if (!look(l))
		return false;
	if (l->twice) {
		l->second = l->snapshots.n;
		wait_until(began + SECOND);
		if (!look(l))
			return false;
	}
	return explain(l);
}

bool
stack_live_ready(struct stack_live *l, struct modules *ms)
{
	return (l->processes = processes_new(ms)) != NULL;
}

static const char *
why_none(const struct snapshot *s)
{
	static const struct { int err; const char *words; } words[] = {
		{ ESRCH, "it has ended" },
		{ EPERM, "prof may not look into it" },
		{ EACCES, "prof may not look into it" },
		{ EBUSY, "another process traces it" },
		{ ETIMEDOUT, "it did not stop within 0.1 s" },
		{ EAGAIN, "it runs, and you told prof to stop no thread" },
	};

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].err == s->err)
			return words[i].words;
	return s->err ? "prof cannot look into it" : NULL;
}

/* The kernel's text of its stack, as words: "[<0>] futex_wait+0x1c/0x90" a line. */
static uint32_t
kernel_codes(struct collector *c, const char *text, uint32_t *code)
{
	uint32_t n = 0;

	while (*text && n < KERNEL_FRAMES) {
		size_t len = strcspn(text, "\n");
		const char *name = strstr(text, "] ");
		const struct module *word;
		char buf[128];

		if (name && name < text + len) {
			name += 2;
			snprintf(buf, sizeof buf, "%.*s_[k]", (int)strcspn(name, "+/ \n") & 127, name);
			if ((word = module_word(&c->modules, buf)))
				code[n++] = code_intern(&c->codes, word->id, 0);
		}
		text += len + (text[len] == '\n');
	}
	return n;
}

/* Of the system call that a thread waits in, by the kernel's line; 0: not known. */
static uint64_t
first_argument(const char *call)
{
	const char *p = *call == '-' ? NULL : strstr(call, " 0x");
	uint64_t v = 0;

	return p && (p += 3, text_hex(&p, &v)) ? v : 0;
}

/* Whether a thread that slept, and has run since, would not notice a stop. */
static bool
may_stop(const struct snapshot *s)
{
	char line[256];
	long n = foreign_asleep(s->pid, s->tid, line, sizeof line);

	return n > 0 && (!strncmp(line, "running", 7) || waits_restarts(line, ""));
}

/* Puts its codes into the collector's stack; returns how many. */
static uint32_t
follow(struct stack_live *l, struct collector *c, struct snapshot *s, struct task *task)
{
	uint32_t kernel[KERNEL_FRAMES], k = kernel_codes(c, s->stack, kernel), n = 0;

	if (task && (s->sample.regs || s->sample.sp_only)) {
		s->sample.task = task;
		process_ready(task->process, 0);
		s->sample.arg = first_argument(s->call);
		s->sample.still = s->sample.sp_only;
		n = collector_stack(c, &s->sample);
		if (c->late && (s->sample.still = snapshot_sleeps(s)))
			c->late = false;
		if (c->late) {   /* an interpreter's frames must be of the same moment */
			if (!s->sample.sp_only || may_stop(s))
				snapshot_with_frames(&l->snapshots, s, &c->chain);
			n = collector_stack(c, &s->sample);
		}
		/* If the stack pointer alone does not lead to the end, registers may.  prof does not read them if the stop would
		 * end the call. */
		if (n && c->stack[n - 1] == CODE_TRUNCATED && s->sample.sp_only && waits_restarts(s->call, s->file) && snapshot_again(&l->snapshots, s))
			n = collector_stack(c, &s->sample);
	}
	k = *s->stack ? k : 0;
	memmove(c->stack + k, c->stack, n * sizeof *c->stack);
	memcpy(c->stack, kernel, k * sizeof *kernel);
	return k + n;
}

bool
stack_live_follow(struct stack_live *l, struct thread_stacks *out)
{
	struct processes *ps = l->processes;
	uint64_t longest = 0;
	uint32_t stopped = 0;
	bool good = true;

	for (uint32_t i = 0; good && i < l->snapshots.n; i++) {
		struct snapshot *s = l->snapshots.one[i];
		struct stack_thread t = { .pid = s->pid, .tid = s->tid, .comm = s->comm, .state = s->state, .call = s->call, .file = s->file,
			                  .wchan = s->wchan, .why = why_none(s), .ran = s->ran };
		uint32_t n = 0;

		if (i == l->second)
			out->first = out->n;
		if (!s->state || !may(s->pid))
			continue;
		n = follow(l, &out->collector, s, processes_task(ps, s->pid, s->tid));
		t.state = s->state;   /* prof may have looked again */
		t.call = s->call;
		t.file = s->file;
		t.stood = s->stood;
		t.wchan = s->wchan;
		t.name = n ? out->collector.called : NULL;
		t.lock = n ? out->collector.lock : LOCK_NOT_KNOWN;
		good = thread_stacks_add(out, &t, n) != NULL;
		stopped += s->stood != 0;
		longest = s->stood > longest ? s->stood : longest;
	}
	snapshots_end(&l->snapshots);
	verbose("%u of %u threads were stopped, for %llu us at most", stopped, l->snapshots.n, (unsigned long long)(longest / 1000));
	return good;
}

void
stack_live_free(struct stack_live *l)
{
	snapshots_free(&l->snapshots);
	if (l->processes)
		processes_free(l->processes);
}

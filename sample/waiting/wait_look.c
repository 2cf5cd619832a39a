/* See wait.h.  The stacks of threads that do not run at all.  While a thread is in the kernel, /proc/PID/task/TID/syscall
 * (proc(5)) has its stack pointer and its pc.  prof reads the stack like any other memory, and stops no thread for that. */
#include "wait.h"

#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "sample/events/sample.h"
#include "sample/tasks/foreign.h"
#include "sample/tasks/stack_copy.h"
#include "sample/tasks/threads.h"

enum { STACK_READ = 16 << 10 };

/* The state of a thread (field 3 of stat); 0: not known. */
static char
state_of(const struct task *t)
{
	char name[32], buf[512], *p;

	snprintf(name, sizeof name, "task/%d/stat", t->tid);
	if (proc_text(t->pid, name, buf, sizeof buf) <= 0 || !(p = strrchr(buf, ')')) || !p[1])
		return 0;
	return p[2];
}

/* "NUMBER ARGUMENTS SP PC", in hexadecimal; "running" if the thread is not asleep.  ARG: the first argument, 0 if it is in no call. */
static bool
parse_syscall(const char *s, uint64_t *sp, uint64_t *pc, uint64_t *arg)
{
	uint64_t last[2] = { 0, 0 };
	bool in_call = *s != '-', first = true;

	*arg = 0;
	for (const char *p = s; (p = strstr(p, " 0x"));) {
		p += 3;
		last[0] = last[1];
		if (!text_hex(&p, &last[1]))
			return false;
		if (first && in_call)
			*arg = last[1];
		first = false;
	}
	*sp = last[0];
	*pc = last[1];
	return last[0] && last[1];
}

bool
wait_asleep(int32_t pid, int32_t tid, uint64_t *sp, uint64_t *pc, uint64_t *arg)
{
	char buf[256];
	long n = foreign_asleep(pid, tid, buf, sizeof buf - 1);

	if (n <= 0 || n >= (long)sizeof buf)
		return false;
	buf[n] = 0;
	return parse_syscall(buf, sp, pc, arg) && (sizeof(void *) < 8 || *sp >> 32);   /* else the registers are a 32-bit program's */
}

bool
wait_runs(int32_t pid, int32_t tid, uint64_t *runs)
{
	char name[32], buf[80];
	const char *p = buf;

	snprintf(name, sizeof name, "task/%d/schedstat", tid);
	if (proc_text(pid, name, buf, sizeof buf) <= 0)
		return false;
	for (unsigned i = 0; i < 3; i++, p += *p == ' ')
		if (!text_dec(&p, runs))
			return false;
	return true;
}

/* Tells the user's side of a sleeping thread as a sample of it.  Returns whether prof could read it. */
static bool
look_at(struct task *t, struct sample *out, void (*sample)(void *, const struct sample *), void *ctx)
{
	static _Alignas(8) uint8_t stack[STACK_READ];

	if (!wait_asleep(t->pid, t->tid, &out->sp, &out->ip, &out->arg))
		return false;
	out->stack = stack;
	out->stack_size = stack_copy(t->pid, out->sp, stack, sizeof stack, UINT64_MAX);
	process_ready(t->process, out->time);
	sample(ctx, out);
	return true;
}

void
wait_look(struct waits *w, struct processes *ps, const struct threads *threads, uint32_t event,
          void (*sample)(void *, const struct sample *), void *ctx)
{
	w->looked = true;
	for (uint32_t i = 0; i < threads->n; i++) {
		struct task *t = processes_known(ps, threads->thread[i].pid, threads->thread[i].tid);
		struct sample out = { .event = event, .task = t, .sp_only = true };
		char state = t ? state_of(t) : 0;
		bool seen;

		if (!state || state == 'R')
			continue;
		out.time = clock_now();
		seen = look_at(t, &out, sample, ctx);
		wait_before(w, t, clock_now(), seen);
	}
}

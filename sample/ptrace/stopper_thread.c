/* See stopper_thread.h.  proc(5): stat, status; schedstat: Documentation/scheduler/sched-stats.rst, "/proc/<pid>/schedstat":
 * ns on a CPU, ns waiting for one, times that it got one. */
#include "stopper_thread.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/proc.h"
#include "lib/text.h"

static struct tracee **
bucket(const struct tracees *ts, int32_t tid)
{
	return (struct tracee **)(uintptr_t)&ts->bucket[(uint32_t)tid % TRACEES];
}

struct tracee *
tracee_find(const struct tracees *ts, int32_t tid)
{
	struct tracee *t = *bucket(ts, tid);

	while (t && (t->who.tid != tid || t->gone))
		t = t->next;
	return t;
}

struct tracee *
tracee_add(struct tracees *ts, int32_t pid, int32_t tid)
{
	struct tracee *t = ts->free, **at = bucket(ts, tid);

	if (t)
		ts->free = t->next;
	else if (!(t = arena_alloc(&ts->arena, sizeof *t)))
		return NULL;
	*t = (struct tracee){ .who = { pid, tid }, .fd = -1, .awake = true, .next = *at };
	*at = t;
	tracee_reopen(ts, t);
	return t;
}

static void
close_schedstat(struct tracees *ts, struct tracee *t)
{
	if (t->fd >= 0)
		close(t->fd);
	ts->files -= t->fd >= 0;
	t->fd = -1;
}

void
tracee_reopen(struct tracees *ts, struct tracee *t)
{
	char path[PROC_PATH_MAX];

	close_schedstat(ts, t);
	if (ts->files < ts->files_most)
		t->fd = open(proc_path(path, t->who.tid, "schedstat"), O_RDONLY | O_CLOEXEC);
	ts->files += t->fd >= 0;
}

void
tracees_sweep(struct tracees *ts)
{
	for (unsigned i = 0; i < TRACEES; i++)
		for (struct tracee **at = &ts->bucket[i], *t; (t = *at);) {
			if (!t->gone) {
				at = &t->next;
				continue;
			}
			close_schedstat(ts, t);
			*at = t->next;
			t->next = ts->free;
			ts->free = t;
		}
}

bool
tracee_read(struct tracee *t)
{
	uint64_t v[3];
	char buf[80];
	const char *p = buf;
	long n;

	if (t->fd < 0)
		n = proc_text(t->who.tid, "schedstat", buf, sizeof buf);
	else if ((n = pread(t->fd, buf, sizeof buf - 1, 0)) > 0)
		buf[n] = 0;
	if (n <= 0)
		return false;
	for (unsigned i = 0; i < 3; i++, p += *p == ' ')
		if (!text_dec(&p, &v[i]))
			return false;
	t->run = v[0];
	t->delay = v[1];
	t->runs = v[2];
	return true;
}

char
tracee_state(const struct thread *who, char comm[16], int *cpu)
{
	char path[PROC_PATH_MAX], buf[512], *lo, *hi;
	const char *p;
	uint64_t v;

	*cpu = -1;
	/* Not /proc/TID/stat: that adds up all threads. */
	if (file_text(AT_FDCWD, proc_path(path, who->pid, "task/%d/stat", (int)who->tid), buf, sizeof buf) <= 0 ||
	    !(lo = strchr(buf, '(')) || !(hi = strrchr(lo, ')')) || hi[1] != ' ')
		return 0;
	memset(comm, 0, 16);
	memcpy(comm, lo + 1, hi - lo - 1 < 15 ? (size_t)(hi - lo - 1) : 15);
	p = hi;
	for (unsigned field = 2; p && field < 39; field++)
		p = strchr(p + 1, ' ');
	if (p && (p++, text_dec(&p, &v)))
		*cpu = (int)v;
	return hi[2];
}

static uint64_t
number_behind(const char *text, const char *key)
{
	const char *p = strstr(text, key);
	uint64_t v;

	return p && (p += strlen(key), text_dec(&p, &v)) ? v : 0;
}

/* Linux 6.18 sometimes does not count that a thread gets a CPU.  Two things show that: the thread has left CPUs more often than it
 * got one; or it runs, look after look, although it has left all that it got. */
static void
mind_uncounted(struct tracee *t, uint64_t left)
{
	uint64_t runs = t->runs;

	t->grew = left != t->left || runs != t->left_runs ? 0 : t->grew + (t->run > t->left_run);
	t->left = left;
	t->left_runs = runs;
	t->left_run = t->run;
	if (left == runs + t->uncounted && t->grew >= 2)
		t->uncounted++;
	else if (left > runs + t->uncounted && tracee_read(t) && t->runs == runs)   /* it did not get one between the two reads */
		t->uncounted = left - runs;
}

bool
tracee_is_on(struct tracee *t)
{
	static const char key[] = "voluntary_ctxt_switches:\t";   /* and behind it that of those which are "non" */
	char buf[4096], *p;
	uint64_t left;

	if (proc_text(t->who.tid, "status", buf, sizeof buf) <= 0 || !(p = strstr(buf, key)))
		return false;
	left = number_behind(p, key) + number_behind(p + 1, key);
	mind_uncounted(t, left);
	return t->runs + t->uncounted > left;
}

int32_t
tracee_status(int32_t tid, const char *key)
{
	char buf[4096];
	uint64_t v = proc_text(tid, "status", buf, sizeof buf) > 0 ? number_behind(buf, key) : 0;

	return v <= INT32_MAX ? (int32_t)v : 0;
}

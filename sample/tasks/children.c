/* See children.h.  proc(5): /proc/PID/stat has the CPU time of a process, in hundredths of a second. */
#include "children.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/mem.h"
#include "target.h"
#include "threads.h"

static uint64_t
cpu_of(int32_t pid)
{
	int fd = 0;
	uint64_t ns = target_cpu(pid, &fd);

	if (fd > 0)
		close(fd);
	return ns;
}

static bool
is_among(const int32_t *pid, unsigned n, int32_t which)
{
	for (unsigned i = 0; i < n; i++)
		if (pid[i] == which)
			return true;
	return false;
}

void
children_find(struct children *c, const int32_t *pid, unsigned n)
{
	struct threads found = { 0 };

	for (unsigned i = 0; i < n; i++)
		threads_of(&found, pid[i]);
	threads_families(&found, getpid());
	for (uint32_t i = 0; i < found.n; i++) {
		const struct thread *t = &found.thread[i];

		if (t->tid == t->pid && !is_among(pid, n, t->pid) && vec_room(&c->child, &c->cap, (uint64_t)c->n + 1, sizeof *c->child))
			c->child[c->n++] = (struct child){ t->pid, cpu_of(t->pid) };
	}
	threads_free(&found);
}

static int
by_cpu(const void *va, const void *vb)
{
	const struct child *a = va, *b = vb;

	return a->cpu != b->cpu ? (a->cpu < b->cpu ? 1 : -1) : (a->pid > b->pid) - (a->pid < b->pid);
}

void
children_since(struct children *now, const struct children *before)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < now->n; i++) {
		struct child c = now->child[i];

		for (uint32_t k = 0; k < before->n; k++)
			if (before->child[k].pid == c.pid)
				c.cpu -= before->child[k].cpu < c.cpu ? before->child[k].cpu : c.cpu;
		if (c.cpu)
			now->child[n++] = c;
	}
	now->n = n;
	if (n)
		qsort(now->child, n, sizeof *now->child, by_cpu);
}

void
children_free(struct children *c)
{
	vec_free(&c->child, &c->cap, sizeof *c->child);
	c->n = 0;
}

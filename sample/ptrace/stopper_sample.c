/* See stopper_sample.h.  A sample of one thread: registers by PTRACE_GETREGSET, the stack by process_vm_readv, and for how much
 * of its time it stands.  <linux/perf_event.h> has the record. */
#include "stopper_sample.h"

#include <elf.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sample/tasks/foreign.h"
#include "sample/events/open_event.h"
#include "stopper_wait.h"

/* Bytes of NT_PRSTATUS that a 64-bit task has at least. */
enum { COMPAT_LESS = 128 };
/* aarch64's scalable vectors: two words are before their length in bytes. */
enum { SVE = 0x405, SVE_LENGTH = 4, GRANULE = 8 };

/* The length of its vectors, in units of 8 bytes; 0: it has none. */
static uint64_t
vector_length(int32_t tid)
{
	uint16_t header[8] = { 0 };
	struct iovec io = { header, sizeof header };

	return stopper_ask(PTRACE_GETREGSET, tid, SVE, (uintptr_t)&io) ? header[SVE_LENGTH] / GRANULE : 0;
}

/* The registers of the thread, which is stopped, in the order of the sample's; false where they cannot be had. */
static bool
read_registers(struct state *s, int32_t tid, uint64_t *sp)
{
	union { unsigned long host[64]; uint32_t compat[128]; } all;
	struct iovec io = { &all, sizeof all };
	uint64_t *to = s->word + SAMPLE_REGS;
	const struct prstatus *p = s->with.capture->prstatus;
	unsigned n = 0;
	bool compat;

	memset(&all, 0, sizeof all);
	if (!stopper_ask(PTRACE_GETREGSET, tid, NT_PRSTATUS, (uintptr_t)&io))
		return false;
	compat = sizeof(void *) == 8 && io.iov_len < COMPAT_LESS;
	p += compat;
	for (unsigned bit = 0; bit < 64; bit++)
		if (p->mask >> bit & 1) {
			unsigned at = p->at ? p->at[n] : bit;

			to[n++] = bit >= REGS_EXTENDED ? vector_length(tid) : compat ? all.compat[at] : all.host[at];
		}
	s->word[SAMPLE_PC] = to[p->pc];
	s->word[SAMPLE_ABI] = compat || sizeof(void *) == 4 ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
	*sp = to[p->sp];
	return true;
}

/* Whether the thread that stopped at TIME was on a CPU when it was asked to.  A thread that waited for its turn did not use
 * the CPU there.  But the thread that made way for this process did, even if it had to wait for a long time after that. */
static bool
was_running(const struct tracee *t, uint64_t time)
{
	uint64_t waited = t->delay - t->asked_delay;

	return t->here ? time - waited + WAITED >= t->woke : waited <= WAITED;
}

bool
sample_take(struct state *s, struct tracee *t)
{
	uint64_t sp;

	s->taken = clock_now();
	if (!read_registers(s, t->who.tid, &sp) || (s->schedstat && !tracee_read(t)) || t->run <= t->met || !was_running(t, s->taken))
		return false;
	s->got = s->with.capture->user_stack ? foreign_read(t->who.tid, sp, s->stack, stopper_stack(s)) : 0;
	return true;
}

/* Reports the mappings of a program that has just begun often, because it may end before another process can look. */
static void
tell_maps(struct state *s, struct tracee *t)
{
	uint64_t age = clock_now() - t->execed, known = t->told - t->execed;
	int fd;

	if (!t->execed || (t->told && age < known + known / 4) || (fd = foreign_maps(t->who.tid)) < 0)
		return;
	if (stopper_may(s, t))
		emit_maps(&s->with.out, &t->who, fd);
	close(fd);
	emit_wake(&s->with.out);
	t->told = t->execed + age;
}

/* How long it was paused, from when it was asked to stop; but not where others had its CPU before it could. */
static void
account(struct state *s, const struct tracee *t)
{
	struct desk *d = s->with.desk;
	uint64_t pause = clock_now() - t->asked, us = pause / 1000;

	d->stops++;
	if (t->delay - t->asked_delay > t->asked - t->woke + WAITED)
		return;
	d->paused[us < PAUSES - 1 ? us : PAUSES - 1]++;
	if (pause > d->longest)
		d->longest = pause;
}

void
sample_finish(struct state *s, struct tracee *t, bool taken)
{
	uint64_t fresh;

	if (taken)
		account(s, t);
	t->asked = 0;
	t->awake = true;
	if (!taken)
		return;
	tell_maps(s, t);
	/* The time that it ran since its last sample.  If that is much more than usual, several samples share it. */
	fresh = t->run - t->met;
	t->usual = t->usual ? t->usual - t->usual / 8 + fresh / 8 : fresh;
	t->met = t->run;
	fresh = t->run - t->counted;
	fresh = fresh < 2 * t->usual ? fresh : 2 * t->usual;
	t->counted += fresh;
	t->was_run = t->runs;
	tracee_waits(s, t, 0, s->taken);   /* what was before it; no sample, because it is awake */
	stopper_tell(s, t, s->taken, fresh, s->got);
}

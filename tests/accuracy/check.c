/* check [OPTION...] PROGRAM [ARG...]: samples a program that keeps records of its own stack (mark.h), unwinds each
 * sample as prof does, and compares.  Prints one line; exit 1 if a frame was wrong or hardly anything was tested.
 *	-F HZ       how often (20000)
 *	-s BYTES    how much of the stack is copied (16384)
 *	-c BYTES    how much of that the unwinder is given (all)
 *	-m FRAMES   --max-stack (2048)
 *	-f          the kernel's own chain, too
 *	-n SAMPLES  that must at least be compared (100)
 *	-C PERCENT  of stacks that must be complete (0)
 *	-d NUMBER   how many wrong stacks are shown (3)
 *	-i NUMBER   how many incomplete ones (0) */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cmd/collect.h"
#include "../../sample/foreign.h"
#include "../../sample/target.h"
#include "../../sym/kallsyms.h"
#include "truth.h"

struct harness {
	struct collector c;        /* prof's own: all but the names and what is written */
	struct truth truth;
	struct arena arena;
	struct kallsyms *kallsyms;
	uint64_t cut;              /* -c */
	uint64_t torn;
	unsigned shown, show, incomplete;
	uint64_t samples;          /* with a user side */
	uint64_t told;             /* with at least one record */
	uint64_t records;
	uint64_t wrong, frames;
	uint64_t ends[WALK_ENDS];
};

static void
dump(struct harness *h, const struct sample *s, const char *why)
{
	const struct walk *w = &h->c.walk;

	printf("%s; at %" PRIu64 " us on CPU %u: pid %d (%s)%s at %#" PRIx64 ", by cfi %u, fp %u, chain %u, code %u\n", why,
	       s->time / 1000 % 1000000000, s->cpu, s->task->pid, s->task->comm, s->kernel ? ", in the kernel" : "", s->regs[8],
	       w->by_cfi, w->by_fp, w->by_chain, w->by_code);
	for (uint32_t i = 0; i < s->nkchain && i < 12; i++)
		printf("  kernel %#" PRIx64 "\n", s->kchain[i]);
	truth_dump(&h->truth, stdout);
}

/* While the kernel begins or ends a signal handler it replaces the thread's registers one by one; what is interrupted
 * then has some of this and some of that. */
static bool
torn(struct harness *h, const struct sample *s)
{
	static const char *const names[] = { "restore_sigcontext", "x64_setup_rt_frame", "setup_rt_frame", "__setup_rt_frame",
	                                     "handle_signal" };
	struct symbol symbol;
	const char *module;

	if (!s->kernel || !s->nkchain)
		return false;
	if (!h->kallsyms && !(h->kallsyms = kallsyms_open(&h->arena, foreign_kallsyms())))
		return false;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (kallsyms_find(h->kallsyms, s->kchain[0], &symbol, &module) && !strcmp(symbol.name, names[i]))
			return true;
	return false;
}

static void
compare(void *harness, const struct sample *s)
{
	struct harness *h = harness;
	struct sample seen = *s;
	struct stack stack = { .size = s->stack_size, .bytes = s->stack };
	struct space *space = &s->task->process->space;
	bool (*missing)(struct space *, uint64_t) = space->missing;
	const struct walk *w = &h->c.walk;
	const char *why;

	if (!s->regs || s->regs32)
		return;
	for (uint64_t bits = arch_host->sample, n = 0; bits; bits &= bits - 1, n++)
		if (arch_host->dwarf[n] == arch_host->sp)
			stack.lo = s->regs[n];
	if (h->cut && seen.stack_size > h->cut)
		seen.stack_size = h->cut;
	collect_sample(&h->c, &seen);
	h->samples++;
	h->ends[w->end]++;
	h->frames += w->n;
	space->missing = NULL;   /* for what looks like an address to us nobody shall read the maps again */
	truth_read(&h->truth, space, &stack);
	h->told += h->truth.live > 0;
	h->records += h->truth.live;
	if ((why = truth_check(&h->truth, w)) && torn(h, s))
		h->torn++;
	else if (why) {
		h->wrong++;
		if (h->shown++ < h->show)
			dump(h, s, why);
	} else if (w->end != WALK_ROOT && h->incomplete && h->incomplete--)
		dump(h, s, "incomplete");
	space->missing = missing;
}

static bool
run(struct harness *h, char **argv, struct capture *c, struct session_counts *counts)
{
	static struct refusal refusal;
	struct launch launch;
	struct session *session;
	int status = 0, err;

	c->pid = &launch.pid;
	if (!(session = session_open(c, &h->c.modules, &refusal))) {
		printf("skip: %s\n", refusal.what);
		exit(77);
	}
	if (!launch_fork(&launch, argv))
		return false;
	if (!session_enable(session, &refusal)) {
		launch_drop(&launch);
		printf("%s\n", refusal.what);
		return false;
	}
	if ((err = launch_go(&launch))) {
		printf("%s: %s\n", argv[0], strerror(err));
		return false;
	}
	while (waitpid(launch.pid, &status, WNOHANG) == 0) {
		session_wait(session, -1, 5000000);
		session_drain(session, false, compare, h);
	}
	session_disable(session);
	session_drain(session, true, compare, h);
	session_counts(session, counts);
	session_close(session);
	if (status)
		printf("the program ended with wait status %#x\n", (unsigned)status);
	return !status;
}

static void
report(const struct harness *h, const char *program, const struct session_counts *counts)
{
	uint64_t n = h->samples ? h->samples : 1;

	printf("%s: %" PRIu64 " samples, %" PRIu64 " with records (%.1f each), %.2f%% complete", program, h->samples, h->told,
	       h->told ? (double)h->records / (double)h->told : 0.0, 100.0 * (double)h->ends[WALK_ROOT] / (double)n);
	printf(", frames: %" PRIu64 " fp %" PRIu64 " chain %" PRIu64 " code %" PRIu64 ", lost %" PRIu64
	       ", wrong %" PRIu64, h->frames, h->c.by_fp, h->c.by_chain, h->c.by_code, counts->lost, h->wrong);
	for (unsigned i = 0; i < WALK_ENDS; i++)
		if (i != WALK_ROOT && h->ends[i])
			printf("; %s %" PRIu64, walk_end_words[i], h->ends[i]);
	if (h->truth.excused)
		printf("; excused %" PRIu64, h->truth.excused);
	if (h->torn)
		printf("; registers torn by the kernel %" PRIu64, h->torn);
	printf("\n");
}

int
main(int argc, char **argv)
{
	static struct harness h = { .show = 3 };
	static struct event event[EVENTS_MAX];
	struct session_counts counts;
	uint64_t least = 100;
	double complete = 0;
	uint32_t max_stack = STACK_MAX;
	unsigned nevent = 0;
	struct capture c = { .target = TARGET_COMMAND, .npid = 1, .event = event, .nevent = 1, .freq = 20000, .inherit = true,
	                     .user_stack = true, .kernel_chain = true, .stack_size = 16384, .stack_fixed = true, .regs_mask = arch_host->sample };

	for (int opt; (opt = getopt(argc, argv, "+F:s:c:m:fn:C:d:i:")) != -1;)
		switch (opt) {
		case 'F': c.freq = strtoull(optarg, NULL, 10); break;
		case 's': c.stack_size = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'c': h.cut = strtoull(optarg, NULL, 10); break;
		case 'm': max_stack = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'f': c.user_chain = true; break;
		case 'n': least = strtoull(optarg, NULL, 10); break;
		case 'C': complete = strtod(optarg, NULL); break;
		case 'd': h.show = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'i': h.incomplete = (unsigned)strtoul(optarg, NULL, 10); break;
		default: return 2;
		}
	mem_cap((size_t)1 << 30);
	if (!argv[optind] || event_parse(event, &nevent, "cpu-clock", &h.arena) ||
	    !collector_init(&h.c, MODE_AUTO, max_stack, false))
		return 2;
	h.truth.modules = &h.c.modules;
	h.truth.codes = &h.c.codes;
	h.truth.unwinder = h.c.unwinder;
	if (!run(&h, argv + optind, &c, &counts))
		return 2;
	report(&h, strrchr(argv[optind], '/') ? strrchr(argv[optind], '/') + 1 : argv[optind], &counts);
	if (h.told < least)
		printf("only %" PRIu64 " samples were compared, not %" PRIu64 "\n", h.told, least);
	if ((double)h.ends[WALK_ROOT] * 100 < complete * (double)h.samples)
		printf("fewer stacks are complete than %.1f%%\n", complete);
	return h.wrong || h.told < least || (double)h.ends[WALK_ROOT] * 100 < complete * (double)h.samples;
}

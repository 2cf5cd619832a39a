/* check [OPTION...] PROGRAM [ARG...]: samples a program that keeps records of its own stack (mark.h), unwinds each sample as prof
 * does, and compares.  It prints one line at the end.  The exit status is 1 if a frame was wrong, or if it compared hardly anything;
 * then the line says why.
 *	-F HZ       sample so often (20000)
 *	-E EVENT    sample by this event (cpu-clock)
 *	-s BYTES    copy so much of the stack (16384)
 *	-R          also read the stack beyond the copy, where prof may (sample/events/deep_stack.h)
 *	-c BYTES    give so much of the copy to the unwinder (all)
 *	-m FRAMES   --max-stack (2048)
 *	-f          use the kernel's own chain, too
 *	-l          lose the first pages beyond the kernel's copy
 *	-w MS       let the reader sleep so long each time, so that rings are full (0)
 *	-n SAMPLES  compare at least so many (100)
 *	-C PERCENT  so many stacks must be complete (0)
 *	-e PERCENT  so many stacks are complete on the average: fail if there are fewer, and chance does not explain it
 *	-d NUMBER   show so many wrong stacks (3)
 *	-i NUMBER   show so many incomplete ones (0)
 *	-r NUMBER   print at most so many right samples for tests/data/boards (tests/unit/recording.h reads them).  They are spread over
 *	            the run, and each has an address that none before it had */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/capture/collect.h"
#include "cmd/capture/registers.h"
#include "sample/events/event_list.h"
#include "sample/tasks/foreign.h"
#include "sample/tasks/launch.h"
#include "sym/kernel/kallsyms.h"
#include "truth.h"

enum {
	MARGIN = 256,      /* bytes of a recorded stack behind those that were used: a program's words, at its end */
	SLACK = 3,         /* stacks that are no share of few */
	APART = 3,         /* so many samples lie between two recorded ones */
	SEEN_MAX = 1 << 14,   /* codes and modules that were recorded */
};
enum { KERNEL_CALLS = 2, DOUBTS = 64 };

/* A wrong sample. Perhaps only its registers are wrong: to find that out takes the kernel's names, which is too slow while samples
 * come. */
struct doubt {
	const char *why;
	char *text;                /* the samples that it shows */
	size_t size;
	uint64_t kernel[KERNEL_CALLS];   /* the innermost */
};

struct harness {
	struct collector c;        /* prof's own: all but the names and what is written */
	struct truth truth;
	struct arena arena;
	uint64_t cut;              /* -c */
	bool loses;                /* -l */
	uint64_t torn;
	uint64_t gone;             /* without a stack: the thread is ending and has no memory any more */
	unsigned show, incomplete, record, passed_by, stall;
	bool seen[SEEN_MAX], imaged[SEEN_MAX];   /* by code; by module */
	uint64_t samples;          /* with a user side */
	uint64_t told;             /* with at least one record */
	uint64_t records;
	uint64_t wrong, frames;
	struct doubt doubt[DOUBTS];
	unsigned doubts;
	const char *why;           /* the first was wrong */
	uint64_t ends[WALK_ENDS];
};

static void
dump(struct harness *h, const struct sample *s, const char *why, FILE *f)
{
	const struct walk *w = &h->c.walk;

	fprintf(f, "%s; at %" PRIu64 " us on CPU %u: pid %d (%s)%s at %#" PRIx64 ", by cfi %u, fp %u, chain %u, code %u\n", why,
	        s->time / 1000 % 1000000000, s->cpu, s->task->pid, s->task->comm, s->kernel ? ", in the kernel" : "", s->regs[8],
	        w->by_cfi, w->by_fp, w->by_chain, w->by_code);
	truth_dump(&h->truth, f);
}

static void
doubt(struct harness *h, const struct sample *s, const char *why)
{
	struct doubt *d = &h->doubt[h->doubts];
	FILE *f;

	h->wrong++;
	if (h->doubts == DOUBTS || !(f = open_memstream(&d->text, &d->size)))
		return;
	d->why = why;
	for (unsigned i = 0; i < KERNEL_CALLS && s->kernel && i < s->nkchain; i++)
		d->kernel[i] = s->kchain[i];
	dump(h, s, why, f);
	fclose(f);
	h->doubts++;
}

/* While the kernel begins or ends a signal handler, it replaces the thread's registers one by one. A sample at that moment has some
 * old and some new registers. */
static bool
replaces_registers(const char *name)
{
	static const char *const words[] = { "sigframe", "sigcontext", "sigreturn", "setup_frame", "setup_rt_frame", "setup_return",
	                                     "handle_signal",
	                                     /* and what compilers take these into */
	                                     "do_signal", "do_notify_resume", "do_work_pending" };

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

/* Shows wrong stacks, but not those for which the kernel or the program is to blame. */
static void
judge(struct harness *h)
{
	struct kallsyms *kallsyms = h->doubts ? kallsyms_open(&h->arena, foreign_kallsyms(), NULL, NULL) : NULL;
	struct symbol symbol;
	const char *module;

	for (unsigned i = 0; i < h->doubts; i++) {
		struct doubt *d = &h->doubt[i];
		bool torn = false;

		for (unsigned k = 0; k < KERNEL_CALLS && d->kernel[k]; k++)
			if (kallsyms && kallsyms_find(kallsyms, d->kernel[k], &symbol, &module)) {
				torn |= replaces_registers(symbol.name);
				if (h->show)
					printf("  kernel %s\n", symbol.name);
			}
		if (torn) {
			h->torn++;
			h->wrong--;
			continue;
		}
		h->why = h->why ? h->why : d->why;
		if (h->show && h->show--)
			printf("%s", d->text);
	}
}

/* Whether all code of the stack can be recorded, and some of it has not been yet. */
static bool
worth(struct harness *h)
{
	const struct walk *w = &h->c.walk;
	bool any = false;

	for (uint32_t k = 0; k < w->n; k++) {
		enum module_kind kind = h->c.modules.module[h->c.codes.code[w->code[k]].module]->kind;

		if ((kind != MODULE_FILE && kind != MODULE_IMAGE) || w->code[k] >= SEEN_MAX)
			return false;
		any |= !h->seen[w->code[k]];
	}
	for (uint32_t k = 0; any && k < w->n; k++)
		h->seen[w->code[k]] = true;
	return any;
}

static void
print_bytes(const uint8_t *p, uint64_t n)
{
	static const char digit[] = "0123456789abcdef";

	for (uint64_t i = 0; i < n; i++) {   /* printf takes ten times as long: samples would be lost */
		putchar(digit[p[i] >> 4]);
		putchar(digit[p[i] & 15]);
	}
	putchar('\n');
}

/* A file's place in memory; of what is no file, its bytes, once. */
static void
record_map(struct harness *h, const struct map *m)
{
	const struct module *of = m->module;

	if (!m->exec || !of || of->bad || (of->kind != MODULE_FILE && of->kind != MODULE_IMAGE) || of->id >= SEEN_MAX)
		return;
	if (of->kind == MODULE_IMAGE && !h->imaged[of->id]) {
		h->imaged[of->id] = true;
		printf("image %s ", of->path);
		print_bytes(of->elf.bytes.pos, cur_left(&of->elf.bytes));
	}
	printf("map %" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n", m->lo, m->hi, m->off, of->path);
}

/* Where a code's address is in the process; return addresses less one. */
static uint64_t
address_of(const struct harness *h, const struct space *space, uint32_t code)
{
	const struct code *c = &h->c.codes.code[code];

	for (uint32_t i = 0; i < space->n; i++) {
		const struct map *m = &space->map[i];

		if (m->exec && m->module && m->module->id == c->module && c->vaddr + m->bias - m->lo < m->hi - m->lo)
			return c->vaddr + m->bias;
	}
	return 0;
}

/* Prints the unwinder's input: registers in the order of arch->sample, the part of the stack that it read, and the maps of code.
 * Then its result, with "cut" if the stack is not complete. */
static void
record(struct harness *h, const struct sample *s, const struct stack *stack)
{
	const struct walk *w = &h->c.walk;
	const struct space *space = &s->task->process->maps.space;
	uint64_t used = w->used + MARGIN < stack->size ? w->used + MARGIN : stack->size;

	printf("sample %" PRIx64 "\n", arch_host->find_mask ? arch_host->find_mask() : arch_host->addr_mask);
	for (uint32_t i = 0; i < space->n; i++)
		record_map(h, &space->map[i]);
	printf("regs");
	for (unsigned n = 0; n < s->nregs; n++)
		printf(" %" PRIx64, s->regs[n]);
	printf("\nstack %" PRIx64 " ", stack->lo);
	print_bytes(stack->bytes, used);
	printf("frames");
	for (uint32_t k = 0; k < w->n; k++)
		printf(" %" PRIx64, address_of(h, space, w->code[k]));
	printf("%s\n", w->end == WALK_ROOT ? "" : " cut");
}

/* The kernel's copy and the other parts of the stack: truth.c wants each byte once, in the order of the walk. */
static struct pieces
join(const struct stack *stack, const struct pieces *rest)
{
	static struct piece piece[1 + DEEP_ROOM / DEEP_PAGE];
	uint32_t n = 0;

	piece[n++] = (struct piece){ stack->lo, stack->size, stack->bytes };
	for (uint32_t i = 0; i < rest->n && n < sizeof piece / sizeof *piece; i++) {
		struct piece p = rest->piece[i];
		uint64_t end = stack->lo + stack->size;

		if (p.lo < end && p.lo + p.size > stack->lo) {   /* bytes before sp do not matter */
			uint64_t known = p.size < end - p.lo ? p.size : end - p.lo;

			p = (struct piece){ p.lo + known, p.size - known, p.bytes + known };
		}
		if (p.size)
			piece[n++] = p;
	}
	return (struct pieces){ piece, n };
}

/* Leaves out some pages after the kernel's copy, so that the stack has a hole there. */
static void
lose(struct pieces *rest)
{
	enum { LOST = 2 * DEEP_PAGE };
	static struct piece piece[DEEP_ROOM / DEEP_PAGE];

	if (!rest->n || rest->piece->size <= LOST)
		return;
	memcpy(piece, rest->piece, rest->n * sizeof *piece);
	piece->lo += LOST;
	piece->size -= LOST;
	piece->bytes += LOST;
	rest->piece = piece;
}

static void
compare(void *harness, const struct sample *s)
{
	struct harness *h = harness;
	struct sample seen = *s;
	uint64_t link = 0;
	struct stack stack = { .size = s->stack_size, .bytes = s->stack };
	struct pieces whole;
	struct space *space = &s->task->process->maps.space;
	bool (*missing)(struct space *, uint64_t) = space->missing;
	const struct walk *w = &h->c.walk;
	uint64_t excused = h->truth.excused;
	const char *why;

	const struct arch *arch = s->regs32 ? arch_compat : arch_host;

	if (!s->regs)
		return;
	if (s->kernel && !s->stack_size) {
		h->gone++;
		return;
	}
	h->truth.arch = arch;
	for (uint64_t bits = arch->sample, n = 0; bits && n < s->nregs; bits &= bits - 1, n++)
		if (arch->dwarf[n] == arch->sp)
			stack.lo = s->regs[n];
		else if (arch->dwarf[n] == arch->ra && arch->ra != arch->pc)
			link = s->regs[n];
	if (h->loses)
		lose(&seen.rest);
	whole = join(&stack, &seen.rest);
	if (h->cut && seen.stack_size > h->cut)
		seen.stack_size = h->cut;
	collect_sample(&h->c, &seen);
	h->samples++;
	h->ends[w->end]++;
	h->frames += w->n;
	space->missing = NULL;   /* no value that only looks like an address shall make prof read the maps again */
	truth_read(&h->truth, space, &whole, link);
	h->told += h->truth.live > 0;
	h->records += h->truth.live;
	if ((why = truth_check(&h->truth, w))) {
		doubt(h, s, why);
	} else if (h->record && h->truth.live && excused == h->truth.excused && h->passed_by++ >= APART && worth(h)) {
		h->passed_by = 0;
		h->record--;
		record(h, s, &stack);
	} else if (w->end != WALK_ROOT && h->incomplete && h->incomplete--)
		dump(h, s, "incomplete", stdout);
	space->missing = missing;
}

static bool
run(struct harness *h, char **argv, struct capture *c, struct session_counts *counts)
{
	static struct refusal refusal;
	struct launch launch;
	struct session *session;
	int status = 0;

	c->pid = &launch.pid;
	if (!(session = session_open(c, &h->c.modules, &refusal))) {
		printf("skip: %s\n", refusal.what);
		exit(77);
	}
	if (!launch_fork(&launch, argv))
		return false;
	if (!session_prepare(session, &refusal)) {
		launch_drop(&launch);
		printf("%s\n", refusal.what);
		return false;
	}
	session_enable(session);
	if (!launch_go(&launch)) {
		printf("%s: %s\n", argv[0], strerror(errno));
		return false;
	}
	while (waitpid(launch.pid, &status, WNOHANG) == 0) {
		session_wait(session, -1, 5000000);
		usleep(h->stall * 1000);
		session_drain(session, false, compare, h);
	}
	session_disable(session);
	session_drain(session, true, compare, h);
	session_counts(session, counts);
	session_close(session);
	if (status)
		printf("%s: it ended with wait status %#x\n", argv[0], (unsigned)status);
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
	if (h->gone)
		printf("; memory gone %" PRIu64, h->gone);
	if (h->torn)
		printf("; registers torn by the kernel %" PRIu64, h->torn);
}

/* Whether so few of N stacks are complete that chance does not explain it: six standard deviations below the average PERCENT, and
 * one stack more if incomplete ones are rare. */
static bool
too_few(double n, double whole, double percent)
{
	double missing = n * percent / 100 - whole, variance = n * percent / 100 * (1 - percent / 100);

	return missing > 0 && missing * missing > 36 * (variance + 1);
}

/* Adds to the report all that is wrong, and returns whether nothing is. */
static bool
passes(const struct harness *h, uint64_t least, double complete, double expected)
{
	double n = (double)h->samples, whole = (double)h->ends[WALK_ROOT];
	bool good = true;

	if (h->wrong)
		good = !printf("; WRONG: %s", h->why);
	if (h->told < least)
		good = !printf("; ONLY %" PRIu64 " were compared, not %" PRIu64, h->told, least);
	if ((whole + SLACK) * 100 < complete * n)
		good = !printf("; FEWER are complete than %.1f%%", complete);
	if (too_few(n, whole, expected))
		good = !printf("; FEWER are complete than chance makes of %.1f%%", expected);
	if (h->torn * 50 > h->samples + 50 * SLACK)
		good = !printf("; TOO MANY have torn registers");
	if (h->gone * 10 > h->samples)
		good = !printf("; TOO MANY have no stack");
	printf("\n");
	return good;
}

int
main(int argc, char **argv)
{
	static struct harness h = { .show = 3 };
	static struct event event[EVENTS_MAX];
	struct session_counts counts;
	const char *clock = "cpu-clock";
	uint64_t least = 100;
	double complete = 0, expected = 0;
	uint32_t max_stack = STACK_MAX;
	unsigned nevent = 0;
	struct capture c = { .target = TARGET_COMMAND, .npid = 1, .event = event, .nevent = 1, .freq = 20000, .inherit = true,
	                     .user_stack = true, .kernel_chain = true, .stack_size = 16384, .stack_fixed = true, .regs_mask = arch_host->sample };

	for (int opt; (opt = getopt(argc, argv, "+F:s:Rc:m:fln:C:e:d:i:r:E:w:")) != -1;)
		switch (opt) {
		case 'F': c.freq = strtoull(optarg, NULL, 10); break;
		case 's': c.stack_size = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'R': c.stack_fixed = false; break;
		case 'c': h.cut = strtoull(optarg, NULL, 10); break;
		case 'm': max_stack = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'f': c.user_chain = true; break;
		case 'n': least = strtoull(optarg, NULL, 10); break;
		case 'C': complete = strtod(optarg, NULL); break;
		case 'e': expected = strtod(optarg, NULL); break;
		case 'E': clock = optarg; break;
		case 'l': h.loses = true; break;
		case 'w': h.stall = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'd': h.show = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'i': h.incomplete = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'r': h.record = (unsigned)strtoul(optarg, NULL, 10); break;
		default: return 2;
		}
	mem_cap((size_t)1 << 30);
	registers_describe(&c);
	if (!argv[optind] || event_parse(event, &nevent, clock, &h.arena) ||
	    !collector_init(&h.c, MODE_AUTO, max_stack, false))
		return 2;
	h.truth.modules = &h.c.modules;
	h.truth.codes = &h.c.codes;
	h.truth.unwinder = h.c.unwinder;
	if (!run(&h, argv + optind, &c, &counts))
		return 2;
	judge(&h);
	report(&h, strrchr(argv[optind], '/') ? strrchr(argv[optind], '/') + 1 : argv[optind], &counts);
	return !passes(&h, least, complete, expected);
}

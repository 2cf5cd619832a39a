/* replay [-n SAMPLES] [-i MICROSECONDS] [-s STACK-BYTES] [-r PASSES] [-c PASSES] [-p] -- COMMAND...: stops a program of
 * its own again and again, keeps its registers, stack and maps, and unwinds these samples in this process: what a frame costs at first
 * sight and later, and how the stacks end.  -p prints each stack.
 * -t takes the samples where the program traps by itself, so that they are the same each time; -I counts the instructions of
 * a pass over them at first sight, of another one, and of putting them into a profile.
 * With -DORACLE (tests/bench/oracle) each stack is compared with libunwind's, and what it costs is measured too. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "out/profile/profile.h"
#include "sym/jit/jit.h"
#include "unwind/unwind.h"

#ifdef ORACLE
#include "oracle.h"
#endif

enum { ORACLE_MAX = 1000 };

struct sample {
	struct regs regs;
	struct stack stack;
};

static struct modules modules;
static struct codes codes;
static struct space space;
static struct sample *samples;
static unsigned nsamples, max_samples = 500, interval = 2000, stack_size = 65528, passes = 20, colds = 5;
static bool print, at_traps, instructions;

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void
die(const char *what)
{
	perror(what);
	exit(2);
}

/* ---- capture ---- */

static struct module *
open_module(int pid, uint64_t lo, uint64_t hi, const char *path)
{
	char link[64];
	struct module *m = NULL;
	int fd;

	if (!strcmp(path, "[vdso]")) {
		void *copy = malloc(hi - lo);
		struct iovec l = { copy, hi - lo }, r = { (void *)(uintptr_t)lo, hi - lo };

		if (process_vm_readv(pid, &l, 1, &r, 1, 0) == (ssize_t)(hi - lo))
			m = module_image(&modules, path, copy, hi - lo);
		free(copy);
		return m;
	}
	if (*path != '/')
		return jit_module(&modules, pid, NULL);
	snprintf(link, sizeof link, "/proc/%d/map_files/%llx-%llx", pid, (unsigned long long)lo, (unsigned long long)hi);
	if ((fd = open(link, O_RDONLY)) < 0 && (fd = open(path, O_RDONLY)) < 0)
		return module_lost(&modules, path, "cannot be opened");
	m = module_file(&modules, fd, path);
	close(fd);
	return m;
}

/* Takes in the executable maps; gives the end of the one that holds SP. */
static uint64_t
read_maps(int pid, uint64_t sp)
{
	static uint32_t files;
	char name[64], line[4400], path[4200], perm[8];
	unsigned long long lo, hi, off, end = 0;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%d/maps", pid);
	if (!(f = fopen(name, "r")))
		return 0;
	while (fgets(line, sizeof line, f)) {
		struct map m = { .exec = true }, *old;

		path[0] = 0;
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %4199[^\n]", &lo, &hi, perm, &off, path) < 4)
			continue;
		if (sp >= lo && sp < hi)
			end = hi;
		if (perm[2] != 'x' || ((old = space_find(&space, lo)) && old->lo <= lo && old->hi >= hi))
			continue;
		m.lo = lo;
		m.hi = hi;
		m.off = off;
		m.file = ++files;
		space_bind(&m, open_module(pid, lo, hi, path + strspn(path, " ")));
		space_add(&space, &m);
	}
	fclose(f);
	return end;
}

static void
take_sample(int pid)
{
	struct sample *s = &samples[nsamples];
	struct user_regs_struct u;
	struct iovec l, r;
	uint64_t end;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &u))
		return;
	if (!(end = read_maps(pid, u.rsp)))
		return;
	const unsigned long long reg[17] = { u.rax, u.rdx, u.rcx, u.rbx, u.rsi, u.rdi, u.rbp, u.rsp, u.r8, u.r9, u.r10, u.r11,
	                                     u.r12, u.r13, u.r14, u.r15, u.rip };
	for (unsigned i = 0; i < 17; i++)
		s->regs.r[i] = reg[i];
	s->regs.known = (1 << 17) - 1;
	s->stack.lo = u.rsp;
	s->stack.size = end - u.rsp < stack_size ? end - u.rsp : stack_size;
	l.iov_base = malloc(s->stack.size);
	r.iov_base = (void *)(uintptr_t)u.rsp;
	l.iov_len = r.iov_len = s->stack.size;
	if (process_vm_readv(pid, &l, 1, &r, 1, 0) != (ssize_t)s->stack.size)
		return;
	s->stack.bytes = l.iov_base;
	nsamples++;
}

static void
capture(char **argv)
{
	int gate[2], pid, status;
	char c;

	if (pipe(gate))
		die("pipe");
	if (!(pid = fork())) {
		close(gate[1]);
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		if (!read(gate[0], &c, 1))
			execvp(argv[0], argv);
		die(argv[0]);
	}
	if (ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_EXITKILL))
		die("ptrace");
	close(gate[0]);
	close(gate[1]);
	while (at_traps && nsamples < max_samples && waitpid(pid, &status, 0) > 0 && WIFSTOPPED(status)) {
		bool trap = WSTOPSIG(status) == SIGTRAP && !(status >> 16);

		if (trap)
			take_sample(pid);
		ptrace(PTRACE_CONT, pid, NULL, (void *)(uintptr_t)(trap || status >> 16 ? 0 : WSTOPSIG(status)));
	}
	usleep(20000);
	while (!at_traps && nsamples < max_samples) {
		ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
		if (waitpid(pid, &status, 0) < 0 || WIFEXITED(status) || WIFSIGNALED(status))
			return;
		if (status >> 16 == PTRACE_EVENT_STOP)
			take_sample(pid);
		ptrace(PTRACE_CONT, pid, NULL, status >> 16 ? 0 : (void *)(uintptr_t)WSTOPSIG(status));
		usleep(interval);
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) > 0)
		continue;
}

/* ---- replay ---- */

static uint64_t
pass(struct unwinder *u, struct walk *w, uint64_t *frames, uint64_t *ends, unsigned first, unsigned n)
{
	uint64_t t = now();

	for (unsigned i = first; i < first + n; i++) {
		unwind(u, &space, &samples[i].regs, &samples[i].stack, NULL, 0, w);
		*frames += w->n;
		ends[w->end]++;
	}
	return now() - t;
}

static void
print_code(uint32_t code)
{
	const struct code *c = &codes.code[code];

	printf(" %s+%llx", modules.module[c->module]->name, (unsigned long long)c->vaddr);
}

#ifdef ORACLE
/* In which ways two walks of a stack can differ, at the first frame that they do not share. */
enum apart { ALIKE, NO_TABLE, THEY_STOP, BEHIND_ROOT, WE_STOP, GUESSED, OTHER, APARTS };
static const char *const apart_words[APARTS] = {
	"alike to the end", "libunwind stops in code without a table", "libunwind stops in code that has one",
	"libunwind goes on behind the thread's first function", "ours stop first", "libunwind guesses in code without a table",
	"another frame",
};

static enum apart
come_apart(const struct walk *w, const uint64_t *ip, unsigned nip, unsigned k)
{
	bool table = k && oracle_table(&space, ip[k - 1] - (k > 1));

	if (k == w->n && k == nip)
		return ALIKE;
	if (k == w->n)
		return w->end == WALK_ROOT ? BEHIND_ROOT : WE_STOP;
	if (k == nip)
		return table ? THEY_STOP : NO_TABLE;
	return table ? OTHER : GUESSED;
}

/* Compares frame by frame, and says how the walks differ; a frame that differs counts once. */
static void
compare(struct unwinder *u, struct walk *w)
{
	static uint64_t ip[ORACLE_MAX];
	uint64_t count[APARTS] = { 0 }, alike = 0;

	for (unsigned i = 0; i < nsamples; i++) {
		struct sample *s = &samples[i];
		unsigned k = 0, n = oracle_walk(&space, &s->regs, &s->stack, false, ip, ORACLE_MAX);
		enum apart how;

		unwind(u, &space, &s->regs, &s->stack, NULL, 0, w);
		while (k < w->n && k < n && (w->code[k] == unwind_code(u, &space, ip[k] - (k > 0)) ||
		                             w->code[k] == unwind_code(u, &space, ip[k])))
			k++;
		alike += k;
		how = come_apart(w, ip, n, k);
		count[how]++;
		if (print && how) {
			printf("sample %u: %s; %u of ours (%s), %u of theirs; alike %u:", i, apart_words[how], w->n, walk_end_words[w->end], n, k);
			for (unsigned q = k > 2 ? k - 2 : 0; q < k + 3 && q < w->n; q++)
				print_code(w->code[q]);
			printf(" |");
			for (unsigned q = k > 2 ? k - 2 : 0; q < k + 3 && q < n; q++)
				print_code(unwind_code(u, &space, ip[q] - (q > 0)));
			printf("\n");
		}
	}
	printf("  libunwind: %llu frames alike, %llu others (%.3f%%)\n", (unsigned long long)alike, (unsigned long long)count[OTHER],
	       100.0 * (double)count[OTHER] / (double)(alike + count[OTHER]));
	for (unsigned i = 0; i < APARTS; i++)
		if (count[i])
			printf("  %6.2f%% of stacks: %s\n", 100.0 * (double)count[i] / nsamples, apart_words[i]);
}

/* What a frame costs: all samples in turns, with a warm cache, and without a cache. */
static void
time_oracle(void)
{
	static uint64_t ip[ORACLE_MAX];
	double ns[2];

	for (int cached = 0; cached < 2; cached++) {
		uint64_t frames = 0, best = UINT64_MAX;

		for (unsigned k = 0; k < (cached ? passes + 1 : colds); k++) {
			uint64_t begin = now();

			frames = 0;
			for (unsigned i = 0; i < nsamples; i++)
				frames += oracle_walk(&space, &samples[i].regs, &samples[i].stack, cached, ip, ORACLE_MAX);
			begin = now() - begin;
			best = begin < best ? begin : best;
		}
		ns[cached] = (double)best / (double)frames;
	}
	printf("  libunwind, ns a frame: %.1f all samples in turns with its cache, %.0f without\n", ns[1], ns[0]);
}
#endif

static void
figures(void)
{
	static struct walk w;
	struct unwinder *u = unwinder_new(arch_host, &modules, &codes, MODE_AUTO, 512);
	uint64_t ends[WALK_ENDS] = { 0 }, unused[WALK_ENDS], frames = 0, all = 0, hot = 0, sights, cold = UINT64_MAX, warm = UINT64_MAX, hottest = 0;
	uint64_t by[4] = { 0 };

	pass(u, &w, &frames, unused, 0, nsamples);   /* modules are indexed */
	for (unsigned i = 0; i < colds; i++) {
		uint64_t t;

		unwinder_free(u);
		codes_free(&codes);
		codes_init(&codes);
		u = unwinder_new(arch_host, &modules, &codes, MODE_AUTO, 512);
		memset(ends, 0, sizeof ends);
		frames = 0;
		t = pass(u, &w, &frames, ends, 0, nsamples);
		cold = t < cold ? t : cold;
	}
	sights = codes.n;
	for (unsigned i = 0; i < passes; i++) {
		uint64_t t = pass(u, &w, &all, unused, 0, nsamples);

		warm = t < warm ? t : warm;
	}
	for (unsigned i = 0; i < nsamples; i++) {
		pass(u, &w, &hot, unused, i, 1);
		hot -= w.n;
		for (unsigned k = 0; k < passes; k++)
			hottest += pass(u, &w, &hot, unused, i, 1);
		by[0] += w.by_cfi, by[1] += w.by_fp, by[2] += w.by_code;
	}
	printf("%u samples, %llu frames (%llu by tables, %llu by fp, %llu by code), %llu codes\n", nsamples,
	       (unsigned long long)frames, (unsigned long long)by[0], (unsigned long long)by[1], (unsigned long long)by[2],
	       (unsigned long long)sights);
	for (unsigned i = 0; i < WALK_ENDS; i++)
		if (ends[i])
			printf("  %5.1f%% %s\n", 100.0 * (double)ends[i] / nsamples, walk_end_words[i]);
	printf("  ns a frame: %.1f the same sample again, %.1f all samples in turns, %.0f at first sight of its code\n",
	       (double)hottest / (double)hot, (double)warm / (double)frames,
	       ((double)cold - (double)warm) / (double)sights);
#ifdef ORACLE
	compare(u, &w);
	time_oracle();
#endif
	unwinder_free(u);
}

/* ---- instructions ---- */

static void
add_all(struct unwinder *u, struct walk *w, struct profile *p)
{
	for (unsigned i = 0; i < nsamples; i++) {
		unwind(u, &space, &samples[i].regs, &samples[i].stack, NULL, 0, w);
		profile_add(p, profile_thread(p, 1, 1, "stream", 0), p->start + i * 1000000ull, 1, w->code, w->n);
	}
}

/* The child stops before and after each of the parts. */
static void
be_counted(void)
{
	static struct walk w;
	static struct profile p;
	uint64_t frames = 0, ends[WALK_ENDS] = { 0 };
	struct unwinder *u = unwinder_new(arch_host, &modules, &codes, MODE_AUTO, 512);

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	profile_init(&p);
	raise(SIGSTOP);
	pass(u, &w, &frames, ends, 0, nsamples);
	raise(SIGSTOP);
	pass(u, &w, &frames, ends, 0, nsamples);
	raise(SIGSTOP);
	add_all(u, &w, &p);
	raise(SIGSTOP);
	_exit(ends[WALK_ROOT] == 2 * nsamples ? 0 : 1);
}

/* Each instruction is a stop. */
static void
count(void)
{
	static const char *const part[] = { "first", "again", "profile" };
	int pid = fork(), status;

	if (!pid)
		be_counted();
	waitpid(pid, &status, 0);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t n = 0;

		do {
			n++;
			if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, 0) < 0)
				die("singlestep");
		} while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
		printf("%s %llu\n", part[i], (unsigned long long)n);
	}
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	printf("samples %u\ncomplete %s\n", nsamples, WIFEXITED(status) && !WEXITSTATUS(status) ? "yes" : "no");
}

int
main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+n:i:s:r:c:ptI")) != -1)
		switch (c) {
		case 'n': max_samples = (unsigned)atoi(optarg); break;
		case 'i': interval = (unsigned)atoi(optarg); break;
		case 's': stack_size = (unsigned)atoi(optarg); break;
		case 'r': passes = (unsigned)atoi(optarg); break;
		case 'c': colds = (unsigned)atoi(optarg); break;
		case 'p': print = true; break;
		case 't': at_traps = true; break;
		case 'I': instructions = true; break;
		default: return 2;
		}
	if (optind == argc || !(samples = calloc(max_samples + 1, sizeof *samples)))
		return 2;
	modules_init(&modules);
	codes_init(&codes);
	space_init(&space);
	capture(argv + optind);
	if (!nsamples)
		return 1;
	if (instructions)
		count();
	else
		figures();
	return 0;
}

/* What the stopper writes into its ring, and what comes out of it at the other end. */
#include "sample/tasks/foreign.h"
#include "sample/events/ring.h"
#include "sample/ptrace/stopper_emit.c"
#include "sample/ptrace/stopper.h"
#include "sample/ptrace/stopper_desk.h"
#include "sample/ptrace/stopper_thread.h"
#include "sample/events/record.h"
#include "unwind/arch/arch.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { PAGE = 4096, RING = 1 << 16, RING_MORE = 1 << 18 };

void registers_describe(struct capture *);   /* cmd/capture/registers.h, which goes together with another struct thread */

static struct rings rings;
static struct emit out;
static const struct record_shape shape = { .period = true, .stack = true, .regs = 3, .chain = false };

static void
begin(size_t size)
{
	uint8_t *p = mmap(NULL, PAGE + size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int wake = eventfd(0, EFD_NONBLOCK);

	rings = (struct rings){ 0 };
	CHECK(p != MAP_FAILED && rings_take(&rings, p, wake, -1, size));
	out = (struct emit){ .page = (void *)p, .data = p + PAGE, .size = size, .wake = wake };
}

static bool
next(struct record *r)
{
	struct cursor c;

	if (!rings_next(&rings, &c))
		return false;
	CHECK(!record_parse(r, &shape, c));
	return true;
}

static void
sample(uint32_t tid, const uint8_t *stack, uint64_t used)
{
	uint64_t word[8 + 3 + 1] = { 0, 0, 0x1000, 0, 77, 0, 5000, PERF_SAMPLE_REGS_ABI_64, 11, 22, 33, 0 };

	word[3] = (uint64_t)tid << 32 | tid;
	emit_sample(&out, word, 12, stack, used);
}

/* A sample's fields, and stacks of any length, at any place of the ring. */
static void
samples(void)
{
	static uint8_t stack[3000];
	struct record r;

	begin(RING);
	for (unsigned i = 0; i < sizeof stack; i++)
		stack[i] = (uint8_t)(i * 7);
	for (unsigned i = 0; i < 200; i++) {
		uint64_t used = i * 13;

		sample(i + 1, stack, used);
		rings_start(&rings, RING_EMPTY - 1);
		if (!next(&r))
			break;
		CHECK_U64(r.type, PERF_RECORD_SAMPLE);
		CHECK_U64(r.misc, PERF_RECORD_MISC_USER);
		CHECK_U64((uint64_t)r.tid, i + 1);
		CHECK_U64(r.time, 77);
		CHECK_U64(r.sample.ip, 0x1000);
		CHECK_U64(r.sample.period, 5000);
		CHECK_U64(r.sample.regs[0] + r.sample.regs[1] * 100 + r.sample.regs[2] * 10000, 332211);
		CHECK_U64(r.sample.stack_size, used);
		CHECK(!used || !memcmp(r.sample.stack, stack, used));
		CHECK(!next(&r));
	}
	CHECK_U64(rings.broken, 0);
	rings_close(&rings);
}

/* The stopper reports lost samples as soon as there is room; it has woken the reader before. */
static void
full(void)
{
	static uint8_t stack[8000];
	uint64_t woken = 0, got = 0, lost = 0;
	struct record r;

	begin(RING);
	for (unsigned i = 0; i < 20; i++)
		sample(1, stack, sizeof stack);
	CHECK(read(out.wake, &woken, sizeof woken) == sizeof woken);
	CHECK_U64(woken, 1);
	CHECK(out.lost > 0 && out.lost < 20);
	for (unsigned round = 0; round < 2; round++) {
		rings_start(&rings, RING_EMPTY - 1);
		while (next(&r)) {
			got += r.type == PERF_RECORD_SAMPLE;
			lost += r.type == PERF_RECORD_LOST ? r.lost : 0;
		}
		if (!round)
			sample(1, stack, 10);
	}
	CHECK_U64(got + lost, 21);
	CHECK(lost);
	CHECK_U64(out.lost, 0);
	rings_close(&rings);
}

/* Births, names, ends, mappings: as record.c reads them. */
static void
others(void)
{
	struct { uint32_t pid, tid; char name[16]; } comm = { 5, 6, "it" };
	struct { uint32_t pid, tid; uint64_t value, enabled, running; } total = { 5, 6, 1, 2, 12345 };
	const struct thread who = { 5, 6 }, parent = { 4, 3 }, self = { getpid(), getpid() };
	int fd = foreign_maps(getpid());
	struct record r;
	unsigned maps = 0, own = 0;

	begin(RING);
	emit_task(&out, PERF_RECORD_FORK, &who, &parent);
	emit_record(&out, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &who, &comm, sizeof comm);
	emit_record(&out, PERF_RECORD_READ, 0, &who, &total, sizeof total);
	emit_maps(&out, &self, fd);
	close(fd);
	rings_start(&rings, RING_EMPTY - 1);
	CHECK(next(&r));
	CHECK(r.type == PERF_RECORD_FORK && r.pid == 5 && r.tid == 6 && r.task.ppid == 4 && r.task.ptid == 3 && r.time);
	CHECK(next(&r));
	CHECK(r.type == PERF_RECORD_COMM && r.pid == 5 && r.tid == 6 && r.comm.exec && !strcmp(r.comm.name, "it"));
	CHECK(next(&r));
	CHECK(r.type == PERF_RECORD_READ && r.pid == 5 && r.tid == 6 && r.running == 12345);
	while (next(&r)) {
		maps += r.type == PERF_RECORD_MMAP2 && r.map.exec && r.pid == getpid();
		own += r.map.lo <= (uintptr_t)others && (uintptr_t)others - r.map.lo < r.map.size && r.map.ino;
	}
	CHECK(maps >= 1);
	CHECK_U64(own, 1);
	rings_close(&rings);
}

/* The table of threads: it finds a thread, loses it when it ends, and does not find it again; and what /proc says of this thread. */
static void
table(void)
{
	static struct tracees ts = { .files_most = 2 };
	struct tracee *t, *other;
	char comm[16];
	int cpu;

	for (int32_t tid = 1; tid <= 5; tid++)
		CHECK((t = tracee_add(&ts, 1, tid * TRACEES)));   /* all of one hash */
	CHECK((t = tracee_find(&ts, 3 * TRACEES)) && t->who.tid == 3 * TRACEES);
	CHECK(!tracee_find(&ts, 6 * TRACEES));
	t->gone = true;
	CHECK(!tracee_find(&ts, 3 * TRACEES));
	tracees_sweep(&ts);
	CHECK(tracee_find(&ts, 2 * TRACEES) && tracee_find(&ts, 4 * TRACEES));
	CHECK((other = tracee_add(&ts, getpid(), getpid())));
	CHECK(other == t);   /* used again */
	CHECK(tracee_read(other) && other->runs);
	CHECK_U64((uint64_t)tracee_state(&other->who, comm, &cpu), 'R');
	CHECK(cpu >= 0 && !strcmp(comm, "stopper"));
	CHECK(tracee_is_on(other));
	CHECK_U64((uint64_t)tracee_status(getpid(), "\nPPid:\t"), (uint64_t)getppid());
	CHECK_U64((uint64_t)tracee_status(getpid(), "\nTracerPid:\t"), 0);
	arena_free(&ts.arena);
}

static void
account(struct tracee *t, uint64_t run, uint64_t runs)
{
	char text[64];
	int n = snprintf(text, sizeof text, "%llu 2 %llu\n", (unsigned long long)run, (unsigned long long)runs);

	CHECK(pwrite(t->fd, text, (size_t)n, 0) == n && !ftruncate(t->fd, n));
	CHECK(tracee_read(t));
}

/* The kernel's account of a thread that has left CPUs RUNS times, if the kernel did not count that it got one. */
static void
a_run_that_nobody_counted(void)
{
	int32_t pid = fork();
	struct tracee t = { .who = { pid, pid }, .fd = -1 };
	uint64_t runs;
	char comm[16];
	int cpu;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	while (tracee_state(&t.who, comm, &cpu) != 'S')
		usleep(1000);
	usleep(10000);
	CHECK(tracee_read(&t));
	CHECK(!tracee_is_on(&t) && !t.uncounted);
	runs = t.runs;
	t.fd = memfd_create("schedstat", 0);
	CHECK(t.fd >= 0);
	/* Off, it has left more often than it came. */
	account(&t, 100, runs - 1);
	CHECK(!tracee_is_on(&t));
	CHECK_U64(t.uncounted, 1);
	account(&t, 200, runs);
	CHECK(tracee_is_on(&t));
	CHECK_U64(t.uncounted, 1);
	/* It runs on and on; but what one look shows may have been before it left. */
	t.uncounted = t.grew = 0;
	account(&t, 200, runs);
	CHECK(!tracee_is_on(&t));
	account(&t, 300, runs);
	CHECK(!tracee_is_on(&t));
	account(&t, 300, runs);
	CHECK(!tracee_is_on(&t));
	account(&t, 400, runs);
	CHECK(tracee_is_on(&t));
	CHECK_U64(t.uncounted, 1);
	close(t.fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A process that runs, below more of a stack than a sample takes. */
static int32_t
runner(void)
{
	int32_t pid = fork();

	if (!pid) {
		volatile char deep[2 * STACK_MOST];

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
		for (deep[0] = 0;;)
			deep[1] = deep[0];
	}
	return pid;
}

static int
ask(int socket, enum request_what what, int32_t pid)
{
	struct request q = { what, pid };
	struct reply r = { -1, 0 };

	CHECK(write(socket, &q, sizeof q) == sizeof q);
	CHECK(read(socket, &r, sizeof r) == sizeof r);
	return r.err;
}

/* An attacker may control the asking process: the stopper attaches only to what was wanted at first, and reads no more of a stack
 * than there is room for, whatever the shared memory says. */
static void
disbelief(void)
{
	struct desk *desk = mmap(NULL, sizeof *desk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct capture c = { .target = TARGET_PROCESSES, .npid = 1, .user_stack = true, .regs_mask = arch_host->sample };
	struct record_shape all = { .period = true, .stack = true, .regs = (uint8_t)__builtin_popcountll(c.regs_mask) };
	struct stopper with = { .capture = &c, .freq = 99, .ncpu = 1, .desk = desk, .prof = getpid() };
	int32_t one = runner(), other = runner(), stopper;
	uint64_t most = 0, samples_got = 0;
	struct cursor bytes;
	struct record r;
	int pair[2];

	begin(RING_MORE);
	registers_describe(&c);
	CHECK(desk != MAP_FAILED && !socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	desk->stack_size = UINT32_MAX;
	with.out = out;
	with.socket = pair[1];
	if (!(stopper = fork())) {
		close(pair[0]);
		stopper_run(&with);
	}
	close(pair[1]);
	usleep(50000);   /* the runners have said that they may be traced */
	CHECK_U64((uint64_t)ask(pair[0], REQUEST_ATTACH, one), 0);
	CHECK_U64((uint64_t)ask(pair[0], REQUEST_ATTACH, other), EPERM);
	CHECK_U64((uint64_t)ask(pair[0], REQUEST_ON, 0), 0);
	for (unsigned i = 0; i < 3000 && !samples_got && !waitpid(stopper, NULL, WNOHANG); i++) {
		usleep(10000);
		rings_start(&rings, RING_EMPTY - 1);
		while (rings_next(&rings, &bytes)) {
			CHECK(!record_parse(&r, &all, bytes));
			if (r.type == PERF_RECORD_SAMPLE) {
				CHECK_U64((uint64_t)r.tid, (uint64_t)one);
				samples_got++;
				most = r.sample.stack_size > most ? r.sample.stack_size : most;
			}
		}
	}
	CHECK(samples_got);
	CHECK_U64(most, STACK_MOST);
	CHECK_U64((uint64_t)ask(pair[0], REQUEST_OFF, 0), 0);
	close(pair[0]);
	kill(one, SIGKILL);
	kill(other, SIGKILL);
	while (wait(NULL) > 0)
		;
	rings_close(&rings);
}

int
main(void)
{
	RUN("stopper", samples);
	RUN("stopper", full);
	RUN("stopper", others);
	RUN("stopper", table);
	RUN("stopper", a_run_that_nobody_counted);
	RUN("stopper", disbelief);
	return TEST_STATUS;
}

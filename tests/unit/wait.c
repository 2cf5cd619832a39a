/* Records of switches, in every order in which the kernel may write them: which waits prof reports, and which ones are doubtful. */
#include "test.h"
#include "sample/waiting/wait.c"
#include "sample/waiting/wait_look.c"

#include <sys/mman.h>
#include <unistd.h>

#include "lib/mem.h"
#include "sym/module/module.h"

enum { A = 1 << 23, B, US = 1000, MS = 1000000 };   /* numbers that no process has */

static struct modules modules;
static struct processes *ps;
static struct waits w;
static char said[512];   /* what was told: "A S+ 100-200; …", times in µs; * is a whole stack */

static void
told(void *ctx, const struct wait *wait)
{
	static const char kind[] = { [WAIT_ASLEEP] = 'S', [WAIT_RUN_QUEUE] = 'R', [WAIT_THROTTLED] = 'T', [WAIT_BEFORE] = 'B',
	                             [WAIT_NOT] = 'C' };
	size_t n = strlen(said);

	CHECK(ctx == &w);
	snprintf(said + n, sizeof said - n, "%s%c %c%s %llu-%llu", n ? "; " : "", 'A' + wait->task->tid - A, kind[wait->kind],
	         wait->whole ? "*" : wait->stack ? "+" : "", (unsigned long long)wait->from / US, (unsigned long long)wait->to / US);
}

static const char *
outcome(void)
{
	static char last[sizeof said];

	memcpy(last, said, sizeof last);
	*said = 0;
	return last;
}

static struct task *
task(int32_t tid)
{
	return processes_task(ps, A, tid);
}

static void
begin_with(bool wall)
{
	CHECK(modules_init(&modules));
	ps = processes_new(&modules);
	w = (struct waits){ .on = true, .wall = wall, .since = 100 * US, .waited = told, .ctx = &w };
	*said = 0;
	processes_fork(ps, A, A, 1, 1, 1);
	processes_fork(ps, A, B, A, A, 1);
}

static void
over(void)
{
	processes_free(ps);
	modules_free(&modules);
	CHECK_U64(mem_used(), 0);
}

static void
record(uint32_t type, int32_t tid, uint64_t us, bool leaves, bool runnable)
{
	struct record r = { .type = type, .pid = A, .tid = tid, .time = us * US };

	if (type == PERF_RECORD_SWITCH) {
		r.turn.out = leaves;
		r.turn.runnable = runnable;
	}
	wait_record(&w, ps, &r);
}

static void stack(int32_t tid, uint64_t us) { wait_stack(&w, task(tid), us * US); }
static void leaves(int32_t tid, uint64_t us) { record(PERF_RECORD_SWITCH, tid, us, true, false); }
static void preempted(int32_t tid, uint64_t us) { record(PERF_RECORD_SWITCH, tid, us, true, true); }
static void comes(int32_t tid, uint64_t us) { record(PERF_RECORD_SWITCH, tid, us, false, false); }
static void lost(uint64_t us) { record(PERF_RECORD_LOST, 0, us, false, false); }

static void
a_wait_is_from_its_sample_to_its_return(void)
{
	begin_with(false);
	stack(A, 200);
	leaves(A, 202);
	comes(A, 1200);
	CHECK_STR(outcome(), "A S+ 202-1200");
	stack(A, 1300);
	preempted(A, 1301);
	comes(A, 1400);
	CHECK_STR(outcome(), "A R+ 1301-1400");
	CHECK_U64(w.counts.waits, 2);
	CHECK_U64(w.counts.ns, 1097 * US);
	CHECK_U64(w.counts.unknown + w.counts.before + w.counts.no_stack, 0);
	over();
}

/* The records of threads on several CPUs interleave; where one comes back does not matter. */
static void
threads_are_kept_apart(void)
{
	begin_with(false);
	stack(A, 200);
	stack(B, 201);
	leaves(B, 202);
	leaves(A, 203);
	comes(B, 300);
	comes(A, 5000);
	CHECK_STR(outcome(), "B S+ 202-300; A S+ 203-5000");
	over();
}

static void
without_samples_there_are_waits_all_the_same(void)
{
	begin_with(false);
	leaves(A, 200);
	comes(A, 300);
	CHECK_STR(outcome(), "A S 200-300");
	stack(A, 400);
	comes(A, 500);   /* its record of leaving is not there: a stack is enough */
	CHECK_STR(outcome(), "A S+ 400-500");
	leaves(A, 600);  /* and a stack is good for one wait only */
	comes(A, 700);
	CHECK_STR(outcome(), "A S 600-700");
	CHECK_U64(w.counts.no_stack, 2);
	over();
}

static void
what_comes_twice_counts_once(void)
{
	begin_with(false);
	stack(A, 200);
	stack(A, 203);
	leaves(A, 204);
	leaves(A, 209);
	comes(A, 900);
	comes(A, 903);
	CHECK_STR(outcome(), "A S+ 204-900");
	stack(A, 1000);
	leaves(A, 9000);   /* the CPU was somewhere else between the two */
	comes(A, 9900);
	CHECK_STR(outcome(), "A S+ 9000-9900");
	CHECK_U64(w.counts.unknown, 0);
	over();
}

static void
lost_records_make_waits_doubtful(void)
{
	begin_with(false);
	stack(A, 200);
	leaves(A, 201);
	lost(300);
	comes(A, 500);
	CHECK_STR(outcome(), "");
	CHECK_U64(w.counts.unknown, 1);
	CHECK_U64(w.counts.unknown_ns, 299 * US);
	stack(A, 600);   /* from here on all is well again */
	leaves(A, 601);
	comes(A, 700);
	CHECK_STR(outcome(), "A S+ 601-700");
	leaves(A, 800);
	leaves(A, 5000);   /* it must have come back, unseen, and when is not known */
	comes(A, 6000);
	CHECK_STR(outcome(), "A S 5000-6000");
	CHECK_U64(w.counts.unknown, 2);
	stack(B, 7000);
	lost(7500);
	wait_over(&w, ps, 8000 * US);
	CHECK_STR(outcome(), "");
	CHECK_U64(w.counts.unknown, 3);
	CHECK_U64(w.counts.unfinished, 0);
	over();
}

static void
what_had_begun_before(void)
{
	begin_with(false);
	comes(A, 400);
	CHECK_STR(outcome(), "");
	CHECK_U64(w.counts.before, 1);
	CHECK_U64(w.counts.before_ns, 300 * US);
	wait_before(&w, task(B), 500 * US, true);
	comes(B, 700);
	CHECK_STR(outcome(), "B B+ 100-700");
	over();

	begin_with(false);   /* it had come back and left again before prof looked at it, so nobody knows what it waited for at first */
	wait_before(&w, task(A), 500 * US, true);
	comes(A, 300);
	CHECK_STR(outcome(), "");
	CHECK_U64(w.counts.before, 1);
	wait_before(&w, task(A), 600 * US, true);   /* and it is known by now */
	stack(A, 800);
	comes(A, 900);
	CHECK_STR(outcome(), "A S+ 800-900");
	wait_before(&w, task(B), 600 * US, true);
	stack(B, 650);   /* it had run all the time */
	comes(B, 700);
	CHECK_STR(outcome(), "B S+ 650-700");
	CHECK_U64(w.counts.unknown, 0);
	over();

	begin_with(false);
	wait_before(&w, task(A), 500 * US, true);
	wait_over(&w, ps, 10000 * US);
	CHECK_STR(outcome(), "");
	CHECK_U64(w.counts.idle, 1);
	over();
}

static void
births_and_deaths(void)
{
	struct task *t;

	begin_with(false);
	record(PERF_RECORD_FORK, A, 200, false, false);
	record(PERF_RECORD_FORK, A, 201, false, false);
	comes(A, 300);
	CHECK_STR(outcome(), "A R 200-300");
	record(PERF_RECORD_EXIT, A, 400, false, false);
	processes_exit(ps, A, A, 400 * US);
	stack(A, 405);
	leaves(A, 410);
	comes(A, 420);
	stack(A, 7000);
	leaves(A, 7010);   /* for good */
	wait_over(&w, ps, 9000 * US);
	CHECK_STR(outcome(), "");
	CHECK_U64(w.counts.unknown, 0);
	stack(B, 10000);
	record(PERF_RECORD_EXIT, B, 12000, false, false);   /* it cannot have: a record is missing */
	CHECK_STR(outcome(), "");
	CHECK_U64(w.counts.unknown, 1);
	over();

	begin_with(false);   /* prof's own child, before it becomes the command */
	t = task(A);
	process_before_exec(t->process);
	leaves(A, 200);
	comes(A, 300);
	t->process->starting = 0;
	CHECK_STR(outcome(), "");
	stack(A, 400);
	processes_comm(ps, A, A, "new", true, 450 * US);   /* an exec changes nothing */
	comes(A, 500);
	CHECK_STR(outcome(), "A S+ 400-500");
	over();
}

static void
the_end_of_the_capture(void)
{
	begin_with(false);
	stack(A, 200);
	leaves(A, 201);
	stack(B, 300);
	comes(B, 400);
	outcome();
	wait_over(&w, ps, 1000 * US);
	CHECK_STR(outcome(), "A S+ 201-1000");
	CHECK_U64(w.counts.unfinished, 1);
	CHECK_U64(w.counts.unfinished_ns, 799 * US);
	over();
}

/* With --wall each thread's times add up to all of it. */
static void
wall_time_is_complete(void)
{
	uint64_t ran;

	begin_with(true);
	CHECK_U64(wait_ran(&w, task(A), 250 * US), 150 * US);   /* it ran when the capture began */
	stack(A, 300);
	leaves(A, 301);
	comes(A, 700);
	CHECK_U64(wait_ran(&w, task(A), 750 * US), 101 * US);   /* 250 to 300, 700 to 750 */
	stack(A, 800);
	comes(A, 850);
	CHECK_STR(outcome(), "A S+ 301-700; A S+ 800-850");
	wait_before(&w, task(B), 500 * US, false);
	wait_over(&w, ps, 1000 * US);
	outcome();
	over();

	begin_with(true);
	wait_before(&w, task(B), 500 * US, false);
	stack(A, 300);
	comes(A, 400);
	wait_over(&w, ps, 1000 * US);
	ran = w.counts.unfinished_ns;
	CHECK_U64(ran, 900 * US);
	CHECK(strstr(said, "A S+ 300-400") && strstr(said, "A C 200-1000") && strstr(said, "B B 100-1000"));
	over();

	begin_with(true);   /* nobody knows what it did while records were lost */
	comes(A, 200);
	lost(300);
	CHECK_U64(wait_ran(&w, task(A), 400 * US), 0);
	CHECK_U64(wait_ran(&w, task(A), 500 * US), 100 * US);
	CHECK_U64(w.counts.unknown_ns, 200 * US);
	over();
}

static void
syscall_lines(void)
{
	uint64_t sp, pc, arg;

	CHECK(!parse_syscall("running\n", &sp, &pc, &arg));
	CHECK(parse_syscall("-1 0x7ffe2c7d1b58 0x7f4fd8fd6b3a\n", &sp, &pc, &arg) && sp == 0x7ffe2c7d1b58 && pc == 0x7f4fd8fd6b3a && !arg);
	CHECK(parse_syscall("7 0x1 0x2 0x3 0x0 0x0 0x5 0x7ffe2c7d1b58 0x7f4fd8fd6b3a\n", &sp, &pc, &arg) && sp == 0x7ffe2c7d1b58 && arg == 1);
	CHECK(!parse_syscall("7 0x", &sp, &pc, &arg) && !parse_syscall("", &sp, &pc, &arg) && !parse_syscall(" 0x5", &sp, &pc, &arg));
}

/* If a stack ends before the limit, prof reads it up to its end. */
static void
short_stacks_are_read_whole(void)
{
	static uint8_t to[STACK_READ];
	uint8_t *pages = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED && !munmap(pages + 3 * 4096, 4096));
	pages[3 * 4096 - 1] = 7;
	CHECK_U64(stack_copy(getpid(), (uint64_t)(uintptr_t)pages + 512, to, sizeof to, UINT64_MAX), 3 * 4096 - 512);
	CHECK(to[3 * 4096 - 512 - 1] == 7);
	munmap(pages, 3 * 4096);
}

static void
waits_until(int32_t tid, uint64_t us, uint64_t read, uint64_t back)
{
	stack(tid, us);
	leaves(tid, us + 1);
	CHECK(wait_goes_on(task(tid)));
	task(tid)->wait.read = read * US;
	if (back)
		comes(tid, back);
}

/* What prof has read of a stack counts only if its thread came back later. */
static void
what_was_read_of_a_stack_is_proven(void)
{
	begin_with(false);
	waits_until(A, 200, 500, 501);
	CHECK_STR(outcome(), "A S* 201-501");
	CHECK(!wait_goes_on(task(A)));
	waits_until(A, 600, 900, 900);
	CHECK_STR(outcome(), "A S+ 601-900");
	waits_until(A, 1000, 1900, 1500);
	CHECK_STR(outcome(), "A S+ 1001-1500");
	waits_until(A, 2000, 0, 2500);   /* it was read for an earlier wait */
	CHECK_STR(outcome(), "A S+ 2001-2500");
	waits_until(A, 3000, 3100, 0);
	stack(A, 3200);   /* the sample came twice, and prof has not read since */
	comes(A, 4000);
	CHECK_STR(outcome(), "A S+ 3001-4000");
	waits_until(A, 5000, 5100, 0);
	lost(5200);
	comes(A, 6000);
	CHECK_STR(outcome(), "");
	over();
}

/* Of a thread that is woken nobody knows when it runs. */
static void
what_was_read_of_a_woken_thread_is_proven(void)
{
	begin_with(false);
	for (unsigned early = 0; early < 2; early++) {
		waits_until(A, 200, early ? 700 : 500, 0);
		may_have_run(task(A), 600 * US);
		task(A)->wait.woken = 600 * US;
		CHECK(!wait_goes_on(task(A)));
		comes(A, 800);
		CHECK_STR(outcome(), early ? "A S+ 201-600; A R+ 600-800" : "A S* 201-600; A R* 600-800");
		turn(&w, task(A), 900, UNKNOWN);
	}
	over();
}

static void
what_was_read_at_the_end_is_proven(void)
{
	for (unsigned late = 0; late < 2; late++) {
		begin_with(false);
		waits_until(A, 200, late ? 1000 : 999, 0);
		wait_over(&w, ps, 1000 * US);
		CHECK_STR(outcome(), late ? "A S+ 201-1000" : "A S* 201-1000");
		over();
	}
}

static void
reading_ends_now_or_is_known(void)
{
	uint64_t before = clock_now();

	begin_with(false);
	wait_read(task(A), false);
	CHECK(task(A)->wait.read > before && task(A)->wait.read <= clock_now() + CLOCKS_APART);
	waits_until(A, 200, 0, 0);
	wait_read(task(A), true);
	comes(A, 201);
	CHECK(!strchr(outcome(), '+'));
	over();
}

int
main(void)
{
	RUN("wait", a_wait_is_from_its_sample_to_its_return);
	RUN("wait", threads_are_kept_apart);
	RUN("wait", without_samples_there_are_waits_all_the_same);
	RUN("wait", what_comes_twice_counts_once);
	RUN("wait", lost_records_make_waits_doubtful);
	RUN("wait", what_had_begun_before);
	RUN("wait", births_and_deaths);
	RUN("wait", the_end_of_the_capture);
	RUN("wait", wall_time_is_complete);
	RUN("wait", what_was_read_of_a_stack_is_proven);
	RUN("wait", what_was_read_of_a_woken_thread_is_proven);
	RUN("wait", what_was_read_at_the_end_is_proven);
	RUN("wait", reading_ends_now_or_is_known);
	RUN("wait", syscall_lines);
	RUN("wait", short_stacks_are_read_whole);
	return TEST_STATUS;
}

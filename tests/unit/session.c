/* Real events on real processes. */
#include "test.h"
#include "sample/session.c"
#include "sample/session_record.c"
#include "sample/reopen.h"
#include "sym/jit/jit.h"

#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/file.h"
#include "sample/rights/permit.h"
#include "sample/tasks/launch.h"

static struct modules modules;
static struct event event[2];
static struct capture capture;
static struct refusal refusal;
static struct session *s;
static struct session_counts counts;
static int32_t pids[8];

/* What came. */
static struct {
	uint64_t n, user, unmapped, backwards, last, by_event[2];
	struct { int32_t tid; char comm[16]; unsigned n; } task[4096];
	unsigned ntask;
} got;

/* Asks for copies of that size, as if prof had found that it needs them. */
static void
ask_for(uint32_t stack_size, bool chain)
{
	s->pressure.want.stack = stack_size;
	s->pressure.want.chain = chain;
	session_obey(s);
}

static void
on(void *ctx, const struct sample *sample)
{
	unsigned i = 0;

	(void)ctx;
	got.n += sample->count;
	got.by_event[sample->event] += sample->count;
	got.backwards += sample->time < got.last;
	got.last = sample->time;
	if (sample->regs) {   /* of x86: ip is the ninth */
		got.user++;
#ifdef __x86_64__
		got.unmapped += !space_find(&sample->task->process->maps.space, sample->regs[8]);
#endif
	}
	while (i < got.ntask && (got.task[i].tid != sample->task->tid || strcmp(got.task[i].comm, sample->task->comm)))
		i++;
	if (i == got.ntask && i < 4096) {
		got.task[got.ntask++].tid = sample->task->tid;
		strcpy(got.task[i].comm, sample->task->comm);
	}
	got.task[i].n += (unsigned)sample->count;
}

static unsigned
samples_of(const char *comm)
{
	unsigned n = 0;

	for (unsigned i = 0; i < got.ntask; i++)
		n += !strcmp(got.task[i].comm, comm) ? got.task[i].n : 0;
	return n;
}

static void
begin(enum target target, unsigned npid)
{
	memset(&got, 0, sizeof got);
	event[0] = (struct event){ .name = "cpu-clock", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
	                           .user = true, .kernel = true, .is_time = true, .is_cycles = true };
	event[1] = event[0];
	capture = (struct capture){ .target = target, .pid = pids, .npid = npid, .event = event, .nevent = 1, .freq = 999,
	                            .inherit = target != TARGET_THREADS, .user_stack = true, .kernel_chain = true,
	                            .stack_size = 1024, .regs_mask = 0x1ff };
	CHECK(modules_init(&modules));
}

static bool
opened(void)
{
	s = session_open(&capture, &modules, &refusal);
	if (!s && !test_bad_++)
		printf("not ok %s: %s\n", test_name_, refusal.what);
	return s != NULL;
}

/* Drains until the target is gone, PID (where not 0) has ended, or NS have passed. */
static void
run(pid_t pid, uint64_t ns)
{
	uint64_t until = clock_now() + ns;
	int status;

	while (clock_now() < until && session_wait(s, -1, (int64_t)(until - clock_now())) &&
	       !(pid && waitpid(pid, &status, WNOHANG) == pid))
		session_drain(s, false, on, NULL);
}

static void
end(void)
{
	session_disable(s);
	session_drain(s, true, on, NULL);
	session_counts(s, &counts);
	session_close(s);
	modules_free(&modules);
	CHECK_U64(mem_used(), 0);
	CHECK_U64(got.n, counts.samples);
	CHECK_U64(got.backwards, 0);
}

/* As many samples as the CPU time that the kernel counted says, less the end of each thread's last period. */
static void
check_complete(unsigned threads)
{
	uint64_t expected = counts.enabled_ns * counts.freq / 1000000000, slack = expected / 50 + threads + 3;

	if (strstr(counts.reach, "threads"))   /* the kernel swaps the events of parent and child now and then */
		slack += expected / 10;
	CHECK_U64(counts.lost, 0);
	CHECK(got.n <= expected + slack);
	CHECK(got.n + counts.unseen_samples + counts.too_short + slack >= expected);
}

static uint64_t
own_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
spin(unsigned ms)
{
	uint64_t until = own_cpu() + ms * UINT64_C(1000000);

	do
		for (volatile unsigned i = 0; i < 100000; i++)
			;
	while (own_cpu() < until);
}

static pid_t
child(void (*what)(unsigned), unsigned arg)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	what(arg);
	_exit(0);
}

static void
launched(const char *script)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char *)(uintptr_t)script, NULL };
	struct launch l;

	if (!opened())
		return;
	CHECK(launch_fork(&l, argv));
	pids[0] = l.pid;
	CHECK(session_prepare(s, &refusal));
	session_enable(s);
	CHECK(launch_go(&l));
}

#define LOOP "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; "

static void
command_and_its_children(void)
{
	begin(TARGET_COMMAND, 1);
	launched("(" LOOP ") & (" LOOP ") & wait; true; " LOOP "exec sh -c '" LOOP "'");
	if (!s)
		return;
	CHECK_U64(syscall(SYS_sched_getscheduler, pids[0]), SCHED_OTHER);   /* the reader's own priority is not inherited */
	if (!geteuid()) {
		CHECK(s->opener.reach == REACH_CGROUP || s->opener.reach == REACH_TREE);
		CHECK_U64(s->opener.rings.n, 2 * s->opener.nsample);
	}
	run(pids[0], UINT64_C(20000000000));
	end();
	check_complete(5);
	CHECK(got.n > 20);
	CHECK(counts.processes >= 3);
	CHECK_U64(samples_of("sh"), got.n);
	CHECK_U64(got.unmapped, 0);
	CHECK_U64(counts.maps_reread, 0);
}

static void
short_children_have_maps(void)
{
	begin(TARGET_COMMAND, 1);
	capture.freq = 10000;
	launched("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do /bin/true; (:) & done; wait");
	if (!s)
		return;
	run(pids[0], UINT64_C(20000000000));
	end();
	CHECK(samples_of("true") > 5);
	CHECK_U64(samples_of("true") + samples_of("sh") + samples_of("exited"), got.n);
	CHECK_U64(got.unmapped, 0);
}

static void
without_children(void)
{
	begin(TARGET_COMMAND, 1);
	capture.inherit = false;
	launched(LOOP "(" LOOP LOOP LOOP LOOP ")");
	if (!s)
		return;
	run(pids[0], UINT64_C(20000000000));
	end();
	CHECK_U64(counts.processes, 1);
	CHECK(got.n > 5);
}

/* Attaching to what sleeps at first; its end, also unreaped, ends the capture. */
static void
spin_later(unsigned ms)
{
	usleep(50000);
	spin(ms);
}

static void
process(void)
{
	begin(TARGET_PROCESSES, 1);
	pids[0] = child(spin_later, 150);
	if (!opened())
		return;
	CHECK(session_prepare(s, &refusal));
	session_enable(s);
	run(0, UINT64_C(20000000000));
	CHECK(!session_wait(s, -1, 0));
	end();
	check_complete(1);
	CHECK(counts.enabled_ns > 145000000 && counts.enabled_ns < 400000000);
	CHECK_U64(got.unmapped, 0);
	waitpid(pids[0], NULL, 0);
}

static uint64_t
highest_rate(void)
{
	char buf[32];

	return file_text(AT_FDCWD, "/proc/sys/kernel/perf_event_max_sample_rate", buf, sizeof buf) > 0 ? (uint64_t)atoll(buf) : 0;
}

static void
slower_and_by_count(void)
{
	begin(TARGET_PROCESSES, 1);
	capture.freq = 0;
	capture.count = 10000000;
	pids[0] = child(spin_later, 200);
	if (!opened())
		return;
	CHECK(session_prepare(s, &refusal));
	session_enable(s);
	run(0, UINT64_C(20000000000));
	end();
	waitpid(pids[0], NULL, 0);
	CHECK(got.n + counts.unseen_samples >= 17 && got.n <= counts.enabled_ns / 10000000 + 1);
	begin(TARGET_PROCESSES, 1);
	capture.freq = UINT64_C(1) << 40;
	pids[0] = child(spin_later, 10);
	if (!opened())
		return;
	session_counts(s, &counts);
	CHECK_U64(counts.freq, highest_rate());
	CHECK(session_prepare(s, &refusal));
	session_enable(s);
	run(0, UINT64_C(20000000000));
	end();
	waitpid(pids[0], NULL, 0);
}

static void
two_events(void)
{
	begin(TARGET_PROCESSES, 1);
	capture.nevent = 2;
	event[1].config = PERF_COUNT_SW_PAGE_FAULTS;
	event[1].is_time = false;
	capture.freq = 0;
	capture.count = 1000000;
	event[1].user = true;
	pids[0] = child(spin_later, 100);
	if (!opened())
		return;
	CHECK(session_prepare(s, &refusal));
	session_enable(s);
	run(0, UINT64_C(20000000000));
	end();
	waitpid(pids[0], NULL, 0);
	CHECK(got.by_event[0] > 50);
	CHECK_U64(got.by_event[1], 0);   /* there are no million faults */
}

static void *
thread(void *name)
{
	prctl(PR_SET_NAME, name);
	spin(5000);
	return NULL;
}

static void
two_threads(unsigned ms)
{
	pthread_t t;

	(void)ms;
	pthread_create(&t, NULL, thread, (char[]){ "other" });
	prctl(PR_SET_NAME, "main");
	spin(5000);
}

static void
one_thread(void)
{
	begin(TARGET_THREADS, 1);
	pids[0] = child(two_threads, 0);
	usleep(100000);
	if (opened()) {
		CHECK(session_prepare(s, &refusal));
	session_enable(s);
		run(0, 300000000);
		kill(pids[0], SIGKILL);
		run(0, 5000000000);
		CHECK(!session_wait(s, -1, 0));
		end();
		CHECK(samples_of("main") > 20);
		CHECK_U64(samples_of("main"), got.n);
	}
	waitpid(pids[0], NULL, 0);
}

static void *
short_thread(void *ms)
{
	prctl(PR_SET_NAME, "late");
	spin((unsigned)(uintptr_t)ms);
	return NULL;
}

static void *
sleeper(void *unused)
{
	(void)unused;
	for (;;) {
		usleep(150000);
		for (volatile unsigned i = 0; i < 300000; i++)
			;
	}
	return NULL;
}

static void
many_threads(unsigned n)
{
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 64 << 10);
	for (unsigned i = 0; i < n; i++)
		pthread_create(&t, &a, sleeper, NULL);
	for (;;) {   /* others, born while we are looked at */
		usleep(30000);
		pthread_create(&t, &a, short_thread, (void *)5);
		pthread_detach(t);
	}
}

static void
attach_to_many(void)
{
	enum { MANY = 500 };
	struct threads t = { 0 };

	begin(TARGET_PROCESSES, 1);
	pids[0] = child(many_threads, MANY);
	for (int i = 0; i < 500 && t.n < MANY; i++) {
		usleep(20000);
		threads_of(&t, pids[0]);
	}
	CHECK(t.n >= MANY);
	threads_free(&t);
	if (opened()) {
		CHECK(session_prepare(s, &refusal));
	session_enable(s);
		run(0, 1500000000);
		ask_for(2048, false);
		CHECK_U64(s->opener.capture.stack_size, 2048);   /* on a busy machine prof may ask for less later */
		run(0, 500000000);
		CHECK(s->opener.reach != REACH_THREADS || s->watches.n >= MANY * s->opener.nsample);
		end();
		CHECK(samples_of("late") > 10);
		CHECK_U64(got.unmapped, 0);
		CHECK(counts.threads > MANY / 10);
	}
	kill(pids[0], SIGKILL);
	waitpid(pids[0], NULL, 0);
}

/* Runs TEST in a process of its own, with at most FILES descriptors, as nobody where NOBODY. */
static void
apart(void (*test)(void), rlim_t files, bool nobody)
{
	struct rlimit l = { files, files };
	int status = 0;
	pid_t pid;

	fflush(stdout);
	if ((pid = fork()) == 0) {
		setrlimit(RLIMIT_NOFILE, &l);
		if (nobody && !geteuid() && (setgroups(0, NULL) || setgid(65534) || setuid(65534)))
			_exit(1);
		prctl(PR_SET_DUMPABLE, 1);
		test();
		fflush(stdout);
		_exit(test_bad_ != 0);
	}
	waitpid(pid, &status, 0);
	test_bad_ += !WIFEXITED(status) || WEXITSTATUS(status);
	if (WIFSIGNALED(status))
		printf("not ok %s: signal %d\n", test_name_, WTERMSIG(status));
}

static void
many_threads_few_files(void)
{
	apart(attach_to_many, 300, false);
}

static void
many_threads_as_nobody(void)
{
	apart(attach_to_many, 1024, true);
}

static void
command_as_nobody(void)
{
	apart(command_and_its_children, 1024, true);
}

static void
other_stack_size_meanwhile(void)
{
	unsigned n = 0;

	begin(TARGET_COMMAND, 1);
	capture.freq = 2000;
	launched("(" LOOP LOOP LOOP LOOP ") & for j in 1 2 3 4 5 6 7 8 9; do (" LOOP ") & wait $!; done; wait");
	if (!s)
		return;
	for (int status; waitpid(pids[0], &status, WNOHANG) != pids[0];) {
		if (++n % 5 == 3)
			ask_for(2048 + 8 * n, n % 2);
		run(0, 20000000);
	}
	end();
	CHECK(n > 4);
	CHECK(counts.stack_size > 2048);
	check_complete(10 * n);   /* at each change every thread's period begins anew */
	CHECK_U64(got.unmapped, 0);
	CHECK_U64(samples_of("sh"), got.n);
}

/* Rings that are too small: prof counts lost samples, and reads maps again. */
static void
too_much(void)
{
	uint64_t all;

	begin(TARGET_PROCESSES, 1);
	capture.freq = 5000;
	pids[0] = child(spin_later, 400);
	if (!opened())
		return;
	CHECK(session_prepare(s, &refusal));
	session_enable(s);
	for (uint32_t i = 0; i < s->opener.rings.n; i++) {   /* as if nearly full all the time */
		struct ring *r = &s->opener.rings.ring[i];

		__atomic_store_n(&r->page->data_tail, r->tail - r->size + 4096, __ATOMIC_RELEASE);
	}
	usleep(200000);
	run(0, UINT64_C(20000000000));
	end();
	waitpid(pids[0], NULL, 0);
	all = counts.enabled_ns * counts.freq / 1000000000;
	CHECK(counts.lost > 100);
	CHECK(got.n + counts.lost + counts.unseen_samples + all / 20 + 10 >= all && got.n + counts.lost <= all + all / 20 + 10);
	CHECK_U64(got.unmapped, 0);
}

static void
all_cpus(bool idle)
{
	begin(TARGET_SYSTEM, 0);
	capture.idle = idle;
	pids[0] = child(spin, 300);
	if (!opened())
		return;
	CHECK(session_prepare(s, &refusal));
	session_enable(s);
	run(0, 400000000);
	end();
	waitpid(pids[0], NULL, 0);
}

static void
whole_system(void)
{
	uint64_t all;

	if (geteuid() && permit_paranoid() > 0) {
		printf("skip %s: needs root\n", test_name_);
		return;
	}
	all_cpus(false);
	CHECK(got.n > 10);
	CHECK(got.n <= counts.enabled_ns * 999 / 1000000000 + 20);
	for (unsigned i = 0; i < got.ntask; i++)
		CHECK(got.task[i].tid != 0);
	/* With idle time there is a sample for each moment of each CPU, however it sleeps. */
	all_cpus(true);
	all = counts.enabled_ns * 999 / 1000000000;
	CHECK(got.n <= all + all / 50 + 10);
	CHECK(got.n + all / 20 + 10 >= all);
}

/* A CPU that comes late for its timer in its sleep has slept all the same. */
static void
late_ticks(void)
{
	static uint64_t last[CPUS_MAX];
	struct session late = { .ticked = last, .opener.freq = 1000, .since = 2000000 };
	struct record r = { .cpu = 3, .time = 5000000 };
	const struct record lost = { .type = PERF_RECORD_LOST, .cpu = 3, .time = 30000000, .lost = 5 };   /* they are told as that */

	CHECK_U64(ticks(&late, &r), 3);
	r.time += 1000000;
	CHECK_U64(ticks(&late, &r), 1);
	r.time += 3200000;
	CHECK_U64(ticks(&late, &r), 3);
	r.time += 4000000;
	r.tid = 7;
	CHECK_U64(ticks(&late, &r), 1);
	late.opener.capture.delay = 20000000;   /* of which nothing counts */
	r.tid = 0;
	r.time = 25000000;
	CHECK_U64(ticks(&late, &r), 3);
	begin(TARGET_SYSTEM, 0);
	late.processes = processes_new(&modules);
	session_record(&late, &lost);
	r.time = 35000000;
	CHECK_U64(ticks(&late, &r), 5);
	session_record(&late, &(struct record){ .type = PERF_RECORD_UNTHROTTLE, .cpu = 3, .time = 42000000 });
	r.time = 44000000;
	CHECK_U64(ticks(&late, &r), 2);
	processes_free(late.processes);
	modules_free(&modules);
}

/* With samples of one side only nobody knows that: time on the other side looks like sleep. */
static void
late_on_both_sides(void)
{
	struct event e = { .is_time = true, .kernel = true };
	struct session one = { .opener = { .reach = REACH_SYSTEM, .freq = 1000, .capture = { .idle = true, .event = &e } } };

	choose_weights(&one);
	CHECK(!one.ticked);
	e.user = true;
	choose_weights(&one);
	CHECK(one.ticked);
	arena_free(&one.arena);
}

static void
nobody_may_not(void)
{
	begin(TARGET_PROCESSES, 1);
	pids[0] = getppid();
	s = session_open(&capture, &modules, &refusal);
	CHECK(!s);
	CHECK(*refusal.what);
	CHECK(event[0].kernel);
	modules_free(&modules);
	CHECK_U64(mem_used(), 0);
}

/* A waking from an event that prof has opened again since is no sample of the waker: it may be any thread. */
static void
waking_told_by_an_old_event(void)
{
	static struct event three[3];
	struct session old = { .new_id = UINT64_MAX };
	struct record r = { .type = PERF_RECORD_SAMPLE, .id = 5, .time = 2, .pid = getpid(), .tid = getpid() };
	uint8_t fields[64] = { 0 };

	begin(TARGET_PROCESSES, 0);
	three[0] = event[0];
	three[1] = three[2] = (struct event){ .type = PERF_TYPE_TRACEPOINT, .waits = true };
	three[2].wakes = true;
	old.opener.capture = capture;
	old.opener.capture.event = three;
	old.opener.capture.nevent = 3;
	old.opener.wakes = old.waits.on = true;
	old.processes = processes_new(&modules);
	old.sample = on;
	CHECK(old.processes && watches_know(&old.watches, &(struct watch){ .id = 7, .event = 2, .tid = -1 }) &&
	      watches_know(&old.old, &(struct watch){ .id = 5, .event = 2, .tid = -1 }));
	r.sample.raw = cur_of(fields, sizeof fields, false);
	for (unsigned i = 0; i < 2; i++, r.id = 7) {
		session_record(&old, &r);
		CHECK(old.counts.samples == 0);
		CHECK(old.counts.processes == 0);
	}
	CHECK(got.n == 0);
	processes_free(old.processes);
	watches_forget(&old.watches);
	watches_forget(&old.old);
	modules_free(&modules);
}

/* While prof opens the events again, the old and the new ones report: each occurrence counts once, and none is missing. */
static void
each_occurrence_counts_once(void)
{
	static const struct { uint64_t id; unsigned counts; } told[] = {
		{ 5, 1 }, { 5, 1 }, { 7, 1 }, { 5, 0 }, { 7, 1 }, { 5, 0 }, { 7, 1 }, { 7, 1 },
	};
	struct session again = { .new_id = 7, .new_since = 1000, .weights.opened = 1 };
	struct record r = { .type = PERF_RECORD_SAMPLE, .pid = getpid(), .tid = getpid() };
	uint64_t before;

	begin(TARGET_PROCESSES, 0);
	again.opener.capture = capture;
	again.opener.capture.count = 1;
	again.processes = processes_new(&modules);
	again.sample = on;
	CHECK(again.processes && watches_know(&again.watches, &(struct watch){ .id = 7, .tid = -1 }) &&
	      watches_know(&again.old, &(struct watch){ .id = 5, .tid = -1 }));
	for (unsigned i = 0; i < sizeof told / sizeof *told; i++) {
		before = again.counts.samples;
		r.id = told[i].id;
		r.time = i + 1;
		session_record(&again, &r);
		CHECK_U64(again.counts.samples - before, told[i].counts);
	}
	/* Of time, the old event alone tells until both are seen to run. */
	again.opener.capture.count = 1000;
	for (r.id = 5; r.id <= 7; r.id += 2) {
		before = again.counts.samples;
		r.time++;
		session_record(&again, &r);
		CHECK_U64(again.counts.samples - before, r.id == 5);
	}
	processes_free(again.processes);
	watches_forget(&again.watches);
	watches_forget(&again.old);
	modules_free(&modules);
}

/* Parts of a stack are lost with their sample. */
static void
parts_of_a_lost_sample(void)
{
	static uint8_t room[DEEP_PAGE], page[DEEP_PAGE];
	static const struct deep_head head = { .page = { 0x3000 } };
	static struct piece piece[1];
	struct deep_cpu cpu = { .fd = -1, .bytes = room, .piece = piece };
	struct session old = { .opener.deep = { .cpu = &cpu, .ncpu = 1 } };
	struct record part = { .type = RECORD_PART, .tid = 7, .part = { (const uint8_t *)&head, page, sizeof page } };
	struct record lost = { .type = PERF_RECORD_LOST, .tid = 7, .lost = 1 };

	begin(TARGET_PROCESSES, 0);
	old.processes = processes_new(&modules);
	session_record(&old, &part);
	CHECK_U64(deep_rest(&old.opener.deep, &part, NULL).n, 1);
	session_record(&old, &part);
	session_record(&old, &lost);
	CHECK_U64(deep_rest(&old.opener.deep, &part, NULL).n, 0);
	/* nor do they belong to the next sample if theirs does not count: it came from a new event, and the old one still ran */
	old.new_id = 5;
	old.new_since = 2;
	session_record(&old, &part);
	session_record(&old, &(struct record){ .type = PERF_RECORD_SAMPLE, .id = 5, .time = 1, .tid = 7 });
	CHECK_U64(deep_rest(&old.opener.deep, &part, NULL).n, 0);
	processes_free(old.processes);
	modules_free(&modules);
}

static void
refused(void)
{
	if (geteuid()) {
		printf("skip %s: needs root\n", test_name_);
		return;
	}
	apart(nobody_may_not, 1024, true);
}

static void
gone_already(void)
{
	begin(TARGET_PROCESSES, 1);
	pids[0] = child(spin, 0);
	waitpid(pids[0], NULL, 0);
	CHECK(!session_open(&capture, &modules, &refusal));
	CHECK(strstr(refusal.what, "ended") || strstr(refusal.what, "exist"));
	modules_free(&modules);
	CHECK_U64(mem_used(), 0);
}

static bool
possible(void)
{
	bool can;

	test_name_ = "session/possible";
	begin(TARGET_PROCESSES, 1);
	pids[0] = child(spin_later, 1);
	if ((can = (s = session_open(&capture, &modules, &refusal)) != NULL))
		session_close(s);
	else
		printf("skip session: %s\n", refusal.what);
	waitpid(pids[0], NULL, 0);
	modules_free(&modules);
	return can;
}

int
main(void)
{
	if (!possible())
		return 0;
	RUN("session", command_and_its_children);
	RUN("session", short_children_have_maps);
	RUN("session", without_children);
	RUN("session", process);
	RUN("session", slower_and_by_count);
	RUN("session", two_events);
	RUN("session", one_thread);
	RUN("session", attach_to_many);
	RUN("session", many_threads_few_files);
	RUN("session", many_threads_as_nobody);
	RUN("session", command_as_nobody);
	RUN("session", other_stack_size_meanwhile);
	RUN("session", too_much);
	RUN("session", whole_system);
	RUN("session", late_ticks);
	RUN("session", late_on_both_sides);
	RUN("session", waking_told_by_an_old_event);
	RUN("session", each_occurrence_counts_once);
	RUN("session", parts_of_a_lost_sample);
	RUN("session", refused);
	RUN("session", gone_already);
	return TEST_STATUS;
}

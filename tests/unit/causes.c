/* A cgroup's files before and after a capture, in the forms of both versions, and prof's words for the difference. */
#include "test.h"
#define thread a_thread   /* there are two of that name, which never meet */
#include "sample/waiting/causes.c"
#undef thread

#include "cmd/capture/causes_words.h"

#include <stdlib.h>
#include <sys/stat.h>

static char dir[] = "/tmp/prof-causes-XXXXXX";

static void
put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	if (!(f = fopen(path, "w")))
		abort();
	fputs(text, f);
	fclose(f);
}

static void
make(const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	mkdir(path, 0755);
}

static void
begin(struct causes *c, const char *of, bool unified)
{
	char path[128];

	*c = (struct causes){ 0 };
	snprintf(path, sizeof path, "%s/%s", dir, of);
	for (unsigned f = 0; f < CAUSE_FILES; f++)
		c->fd[f] = *source[f].name[unified] ? open_up(path, source[f].name[unified], f ? NULL : limits[unified]) : -1;
	c->known = read_some(c, CAUSE_FILES, c->before);
}

static uint64_t run_queue;

static const char *
said(const struct causes *c, uint64_t elapsed)
{
	static char text[512];
	struct sink s;

	sink_open(&s, -1);
	causes_words(&s, c, elapsed, run_queue);
	snprintf(text, sizeof text, "%.*s", (int)s.len, s.buf ? s.buf : "");
	sink_close(&s);
	return text;
}

static void
noted(const struct causes *c, const char *want)
{
	struct profile p;

	profile_init(&p);
	causes_notes(c, UINT64_C(1000000000), &p);
	CHECK_U64(p.nnote, *want != 0);
	if (*want && p.nnote)
		CHECK_STR(p.note[0].value, want);
	profile_free(&p);
}

/* The limit is the pod's, the rest the container's. */
static void
version_two(void)
{
	struct causes c;

	make("pod");
	make("pod/box");
	put("cgroup.procs", "");
	put("pod/cgroup.procs", "");
	put("pod/box/cgroup.procs", "");
	put("pod/cpu.max", "20000 100000\n");
	put("pod/box/cpu.max", "max 100000\n");
	put("pod/cpu.stat", "usage_usec 5\nuser_usec 3\nnr_periods 100\nnr_throttled 40\nthrottled_usec 7000\nnr_bursts 0\n");
	put("pod/box/cpu.stat", "usage_usec 999\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
	put("pod/box/cpu.pressure", "some avg10=1.00 avg60=0 avg300=0 total=100\nfull avg10=0 avg60=0 avg300=0 total=50\n");
	put("pod/box/memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0.00 total=1000\n");
	put("pod/box/io.pressure", "some avg10=0.00 total=0\n");
	put("pod/box/cgroup.type", "domain\n");
	put("pod/box/memory.events", "low 0\nhigh 1\nmax 2\noom 0\noom_kill 0\noom_group_kill 0\n");
	begin(&c, "pod/box", true);
	put("pod/cpu.stat", "usage_usec 200005\nuser_usec 3\nnr_periods 110\nnr_throttled 49\nthrottled_usec 819400\nnr_bursts 0\n");
	put("pod/box/cpu.pressure", "some avg10=1.00 avg60=0 avg300=0 total=400100\nfull avg10=0 avg60=0 avg300=0 total=50\n");
	put("pod/box/memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=121000\nfull avg10=0.00 total=21000\n");
	put("pod/box/memory.events", "low 0\nhigh 1\nmax 5\noom 1\noom_kill 1\noom_group_kill 0\n");
	causes_end(&c);
	CHECK_U64(c.value[CAUSE_USAGE], 200000);
	CHECK_U64(c.value[CAUSE_PERIODS], 10);
	CHECK_U64(c.value[CAUSE_THROTTLED_PERIODS], 9);
	CHECK_U64(c.value[CAUSE_THROTTLED], 812400);
	CHECK_U64(c.value[CAUSE_CPU_SOME], 400000);
	CHECK_U64(c.value[CAUSE_CPU_FULL], 0);
	CHECK_U64(c.value[CAUSE_MEMORY_SOME], 120000);
	CHECK_U64(c.value[CAUSE_MEMORY_FULL], 20000);
	CHECK_U64(c.value[CAUSE_MEMORY_HIGH], 0);
	CHECK_U64(c.value[CAUSE_MEMORY_MAX], 3);
	CHECK_U64(c.value[CAUSE_OOM_KILL], 1);
	CHECK(c.known >> CAUSE_IO_SOME & 1 && !(c.known >> CAUSE_IO_FULL & 1));
	CHECK_STR(said(&c, 1000000000), "; the target's CPU limit throttled it for 812 ms, in 9 of 10 periods (cgroup: memory pressure 12%); "
	          "the kernel killed 1 process, because memory ran out; the target's cgroup reached memory.max 3 times");
	noted(&c, "the target's CPU limit throttled it for 812 ms, in 9 of 10 periods "
	      "(cgroup: CPU pressure 40% (all threads 0%), memory pressure 12% (all threads 2%)); "
	      "the kernel killed 1 process, because memory ran out; the target's cgroup reached memory.max 3 times");
}

static void
version_one(void)
{
	struct causes c;

	make("one");
	put("one/cgroup.procs", "");
	put("one/cpu.cfs_quota_us", "-1\n");
	put("one/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 1000000\nnr_bursts 0\n");
	put("one/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
	begin(&c, "one", false);
	put("one/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 1000000\nnr_bursts 0\n");
	put("one/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
	causes_end(&c);
	CHECK_U64(c.value[CAUSE_THROTTLED], 0);
	CHECK_STR(said(&c, 1000000000), "");   /* nothing that happened */
	noted(&c, "");
	begin(&c, "one", false);
	put("one/cpu.stat", "nr_periods 9\nnr_throttled 3\nthrottled_time 51000000\n");
	put("one/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 6\n");
	causes_end(&c);
	CHECK_U64(c.value[CAUSE_THROTTLED], 50000);
	CHECK_U64(c.value[CAUSE_OOM_KILL], 2);
	CHECK_STR(said(&c, 1000000000), "; the target's CPU limit throttled it for 50 ms, in 2 of 8 periods; "
	          "the kernel killed 2 processes, because memory ran out");
	CHECK_STR(said(&c, UINT64_C(60000000000)), "; the kernel killed 2 processes, because memory ran out");   /* a thousandth of the time */
}

/* Files with other contents, files that are gone, and numbers that run backwards. */
static void
strange(void)
{
	static const char *const stats[] = { "", "\n\n", "nr_throttled", "nr_throttled x\n", "nr_throttled 99999999999999999999999\n",
	                                     "some total=\nfull\n", "throttled_usec 1", "usage_usec" };
	struct causes c;

	make("odd");
	put("odd/cgroup.procs", "");
	for (unsigned i = 0; i < sizeof stats / sizeof *stats; i++) {
		put("odd/cpu.stat", stats[i]);
		put("odd/cpu.pressure", stats[i]);
		put("odd/memory.events", stats[i]);
		begin(&c, "odd", true);
		put("odd/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n");
		causes_end(&c);
		CHECK_U64(c.value[CAUSE_THROTTLED], 0);
		CHECK_STR(said(&c, 1000000000), "");
	}
	begin(&c, "none", true);
	for (unsigned f = 0; f < CAUSE_FILES; f++)
		CHECK(c.fd[f] < 0);
	causes_end(&c);
	CHECK_U64(c.known, 0);
	CHECK_STR(said(&c, 0), "");
}

static void
waits(void)
{
	struct causes c = { .ran = 200000000, .waited = 803000000 };

	CHECK_STR(said(&c, 1000000000), "; the target waited 803 ms for a CPU");
	run_queue = 200000000;   /* prof says how much of it the profile shows; with --wakers that is all of it */
	CHECK_STR(said(&c, 1000000000), "; the target waited 803 ms for a CPU: [run queue] shows 200 ms of it, and with --wakers the rest");
	run_queue = 900000000;   /* threads ended before prof asked how long they waited */
	CHECK_STR(said(&c, 1000000000), "; the target waited 900 ms for a CPU, as [run queue] shows");
	run_queue = 200000000;
	c.wakers = true;
	CHECK_STR(said(&c, 1000000000), "; the target waited 803 ms for a CPU");
	run_queue = 0;
	c.waited = 1060000000;
	c.value[CAUSE_IO_SOME] = 421000;
	c.machine = true;
	CHECK_STR(said(&c, 1000000000), "; the target waited 1.06 s for a CPU (machine: I/O pressure 42%)");
	c.waited = 0;
	CHECK_STR(said(&c, 1000000000), "; machine: I/O pressure 42%");
	c.value[CAUSE_IO_SOME] = 0;
	c.value[CAUSE_CPU_SOME] = 1130000;   /* more than all of the time: totals come in steps */
	CHECK_STR(said(&c, 1000000000), "");
	c.value[CAUSE_CPU_SOME] = 0;
	c.ran = c.waited = 499999;
	CHECK_STR(said(&c, 1000000), "");
	c.ran = UINT64_C(20000000000);   /* of many threads: a twenty-fifth */
	CHECK_STR(said(&c, 1000000000), "");
	c = (struct causes){ .ran = 1000, .waited = 2000 };
	CHECK_STR(said(&c, 1000000000), "");
}

int
main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	RUN("causes", version_two);
	RUN("causes", version_one);
	RUN("causes", strange);
	RUN("causes", waits);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	if (system(command))
		return 1;
	return TEST_STATUS;
}

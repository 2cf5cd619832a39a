#include "test.h"
#include "sample/events/cpu.c"

static int32_t cpu[CPUS_MAX];
static unsigned n;

static void
lists(void)
{
	CHECK(!cpu_list("0,2-3", cpu, &n));
	CHECK_U64(n, 3);
	CHECK(cpu[0] == 0 && cpu[1] == 2 && cpu[2] == 3);
	CHECK(!cpu_list("7,1-3,2,0", cpu, &n));
	CHECK_U64(n, 5);
	CHECK(cpu[0] == 0 && cpu[1] == 1 && cpu[3] == 3 && cpu[4] == 7);
	CHECK(!cpu_list("0-4095", cpu, &n));
	CHECK_U64(n, 4096);
	CHECK_U64(cpu[4095], 4095);
	CHECK(!cpu_list("64", cpu, &n));
	CHECK_U64(n, 1);
	CHECK_U64(cpu[0], 64);
}

static void
bad_lists(void)
{
	static const char *const bad[] = {
		"", ",", "0,", ",0", "0,,1", "-1", "1-", "1-2-3", "a", "0 1", "0x1", "4096", "0-4096", "3-2",
		"99999999999999999999", "0-18446744073709551615", "1\n",
	};

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		n = 7;
		CHECK(cpu_list(bad[i], cpu, &n) != NULL);
		CHECK_U64(n, 0);
	}
	CHECK(strstr(cpu_list("3-2", cpu, &n), "backwards"));
	CHECK(strstr(cpu_list("4096", cpu, &n), "4095"));
}

static void
online_cpus(void)
{
	static int32_t probed[CPUS_MAX];
	struct cpus s, before = { { 0 } }, after = { { 0 } };
	unsigned nprobed;

	n = cpu_online(cpu);
	CHECK(n >= 1);
	for (unsigned i = 1; i < n; i++)
		CHECK(cpu[i] > cpu[i - 1]);
	syscall(SYS_sched_getaffinity, 0, sizeof before, &before);
	probe(&s);
	syscall(SYS_sched_getaffinity, 0, sizeof after, &after);
	CHECK(!memcmp(&before, &after, sizeof before));
	nprobed = numbers(&s, probed);
	CHECK(nprobed >= 1 && nprobed <= n);
	for (unsigned i = 0, j = 0; i < nprobed; i++) {   /* a cpuset may leave some out, none may be made up */
		while (j < n && cpu[j] < probed[i])
			j++;
		CHECK(j < n && cpu[j] == probed[i]);
	}
}

static void
choosing(void)
{
	struct arena a = { 0 };
	unsigned all = cpu_online(cpu);
	int32_t first = cpu[0];
	const char *why;
	char list[16];

	snprintf(list, sizeof list, "%d", (int)first);
	CHECK(!cpu_choose(list, cpu, &n, &a));
	CHECK_U64(n, 1);
	CHECK_U64(cpu[0], first);
	if (all < 4000) {
		CHECK((why = cpu_choose("4095", cpu, &n, &a)) != NULL);
		CHECK(why && strstr(why, "CPU 4095 is not online"));
		CHECK_U64(n, 0);
	}
	CHECK(cpu_choose("x", cpu, &n, &a) != NULL);
	arena_free(&a);
}

static void
threads_that_want_a_cpu(void)
{
	CHECK(cpu_wanted() >= 1);   /* this one */
	CHECK(cpu_wanted() < 1 << 22);
}

int
main(void)
{
	RUN("cpu", threads_that_want_a_cpu);
	RUN("cpu", lists);
	RUN("cpu", bad_lists);
	RUN("cpu", online_cpus);
	RUN("cpu", choosing);
	return TEST_STATUS;
}

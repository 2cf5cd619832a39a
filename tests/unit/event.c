#define EVENT_DEVICES devices
static char devices[64] = "/tmp/prof-event.XXXXXX";
#define TRACEFS_MOUNTS tracepoints
static char tracepoints[96];
#include "test.h"
#define claims pmu_claims
#define parse pmu_parse
#define plain pmu_plain
#define add pmu_add
#include "sample/events/event_pmu.c"
#undef claims
#undef parse
#undef plain
#undef add
#include "sample/events/event.c"
#include "sample/events/event_list.h"
#include "sample/events/tracefs.c"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena arena;
static struct event ev[EVENTS_MAX];
static unsigned n;

static const char *
list(const char *s)
{
	memset(ev, 0, sizeof ev);
	n = 0;
	return event_parse(ev, &n, s, &arena);
}

static bool
is(const char *s, uint32_t type, uint64_t config)
{
	const char *why = list(s);

	if (why)
		printf("# %s: %s\n", s, why);
	return !why && n == 1 && ev[0].type == type && ev[0].config == config && ev[0].user && ev[0].kernel &&
	       !strcmp(ev[0].name, s);
}

static void
hardware_and_software(void)
{
	static const struct { const char *name; unsigned type, config; } want[] = {
		{ "cycles", 0, 0 }, { "cpu-cycles", 0, 0 }, { "instructions", 0, 1 }, { "cache-references", 0, 2 },
		{ "cache-misses", 0, 3 }, { "branches", 0, 4 }, { "branch-instructions", 0, 4 }, { "branch-misses", 0, 5 },
		{ "bus-cycles", 0, 6 }, { "stalled-cycles-frontend", 0, 7 }, { "idle-cycles-frontend", 0, 7 },
		{ "stalled-cycles-backend", 0, 8 }, { "idle-cycles-backend", 0, 8 }, { "ref-cycles", 0, 9 },
		{ "cpu-clock", 1, 0 }, { "task-clock", 1, 1 }, { "page-faults", 1, 2 }, { "faults", 1, 2 },
		{ "context-switches", 1, 3 }, { "cs", 1, 3 }, { "cpu-migrations", 1, 4 }, { "migrations", 1, 4 },
		{ "minor-faults", 1, 5 }, { "major-faults", 1, 6 }, { "alignment-faults", 1, 7 },
		{ "emulation-faults", 1, 8 }, { "dummy", 1, 9 }, { "bpf-output", 1, 10 }, { "cgroup-switches", 1, 11 },
	};

	for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
		CHECK(is(want[i].name, want[i].type, want[i].config));
	CHECK(is("cpu-clock", 1, 0) && ev[0].is_time && ev[0].is_cycles);
	CHECK(is("task-clock", 1, 1) && ev[0].is_time && ev[0].is_cycles);
	CHECK(is("cycles", 0, 0) && !ev[0].is_time && ev[0].is_cycles);
	CHECK(is("instructions", 0, 1) && !ev[0].is_time && !ev[0].is_cycles);
	CHECK(is("page-faults", 1, 2) && !ev[0].is_time && !ev[0].is_cycles);
}

static void
cache_events(void)
{
	static const struct { const char *name; unsigned config; } want[] = {
		{ "L1-dcache-loads", 0 }, { "L1-dcache-load-misses", 0x10000 }, { "L1-dcache-stores", 0x100 },
		{ "L1-dcache-store-misses", 0x10100 }, { "L1-dcache-prefetches", 0x200 }, { "l1d", 0 }, { "l1-d-misses", 0x10000 },
		{ "L1-data-read-refs", 0 }, { "L1-dcache-misses-loads", 0x10000 }, { "L1-icache-load-misses", 0x10001 },
		{ "L1-dcache-speculative-read-miss", 0x10200 }, { "LLC-loads", 2 }, { "LLC-load-misses", 0x10002 },
		{ "llc-stores", 0x102 }, { "L2-loads", 2 }, { "dTLB-load-misses", 0x10003 }, { "d-tlb-stores", 0x103 },
		{ "Data-TLB-loads-ops", 3 }, { "iTLB-load-misses", 0x10004 }, { "Instruction-TLB-loads", 4 },
		{ "branch-loads", 5 }, { "branch-load-misses", 0x10005 }, { "bpu-loads", 5 }, { "btb-misses", 0x10005 },
		{ "node-loads", 6 }, { "node-store-misses", 0x10106 }, { "node-prefetch-misses", 0x10206 }, { "node", 6 },
	};

	for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
		CHECK(is(want[i].name, PERF_TYPE_HW_CACHE, want[i].config));
	CHECK(list("iTLB-stores") != NULL);
	CHECK(list("branch-stores") != NULL);
	CHECK(list("L1-icache-stores") != NULL);
	CHECK(list("LLC-") != NULL);
	CHECK(list("LLC--loads") != NULL);
	CHECK(list("LLC-loads-") != NULL);
	CHECK(list("LLC-loads-stores") != NULL);
	CHECK(list("LLC-loads-misses-refs") != NULL);
	CHECK(list("LLCx") != NULL);
}

/* Every name that is suggested must itself be accepted. */
static void
suggested_names(void)
{
	struct arena of_names = { 0 };
	const char *known[128];
	unsigned count = 0;

	event_all_names(known, &of_names);
	for (const char *const *name = known; *name; name++, count++)
		CHECK(!list(*name) && n == 1);
	CHECK(count > 50);
	arena_free(&of_names);
}

static void
raw_events(void)
{
	CHECK(is("r01c4", PERF_TYPE_RAW, 0x1c4));
	CHECK(is("rFFFFffffFFFFffff", PERF_TYPE_RAW, UINT64_MAX));
	CHECK(list("r") != NULL);
	CHECK(list("r1ffffffffffffffff") != NULL);
	CHECK(list("rxyz") != NULL);
	CHECK(is("ref-cycles", 0, 9));
}

static void
modifying(void)
{
	CHECK(!list("cycles:u") && ev[0].user && !ev[0].kernel && ev[0].sides_given);
	CHECK(!list("cycles:k") && !ev[0].user && ev[0].kernel && ev[0].sides_given);
	CHECK(!list("cycles:uk") && ev[0].user && ev[0].kernel && ev[0].sides_given);
	CHECK(!list("cycles") && ev[0].user && ev[0].kernel && !ev[0].sides_given && !ev[0].precise);
	CHECK(!list("cycles:pp") && ev[0].user && ev[0].kernel && !ev[0].sides_given && ev[0].precise == 2);
	CHECK(!list("cycles:upp") && ev[0].user && !ev[0].kernel && ev[0].precise == 2);
	CHECK(!list("r01c4:u") && ev[0].config == 0x1c4 && !ev[0].kernel);
	CHECK_STR(ev[0].name, "r01c4:u");
	CHECK(!list("cycles:h") && !ev[0].user && !ev[0].kernel && !ev[0].no_hv);
	CHECK(!list("cycles:GP") && ev[0].exclude_host && ev[0].precise == 3 && !ev[0].sides_given);
	CHECK(!list("cycles:H") && ev[0].exclude_guest && !list("cycles:GH") && !ev[0].exclude_guest && !ev[0].exclude_host);
	CHECK(list("cycles:") != NULL);
	CHECK(list("cycles:pppp") != NULL);
	CHECK(strstr(list("cycles:uz"), "modifier 'z'"));
	CHECK(strstr(list("cycles:u:k"), "modifier ':'"));
}

static void
lists(void)
{
	CHECK(!list("cycles:u,page-faults,cpu/event=0x3c,umask=1/k,LLC-loads"));
	CHECK_U64(n, 4);
	CHECK(ev[0].type == 0 && !ev[0].kernel);
	CHECK(ev[1].type == 1 && ev[1].config == 2 && ev[1].kernel);
	CHECK(ev[2].type == 4 && ev[2].config == 0x13c && !ev[2].user);
	CHECK_STR(ev[2].name, "cpu/event=0x3c,umask=1/k");
	CHECK(ev[3].type == 3);
	CHECK(list("") != NULL);
	CHECK(list(",") != NULL);
	CHECK(list("cycles,") != NULL);
	CHECK(list(",cycles") != NULL);
	CHECK(list("cycles,,cs") != NULL);
	CHECK(!list("cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs"));
	CHECK(!list("cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,{cs,cs}") && n == 17 && ev[16].weight == 16);
	n = 0;
	CHECK(!event_parse(ev, &n, "cycles", &arena) && !event_parse(ev, &n, "cs", &arena));
	CHECK_U64(n, 2);
}

static void
unknown_names(void)
{
	CHECK_STR(list("cylces"), "unknown event 'cylces': did you mean 'cycles'?");
	CHECK_STR(event_why_none("cylces", &arena), "unknown event 'cylces': did you mean 'cycles'?");
	CHECK(!event_why_none("did you mean", &arena));
	CHECK(strstr(list("cycels:u"), "did you mean 'cycles'?"));
	CHECK(strstr(list("Cycles"), "did you mean 'cycles'?"));
	CHECK(strstr(list("page_faults"), "did you mean 'page-faults'?"));
	CHECK(strstr(list("instruction"), "did you mean 'instructions'?"));
	CHECK(strstr(list("L1-dcache-load-miss3s"), "did you mean 'L1-dcache-load-misses'?"));
	CHECK(strstr(list("cpuclock"), "did you mean 'cpu-clock'?"));
	CHECK(strstr(list("xyzzy"), "prof knows, among others"));
	CHECK(strstr(list("a-name-that-is-far-longer-than-any-that-there-is-in-the-table"), "prof knows, among others"));
}

static void
tracepoints_by_name(void)
{
	CHECK(is("sched:sched_switch", 2, 314) && ev[0].each && !strcmp(ev[0].system, "sched") && !ev[0].entry);
	CHECK(!list("sched:sched_switch:u,cycles") && n == 2 && !ev[0].kernel);
	CHECK(!list("sched:*") && n == 2 && ev[0].config == 314 && ev[1].config == 315 && ev[1].weight == 0);
	CHECK_STR(ev[0].name, "sched:sched_switch");
	CHECK_STR(ev[1].name, "sched:sched_waking");
	CHECK_STR(ev[1].entry, "sched:*");
	CHECK(!list("*:s*,page-faults") && n == 4 && ev[2].config == 400 && ev[3].weight == 1);
	CHECK(!list("{sched:sched_w?king,cs}:k,cs") && n == 3 && ev[0].group == 1 && ev[1].group == 1 && !ev[2].group && !ev[1].user);
	CHECK_STR(list("sched:sched_swich"), "unknown event 'sched:sched_swich': did you mean 'sched:sched_switch'?");
	CHECK_STR(list("sched_switch"), "unknown event 'sched_switch': did you mean 'sched:sched_switch'?");
	CHECK_STR(list("schd:sched_switch"), "unknown event 'schd:sched_switch': did you mean 'sched:sched_switch'?");
	CHECK(strstr(list("sched:nothing*"), "no tracepoint is called"));
	CHECK(strstr(list("sched:../x"), "unknown event"));
	CHECK(list("sched:sched_switch:z") != NULL);
}

static void
breakpoints(void)
{
	CHECK(!list("mem:0x1000") && ev[0].type == 5 && ev[0].config1 == 0x1000 && ev[0].config2 == 4 && ev[0].bp_type == 3);
	CHECK(!list("mem:0x1000/8:w:u,cs") && n == 2 && ev[0].config2 == 8 && ev[0].bp_type == 2 && !ev[0].kernel);
	CHECK(!list("mem:4096:x") && ev[0].bp_type == 4 && ev[0].config2 == sizeof(long));
	CHECK(!list("mem:4096:u") && ev[0].bp_type == 3 && !ev[0].kernel);
	CHECK(list("mem:") != NULL);
	CHECK(list("mem:x") != NULL);
	CHECK(list("mem:1/3") != NULL);
	CHECK(list("mem:1/16") != NULL);
	CHECK(list("mem:1:rr") != NULL);
	CHECK(list("mem:1:rwz") != NULL);
}

static void
groups(void)
{
	CHECK(!list("{cycles,instructions},cs,{cache-misses,branches}:u"));
	CHECK_U64(n, 5);
	CHECK(ev[0].group == 1 && ev[1].group == 1 && !ev[2].group && ev[3].group == 2 && ev[4].group == 2);
	CHECK(ev[0].kernel && !ev[3].kernel && !ev[4].kernel && ev[4].weight == 4);
	CHECK(!list("{cycles:k,cpu/event=1/}:p") && ev[0].precise == 1 && ev[1].precise == 1 && !ev[0].user);
	CHECK(list("{cycles") != NULL);
	CHECK(list("{}") != NULL);
	CHECK(list("{cycles}}") != NULL);
	CHECK(list("cycles}") != NULL);
}

static void
periods(void)
{
	CHECK(!list("cycles/period=1000/u") && ev[0].period == 1000 && !ev[0].kernel && ev[0].is_cycles);
	CHECK(!list("cs/freq=50,name=mine/") && ev[0].freq == 50 && !strcmp(ev[0].name, "mine"));
	CHECK(!list("cpu/event=2,period=7/") && ev[0].period == 7 && ev[0].config == 2);
	CHECK(list("cycles/period=0/") != NULL);
	CHECK(list("cycles/period/") != NULL);
	CHECK(list("cycles/umask=1/") != NULL);
	CHECK(list("cycles/period=1") != NULL);
}

static void
scales(void)
{
	static const struct { const char *text; double v; } row[] = {
		{ "1", 1 }, { "0.0625\n", 0.0625 }, { "6.1e-5\n", 6.1e-5 }, { "2.3283064365386962890625e-10", 0x1p-32 }, { "1E+3", 1000 },
		{ "123456789012345678901234567890", 123456789012345678901234567890.0 }, { "", 0 }, { ".5.5", 0.5 }, { "x", 0 },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		double v = decimal(row[i].text);

		CHECK(v >= row[i].v * (1 - 1e-14) && v <= row[i].v * (1 + 1e-14));
	}
	CHECK(decimal("9e999999999") < 1e200);
}

/* Hybrids, and what counts for a whole machine. */
static void
other_pmus(void)
{
	CHECK(!list("cpu/cycles/") && ev[0].type == 0 && ev[0].config == (uint64_t)4 << 32 && ev[0].is_cycles);
	CHECK(!list("cpu/r1c4/") && ev[0].type == 4 && ev[0].config == 0x1c4);
	CHECK(!list("uncore_imc/reads/") && n == 2 && ev[0].type == 30 && ev[1].type == 31 && ev[1].config == 5);
	CHECK_STR(ev[0].cpus, "0,18");
	CHECK_STR(ev[0].unit, "MiB");
	CHECK(ev[0].scale > 0.0000609 && ev[0].scale < 0.0000611 && !ev[1].scale);
	CHECK(strstr(list("uncore_ima/reads/"), "there is no PMU"));
}

static void
pmu_terms(void)
{
	const char *why;

	CHECK(is("cpu/event=0x3c/", 4, 0x3c));
	CHECK(is("cpu/event=60,umask=0x41/", 4, 0x413c));
	CHECK(is("cpu/event=0x1c4/", 4, 0x1000000c4));   /* event is config:0-7,32-35 */
	CHECK(is("cpu/edge/", 4, 1 << 18));
	CHECK(is("cpu/cache-misses/", 4, 0x412e));
	CHECK(is("cpu/cache-misses,umask=1/", 4, 0x12e));
	CHECK(is("cpu/config=0x77/", 4, 0x77));
	CHECK(is("cpu//", 4, 0));
	CHECK(!list("cpu/event=1,ldlat=3,config2=9/pp") && ev[0].config == 1 && ev[0].config1 == 3 && ev[0].config2 == 9 &&
	      ev[0].precise == 2);
	CHECK(!list("cpu/event=1,name=mine/:u") && !ev[0].kernel);
	CHECK_STR(ev[0].name, "mine");
	CHECK(list("cpu/event=1") != NULL);
	CHECK((why = list("nopmu/event=1/")) && strstr(why, "no PMU 'nopmu'"));
	CHECK(list("../event=1/") != NULL);
	CHECK(list("/etc/passwd") != NULL);
	CHECK((why = list("cpu/umask=0x100/")) && strstr(why, "so large"));
	CHECK((why = list("cpu/event=abc/")) && strstr(why, "not a number"));
	CHECK(list("cpu/event=/") != NULL);
	CHECK((why = list("cpu/nothing=1/")) && strstr(why, "'nothing'"));
	CHECK(list("cpu/event=1,/") != NULL);
	CHECK(list("cpu/,event=1/") != NULL);
	CHECK(list("cpu/loop/") != NULL);
	CHECK((why = list("cpu/odd=1/")) && strstr(why, "format"));
	CHECK((why = list("cpu/event=1/z")) && strstr(why, "modifier 'z'"));
}

static void
placing(void)
{
	static const char *const bad[] = { "", "config", "config:", "config:x", "config:1-", "config:5-2", "config:64",
	                                   "config:0-64", "config3:0-7", "config:1,", "conf:1", "configx:1" };
	struct event e = { 0 };

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(place(&e, bad[i], 1) != NULL);
	e = (struct event){ 0 };
	CHECK(!place(&e, "config1:0-63\n", UINT64_MAX) && e.config1 == UINT64_MAX);
	CHECK(!place(&e, "config:63", 1) && e.config == 1ull << 63);
	CHECK(place(&e, "config:63", 2) != NULL);
}

static void
write_file(const char *name, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", devices, name);
	if ((f = fopen(path, "w"))) {
		fputs(text, f);
		fclose(f);
	}
}

static void
make_dir(const char *name)
{
	char path[160];

	snprintf(path, sizeof path, "%s/%s", devices, name);
	mkdir(path, 0700);
}

static void
defaults(void)
{
	struct event e = event_default(), cs = { .type = 1, .config = 3 }, bad = { .type = 0, .config = 200 };
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE }, none = { .type = 0x7fffffff };

	CHECK(!strcmp(e.name, "cycles") ? e.type == 0 && e.config == 0 : !strcmp(e.name, "cpu-clock") && e.is_time);
	CHECK(e.user && e.kernel && e.is_cycles && !e.sides_given);
	CHECK(perf_event_interrupts(&cs));
	CHECK(perf_event_interrupts(&bad));
	CHECK(!perf_interrupts(&none));
	clock.config = PERF_COUNT_SW_DUMMY;   /* opens, and stays silent */
	CHECK(!perf_interrupts(&clock));
	clock.config = PERF_COUNT_SW_CPU_CLOCK;
	if (!perf_interrupts(&clock)) {
		struct perf_event_attr self = { .type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1 };
		int fd = perf_open(&self, 0, -1, -1, 0);

		CHECK(fd < 0);   /* where the clock opens, it interrupts */
		if (fd >= 0)
			close(fd);
	}
}

static void
out_of_memory(void)
{
	struct arena small = { 0 };

	mem_cap(mem_used());
	n = 0;
	CHECK_STR(event_parse(ev, &n, "cycles", &small), "out of memory");
	mem_cap(SIZE_MAX);
	CHECK_U64(n, 0);
}

/* What stands behind a probe and a blank, unless that is a part of the probe. */
static void
arguments_of_probes(void)
{
	static const char *const with[][2] = {
		{ "uprobe:/bin/a:main x->y:string", "x->y:string" }, { "kprobe:vfs_read $arg1", "$arg1" }, { "usdt:libc:setjmp arg1", "arg1" },
		{ "uprobe:/a dir/acc:f(int, char) +8(%di):u32", "+8(%di):u32" }, { "uprobe:a:cp(int) [clone .isra.0] n", "n" },
		{ "uprobe:a:f name=+8(%di)", "name=+8(%di)" }, { "uprobe:a:f(int) s_1=-0x8(+0($arg1)):string", "s_1=-0x8(+0($arg1)):string" },
	};
	static const char *const without[] = {
		"uprobe:/tmp/my dir/acc:main", "uprobe:/tmp/my dir:main", "uprobe:my acc:main", "usdt:/my dir/acc:a:b", "uprobe:a:cp(int, int) [clone .constprop.0]",
		"uprobe:a:f(int) const", "uprobe:a:A::operator bool", "uprobe:a:f<int>(int, char)",
		"uprobe:a:int f(int)", "uprobe:a:T A::operator=(int)", "uprobe:a:A& A::operator+=(int)", "uprobe:a:bool operator==(A, A)",
	};

	for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
		CHECK(!list(with[i][0]));
		CHECK(ev[0].probe_leaf != NULL);
		CHECK_STR(ev[0].probe_leaf ? ev[0].probe_leaf : "none", with[i][1]);
	}
	for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
		CHECK(!list(without[i]));
		CHECK_U64(n, 1);
		CHECK_STR(ev[0].probe_leaf ? ev[0].probe_leaf : "none", "none");
	}
	CHECK_STR(list("uprobe:a:f x=%di y"), "event 'uprobe:a:f x=%di y': a probe shows one argument; name the next one behind the same probe in another -e");
}

int
main(void)
{
	char rm[128];

	if (!mkdtemp(devices))
		return 1;
	snprintf(tracepoints, sizeof tracepoints, "%s/traces", devices);
	make_dir("traces");
	make_dir("traces/sched");
	make_dir("traces/sched/sched_switch");
	make_dir("traces/sched/sched_waking");
	make_dir("traces/skb");
	make_dir("traces/skb/skb_free");
	make_dir("traces/skb/skb_free.d");
	make_dir("traces/skb/sx");
	write_file("traces/sched/sched_switch/id", "314\n");
	write_file("traces/sched/sched_waking/id", "315\n");
	write_file("traces/skb/skb_free/id", "400\n");
	make_dir("uncore_imc_0");
	make_dir("uncore_imc_0/format");
	make_dir("uncore_imc_0/events");
	make_dir("uncore_imc_1");
	make_dir("uncore_imc_1/format");
	make_dir("uncore_imc_1/events");
	write_file("uncore_imc_0/type", "30\n");
	write_file("uncore_imc_0/cpumask", "0,18\n");
	write_file("uncore_imc_0/format/event", "config:0-7\n");
	write_file("uncore_imc_0/events/reads", "event=5\n");
	write_file("uncore_imc_0/events/reads.scale", "6.1e-5\n");
	write_file("uncore_imc_0/events/reads.unit", "MiB\n");
	write_file("uncore_imc_1/type", "31\n");
	write_file("uncore_imc_1/format/event", "config:0-7\n");
	write_file("uncore_imc_1/events/reads", "event=5\n");
	make_dir("cpu");
	make_dir("cpu/format");
	make_dir("cpu/events");
	write_file("cpu/type", "4\n");
	write_file("cpu/format/event", "config:0-7,32-35\n");
	write_file("cpu/format/umask", "config:8-15\n");
	write_file("cpu/format/edge", "config:18\n");
	write_file("cpu/format/ldlat", "config1:0-15\n");
	write_file("cpu/format/odd", "wibble\n");
	write_file("cpu/events/cache-misses", "event=0x2e,umask=0x41\n");
	write_file("cpu/events/loop", "loop\n");
	RUN("event", hardware_and_software);
	RUN("event", cache_events);
	RUN("event", suggested_names);
	RUN("event", raw_events);
	RUN("event", modifying);
	RUN("event", lists);
	RUN("event", unknown_names);
	RUN("event", tracepoints_by_name);
	RUN("event", breakpoints);
	RUN("event", groups);
	RUN("event", periods);
	RUN("event", scales);
	RUN("event", other_pmus);
	RUN("event", pmu_terms);
	RUN("event", placing);
	RUN("event", defaults);
	RUN("event", arguments_of_probes);
	RUN("event", out_of_memory);
	arena_free(&arena);
	snprintf(rm, sizeof rm, "rm -rf %s", devices);
	return system(rm) | TEST_STATUS;
}

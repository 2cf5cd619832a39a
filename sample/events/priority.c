/* See priority.h.  sched(7), sched_setattr(2): since Linux 6.12 an ordinary thread may ask for a time slice, and the kernel
 * lets a thread with a shorter slice in sooner.  Among eight busy threads on two CPUs it then waits 1 ms instead of 4 on
 * average. */
#include "priority.h"
#include "cpu.h"
#include "lib/clock.h"
#include "lib/proc.h"
#include "lib/text.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ns: to read what comes at once takes less. */
#define SLICE UINT64_C(400000)

/* How much less a preferred CPU must have.  To move takes as long as to take in some samples, so prof stays where fewer bytes wait. */
enum { LESS = 4, FEW_BYTES = 32 << 10 };
/* The part of a CPU that prof wants at least while it is ordinary (rings fill meanwhile); ns after which it looks what it got; steps of
 * nice that halve its weight. */
enum { PART = 2, LOOK = 8000000, LESS_AT_ONCE = 3 };
/* Real-time priorities: the lowest, and the highest that a user may give; the largest weight. */
enum { LAST = 1, FIRST = 99, HEAVIEST = -20 };
/* A real-time process waits for its CPU most of the time if it does so for a part of it, in percent.  An ordinary one among hundreds of
 * others waits for more than that, but not for ever. */
enum { WAITS = 40, WAITS_ORDINARY = 90 };

/* The first version of the kernel's struct sched_attr. */
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t slice, deadline, period;
};

static bool
realtime(pid_t pid, int priority)
{
	struct sched_param p = { .sched_priority = priority };
	struct rlimit l;

	/* With such a limit the kernel would end a reader that goes on reading for long. */
	if (!getrlimit(RLIMIT_RTTIME, &l) && l.rlim_cur != RLIM_INFINITY)
		return false;
	return !syscall(SYS_sched_setscheduler, pid, SCHED_FIFO | SCHED_RESET_ON_FORK, &p);
}

static void
ordinary(int flags)
{
	struct sched_param p = { .sched_priority = 0 };

	syscall(SYS_sched_setscheduler, 0, SCHED_OTHER | flags, &p);
}

bool
priority_may(void)
{
	if (!realtime(0, LAST))
		return false;
	ordinary(0);
	return true;
}

bool
priority_first(pid_t pid, bool urgent)
{
	if (!realtime(pid, urgent ? FIRST : LAST))
		return false;
	setpriority(PRIO_PROCESS, (id_t)pid, HEAVIEST);   /* for when it is ordinary */
	return true;
}

static bool
renice(int nice)
{
	struct rlimit l;
	int least;

	if (!setpriority(PRIO_PROCESS, 0, HEAVIEST))
		return true;
	least = getrlimit(RLIMIT_NICE, &l) || l.rlim_cur > 40 ? 20 : 20 - (int)l.rlim_cur;
	return least < nice && !setpriority(PRIO_PROCESS, 0, least);
}

void
priority_raise(struct priority *p, bool cpus)
{
	struct attr a = { .size = sizeof a, .flags = 1, .slice = SLICE };   /* reset on fork */

	p->nice = p->ordinary = getpriority(PRIO_PROCESS, 0);
	p->realtime = cpus && priority_first(0, false);
	if (p->realtime) {
		p->ordinary = getpriority(PRIO_PROCESS, 0);
		setrlimit(RLIMIT_NICE, &(struct rlimit){ 40, 40 });   /* so that its weight may grow again without any rights */
		return;
	}
	p->raised = renice(p->nice);
	a.nice = getpriority(PRIO_PROCESS, 0);
	if (syscall(SYS_sched_getscheduler, 0) == SCHED_OTHER)
		syscall(SYS_sched_setattr, 0, &a, 0);
}

void
priority_aside(const struct priority *p, const struct rings *rings, uint32_t n)
{
	const struct ring *r, *end = rings->ring + n;
	struct cpus own, calm;
	uint64_t here = 0;
	unsigned cpu;

	if (!p->realtime || syscall(SYS_getcpu, &cpu, NULL, NULL))
		return;
	for (r = rings->ring; r < end; r++)
		here += r->cpu == (int32_t)cpu ? r->head - r->tail : 0;
	if (here < FEW_BYTES || !cpus_mine(&own))
		return;
	calm = own;
	for (r = rings->ring; r < end; r++)
		if (r->head - r->tail >= here / LESS)
			cpus_drop(&calm, r->cpu);
	if (cpus_keep_to(&calm))   /* the kernel refuses if all are busy */
		cpus_keep_to(&own);
}

void
priority_lower(const struct priority *p)
{
	if (p->realtime)
		ordinary(SCHED_RESET_ON_FORK);   /* only a process with the right may clear this flag */
	else if (p->raised)
		setpriority(PRIO_PROCESS, 0, p->nice);
}

/* How nice a thread must be to get between a part of a CPU and three quarters, if with NICE it RAN for so long of the time ELAPSED: a
 * step of nice changes its weight by a quarter.  It becomes not nicer than BEFORE. */
static int
nice_for(int nice, int before, uint64_t elapsed, uint64_t ran)
{
	if (ran * 4 > elapsed * 3)
		return nice + LESS_AT_ONCE < before ? nice + LESS_AT_ONCE : before;
	for (ran = ran ? ran : 1; nice > HEAVIEST && ran * PART < elapsed; ran += ran / 4 ? ran / 4 : 1)
		nice--;
	return nice;
}

/* Beside hundreds of threads that want its CPU, an ordinary prof would have a share of one in hundreds, and would not run soon enough
 * to find that out.  So it begins with the largest weight, which halves at each look until prof has three quarters of a CPU. */
static void
keep_part(struct priority *p)
{
	uint64_t t = clock_now(), ran = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	int nice;

	if (p->waived && t - p->since < LOOK)
		return;
	nice = p->waived ? nice_for(p->ordinary, p->nice, t - p->since, ran - p->ran) : p->ordinary;
	if (nice != p->ordinary && !setpriority(PRIO_PROCESS, 0, nice))
		p->ordinary = nice;
	p->since = t;
	p->ran = ran;
}

void
priority_waive(struct priority *p)
{
	if (!p->realtime)
		return;
	if (!p->waived)
		ordinary(SCHED_RESET_ON_FORK);
	keep_part(p);
	p->waived = true;
}

void
priority_again(struct priority *p, bool (*first)(bool needs))
{
	if (!p->waived)
		return;
	p->waived = false;
	p->realtime = first ? first(true) : priority_first(0, false);
	p->ordinary = getpriority(PRIO_PROCESS, 0);
}

/* proc(5): the first number is how long the process has run; the second, how long it has waited for a CPU up to when it last got one.
 * The letter behind the name says whether it wants one. */
static bool
look(struct guard *now)
{
	char stat[512] = { 0 }, text[64] = { 0 };
	const char *s = text, *state;

	now->looked = clock_now();
	if (pread(now->stat, stat, sizeof stat - 1, 0) <= 0 || pread(now->schedstat, text, sizeof text - 1, 0) <= 0)
		return false;
	now->wants = (state = strrchr(stat, ')')) && state[1] == ' ' && state[2] == 'R';
	return text_dec(&s, &now->ran) && *s++ == ' ' && text_dec(&s, &now->waited);
}

void
priority_guard(struct guard *g, pid_t pid)
{
	struct sched_param p = { .sched_priority = 0 };
	char path[PROC_PATH_MAX];

	*g = (struct guard){ .pid = pid, .urgent = !syscall(SYS_sched_getparam, pid, &p) && p.sched_priority == FIRST };
	g->stat = open(proc_path(path, pid, "stat"), O_RDONLY | O_CLOEXEC);
	g->schedstat = open(proc_path(path, pid, "schedstat"), O_RDONLY | O_CLOEXEC);
	look(g);
	priority_first(0, true);
}

/* Whether other real-time threads keep the process, which may be ordinary for now, from its CPU.  The kernel has not counted yet what it
 * has waited since it last ran. */
static bool
is_kept(const struct guard *before, const struct guard *now, bool ordinary)
{
	uint64_t most = (now->looked - before->looked) / 100 * (ordinary ? WAITS_ORDINARY : WAITS);

	return now->waited - before->waited > most || (now->wants && before->wants && now->ran && now->ran == before->ran);
}

void
priority_look(struct guard *g)
{
	long policy = syscall(SYS_sched_getscheduler, g->pid);
	struct guard now = *g;

	if (look(&now) && policy >= 0 && is_kept(g, &now, (policy & ~SCHED_RESET_ON_FORK) == SCHED_OTHER))
		now.urgent |= priority_first(g->pid, true);
	*g = now;
}

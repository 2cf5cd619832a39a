/* See priority.h.  sched(7), sched_setattr(2): since Linux 6.12 an ordinary thread may ask for a time slice, and the kernel
 * lets a thread with a shorter slice in sooner.  Among eight busy threads on two CPUs it then waits 1 ms instead of 4 on
 * average. */
#include "priority.h"
#include "cpu.h"
#include "lib/clock.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ns: to read what comes at once takes less. */
#define SLICE UINT64_C(400000)

/* How much less a preferred CPU must have. */
enum { LESS = 4 };
/* The part of a CPU that prof wants at least while it is ordinary (rings fill meanwhile); ns after which it looks what it got; steps of
 * nice that halve its weight. */
enum { PART = 2, LOOK = 8000000, LESS_AT_ONCE = 3 };

/* The first version of the kernel's struct sched_attr. */
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t slice, deadline, period;
};

/* Takes the lowest real-time priority. */
static bool
realtime(pid_t pid)
{
	struct sched_param p = { .sched_priority = 1 };
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
	if (!realtime(0))
		return false;
	ordinary(0);
	return true;
}

bool
priority_first(pid_t pid)
{
	if (!realtime(pid))
		return false;
	setpriority(PRIO_PROCESS, (id_t)pid, -20);   /* for when it is ordinary */
	return true;
}

static bool
renice(int nice)
{
	struct rlimit l;
	int least;

	if (!setpriority(PRIO_PROCESS, 0, -20))
		return true;
	least = getrlimit(RLIMIT_NICE, &l) || l.rlim_cur > 40 ? 20 : 20 - (int)l.rlim_cur;
	return least < nice && !setpriority(PRIO_PROCESS, 0, least);
}

void
priority_raise(struct priority *p, bool cpus)
{
	struct attr a = { .size = sizeof a, .flags = 1, .slice = SLICE };   /* reset on fork */

	p->nice = p->ordinary = getpriority(PRIO_PROCESS, 0);
	p->realtime = cpus && priority_first(0);
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
	if (!here || !cpus_mine(&own))
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
	for (ran = ran ? ran : 1; nice > -20 && ran * PART < elapsed; ran += ran / 4 ? ran / 4 : 1)
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
priority_again(struct priority *p, bool (*first)(void))
{
	if (!p->waived)
		return;
	p->waived = false;
	p->realtime = first ? first() : priority_first(0);
	p->ordinary = getpriority(PRIO_PROCESS, 0);
}

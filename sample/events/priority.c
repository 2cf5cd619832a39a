/* See priority.h.  sched(7), sched_setattr(2): since Linux 6.12 an ordinary thread may ask for a time slice, and one with a
 * shorter one is let in sooner.  Among eight busy threads on two CPUs it then waits 1 ms instead of 4 on average. */
#include "priority.h"
#include "cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ns: what is read at once takes less. */
#define SLICE UINT64_C(400000)

/* How much less a preferred CPU must have. */
enum { LESS = 4 };

/* The first version of the kernel's struct sched_attr. */
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t slice, deadline, period;
};

static bool
realtime(void)
{
	struct sched_param p = { .sched_priority = 1 };
	struct rlimit l;

	/* Where it may not be so for long at a time, who goes on reading would be ended. */
	if (!getrlimit(RLIMIT_RTTIME, &l) && l.rlim_cur != RLIM_INFINITY)
		return false;
	return !syscall(SYS_sched_setscheduler, 0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p);
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
	if (!realtime())
		return false;
	ordinary(0);
	return true;
}

/* The lowest that there may be. */
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

	p->nice = getpriority(PRIO_PROCESS, 0);
	p->realtime = cpus && realtime();
	if (p->realtime) {   /* so that it may be had again, without any rights */
		setrlimit(RLIMIT_RTPRIO, &(struct rlimit){ 1, 1 });
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
	if (cpus_keep_to(&calm))   /* refused where all are busy */
		cpus_keep_to(&own);
}

void
priority_lower(const struct priority *p)
{
	if (p->realtime)
		ordinary(SCHED_RESET_ON_FORK);   /* which only who has the right may take back */
	if (p->raised)
		setpriority(PRIO_PROCESS, 0, p->nice);
}

void
priority_waive(struct priority *p)
{
	if (!p->realtime || p->waived)
		return;
	ordinary(SCHED_RESET_ON_FORK);
	p->waived = true;
}

void
priority_again(struct priority *p)
{
	if (p->waived)
		p->realtime = realtime();
	p->waived = false;
}

/* See perf.h.  perf_event_open(2); attr sizes by the versions of <linux/perf_event.h>. */
#include "perf.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/clock.h"

int
perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	static const uint32_t older[] = { PERF_ATTR_SIZE_VER4, PERF_ATTR_SIZE_VER3, PERF_ATTR_SIZE_VER0 };
	unsigned next = 0;

	if (!attr->size)
		attr->size = PERF_ATTR_SIZE_VER5;
	for (;;) {
		/* The kernel writes its own size into the attr when it says E2BIG; keep ours. */
		uint32_t size = attr->size;
		long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, flags | PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0)
			return (int)fd;
		attr->size = size;
		if (errno == EINTR)
			continue;
		if (errno != E2BIG)
			return -1;
		while (next < sizeof older / sizeof *older && older[next] >= size)
			next++;
		if (next == sizeof older / sizeof *older)
			return -1;
		attr->size = older[next];
	}
}

bool
perf_control(int fd, unsigned long what, unsigned long with)
{
	/* In musl the second parameter is an int, which PERF_EVENT_IOC_ID does not fit in. */
	return !syscall(SYS_ioctl, fd, what, with);
}

#ifdef __x86_64__
const int16_t perf_sp_at = 19 * 8;
#else
const int16_t perf_sp_at;
#endif

/* Spins until the ring's head moves, 2 ms of CPU at most. */
static bool
head_moves(const struct perf_event_mmap_page *page)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 2000000;

	do {
		for (volatile unsigned i = 0; i < 10000; i++)
			;
		if (__atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE))
			return true;
	} while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end);
	return false;
}

bool
perf_interrupts(const struct perf_event_attr *like)
{
	struct perf_event_attr attr = { 0 };
	size_t bytes = 2 * (size_t)sysconf(_SC_PAGESIZE);
	bool moves = false;
	void *ring;
	int fd;

	attr.type = like->type;
	attr.config = like->config;
	attr.config1 = like->config1;
	attr.config2 = like->config2;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = 100000;   /* cycles or nanoseconds: a tenth of a millisecond at most */
	attr.exclude_kernel = attr.exclude_hv = 1;
	if ((fd = perf_open(&attr, 0, -1, -1, 0)) < 0)
		return false;
	ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring != MAP_FAILED) {
		moves = head_moves(ring);
		munmap(ring, bytes);
	}
	close(fd);
	return moves;
}

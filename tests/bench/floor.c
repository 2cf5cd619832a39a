/* floor [-F HZ] [-s BYTES] COMMAND...: the least that sampling by perf events can cost: a ring a CPU, registers and BYTES
 * of stack with each sample, drained and thrown away.  One line on stderr: samples, lost, own CPU seconds. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RING = 2 << 20, MAX_CPUS = 256 };

#if defined __x86_64__
static const uint64_t registers = 0xff0fff;
#elif defined __aarch64__
static const uint64_t registers = (1ull << 33) - 1;
#elif defined __riscv
static const uint64_t registers = 0xffffffff;
#else
static const uint64_t registers = 0xffff;
#endif

static struct perf_event_mmap_page *ring[MAX_CPUS];
static uint64_t samples, lost;

static void
drain(struct perf_event_mmap_page *page)
{
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	const char *data = (const char *)page + sysconf(_SC_PAGESIZE);

	while (tail < head) {
		const struct perf_event_header *h = (const void *)(data + tail % RING);

		if (h->type == PERF_RECORD_SAMPLE)
			samples++;
		else if (h->type == PERF_RECORD_LOST)
			lost += *(const uint64_t *)(data + (tail + 16) % RING);
		tail += h->size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

int
main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF), page = sysconf(_SC_PAGESIZE);
	struct pollfd fd[MAX_CPUS];
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = PERF_ATTR_SIZE_VER5,
		.freq = 1, .sample_freq = 999, .disabled = 1, .enable_on_exec = 1, .inherit = 1, .watermark = 1,
		.wakeup_watermark = RING / 4, .sample_regs_user = registers, .sample_stack_user = 16384,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
		               PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	};
	int opt, go[2], n = 0, status = 0;
	struct rusage use;
	pid_t pid;
	char c;

	while ((opt = getopt(argc, argv, "+F:s:")) != -1) {
		if (opt == 'F')
			attr.sample_freq = (uint64_t)atol(optarg);
		else if (opt == 's')
			attr.sample_stack_user = (uint32_t)atol(optarg);
		else
			return 2;
	}
	if (optind >= argc || pipe2(go, O_CLOEXEC))
		return 2;
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(126);
		execvp(argv[optind], argv + optind);
		_exit(127);
	}
	close(go[0]);
	for (int cpu = 0; cpu < cpus && cpu < MAX_CPUS; cpu++) {
		int e = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		void *m;

		if (e < 0 && errno == ENODEV)
			continue;
		m = e < 0 ? MAP_FAILED : mmap(NULL, (size_t)RING + (size_t)page, PROT_READ | PROT_WRITE, MAP_SHARED, e, 0);
		if (m == MAP_FAILED) {
			perror("floor");
			return 2;
		}
		ring[n] = m;
		fd[n++] = (struct pollfd){ .fd = e, .events = POLLIN };
	}
	close(go[1]);
	for (;;) {
		int over, left = 0;

		poll(fd, (nfds_t)n, 100);
		over = waitpid(pid, &status, WNOHANG) == pid;
		for (int i = 0; i < n; i++) {
			drain(ring[i]);
			left += !(fd[i].revents & (POLLHUP | POLLERR));
		}
		if (over || !left)
			break;
	}
	getrusage(RUSAGE_SELF, &use);
	fprintf(stderr, "floor: %llu samples, %llu lost, %.4f s\n", (unsigned long long)samples, (unsigned long long)lost,
	        (double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec +
	                (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

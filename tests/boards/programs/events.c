/* events kprobe|tracepoint: opens one on this process and tells how often it was hit by some calls of getppid and openat.
 * events opens: opens a file again and again. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static long
number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof text - 1) < 0) {
		printf("%s: %s\n", path, strerror(errno));
		exit(1);
	}
	close(fd);
	return atol(text);
}

static int
count(const char *what, struct perf_event_attr *attr)
{
	uint64_t hits = 0;
	int fd;

	attr->size = sizeof *attr;
	attr->disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
	if (fd < 0) {
		printf("%s: %s\n", what, strerror(errno));
		return 1;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 10; i++)
		close(open("/proc/self/stat", O_RDONLY));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &hits, sizeof hits) != sizeof hits)
		return 1;
	printf("%s: %llu\n", what, (unsigned long long)hits);
	return hits < 10;
}

int
main(int argc, char **argv)
{
	struct perf_event_attr attr;

	while (argc > 1 && !strcmp(argv[1], "opens")) {
		close(open("/proc/self/stat", O_RDONLY));
		usleep(1000);
	}
	memset(&attr, 0, sizeof attr);
	if (argc > 1 && !strcmp(argv[1], "kprobe")) {
		attr.type = (uint32_t)number("/sys/bus/event_source/devices/kprobe/type");
		attr.kprobe_func = (uint64_t)(uintptr_t)"do_sys_openat2";
#ifdef __riscv
		attr.probe_offset = 4;
#endif
		return count("kprobe", &attr);
	}
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = (uint64_t)number("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id");
	return count("tracepoint", &attr);
}

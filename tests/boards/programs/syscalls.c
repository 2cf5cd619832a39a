/* syscalls SECONDS: most of the time in the kernel. */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	static char buf[65536];
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	struct timespec t, t0;
	int fd = open("/dev/zero", O_RDONLY);

	clock_gettime(CLOCK_MONOTONIC, &t0);
	do {
		for (int i = 0; i < 20; i++)
			if (read(fd, buf, sizeof buf) < 0)
				return 1;
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while ((double)(t.tv_sec - t0.tv_sec) + (double)(t.tv_nsec - t0.tv_nsec) / 1e9 < seconds);
	return 0;
}

/* Does a known number of things: counted FAULTS CALLS SLEEPS [switches].  Prints how often it was off the CPU. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	long faults = argc > 1 ? atol(argv[1]) : 1000, calls = argc > 2 ? atol(argv[2]) : 1000, sleeps = argc > 3 ? atol(argv[3]) : 20;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, (size_t)faults * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)p, (size_t)faults * page, MADV_NOHUGEPAGE);
	for (long i = 0; i < faults; i++)
		p[(size_t)i * page] = 1;
	for (long i = 0; i < calls; i++)
		syscall(SYS_getppid);
	for (long i = 0; i < sleeps; i++)
		usleep(100);
	if (argc > 4) {
		struct rusage u;

		getrusage(RUSAGE_SELF, &u);
		printf("%ld\n", u.ru_nvcsw + u.ru_nivcsw);
	}
	return 0;
}

/* grows: makes itself larger in known ways, and tells by how many KiB (VmSize). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAR __attribute__((noinline, noclone))
static void *volatile kept;

static long
kib(void)
{
	char line[128];
	long v = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "VmSize:", 7))
			v = atol(line + 7);
	if (f)
		fclose(f);
	return v;
}

FAR static void
maps(void)
{
	for (int i = 0; i < 10; i++)
		kept = mmap(NULL, (1 << 20) + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

FAR static void
heap(void)
{
	for (int i = 0; i < 8; i++)
		kept = sbrk(1 << 18);
	sbrk(-(1 << 18));
}

FAR static void
moves(void)
{
	kept = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	kept = mremap(kept, 1 << 20, 3 << 20, MREMAP_MAYMOVE);
}

FAR static void
reserves(void)
{
	kept = mmap(NULL, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	mmap(kept, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);   /* no growth */
	mmap((void *)1, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);   /* fails */
}

int
main(int argc, char **argv)
{
	long before = kib();

	(void)argv;
	for (int i = 0; argc > 1 && i < 5000; i++)
		usleep(1000);
	before = kib();
	maps();
	heap();
	moves();
	reserves();
	printf("%ld\n", kib() - before);
	return 0;
}

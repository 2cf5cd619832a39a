/* local: spins for a fifth of a second of CPU time in functions that only debug information can name.  With -DOTHER it is a
 * second program with much in common, for dwz. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static volatile unsigned long sink, rounds = 100000;   /* not a constant, so that no function is cloned for it */

static __attribute__((noinline)) void
hot_local(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

static inline __attribute__((always_inline)) void
middle(unsigned long n)
{
	hot_local(n);
	sink++;
}

static __attribute__((noinline)) void
outer_local(unsigned long n)
{
	middle(n);
	sink++;
}

int
main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.2;
	struct stat st;

	if (seconds < 0 && stat(argv[0], &st))
		perror(argv[0]);
#ifdef OTHER
	printf("%ld\n", (long)st.st_size);
#endif
	while ((double)clock() / CLOCKS_PER_SEC < seconds)
		outer_local(rounds);
	return 0;
}

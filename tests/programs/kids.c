/* Short children: `kids burn N MS` forks N children one after the other, each of which burns MS of CPU time in "burn" and
 * ends; `kids exec N COMMAND` executes COMMAND N times.  The file that $KIDS names is told the nanoseconds of CPU that
 * all of them had, and what this process had itself, as the kernel accounts for it. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double
cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void
burn(double until)
{
	while (cpu() < until)
		for (volatile unsigned i = 0; i < 20000; i++)
			;
}

static long long
used(int who)
{
	struct rusage r;

	getrusage(who, &r);
	return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000LL + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000LL;
}

int
main(int argc, char **argv)
{
	char *command[] = { argc > 3 ? argv[3] : NULL, NULL };
	FILE *told = getenv("KIDS") ? fopen(getenv("KIDS"), "we") : NULL;
	double seconds = argc > 3 ? atof(argv[3]) / 1e3 : 0;

	cpu();   /* what is to be linked for it is no work of a child's */
	for (int n = argc > 3 ? atoi(argv[2]) : 0; n > 0; n--) {
		pid_t pid;

		if (!strcmp(argv[1], "exec")) {
			if (posix_spawn(&pid, command[0], NULL, NULL, command, environ))
				return 1;
		} else if ((pid = fork()) == 0) {
			prctl(PR_SET_NAME, "kid");
			burn(cpu() + seconds);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	if (told)
		fprintf(told, "%lld %lld\n", used(RUSAGE_CHILDREN), used(RUSAGE_SELF));
	return 0;
}

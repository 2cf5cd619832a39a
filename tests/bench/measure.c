/* measure [-m] FILE COMMAND...: runs COMMAND, and appends its cost to FILE as "wall cpu rss_kib end status kib_written".  Times are in
 * seconds.  wait4 gives the CPU time, of the command and of all processes that it waited for; END is on CLOCK_MONOTONIC.  With -m
 * rss is that of the command's own process alone, read in its last moment; otherwise the largest of all these processes.  Writes
 * count in whole pages of files on disks. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* Its high-water mark so far, in KiB. */
static long
high_water(pid_t pid)
{
	char path[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = atol(line + 6);
	if (f)
		fclose(f);
	return kib;
}

int
main(int argc, char **argv)
{
	int own = argc > 1 && strcmp(argv[1], "-m") == 0, status = 0, go[2];
	const char *file = argv[own + 1];
	struct rusage use;
	double start, end;
	long rss = 0;
	pid_t pid;
	FILE *out;
	char c;

	if (argc < own + 3) {
		fprintf(stderr, "usage: measure [-m] FILE COMMAND...\n");
		return 2;
	}
	if (pipe2(go, O_CLOEXEC))
		return 2;
	start = now();
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(126);
		execvp(argv[own + 2], argv + own + 2);
		perror(argv[own + 2]);
		_exit(127);
	}
	if (own && ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACEEXIT)) {
		perror("ptrace");
		return 2;
	}
	close(go[0]);
	close(go[1]);
	signal(SIGINT, SIG_IGN);
	while (wait4(pid, &status, 0, &use) == pid && WIFSTOPPED(status)) {
		int sig = status >> 16 ? 0 : WSTOPSIG(status);

		if (status >> 16 == PTRACE_EVENT_EXIT)
			rss = high_water(pid);
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)sig);
	}
	end = now();
	out = fopen(file, "a");
	if (!out) {
		perror(file);
		return 2;
	}
	status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	fprintf(out, "%.4f %.4f %ld %.4f %d %ld\n", end - start, seconds(use.ru_utime) + seconds(use.ru_stime),
	        own ? rss : use.ru_maxrss, end, status, use.ru_oublock / 2);
	fclose(out);
	return status;
}

/* fork and exec, of itself and through a shell: the child has its parent's maps, then its own. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../mark.h"

MARKED static unsigned
m_recurse(unsigned depth, unsigned v)
{
	MARK(m_recurse, depth);
	mark_work(1000);
	if (!depth)
		return v;
	return m_recurse(depth - 1, v) ^ (depth & 1 ? m_recurse(depth / 4, v) : 1);
}

MARKED static int
m_compare(const void *a, const void *b)
{
	MARK(m_compare, 0);
	mark_work(500);
	return *(const int *)a - *(const int *)b;
}

/* With frames of libc's between. */
MARKED static unsigned
m_sort(unsigned n)
{
	int v[32];

	MARK(m_sort, n);
	for (int i = 0; i < 32; i++)
		v[i] = (i * 7 + (int)n) % 32;
	MARK_SITE();
	qsort(v, 32, sizeof *v, m_compare);
	return (unsigned)v[5];
}

MARKED static int
m_child(char **argv, unsigned n)
{
	char *self[] = { argv[0], (char *)(uintptr_t)"0", (char *)(uintptr_t)"quick", NULL };
	char *shell[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", (char *)(uintptr_t)"\"$0\" 0 quick; :", argv[0], NULL };

	MARK(m_child, n);
	mark_sink += m_recurse(n & 15, 1) + m_sort(n);
	MARK_SITE();
	if (n % 3 == 0)
		_exit(0);
	MARK_SITE();
	if (n % 3 == 1)
		execv("/proc/self/exe", self);
	MARK_SITE();
	execv("/bin/sh", shell);
	return 1;
}

MARKED static int
m_spawn(char **argv, unsigned n)
{
	int status = 1;
	pid_t pid;

	MARK(m_spawn, n);
	MARK_SITE();
	pid = fork();
	MARK_NO_SITE();
	if (!pid)
		_exit(m_child(argv, n));
	mark_sink += m_recurse(n & 7, 2) + m_sort(n);
	MARK_SITE();
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return status;
}

MARKED static int
m_main(double seconds, char **argv)
{
	int failed = 0;
	unsigned n = 0;

	MARK(m_main, 0);
	MARK_FOR(seconds)
		failed |= m_spawn(argv, n++);
	return failed;
}

MARKED static int
m_quick(void)
{
	MARK(m_quick, 0);
	mark_sink += m_recurse(12, 3) + m_sort(3);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[2], "quick"))
		return m_quick();
	return m_main(MARK_SECONDS(argc, argv), argv);
}

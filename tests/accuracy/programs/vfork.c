/* vfork: the child runs on its parent's stack until it executes or ends. */
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
m_spawn(char **argv, unsigned n)
{
	char *again[] = { argv[0], (char *)(uintptr_t)"0", (char *)(uintptr_t)"quick", NULL };
	pid_t pid;
	int status = 1;

	MARK(m_spawn, n);
	pid = vfork();
	if (!pid) {
		mark_sink += m_recurse(n & 15, 1);
		if (n & 1)
			execv("/proc/self/exe", again);
		_exit(0);
	}
	mark_sink += m_recurse(n & 7, 2);
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
	mark_sink += m_recurse(12, 3);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[2], "quick"))
		return m_quick();
	return m_main(MARK_SECONDS(argc, argv), argv);
}

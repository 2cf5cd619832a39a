/* Libraries that are opened, used and closed again in turn, so that different code lies at the same addresses. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../mark.h"

#ifdef LIBRARY

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define NAME(n) PASTE(PASTE(m_lib, LIBRARY), PASTE(_, n))

/* The same calls at the same places, but from frames of other sizes. */
MARKED static unsigned
NAME(leaf)(unsigned v)
{
	char local[16 + LIBRARY * 64];

	MARK(NAME(leaf), v);
	__asm__ volatile("" :: "r"(local) : "memory");
	mark_work(300);
	return v + (unsigned)local[v & 7];
}

MARKED static unsigned
NAME(middle)(unsigned v, unsigned depth)
{
	char local[16 + LIBRARY * 16];

	MARK(NAME(middle), depth);
	__asm__ volatile("" :: "r"(local) : "memory");
	if (depth)
		return NAME(middle)(v + 1, depth - 1) + (unsigned)local[3];
	return NAME(leaf)(v) + (unsigned)local[v & 7];
}

unsigned m_entry(unsigned v);
MARKED unsigned
m_entry(unsigned v)
{
	MARK(m_entry, LIBRARY);
	for (unsigned i = 0; i < 200; i++)
		v += NAME(middle)(v, i & 3);
	return v;
}

#else

#ifndef REPEAT
#define REPEAT 1
#endif

MARKED static int
m_round(const char *program, unsigned n)
{
	static void *where[4];
	static unsigned same;
	unsigned (*entry)(unsigned);
	char name[4096];
	void *lib;

	MARK(m_round, n);
	MARK_SITE();
	snprintf(name, sizeof name, "%s%u.so", program, n + 1);
	MARK_SITE();
	if (!(lib = dlopen(name, RTLD_NOW)))
		return 1;
	MARK_SITE();
	*(void **)&entry = dlsym(lib, "m_entry");
	MARK_NO_SITE();
	if (!entry)
		return 1;
	where[n] = *(void **)&entry;
	same += where[0] == where[1];
	for (unsigned i = 0; i < REPEAT; i++)
		mark_sink += entry(n);
	MARK_SITE();
	dlclose(lib);
	MARK_NO_SITE();
	return n == 3 && !same;
}

MARKED static int
m_main(double seconds, const char *program)
{
	int failed = 0;

	MARK(m_main, 0);
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 4; i++)
			failed |= m_round(program, i);
	return failed;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv), argv[0]);
}

#endif

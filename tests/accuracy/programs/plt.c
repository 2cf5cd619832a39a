/* Lazy binding: a library of its own, in which each function is called through a PLT entry that is bound anew whenever the
 * library is opened, most of them by a resolver (IFUNC) that runs inside the loader. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "../mark.h"

#ifdef LIBRARY

#define F(n) \
	unsigned m_f##n(unsigned v); \
	MARKED unsigned \
	m_f##n(unsigned v) \
	{ \
		MARK(m_f##n, n); \
		return m_leaf(v + n) * n; \
	}
#define CALL(n) MARK_SITE(); v = m_f##n(v);
#define TEN(f, n) f(n##0) f(n##1) f(n##2) f(n##3) f(n##4) f(n##5) f(n##6) f(n##7) f(n##8) f(n##9)
#define HUNDRED(f, n) TEN(f, n##0) TEN(f, n##1) TEN(f, n##2) TEN(f, n##3) TEN(f, n##4) TEN(f, n##5) TEN(f, n##6) \
	TEN(f, n##7) TEN(f, n##8) TEN(f, n##9)

unsigned m_leaf(unsigned v);
MARKED unsigned
m_leaf(unsigned v)
{
	MARK(m_leaf, v);
	mark_work(100);
	return v;
}

MARKED static unsigned
m_one(unsigned v)
{
	MARK(m_one, v);
	mark_work(100);
	return v + 1;
}

/* Runs while nothing is bound yet. */
MARKED static unsigned (*m_resolve(void))(unsigned)
{
	MARK(m_resolve, 0);
	mark_work(1000);
	return m_one;
}

#define CHOSEN(n) unsigned m_i##n(unsigned v) __attribute__((ifunc("m_resolve")));
#define CALL_CHOSEN(n) MARK_SITE(); v = m_i##n(v);

HUNDRED(F, 1)
HUNDRED(F, 2)
HUNDRED(F, 3)
TEN(CHOSEN, 1)
TEN(CHOSEN, 2)

unsigned m_all(unsigned v);
MARKED unsigned
m_all(unsigned v)
{
	MARK(m_all, v);
	HUNDRED(CALL, 1)
	TEN(CALL_CHOSEN, 1)
	HUNDRED(CALL, 2)
	TEN(CALL_CHOSEN, 2)
	HUNDRED(CALL, 3)
	return v;
}

#else

MARKED static int
m_round(const char *library)
{
	unsigned (*all)(unsigned);
	void *lib;

	MARK(m_round, 0);
	MARK_SITE();
	if (!(lib = dlopen(library, RTLD_LAZY)))
		return 1;
	MARK_SITE();
	*(void **)&all = dlsym(lib, "m_all");
	MARK_NO_SITE();
	if (!all)
		return 1;
	mark_sink += all(1);
	mark_sink += all(2);
	MARK_SITE();
	dlclose(lib);
	return 0;
}

MARKED static int
m_main(double seconds, const char *library)
{
	int failed = 0;

	MARK(m_main, 0);
	MARK_FOR(seconds)
		failed |= m_round(library);
	return failed;
}

int
main(int argc, char **argv)
{
	char library[4096];

	(void)argc;
	strcat(strcpy(library, argv[0]), ".so");
	return m_main(MARK_SECONDS(argc, argv), library);
}

#endif

/* C++ exceptions in flight: thrown through frames with and without destructors, destructors that call, throw and catch
 * while another exception passes by, rethrown, from handlers of a function try block, and through the libc's qsort. */
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "../mark.h"

struct thrown {
	unsigned v;
};

MARKED static unsigned
m_leaf(unsigned n)
{
	MARK(m_leaf, n);
	mark_work(40);
	return n;
}

MARKED static void
m_throw(unsigned n)
{
	MARK(m_throw, n);
	mark_work(20);
	if (n & 1)
		throw thrown{ n };
	throw std::runtime_error("a longer way, with a string");
}

MARKED static unsigned
m_catch_inside(unsigned n)
{
	MARK(m_catch_inside, n);
	try {
		m_throw(n | 1);
	} catch (const thrown &t) {
		return m_leaf(t.v);
	}
	return 0;
}

struct guard {
	unsigned n;
	explicit guard(unsigned v) : n(v) {}
	guard(const guard &) = delete;
	guard &operator=(const guard &) = delete;
	~guard()
	{
		mark_sink += m_leaf(n);
		if (n & 2)
			mark_sink += m_catch_inside(n);
	}
};

MARKED static unsigned
m_plain(unsigned depth, unsigned n)
{
	MARK(m_plain, depth);
	if (!depth)
		m_throw(n);
	return m_plain(depth - 1, n) + 1;
}

MARKED static unsigned
m_guarded(unsigned depth, unsigned n)
{
	MARK(m_guarded, depth);
	guard g(depth);
	mark_work(10);
	if (!depth)
		return m_plain(3, n);
	return m_guarded(depth - 1, n) + m_leaf(depth);
}

MARKED static unsigned
m_rethrow(unsigned depth, unsigned n)
{
	MARK(m_rethrow, depth);
	try {
		return m_guarded(depth, n);
	} catch (const std::exception &) {
		m_leaf(n);
		throw;
	}
}

MARKED static unsigned
m_catch(unsigned depth, unsigned n)
{
	MARK(m_catch, depth);
	try {
		return m_rethrow(depth, n);
	} catch (const thrown &t) {
		return m_leaf(t.v);
	} catch (const std::exception &e) {
		return m_leaf(static_cast<unsigned>(*e.what()));
	}
}

MARKED static int
m_compare(const void *a, const void *b)
{
	MARK(m_compare, 0);
	int x = *static_cast<const int *>(a), y = *static_cast<const int *>(b);
	if (x + y == 12)
		throw thrown{ 12 };
	mark_work(30);
	return (x > y) - (x < y);
}

MARKED static void
m_sort(unsigned n)
{
	MARK(m_sort, n);
	int v[8];
	for (int i = 0; i < 8; i++)
		v[i] = (i * 3 + static_cast<int>(n)) % 8;
	v[5] = 9;
	try {
		qsort(v, 8, sizeof *v, m_compare);
	} catch (const thrown &t) {
		m_leaf(t.v);
	}
	mark_work(10);
}

MARKED static int
m_main(double seconds)
{
	MARK(m_main, 0);
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 16; i++) {
			mark_sink += m_catch(i & 7, i);
			m_sort(i);
		}
	return 0;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv));
}

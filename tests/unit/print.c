#include "test.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>

#define snprintf print_snprintf
#define vsnprintf print_vsnprintf
int print_snprintf(char *restrict, size_t, const char *restrict, ...) __attribute__((format(printf, 3, 4)));
#include "lib/print.c"
#undef snprintf
#undef vsnprintf

/* The same from ours and from libc's, whole and cut to every length. */
#define SAME(...) \
	do { \
		char a[256], b[256]; \
		int n = print_snprintf(a, sizeof a, __VA_ARGS__), m = snprintf(b, sizeof b, __VA_ARGS__); \
		CHECK_U64(n, m); \
		CHECK_STR(a, b); \
		for (size_t cap = 1; cap < 12; cap++) { \
			memset(a, 'x', sizeof a); \
			memset(b, 'x', sizeof b); \
			CHECK_U64(print_snprintf(a, cap, __VA_ARGS__), snprintf(b, cap, __VA_ARGS__)); \
			CHECK(memcmp(a, b, sizeof a) == 0); \
		} \
	} while (0)

static void
numbers(void)
{
	SAME("%d %d %d", 0, INT_MAX, INT_MIN);
	SAME("%ld %lld", LONG_MIN, LLONG_MIN);
	SAME("%u %lu %llu %zu", UINT_MAX, ULONG_MAX, ULLONG_MAX, (size_t)-1);
	SAME("%x %llx %04x %08lx", 0u, ULLONG_MAX, 0x1fu, 0xabcdeful);
	SAME("%5d|%-5d|%05d|%05d|%2d", 42, 42, 42, -42, 12345);
	SAME("%*d|%-*d|%*d", 6, 7, 6, 7, 1, 123);
	SAME("%02llu.%03u", 5ull, 7u);
}

static void
strings(void)
{
	SAME("%s", "");
	SAME("a%sb%%c%c", "xyz", '!');
	SAME("%12s|%-12s|%2s", "text", "text", "text");
	SAME("%.3s|%.0s|%.9s", "abcdef", "abc", "abc");
	SAME("%.*s|%*s|%-*s", 2, "abcdef", 5, "ab", 5, "ab");
	SAME("%8.2s|%-8.2s|", "abcdef", "abcdef");
}

/* Precision bounds what is read of a string that does not end. */
static void
unterminated(void)
{
	char *s = malloc(4), out[16];

	if (!s)
		return;
	memset(s, 'q', 4);
	print_snprintf(out, sizeof out, "%.4s", s);
	CHECK_STR(out, "qqqq");
	free(s);
}

static void
no_room(void)
{
	char c = 'x';

	CHECK_U64(print_snprintf(&c, 0, "%s", "abc"), 3);
	CHECK(c == 'x');
	CHECK_U64(print_snprintf(NULL, 0, "%d", 1234), 4);
}

static void
what_is_not_known_traps(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		char out[32];

		print_snprintf(out, sizeof out, "%f", 1.0);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFSIGNALED(status));
}

int
main(void)
{
	RUN("print", numbers);
	RUN("print", strings);
	RUN("print", unterminated);
	RUN("print", no_room);
	RUN("print", what_is_not_known_traps);
	return TEST_STATUS;
}

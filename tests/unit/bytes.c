#include "test.h"

#define qsort libc_qsort
#define qsort_r libc_qsort_r
#define memchr libc_memchr
#define memcmp libc_memcmp
#define strstr libc_strstr
#define strtol libc_strtol
#define strtoul libc_strtoul
#define sysconf libc_sysconf
#include "lib/libc/bytes.c"
#undef qsort
#undef qsort_r
#undef memchr
#undef memcmp
#undef strstr
#undef strtol
#undef strtoul
#undef sysconf

void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t);
char *strstr(const char *, const char *);
long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
long sysconf(int);

static int
by_int(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
sorts(void)
{
	static int a[2000], b[2000];
	unsigned seed = 3;

	for (size_t n = 0; n <= 2000; n += n < 20 ? 1 : 99) {
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			a[i] = b[i] = (int)(seed >> 16) % (int)(n + 1);
		}
		libc_qsort(a, n, sizeof *a, by_int);
		qsort(b, n, sizeof *b, by_int);
		CHECK(memcmp(a, b, n * sizeof *a) == 0);
	}
}

struct wide {
	int key;
	char text[101];
};

static int
by_key(const void *a, const void *b, void *sign)
{
	const struct wide *x = a, *y = b;

	return (x->key - y->key) * *(int *)sign;
}

static void
sorts_wide_items_by_context(void)
{
	struct wide w[7];
	int sign = -1;

	for (int i = 0; i < 7; i++) {
		w[i].key = i * 3 % 7;
		memset(w[i].text, 'a' + w[i].key, sizeof w[i].text);
	}
	libc_qsort_r(w, 7, sizeof *w, by_key, &sign);
	for (int i = 0; i < 7; i++) {
		CHECK_U64(w[i].key, 6 - i);
		CHECK(w[i].text[0] == 'a' + 6 - i && w[i].text[100] == 'a' + 6 - i);
	}
}

static void
finds(void)
{
	static const char *const in[] = { "", "a", "aaab", "abcabcd", "the end", NULL };
	static const char *const what[] = { "", "a", "aab", "abcd", "end", "endx", "z", NULL };

	for (int i = 0; in[i]; i++)
		for (int j = 0; what[j]; j++)
			CHECK(libc_strstr(in[i], what[j]) == strstr(in[i], what[j]));
}

static void
reads_numbers(void)
{
	static const char *const text[] = { "0", "7x", "0012", "18446744073709551615", "9223372036854775807",
	                                    "9223372036854775808", "184467440737095516150", "x", "", "-5", "-", NULL };

	for (int i = 0; text[i]; i++) {
		char *a, *b;

		CHECK_U64(libc_strtol(text[i], &a, 10), strtol(text[i], &b, 10) == LONG_MIN ? -LONG_MAX : strtol(text[i], &b, 10));
		CHECK(a == b);
		if (*text[i] == '-')
			continue;
		CHECK_U64(libc_strtoul(text[i], &a, 10), strtoul(text[i], &b, 10));
		CHECK(a == b);
	}
}

static void
asks_the_system(void)
{
	CHECK_U64(libc_sysconf(_SC_PAGESIZE), sysconf(_SC_PAGESIZE));
}

static int
sign(int v)
{
	return (v > 0) - (v < 0);
}

static void
bytes_in_words(void)
{
	unsigned char a[40], b[40];
	unsigned seed = 9;

	for (unsigned n = 0; n <= 24; n++)
		for (unsigned round = 0; round < 400; round++) {
			unsigned at = round % 9;

			for (unsigned i = 0; i < n; i++) {
				seed = seed * 1664525 + 1013904223;
				a[at + i] = b[at + i] = (unsigned char)(seed >> 24 & (round & 1 ? 0xff : 0x81));
			}
			if (n && round % 3)
				b[at + (seed >> 8) % n] ^= (unsigned char)(1u << (seed >> 16 & 7));
			CHECK(sign(libc_memcmp(a + at, b + at, n)) == sign(memcmp(a + at, b + at, n)));
			for (int c = 0; c < 256; c += 1 + (int)(seed >> 20 & 63))
				CHECK(libc_memchr(a + at, c, n) == memchr(a + at, c, n));
		}
}

int
main(void)
{
	RUN("libc", sorts);
	RUN("libc", sorts_wide_items_by_context);
	RUN("libc", finds);
	RUN("libc", bytes_in_words);
	RUN("libc", reads_numbers);
	RUN("libc", asks_the_system);
	return TEST_STATUS;
}

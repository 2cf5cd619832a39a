/* Folded text: prof reads it, writes it and reads it again, and loses no sample. Plain text comes out unchanged. */
#include <stdlib.h>
#include <string.h>

#include "out/format/format.h"
#include "out/format/folded_read.c"
#include "out/formats.h"
#include "out/profile/profile_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads bytes and writes them; NULL where they are refused. */
static char *
again(const void *bytes, size_t size, size_t *n, uint64_t *weight)
{
	struct cursor c = cur_of(bytes, size, false);
	char *text = NULL;
	struct profile p;
	struct sink s;

	profile_init(&p);
	if (!folded_read(&p, &c)) {
		profile_name(&p, NULL, NULL);
		*weight = 0;
		for (uint32_t i = 0; i < p.nthread; i++)
			*weight += p.thread[i].weight;
		sink_open(&s, -1);
		format_folded.write(&s, &p);
		if ((text = malloc(s.len + 1)))
			memcpy(text, s.buf, s.len);
		*n = s.len;
		sink_close(&s);
	} else if (c.pos > c.end) {
		abort();
	}
	profile_free(&p);
	if (mem_used())
		abort();
	return text;
}

/* The counts of all lines, added up by someone else. */
static uint64_t
sum(const char *text, size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		if (text[i] == '\n') {
			size_t lo = i;

			while (lo && text[lo - 1] != ' ')
				lo--;
			all += strtoull(text + lo, NULL, 10);
		}
	return all;
}

/* Is it text in which nothing is replaced when it is written? */
static bool
is_plain(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] != '\n' && (data[i] < ' ' || data[i] > '~' || data[i] == '#' || (i && data[i] == '[' && data[i - 1] == '_')))
			return false;
	return true;
}

/* A line's stack without empty frames into STACK, and its count. */
static uint64_t
split(const char *line, size_t n, char *stack)
{
	size_t end = n, m = 0;

	while (end && line[end - 1] == ' ')
		end--;
	for (n = end; n && line[n - 1] >= '0' && line[n - 1] <= '9'; n--)
		;
	for (size_t i = 0; n && i < n - 1; i++)
		if (line[i] != ';' || (m && stack[m - 1] != ';'))
			stack[m++] = line[i];
	while (m && stack[m - 1] == ';')
		m--;
	stack[m] = 0;
	return strtoull(line + n, NULL, 10);
}

/* What lines of this stack count in all. */
static uint64_t
count_of(const char *text, size_t n, const char *stack)
{
	char *other = malloc(n + 1);
	uint64_t all = 0;

	for (size_t lo = 0, hi; lo < n; lo = hi + 1) {
		char *line;
		uint64_t v;

		for (hi = lo; hi < n && text[hi] != '\n'; hi++)
			;
		line = strndup(text + lo, hi - lo);
		v = split(line, hi - lo, other);
		all += strcmp(other, stack) == 0 ? v : 0;
		free(line);
	}
	free(other);
	return all;
}

/* Whether each written line has the sum of the counts of all lines with its stack that were read. */
static void
check_lines(const char *text, size_t n, const char *in, size_t size)
{
	char *stack = malloc(n + 1);

	for (size_t lo = 0, hi; lo < n; lo = hi + 1) {
		uint64_t v;
		char *line;

		for (hi = lo; text[hi] != '\n'; hi++)
			;
		line = strndup(text + lo, hi - lo);
		v = split(line, hi - lo, stack);
		if (v != count_of(in, size, stack))
			abort();
		free(line);
	}
	free(stack);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = 0, m = 0;
	uint64_t weight, same;
	char *one, *two = NULL;

	mem_cap(64 << 20);
	folded_is(cur_of(data, size, false));
	if ((one = again(data, size, &n, &weight))) {
		if (sum(one, n) != weight || !(two = again(one, n, &m, &same)))
			abort();
		if (same != weight || (is_plain(data, size) && (m != n || memcmp(one, two, n) != 0)))
			abort();
		if (is_plain(data, size) && size < 500)
			check_lines(one, n, (const char *)data, size);
	}
	free(one);
	free(two);
	return 0;
}

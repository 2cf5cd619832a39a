/* repeat N <RECORDING >LONGER: a recording of perf's whose records come N times, each time later.  It takes files and what perf record
 * writes to a pipe, of this machine's byte order, not packed.  For tests of memory and of cost, where a real one takes too long. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEADER_ATTR = 64, FINISHED_ROUND = 68, PIPE_HEADER = 16 };

struct part {
	uint64_t at, size;
};

/* tools/perf/util/header.h */
struct header {
	char magic[8];
	uint64_t size, attr_size;
	struct part attrs, data, types;
	uint64_t feature[4];
};

static uint8_t *all;
static size_t n;
static uint64_t type;

static _Noreturn void
fail(const char *why)
{
	fprintf(stderr, "repeat: %s\n", why);
	exit(1);
}

static unsigned
count(uint64_t of)
{
	return (unsigned)__builtin_popcountll(type & of);
}

/* Where the record's time is, or NULL. */
static uint8_t *
time_of(uint8_t *record, const struct perf_event_header *h)
{
	size_t at = h->type == PERF_RECORD_SAMPLE
	                    ? 8 + 8 * count(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)
	                    : h->size - 8 * (1 + count(PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));

	return h->type >= HEADER_ATTR || !(type & PERF_SAMPLE_TIME) || at < 8 || at + 8 > h->size ? NULL : record + at;
}

/* The next record in [*AT, HI). */
static uint8_t *
next(size_t *at, size_t hi, struct perf_event_header *h)
{
	uint8_t *record = all + *at;

	if (*at + sizeof *h > hi)
		return NULL;
	memcpy(h, record, sizeof *h);
	if (h->size < sizeof *h || h->size > hi - *at)
		fail("a record is cut");
	*at += h->size;
	return record;
}

/* The time from the first record in [LO, HI) to the last one. */
static uint64_t
span(size_t lo, size_t hi)
{
	struct perf_event_header h;
	uint64_t least = UINT64_MAX, most = 0, t;

	for (uint8_t *r, *at; (r = next(&lo, hi, &h));)
		if ((at = time_of(r, &h))) {
			memcpy(&t, at, sizeof t);
			least = t && t < least ? t : least;
			most = t > most ? t : most;
		}
	return most > least ? most - least + 1 : 1;
}

/* Makes all records later, and writes those that may come again; returns how many bytes these are. */
static uint64_t
again(size_t lo, size_t hi, uint64_t later, bool write)
{
	struct perf_event_header h;
	uint64_t t, sum = 0;

	for (uint8_t *r, *at; (r = next(&lo, hi, &h));) {
		if ((at = time_of(r, &h))) {
			memcpy(&t, at, sizeof t);
			t += later;
			memcpy(at, &t, sizeof t);
		}
		if (h.type >= HEADER_ATTR && h.type != FINISHED_ROUND)
			continue;
		sum += h.size;
		if (write)
			fwrite(r, h.size, 1, stdout);
	}
	return sum;
}

static void
repeat_file(struct header h, unsigned long times)
{
	struct part section;
	size_t lo = h.data.at, hi = h.data.at + h.data.size, grown;
	unsigned features = 0;
	uint64_t later;

	if (h.data.at > n || h.data.size > n - h.data.at || h.attrs.at > n - 32)
		fail("the file is cut");
	memcpy(&type, all + h.attrs.at + 24, sizeof type);
	later = span(lo, hi);
	grown = again(lo, hi, 0, false) * (times - 1);
	h.data.size += grown;
	memcpy(all, &h, sizeof h);
	fwrite(all, hi, 1, stdout);
	for (unsigned long i = 1; i < times; i++)
		again(lo, hi, later, true);
	for (unsigned i = 0; i < 4; i++)
		features += (unsigned)__builtin_popcountll(h.feature[i]);
	for (unsigned i = 0; i < features && hi + (i + 1) * sizeof section <= n; i++) {
		memcpy(&section, all + hi + i * sizeof section, sizeof section);
		section.at += grown;
		memcpy(all + hi + i * sizeof section, &section, sizeof section);
	}
	fwrite(all + hi, n - hi, 1, stdout);
}

static void
repeat_pipe(unsigned long times)
{
	struct perf_event_header h;
	size_t at = PIPE_HEADER;
	uint64_t later;
	uint8_t *r;

	while (!type && (r = next(&at, n, &h)))
		if (h.type == HEADER_ATTR && h.size >= 40)
			memcpy(&type, r + 8 + 24, sizeof type);
	fwrite(all, n, 1, stdout);
	later = span(PIPE_HEADER, n);
	for (unsigned long i = 1; i < times; i++)
		again(PIPE_HEADER, n, later, true);
}

int
main(int argc, char **argv)
{
	unsigned long times = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	struct header h = { 0 };
	struct stat st;

	if (!times || fstat(0, &st) || !(all = malloc(n = (size_t)st.st_size)) || fread(all, 1, n, stdin) != n || n < PIPE_HEADER)
		fail("usage: repeat N <RECORDING >LONGER");
	memcpy(&h, all, n < sizeof h ? n : sizeof h);
	if (memcmp(h.magic, "PERFILE2", 8))
		fail("this is not a recording, or of another byte order");
	if (h.size == PIPE_HEADER)
		repeat_pipe(times);
	else
		repeat_file(h, times);
	return fflush(stdout) || ferror(stdout);
}

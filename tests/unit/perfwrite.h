/* Builds perf.data files in memory, of either byte order, as files or as pipes: a malformed case is a few lines.
 *
 *     struct perfwrite w = perfwrite_new(false, false);            // little-endian, a file
 *     perfwrite_event(&w, &(struct perfwrite_event){ .name = "cycles", .type = IP | TID | TIME, .id = 7 });
 *     at = perfwrite_record(&w, PERF_RECORD_COMM, 0); bytes_uint(&w.data, pid, 4); …; perfwrite_end(&w, at);
 *     struct bytes file = perfwrite_finish(&w); */
#ifndef TESTS_UNIT_PERFWRITE_H
#define TESTS_UNIT_PERFWRITE_H

#include <linux/perf_event.h>

#include "elfwrite.h"

enum { PERFWRITE_EVENTS = 20 };

struct perfwrite_event {
	const char *name;
	uint32_t type;
	uint64_t config, period, sample_type, regs, id;
	bool freq;
};

struct perfwrite {
	struct bytes data, features;   /* FEATURES: of a file; each with its number before it, and its size */
	struct perfwrite_event event[PERFWRITE_EVENTS];
	unsigned events;
	bool big, pipe;
};

static inline struct perfwrite
perfwrite_new(bool big, bool pipe)
{
	return (struct perfwrite){ .big = big, .pipe = pipe, .data.big = big, .features.big = big };
}

static inline size_t
perfwrite_record(struct perfwrite *w, uint32_t type, uint16_t misc)
{
	size_t at = w->data.n;

	bytes_uint(&w->data, type, 4);
	bytes_uint(&w->data, misc, 2);
	bytes_uint(&w->data, 0, 2);
	return at;
}

static inline void
perfwrite_end(struct perfwrite *w, size_t at)
{
	while (w->data.n % 8)
		bytes_uint(&w->data, 0, 1);
	bytes_set(&w->data, at + 6, w->data.n - at, 2);
}

static inline void
perfwrite_attr(struct bytes *b, const struct perfwrite_event *e)
{
	uint64_t flags = (uint64_t)e->freq << 10 | 1 << 18;
	size_t begin = b->n;

	if (b->big)
		flags = (uint64_t)e->freq << 53 | UINT64_C(1) << 45;
	bytes_uint(b, e->type, 4);
	bytes_uint(b, 112, 4);
	bytes_uint(b, e->config, 8);
	bytes_uint(b, e->period, 8);
	bytes_uint(b, e->sample_type, 8);
	bytes_uint(b, 0, 8);
	bytes_uint(b, flags, 8);
	bytes_set(b, begin + 80, e->regs, 8);
	bytes_set(b, begin + 104, 0, 8);
}

static inline void
perfwrite_text(struct bytes *b, const char *s)
{
	bytes_uint(b, strlen(s) + 1, 4);
	bytes_str(b, s);
}

/* Of a pipe it is a record; of a file it stands in the header. */
static inline void
perfwrite_event(struct perfwrite *w, const struct perfwrite_event *e)
{
	size_t at;

	w->event[w->events++] = *e;
	if (!w->pipe)
		return;
	at = perfwrite_record(w, 64, 0);
	perfwrite_attr(&w->data, e);
	bytes_uint(&w->data, e->id, 8);
	perfwrite_end(w, at);
	at = perfwrite_record(w, 78, 0);
	bytes_uint(&w->data, 2, 8);
	bytes_uint(&w->data, e->id, 8);
	bytes_str(&w->data, e->name);
	perfwrite_end(w, at);
}

/* A feature that is a text: 3 the host, 4 the kernel's release, 6 the machine. */
static inline void
perfwrite_feature(struct perfwrite *w, unsigned number, const char *text)
{
	size_t at = w->data.n;

	if (w->pipe) {
		at = perfwrite_record(w, 80, 0);
		bytes_uint(&w->data, number, 8);
		perfwrite_text(&w->data, text);
		perfwrite_end(w, at);
		return;
	}
	bytes_uint(&w->features, number, 4);
	bytes_uint(&w->features, strlen(text) + 5, 4);
	perfwrite_text(&w->features, text);
}

/* The trailer of a record that is no sample. */
static inline void
perfwrite_trailer(struct perfwrite *w, uint32_t pid, uint32_t tid, uint64_t time)
{
	uint64_t type = w->event[0].sample_type;

	while (w->data.n % 8)
		bytes_uint(&w->data, 0, 1);
	bytes_uint(&w->data, pid, 4);
	bytes_uint(&w->data, tid, 4);
	bytes_uint(&w->data, time, 8);
	if (type & PERF_SAMPLE_IDENTIFIER)
		bytes_uint(&w->data, w->event[0].id, 8);
}

static inline void
perfwrite_comm(struct perfwrite *w, uint32_t pid, uint32_t tid, const char *comm, uint64_t time)
{
	size_t at = perfwrite_record(w, PERF_RECORD_COMM, 0);

	bytes_uint(&w->data, pid, 4);
	bytes_uint(&w->data, tid, 4);
	bytes_str(&w->data, comm);
	perfwrite_trailer(w, pid, tid, time);
	perfwrite_end(w, at);
}

static inline void
perfwrite_map(struct perfwrite *w, uint32_t pid, uint64_t lo, uint64_t size, uint64_t off, const char *path, uint64_t time)
{
	size_t at = perfwrite_record(w, PERF_RECORD_MMAP2, 2);

	bytes_uint(&w->data, pid, 4);
	bytes_uint(&w->data, pid, 4);
	bytes_uint(&w->data, lo, 8);
	bytes_uint(&w->data, size, 8);
	bytes_uint(&w->data, off, 8);
	bytes_uint(&w->data, 8, 4);
	bytes_uint(&w->data, 1, 4);
	bytes_uint(&w->data, 0, 8);
	bytes_uint(&w->data, 0, 8);
	bytes_uint(&w->data, 5, 4);   /* PROT_READ | PROT_EXEC */
	bytes_uint(&w->data, 2, 4);
	bytes_str(&w->data, path);
	perfwrite_trailer(w, pid, pid, time);
	perfwrite_end(w, at);
}

/* The beginning of a sample of event E, as far as the time. */
static inline size_t
perfwrite_sample(struct perfwrite *w, unsigned e, uint16_t misc, uint64_t ip, uint32_t pid, uint32_t tid, uint64_t time)
{
	size_t at = perfwrite_record(w, PERF_RECORD_SAMPLE, misc);

	if (w->event[e].sample_type & PERF_SAMPLE_IDENTIFIER)
		bytes_uint(&w->data, w->event[e].id, 8);
	bytes_uint(&w->data, ip, 8);
	bytes_uint(&w->data, pid, 4);
	bytes_uint(&w->data, tid, 4);
	bytes_uint(&w->data, time, 8);
	return at;
}

static inline void
perfwrite_round(struct perfwrite *w)
{
	perfwrite_end(w, perfwrite_record(w, 68, 0));
}

static inline struct bytes
perfwrite_finish(struct perfwrite *w)
{
	struct bytes b = { .big = w->big };
	size_t header = w->pipe ? 16 : 104, attrs = header + 8 * w->events, data = attrs + 128 * w->events, sections;
	uint64_t bits = 0;

	bytes_put(&b, w->big ? "2ELIFREP" : "PERFILE2", 8);
	bytes_uint(&b, header, 8);
	if (!w->pipe) {
		bytes_uint(&b, 128, 8);
		bytes_uint(&b, attrs, 8);
		bytes_uint(&b, 128 * w->events, 8);
		bytes_uint(&b, data, 8);
		bytes_uint(&b, w->data.n, 8);
		bytes_set(&b, header - 1, 0, 1);
		for (unsigned i = 0; i < w->events; i++)
			bytes_uint(&b, w->event[i].id, 8);
		for (unsigned i = 0; i < w->events; i++) {
			perfwrite_attr(&b, &w->event[i]);
			bytes_uint(&b, header + 8 * i, 8);
			bytes_uint(&b, 8, 8);
		}
	}
	bytes_put(&b, w->data.p, w->data.n);
	if (!w->pipe) {
		struct bytes desc = { .big = w->big };
		unsigned n = 1;

		bytes_uint(&desc, w->events, 4);
		bytes_uint(&desc, 112, 4);
		for (unsigned i = 0; i < w->events; i++) {
			perfwrite_attr(&desc, &w->event[i]);
			bytes_uint(&desc, 1, 4);
			perfwrite_text(&desc, w->event[i].name);
			bytes_uint(&desc, w->event[i].id, 8);
		}
		for (size_t at = 0; at < w->features.n; n++) {
			struct bytes f = { .p = w->features.p + at, .n = 8 };
			uint32_t number = (uint32_t)f.p[w->big ? 3 : 0], size = (uint32_t)f.p[w->big ? 7 : 4];

			bits |= UINT64_C(1) << number;
			at += 8 + size;
		}
		bits |= 1 << 12;
		bytes_set(&b, 72, bits, 8);
		sections = b.n;
		bytes_room(&b, b.n + 16 * n);
		for (size_t at = 0, i = 0; at < w->features.n; i++) {
			uint32_t size = (uint32_t)w->features.p[at + (w->big ? 7 : 4)];

			bytes_set(&b, sections + 16 * i, b.n, 8);
			bytes_set(&b, sections + 16 * i + 8, size, 8);
			bytes_put(&b, w->features.p + at + 8, size);
			at += 8 + size;
		}
		bytes_set(&b, sections + 16 * (n - 1), b.n, 8);
		bytes_set(&b, sections + 16 * (n - 1) + 8, desc.n, 8);
		bytes_put(&b, desc.p, desc.n);
		bytes_free(&desc);
	}
	bytes_free(&w->data);
	bytes_free(&w->features);
	return b;
}

#endif

/* See recorded.h.  <linux/perf_event.h>: PERF_RECORD_SAMPLE has the order of a sample's parts, PERF_SAMPLE_IDENTIFIER puts an
 * id where prof finds it without them. */
#include "recorded.h"

#include <linux/perf_event.h>
#include <string.h>

enum { HEAD = 8, BRANCH = 24, READ_MOST = 1 << 12 };

/* Words of a sample before its id, or of a trailer before and behind its time: one for each of these that is set. */
static unsigned
count(uint64_t type, uint64_t of)
{
	return (unsigned)__builtin_popcountll(type & of);
}

#define TRAILER (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define BEFORE_ID (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)

static uint64_t
word_at(struct cursor c, uint64_t at)
{
	struct cursor w = cur_slice(&c, at, 8);

	return cur_u64(&w);
}

static uint32_t
type_of(struct cursor c)
{
	return cur_u32(&c);
}

uint32_t
recorded_event(const struct header *h, struct cursor c)
{
	uint64_t type = h->events ? h->event[0].sample_type : 0, size = cur_left(&c);

	if (h->events < 2 || size < HEAD + 8)
		return 0;
	if (type_of(c) == PERF_RECORD_SAMPLE) {
		if (type & PERF_SAMPLE_IDENTIFIER)
			return header_event(h, word_at(c, HEAD));
		return type & PERF_SAMPLE_ID ? header_event(h, word_at(c, HEAD + 8 * count(type, BEFORE_ID))) : 0;
	}
	if (!h->event[0].id_all)
		return 0;
	if (type & PERF_SAMPLE_IDENTIFIER)
		return header_event(h, word_at(c, size - 8));
	return type & PERF_SAMPLE_ID ? header_event(h, word_at(c, size - 8 * count(type, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU))) : 0;
}

uint64_t
recorded_size(const struct header *h, struct cursor c)
{
	uint64_t size = cur_left(&c);

	if (!h->events || !h->event[0].id_all)
		return size;
	return record_size(type_of(c), size, 8 * count(h->event[0].sample_type, TRAILER), record_word, c.pos);
}

bool
recorded_time(const struct header *h, struct cursor c, uint64_t *time)
{
	const struct recorded_event *e = h->events ? &h->event[recorded_event(h, c)] : NULL;
	uint64_t at, size = cur_left(&c);

	if (!e || !(e->sample_type & PERF_SAMPLE_TIME))
		return false;
	if (type_of(c) == PERF_RECORD_SAMPLE)
		at = HEAD + 8 * count(e->sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	else if (e->id_all)
		at = size - 8 * count(e->sample_type, TRAILER & ~(uint64_t)PERF_SAMPLE_TID);
	else
		return false;
	if (at < HEAD || at + 8 > size)
		return false;
	*time = word_at(c, at);
	return true;
}

/* Copies N words to WORDS; returns where they begin there.  In the record they may lie on no multiple of 8, and in the other
 * byte order. */
static uint32_t
take_words(struct recorded_words *w, struct cursor *c, uint64_t n)
{
	uint32_t at = w->n;

	if (n > cur_left(c) / 8 || !vec_room(&w->word, &w->cap, w->n + n, sizeof *w->word)) {
		c->bad = "a record is shorter than it says";
		return at;
	}
	for (; n; n--)
		w->word[w->n++] = cur_u64(c);
	return at;
}

/* The values of its counters. */
static void
skip_read(struct cursor *c, uint64_t format)
{
	uint64_t times = count(format, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t each = 1 + count(format, PERF_FORMAT_ID | 1u << 4), n = 1;   /* 1 << 4: PERF_FORMAT_LOST */

	if (format & PERF_FORMAT_GROUP)
		n = cur_u64(c);
	if (n > READ_MOST)
		c->bad = "a record is shorter than it says";
	else
		cur_take(c, 8 * (times + n * each));
}

static void
skip_branches(struct cursor *c, uint64_t type)
{
	uint64_t n = cur_u64(c);

	cur_take(c, type & 1u << 17 ? 8 : 0);   /* PERF_SAMPLE_BRANCH_HW_INDEX */
	if (n > cur_left(c) / BRANCH)
		c->bad = "a record is shorter than it says";
	else
		cur_take(c, n * BRANCH);
	if (type & 1u << 19)                    /* PERF_SAMPLE_BRANCH_COUNTERS */
		cur_take(c, n * 8);
}

static void
parse_stack(struct record *r, struct cursor *c)
{
	uint64_t size = cur_u64(c), used;
	const uint8_t *bytes;

	if (!size)
		return;
	bytes = cur_take(c, size);
	used = cur_u64(c);
	if (c->bad)
		return;
	r->sample.stack = bytes;
	r->sample.stack_size = used < size ? used : size;
}

static void
parse_sample(const struct recorded_event *e, struct record *r, struct cursor *c, struct recorded_words *w)
{
	uint64_t type = e->sample_type, nregs;
	uint32_t chain = 0, regs = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		r->id = cur_u64(c);
	if (type & PERF_SAMPLE_IP)
		r->sample.ip = cur_u64(c);
	if (type & PERF_SAMPLE_TID) {
		r->pid = (int32_t)cur_u32(c);
		r->tid = (int32_t)cur_u32(c);
	}
	if (type & PERF_SAMPLE_TIME)
		r->time = cur_u64(c);
	cur_take(c, 8 * count(type, PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU) {
		r->cpu = cur_u32(c);
		cur_u32(c);
	}
	r->sample.period = type & PERF_SAMPLE_PERIOD ? cur_u64(c) : e->freq ? 1 : e->period;
	if (type & PERF_SAMPLE_READ)
		skip_read(c, e->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		r->sample.nchain = cur_u64(c);
		chain = take_words(w, c, r->sample.nchain);
	}
	if (type & PERF_SAMPLE_RAW)
		r->sample.raw = cur_sub(c, cur_u32(c));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(c, e->branch_type);
	if (type & PERF_SAMPLE_REGS_USER && (r->sample.abi = cur_u64(c))) {
		nregs = count(e->regs_user, UINT64_MAX);
		regs = take_words(w, c, nregs);
	}
	if (type & PERF_SAMPLE_STACK_USER)
		parse_stack(r, c);
	if (c->bad)
		return;
	r->sample.chain = r->sample.nchain ? w->word + chain : NULL;
	r->sample.regs = r->sample.abi && e->regs_user ? w->word + regs : NULL;
}

static void
parse_trailer(const struct recorded_event *e, struct record *r, struct cursor c)
{
	uint64_t type = e->sample_type;

	if (type & PERF_SAMPLE_TID) {
		r->pid = (int32_t)cur_u32(&c);
		r->tid = (int32_t)cur_u32(&c);
	}
	if (type & PERF_SAMPLE_TIME)
		r->time = cur_u64(&c);
	cur_take(&c, 8 * count(type, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU)
		r->cpu = cur_u32(&c);
}

const char *
recorded_parse(const struct header *h, struct cursor c, struct record *r, uint32_t *event, struct recorded_words *w)
{
	const struct recorded_event none = { 0 }, *e;
	struct cursor body;
	uint64_t trailer;

	*event = recorded_event(h, c);
	e = h->events ? &h->event[*event] : &none;
	memset(r, 0, sizeof *r);
	w->n = 0;
	r->type = cur_u32(&c);
	r->misc = cur_u16(&c);
	cur_u16(&c);
	if (r->type == PERF_RECORD_SAMPLE) {
		parse_sample(e, r, &c, w);
		return c.bad;
	}
	trailer = e->id_all ? 8 * count(e->sample_type, TRAILER) : 0;
	if (cur_left(&c) < trailer)
		return "a record is shorter than it says";
	body = cur_sub(&c, cur_left(&c) - trailer);
	parse_trailer(e, r, c);
	record_body(r, &body);
	return body.bad;
}

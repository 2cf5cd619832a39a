/* See xz.h.  LZMA as Igor Pavlov's specification has it; LZMA2 puts it into chunks that tell their sizes.  The output is one
 * piece, so matches reach back into it, and prof keeps no dictionary. */
#include "xz.h"
#include "crc.h"
#include "lib/mem.h"
#include "lib/work.h"

#include <string.h>

enum {
	STATES = 12, LITERAL_STATES = 7, POSITIONS = 16, LITERAL_CODER = 0x300,
	LENGTH_STATES = 4,         /* of a match's length: choose how its distance is coded */
	FIRST_MODEL = 4, LAST_MODEL = 14, ALIGN_BITS = 4, MATCH_MIN = 2,
	LCLP_MAX = 4, FILTER_LZMA2 = 0x21,
	EVEN = 1 << 10,            /* a probability of one half */
	CHUNKS_MAX = 1 << 14,      /* of one file: each makes a new model, and may be only a few bytes */
};

struct lengths {
	uint16_t choice[2], low[POSITIONS][8], middle[POSITIONS][8], high[256];
};

struct model {
	uint16_t match[STATES][POSITIONS], repeat[STATES], repeat0[STATES], repeat1[STATES], repeat2[STATES];
	uint16_t repeat0_long[STATES][POSITIONS], slot[LENGTH_STATES][64], special[128], align[1 << ALIGN_BITS];
	struct lengths match_length, repeat_length;
	uint16_t literal[LITERAL_CODER << LCLP_MAX];
};

struct lzma {
	const char *bad;
	struct sink *out;
	unsigned chunks;           /* so far */
	size_t begin, max;         /* of OUT: the dictionary's first byte, how much there may be */
	struct cursor in;          /* of the chunk */
	uint32_t range, code;
	unsigned state, lc, lp, pb;
	uint32_t repeat[4];        /* distances, less one */
	bool primed;               /* there are properties */
	struct model model;
};

static const char broken[] = "is broken";

static bool
fail(struct lzma *z, const char *why)
{
	if (!z->bad)
		z->bad = why;
	return false;
}

/* ---- the range decoder ---- */

/* As cur_u8, for the usual byte. */
static inline uint8_t
byte(struct lzma *z)
{
	if (z->in.pos == z->in.end || !work_left)
		return cur_u8(&z->in);
	work_left--;
	return *z->in.pos++;
}

static void
normalize(struct lzma *z)
{
	if (z->range < 1u << 24) {
		z->range <<= 8;
		z->code = z->code << 8 | byte(z);
	}
}

static unsigned
bit(struct lzma *z, uint16_t *p)
{
	uint32_t bound;

	normalize(z);
	bound = (z->range >> 11) * *p;
	if (z->code < bound) {
		z->range = bound;
		*p = (uint16_t)(*p + ((2 * EVEN - *p) >> 5));
		return 0;
	}
	z->range -= bound;
	z->code -= bound;
	*p = (uint16_t)(*p - (*p >> 5));
	return 1;
}

/* Takes bits into M until it is LIMIT.  The bits of literals look random, so this does not branch on them. */
static unsigned
bits_until(struct lzma *z, uint16_t *p, unsigned m, unsigned limit)
{
	uint32_t range = z->range, code = z->code;

	while (m < limit) {
		uint32_t even = p[m], bound;
		bool one;

		if (range < 1u << 24) {
			range <<= 8;
			code = code << 8 | byte(z);
		}
		bound = (range >> 11) * even;
		one = code >= bound;
		range = one ? range - bound : bound;
		code -= one ? bound : 0;
		p[m] = (uint16_t)(even + (uint32_t)((int32_t)((one ? 31u : 2 * EVEN) - even) >> 5));
		m = m << 1 | one;
	}
	z->range = range;
	z->code = code;
	return m;
}

static unsigned
tree(struct lzma *z, uint16_t *p, unsigned bits)
{
	return bits_until(z, p, 1, 1u << bits) - (1u << bits);
}

/* The lowest bit first. */
static unsigned
reverse_tree(struct lzma *z, uint16_t *p, unsigned bits)
{
	unsigned m = 1, v = 0;

	for (unsigned i = 0; i < bits; i++) {
		unsigned b = bit(z, p + m);

		m = m << 1 | b;
		v |= b << i;
	}
	return v;
}

static uint32_t
direct(struct lzma *z, unsigned bits)
{
	uint32_t v = 0;

	while (bits--) {
		normalize(z);
		z->range >>= 1;
		v <<= 1;
		if (z->code >= z->range) {
			z->code -= z->range;
			v |= 1;
		}
	}
	return v;
}

/* ---- symbols ---- */

static uint8_t *
at(struct lzma *z, uint32_t back)
{
	return (uint8_t *)z->out->buf + z->out->len - 1 - back;
}

static void
literal(struct lzma *z)
{
	size_t place = z->out->len - z->begin;
	unsigned before = place ? *at(z, 0) : 0, m = 1;
	uint16_t *p = z->model.literal +
	              LITERAL_CODER * (((place & ((1u << z->lp) - 1)) << z->lc) + (before >> (8 - z->lc)));

	if (z->state >= LITERAL_STATES) {
		unsigned like = *at(z, z->repeat[0]);   /* what a match would have had */

		while (m < 0x100) {
			unsigned expected = like >> 7 & 1, b = bit(z, p + ((1 + expected) << 8) + m);

			like <<= 1;
			m = m << 1 | b;
			if (b != expected)
				break;
		}
	}
	z->out->buf[z->out->len++] = (char)bits_until(z, p, m, 0x100);
	z->state = z->state < 4 ? 0 : z->state < 10 ? z->state - 3 : z->state - 6;
}

static unsigned
length(struct lzma *z, struct lengths *l, unsigned position)
{
	if (!bit(z, &l->choice[0]))
		return tree(z, l->low[position], 3);
	if (!bit(z, &l->choice[1]))
		return 8 + tree(z, l->middle[position], 3);
	return 16 + tree(z, l->high, 8);
}

static uint32_t
distance(struct lzma *z, unsigned len)
{
	unsigned slot = tree(z, z->model.slot[len < LENGTH_STATES ? len : LENGTH_STATES - 1], 6), bits = slot / 2 - 1;
	uint32_t base;

	if (slot < FIRST_MODEL)
		return slot;
	base = (2 | (slot & 1)) << bits;
	if (slot < LAST_MODEL)
		return base + reverse_tree(z, z->model.special + base - slot, bits);
	base += direct(z, bits - ALIGN_BITS) << ALIGN_BITS;
	return base + reverse_tree(z, z->model.align, ALIGN_BITS);
}

/* Brings distance I of those used last to the front. */
static void
recall(struct lzma *z, unsigned i)
{
	uint32_t it = z->repeat[i];

	for (; i; i--)
		z->repeat[i] = z->repeat[i - 1];
	z->repeat[0] = it;
}

static unsigned
after(unsigned state, unsigned seen_literal, unsigned seen_match)
{
	return state < LITERAL_STATES ? seen_literal : seen_match;
}

/* A match's length; a distance that was used before, or a new one, is then the first of REPEAT. */
static unsigned
match(struct lzma *z, unsigned position)
{
	struct model *m = &z->model;
	unsigned len;

	if (!bit(z, &m->repeat[z->state])) {
		len = length(z, &m->match_length, position);
		recall(z, 3);
		z->repeat[0] = distance(z, len);
		z->state = after(z->state, 7, 10);
		return len + MATCH_MIN;
	}
	if (!bit(z, &m->repeat0[z->state])) {
		if (!bit(z, &m->repeat0_long[z->state][position])) {
			z->state = after(z->state, 9, 11);
			return 1;
		}
	} else if (!bit(z, &m->repeat1[z->state]))
		recall(z, 1);
	else
		recall(z, 2 + bit(z, &m->repeat2[z->state]));
	len = length(z, &m->repeat_length, position);
	z->state = after(z->state, 8, 11);
	return len + MATCH_MIN;
}

/* Decodes the chunk, up to END of the output. */
static void
symbols(struct lzma *z, size_t end)
{
	while (z->out->len < end && !z->in.bad) {
		unsigned position = (unsigned)(z->out->len - z->begin) & ((1u << z->pb) - 1), len;
		const uint8_t *from;
		uint8_t *to;

		if (!bit(z, &z->model.match[z->state][position])) {
			literal(z);
			continue;
		}
		len = match(z, position);
		if (z->repeat[0] >= z->out->len - z->begin || len > end - z->out->len) {
			fail(z, broken);
			return;
		}
		from = at(z, z->repeat[0]);
		to = (uint8_t *)z->out->buf + z->out->len;
		for (z->out->len += len; len; len--)
			*to++ = *from++;
	}
	normalize(z);
	if (z->in.bad || z->code || cur_left(&z->in))
		fail(z, broken);
}

/* ---- chunks ---- */

static bool
make_room(struct lzma *z, size_t n)
{
	if (n > z->max - z->out->len)
		return fail(z, "is larger than is allowed");
	return vec_room(&z->out->buf, &z->out->cap, z->out->len + n, 1) || fail(z, "needs more memory than is allowed");
}

static void
reset(struct lzma *z)
{
	uint16_t *p = (uint16_t *)&z->model;

	for (size_t i = 0; i < sizeof z->model / sizeof *p; i++)
		p[i] = EVEN;
	z->state = 0;
	memset(z->repeat, 0, sizeof z->repeat);
}

static bool
set_properties(struct lzma *z, unsigned v)
{
	z->lc = v % 9;
	z->lp = v / 9 % 5;
	z->pb = v / 45;
	z->primed = z->pb <= 4 && z->lc + z->lp <= LCLP_MAX;
	return z->primed || fail(z, broken);
}

static uint32_t
be16(struct cursor *c)
{
	uint32_t high = cur_u8(c);

	return high << 8 | cur_u8(c);
}

static void
coded_chunk(struct lzma *z, struct cursor *in, unsigned control)
{
	size_t n = ((control & 31u) << 16) + be16(in) + 1u;
	uint32_t packed = be16(in) + 1, resets = control >> 5 & 3;

	if (resets >= 2 && !set_properties(z, cur_u8(in)))
		return;
	if (!z->primed || !make_room(z, n)) {
		fail(z, broken);
		return;
	}
	if (resets)
		reset(z);
	z->in = cur_sub(in, packed);
	if (cur_u8(&z->in))
		fail(z, broken);
	z->range = UINT32_MAX;
	z->code = be16(&z->in) << 16;
	z->code |= be16(&z->in);
	if (z->bad || z->in.bad)
		fail(z, broken);
	else
		symbols(z, z->out->len + n);
}

static void
plain_chunk(struct lzma *z, struct cursor *in)
{
	size_t n = be16(in) + 1;
	const uint8_t *p = cur_take(in, n);

	if (!p || !make_room(z, n))
		return;
	memcpy(z->out->buf + z->out->len, p, n);
	z->out->len += n;
}

static bool
chunks(struct lzma *z, struct cursor *in)
{
	bool started = false;
	unsigned control;

	z->primed = false;
	while (!z->bad && !in->bad && (control = cur_u8(in)) != 0) {
		if (control >= 0xe0 || control == 1) {
			z->begin = z->out->len;
			started = true;
		}
		if (!started || (control > 2 && control < 0x80) || z->chunks++ == CHUNKS_MAX)
			return fail(z, broken);
		if (control >= 0x80)
			coded_chunk(z, in, control);
		else
			plain_chunk(z, in);
	}
	return !z->bad && (!in->bad || fail(z, "ends early"));
}

/* ---- the file ---- */

/* Numbers are LEB128 of at most nine bytes. */
static bool
block_header(struct lzma *z, struct cursor *in)
{
	struct cursor start = *in, c;
	uint32_t size = (cur_u8(in) + 1u) * 4, flags;

	c = cur_slice(&start, size - 4, 4);
	*in = start;
	if (!cur_take(in, size) || crc32_add(0, start.pos, size - 4) != cur_u32(&c))
		return fail(z, broken);
	c = cur_slice(&start, 1, size - 5);
	flags = cur_u8(&c);
	if (flags & 0x3f)
		return fail(z, "uses an unknown filter");
	for (unsigned sizes = (flags >> 6 & 1) + (flags >> 7); sizes--;)
		cur_uleb(&c);
	if (cur_uleb(&c) != FILTER_LZMA2 || cur_uleb(&c) != 1)
		return fail(z, "uses an unknown filter");
	return true;
}

static bool
check(struct lzma *z, struct cursor *in, unsigned type, size_t from)
{
	static const uint8_t sizes[16] = { 0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64 };
	struct cursor c = cur_sub(in, sizes[type]);
	const char *p = z->out->buf + from;
	size_t n = z->out->len - from;

	if (in->bad)
		return fail(z, "ends early");
	if ((type == 1 && cur_u32(&c) != crc32_add(0, p, n)) || (type == 4 && cur_u64(&c) != crc64_add(0, p, n)))
		return fail(z, "has a wrong checksum");
	return true;
}

static bool
stream_header(struct lzma *z, struct cursor *in, unsigned *type)
{
	const uint8_t *p = cur_take(in, 8);
	uint32_t sum = cur_u32(in);

	if (in->bad || memcmp(p, "\xfd" "7zXZ", 6) || p[6] || p[7] > 15)
		return fail(z, "is not in xz's format");
	*type = p[7];
	return sum == crc32_add(0, p + 6, 2) || fail(z, broken);
}

/* Blocks up to the index, which has nothing that is needed. */
static void
stream(struct lzma *z, struct cursor *in)
{
	unsigned type;

	if (!stream_header(z, in, &type))
		return;
	while (cur_left(in) && *in->pos) {
		size_t from = z->out->len;
		const uint8_t *begin;

		if (!block_header(z, in))
			return;
		begin = in->pos;
		if (!chunks(z, in))
			return;
		cur_take(in, -(uint64_t)(in->pos - begin) & 3);
		if (!check(z, in, type, from))
			return;
	}
	if (!cur_left(in))
		fail(z, "ends early");
}

const char *
xz(struct cursor in, struct sink *out, size_t max)
{
	struct lzma *z = NULL;
	uint32_t cap = 0;
	const char *bad;

	if (out->err || !vec_room(&z, &cap, sizeof *z, 1))
		return "needs more memory than is allowed";
	in.big = false;
	in.bad = NULL;
	z->out = out;
	z->max = max < SIZE_MAX - out->len ? out->len + max : SIZE_MAX;
	stream(z, &in);
	bad = z->bad;
	vec_free(&z, &cap, 1);
	return bad;
}

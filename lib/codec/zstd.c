/* See zstd.h.  Matches reach back into the output.  If the output is one piece, prof keeps no window; of a stream it keeps the last
 * part. */
#include "zstd.h"
#include "lib/mem.h"

#include <string.h>

enum {
	BLOCK_MAX = 1 << 17, BLOCK_LEAST = 256, BLOCKS_LEAST = 1024,
	HUFFMAN_BITS = 11, WEIGHT_BITS = 6, WEIGHTS_MAX = 255,
	STATE_BITS = 9,            /* of literals' and matches' lengths; offsets have one less */
	SYMBOLS_MAX = 53,
};
#define MAGIC 0xfd2fb528u
#define SKIPPABLE 0x184d2a50u   /* and the fifteen behind it */

/* A finite state machine: each state gives a symbol, and so many bits choose the next state. */
struct state {
	uint8_t symbol, bits;
	uint16_t base;
};

struct fse {
	struct state state[1 << STATE_BITS];
	unsigned log;              /* of the number of states */
	bool known;
};

/* What sequences are made of: literals' length, offset, match's length. */
enum part { LITERALS, OFFSET, MATCH, PARTS };

struct zstd {
	const char *bad;
	size_t blocks;             /* that may still come: each has tables to make, and may say nothing */
	uint8_t *out, *begin, *end;   /* where output goes on, where its frame begins, where there is no more room */
	struct fse fse[PARTS], weights;
	struct { uint8_t symbol, bits; } huffman[1 << HUFFMAN_BITS];
	unsigned huffman_bits;        /* 0: not known */
	uint32_t repeated[3];
	const uint8_t *literal;       /* those of this block, in BUF or in the input */
	size_t literals;
	uint8_t buf[BLOCK_MAX];
};

static bool
fail(struct zstd *z, const char *why)
{
	if (!z->bad)
		z->bad = why;
	return false;
}

static const char *const broken = "is broken";

static unsigned
high_bit(uint32_t v)
{
	return 31 - (unsigned)__builtin_clz(v);
}

/* ---- bits, from the last to the first ---- */

struct backward {
	const uint8_t *p;
	size_t n;
	int64_t left;              /* bits; below 0 it reads zeros, and the input is wrong */
};

/* The highest set bit says where the bits end. */
static bool
backward_open(struct backward *b, struct cursor c)
{
	b->p = c.pos;
	b->n = cur_left(&c);
	if (!b->n || !c.pos[b->n - 1])
		return false;
	b->left = (int64_t)(b->n - 1) * 8 + (int64_t)high_bit(c.pos[b->n - 1]);
	return true;
}

static inline uint64_t
load(const struct backward *b, size_t at)
{
	uint64_t w = 0;

	if (at + 8 <= b->n) {
		memcpy(&w, b->p + at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		w = __builtin_bswap64(w);
#endif
		return w;
	}
	for (unsigned i = 0; at + i < b->n; i++)
		w |= (uint64_t)b->p[at + i] << 8 * i;
	return w;
}

/* N (at most 32) bits below LEFT, which stays. */
static inline uint32_t
peek(const struct backward *b, unsigned n)
{
	int64_t at = b->left - n;
	uint64_t w;

	if (at >= 0)
		w = load(b, (size_t)at >> 3) >> (at & 7);
	else
		w = at > -64 && b->left > 0 ? load(b, 0) << -at : 0;
	return (uint32_t)(w & (((uint64_t)1 << n) - 1));
}

static inline uint32_t
take(struct backward *b, unsigned n)
{
	uint32_t v = peek(b, n);

	b->left -= n;
	return v;
}

/* ---- finite state machines: RFC 8878 section 4.1 ---- */

struct forward {
	struct cursor in;
	uint32_t bits;
	unsigned n;
};

static uint32_t
forward_peek(struct forward *f, unsigned n)
{
	for (; f->n < n; f->n += 8)
		f->bits |= (uint32_t)cur_u8(&f->in) << f->n;
	return f->bits & ((1u << n) - 1);
}

static void
forward_drop(struct forward *f, unsigned n)
{
	f->bits >>= n;
	f->n -= n;
}

/* Reads one probability: -1 is "less than one". */
static int
read_probability(struct forward *f, unsigned remaining)
{
	unsigned bits = high_bit(remaining + 1) + 1, low = (1u << (bits - 1)) - 1, threshold = (1u << bits) - 2 - remaining;
	uint32_t v = forward_peek(f, bits);

	if ((v & low) < threshold) {
		forward_drop(f, bits - 1);
		return (int)(v & low) - 1;
	}
	forward_drop(f, bits);
	return (int)(v > low ? v - threshold : v) - 1;
}

static bool
make_states(struct zstd *z, struct fse *f, const int16_t *probability, unsigned n, unsigned log)
{
	unsigned size = 1u << log, high = size, step = (size >> 1) + (size >> 3) + 3, at = 0;
	uint16_t next[256];

	f->log = log;
	for (unsigned i = 0; i < n; i++) {
		next[i] = (uint16_t)(probability[i] < 0 ? 1 : probability[i]);
		if (probability[i] < 0)
			f->state[--high].symbol = (uint8_t)i;
	}
	for (unsigned i = 0; i < n; i++)
		for (int k = 0; k < probability[i]; k++) {
			f->state[at].symbol = (uint8_t)i;
			do
				at = (at + step) & (size - 1);
			while (at >= high);
		}
	for (unsigned i = 0; i < size; i++) {
		struct state *s = &f->state[i];
		unsigned v = next[s->symbol]++;

		s->bits = (uint8_t)(log - high_bit(v));
		s->base = (uint16_t)((v << s->bits) - size);
	}
	return (f->known = at == 0) || fail(z, broken);
}

/* A machine as the stream describes it; IN then stands behind that. */
static bool
read_states(struct zstd *z, struct fse *f, struct cursor *in, unsigned symbols, unsigned log_max)
{
	struct forward bits = { *in, 0, 0 };
	int16_t probability[256] = { 0 };
	unsigned log, remaining, n = 0;

	log = forward_peek(&bits, 4) + 5;
	forward_drop(&bits, 4);
	if (log > log_max)
		return fail(z, broken);
	for (remaining = 1u << log; remaining && n < symbols && !bits.in.bad; n++) {
		int p = read_probability(&bits, remaining);
		unsigned zeros = p ? 0 : 3;

		remaining -= (unsigned)(p < 0 ? -p : p);
		probability[n] = (int16_t)p;
		while (zeros == 3) {
			zeros = forward_peek(&bits, 2);
			forward_drop(&bits, 2);
			n += zeros;
			if (bits.in.bad)
				break;
		}
	}
	if (remaining || n > symbols || bits.in.bad)
		return fail(z, broken);
	*in = bits.in;
	in->pos -= bits.n / 8;
	return make_states(z, f, probability, n, log);
}

static inline void
next_state(const struct fse *f, unsigned *state, struct backward *b)
{
	const struct state *s = &f->state[*state];

	*state = s->base + take(b, s->bits);
}

/* ---- literals: section 4.2 ---- */

/* Weights as a stream of two machines in turn; how many, or 0. */
static unsigned
read_weights(struct zstd *z, struct cursor in, uint8_t *weight)
{
	struct backward b;
	unsigned state[2], n = 0, turn = 0;

	if (!read_states(z, &z->weights, &in, 13, WEIGHT_BITS) || !backward_open(&b, in))
		return 0;
	state[0] = take(&b, z->weights.log);
	state[1] = take(&b, z->weights.log);
	for (; n < WEIGHTS_MAX - 1; turn ^= 1) {
		weight[n++] = z->weights.state[state[turn]].symbol;
		next_state(&z->weights, &state[turn], &b);
		if (b.left < 0) {
			weight[n++] = z->weights.state[state[turn ^ 1]].symbol;
			return n;
		}
	}
	return 0;
}

static unsigned
read_plain_weights(struct cursor in, unsigned n, uint8_t *weight)
{
	for (unsigned i = 0; i < n; i += 2) {
		uint8_t v = cur_u8(&in);

		weight[i] = v >> 4;
		weight[i + 1] = v & 15;
	}
	return in.bad ? 0 : n;
}

/* Makes the code from N weights; the last one follows from the others. */
static bool
make_huffman(struct zstd *z, uint8_t *weight, unsigned n)
{
	uint32_t sum = 0, rest, at = 0;
	unsigned bits;

	for (unsigned i = 0; i < n; i++) {
		if (weight[i] > HUFFMAN_BITS)
			return fail(z, broken);
		sum += weight[i] ? 1u << (weight[i] - 1) : 0;
	}
	if (!sum || (bits = high_bit(sum) + 1) > HUFFMAN_BITS)
		return fail(z, broken);
	rest = (1u << bits) - sum;
	if (rest & (rest - 1))
		return fail(z, broken);
	weight[n++] = (uint8_t)(high_bit(rest) + 1);
	for (unsigned w = 1; w <= bits; w++)
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; weight[i] == w && k < 1u << (w - 1); k++, at++) {
				z->huffman[at].symbol = (uint8_t)i;
				z->huffman[at].bits = (uint8_t)(bits + 1 - w);
			}
	z->huffman_bits = bits;
	return true;
}

static bool
read_huffman(struct zstd *z, struct cursor *in)
{
	uint8_t weight[WEIGHTS_MAX + 2] = { 0 };
	unsigned size = cur_u8(in), n;

	n = size >= 128 ? read_plain_weights(cur_sub(in, (size - 127 + 1) / 2), size - 127, weight)
	                : read_weights(z, cur_sub(in, size), weight);
	return (n && make_huffman(z, weight, n)) || fail(z, broken);
}

/* Decodes N bytes of one stream to TO. */
static bool
read_stream(struct zstd *z, struct cursor in, uint8_t *to, size_t n)
{
	uint8_t *end = to + n;
	struct backward b;
	unsigned bits = z->huffman_bits, down = 64 - bits;

	if (!backward_open(&b, in))
		return fail(z, broken);
	while (end - to >= 5 && b.left >= 64) {   /* 57 bits at once: five symbols */
		size_t at = (size_t)(b.left + 7) / 8 - 8;
		uint64_t w = load(&b, at) << ((int64_t)(at + 8) * 8 - b.left);

		for (unsigned k = 0; k < 5; k++) {
			unsigned i = (unsigned)(w >> down);

			*to++ = z->huffman[i].symbol;
			w <<= z->huffman[i].bits;
			b.left -= z->huffman[i].bits;
		}
	}
	while (to < end) {
		unsigned i = peek(&b, bits);

		*to++ = z->huffman[i].symbol;
		b.left -= z->huffman[i].bits;
	}
	return b.left == 0 || fail(z, broken);
}

/* Four streams, three of which tell their size. */
static bool
read_four(struct zstd *z, struct cursor in)
{
	uint64_t size[4];
	size_t part = (z->literals + 3) / 4, at = 0;

	for (unsigned i = 0; i < 3; i++)
		size[i] = cur_u16(&in);
	size[3] = cur_left(&in) - size[0] - size[1] - size[2];
	if (in.bad || size[0] + size[1] + size[2] > cur_left(&in) || part * 3 > z->literals)
		return fail(z, broken);
	for (unsigned i = 0; i < 4; i++, at += part)
		if (!read_stream(z, cur_sub(&in, size[i]), z->buf + at, i < 3 ? part : z->literals - at))
			return false;
	return true;
}

static bool
read_coded_literals(struct zstd *z, struct cursor *in, unsigned form, bool described)
{
	static const uint8_t width[] = { 10, 10, 14, 18 };
	uint64_t head = cur_uint(in, form == 3 ? 5 : form == 2 ? 4 : 3) >> 4, mask = (1u << width[form]) - 1;
	struct cursor c = cur_sub(in, head >> width[form] & mask);

	z->literals = (size_t)(head & mask);
	if (in->bad || z->literals > BLOCK_MAX || !z->literals)
		return fail(z, broken);
	z->literal = z->buf;
	if (described ? !read_huffman(z, &c) : !z->huffman_bits)
		return fail(z, broken);
	return form ? read_four(z, c) : read_stream(z, c, z->buf, z->literals);
}

static bool
read_literals(struct zstd *z, struct cursor *in)
{
	unsigned type = cur_left(in) ? in->pos[0] & 3 : 0, form = cur_left(in) ? in->pos[0] >> 2 & 3 : 0;

	if (type >= 2)
		return read_coded_literals(z, in, form, type == 2);
	z->literals = form & 1 ? (size_t)cur_uint(in, form == 3 ? 3 : 2) >> 4 : cur_u8(in) >> 3;
	if (z->literals > BLOCK_MAX)
		return fail(z, broken);
	if (type == 0) {
		z->literal = cur_take(in, z->literals);
		return !in->bad || fail(z, broken);
	}
	z->literal = z->buf;
	memset(z->buf, cur_u8(in), z->literals);
	return !in->bad || fail(z, broken);
}

/* ---- sequences: section 3.1.1.3.2 ---- */

static const uint8_t literal_bits[36] = { [16] = 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
static const uint8_t match_bits[53] = { [32] = 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static const struct {
	uint8_t symbols, log_max, log, n;
	int8_t probability[SYMBOLS_MAX];   /* where the stream says nothing else */
} parts[PARTS] = {
	[LITERALS] = { 36, 9, 6, 36, { 4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1,
	                               1, 1, -1, -1, -1, -1 } },
	[OFFSET] = { 32, 8, 5, 29, { 1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1 } },
	[MATCH] = { 53, 9, 6, 53, { 1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	                            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1 } },
};

static bool
choose_states(struct zstd *z, enum part part, struct cursor *in, unsigned mode)
{
	struct fse *f = &z->fse[part];
	int16_t probability[SYMBOLS_MAX];

	switch (mode) {
	case 0:
		for (unsigned i = 0; i < parts[part].n; i++)
			probability[i] = parts[part].probability[i];
		return make_states(z, f, probability, parts[part].n, parts[part].log);
	case 1:
		f->log = 0;
		f->known = true;
		f->state[0] = (struct state){ .symbol = cur_u8(in) };
		return (!in->bad && f->state[0].symbol < parts[part].symbols) || fail(z, broken);
	case 2:
		return read_states(z, f, in, parts[part].symbols, parts[part].log_max);
	default:
		return f->known || fail(z, broken);
	}
}

/* Where values of each code begin: they follow each other. */
static void
add_up(uint32_t *base, const uint8_t *bits, unsigned n, uint32_t first)
{
	for (unsigned i = 0; i < n; first += 1u << bits[i++])
		base[i] = first;
}

/* The offset that VALUE means, which from now on is the latest. */
static uint32_t
offset_of(struct zstd *z, uint64_t value, bool no_literals)
{
	uint32_t *r = z->repeated, offset;
	unsigned i = (unsigned)value - 1 + no_literals;

	if (value > 3) {
		offset = (uint32_t)(value - 3);
		i = 2;
	} else if (i == 0) {
		return r[0];
	} else {
		offset = i < 3 ? r[i] : r[0] - 1;
	}
	if (i >= 2)
		r[2] = r[1];
	r[1] = r[0];
	return r[0] = offset;
}

static bool
put_literals(struct zstd *z, size_t n)
{
	if (n > z->literals || n > (size_t)(z->end - z->out))
		return fail(z, n > z->literals ? broken : "is larger than it says");
	if (n)
		memcpy(z->out, z->literal, n);
	z->out += n;
	z->literal += n;
	z->literals -= n;
	return true;
}

static bool
put_match(struct zstd *z, size_t n, uint32_t offset)
{
	uint8_t *to = z->out, *stop;
	const uint8_t *from;

	if (!offset || offset > (size_t)(z->out - z->begin) || n > (size_t)(z->end - z->out))
		return fail(z, broken);
	from = to - offset;
	stop = to + n;
	z->out = stop;
	if (offset >= 8 && z->end - stop >= 8)
		for (; to < stop; to += 8, from += 8)
			memcpy(to, from, 8);
	else
		while (to < stop)
			*to++ = *from++;
	return true;
}

static bool
read_sequences(struct zstd *z, struct cursor in, unsigned n)
{
	uint32_t literal_base[36], match_base[53];
	unsigned state[PARTS];
	struct backward b;

	if (!backward_open(&b, in))
		return fail(z, broken);
	add_up(literal_base, literal_bits, 36, 0);
	add_up(match_base, match_bits, 53, 3);
	for (unsigned p = 0; p < PARTS; p++)
		state[p] = take(&b, z->fse[p].log);
	while (n-- && b.left >= 0) {
		unsigned code = z->fse[OFFSET].state[state[OFFSET]].symbol;
		uint64_t offset = ((uint64_t)1 << code) + take(&b, code);
		size_t match, literals;

		code = z->fse[MATCH].state[state[MATCH]].symbol;
		match = match_base[code] + take(&b, match_bits[code]);
		code = z->fse[LITERALS].state[state[LITERALS]].symbol;
		literals = literal_base[code] + take(&b, literal_bits[code]);
		if (!put_literals(z, literals) || !put_match(z, match, offset_of(z, offset, !literals)))
			return false;
		if (!n)
			break;
		next_state(&z->fse[LITERALS], &state[LITERALS], &b);
		next_state(&z->fse[MATCH], &state[MATCH], &b);
		next_state(&z->fse[OFFSET], &state[OFFSET], &b);
	}
	return b.left == 0 || fail(z, broken);
}

static bool
read_block(struct zstd *z, struct cursor in)
{
	unsigned n, modes;

	if (!read_literals(z, &in))
		return false;
	if ((n = cur_u8(&in)) == 255)
		n = cur_u16(&in) + 0x7f00u;
	else if (n >= 128)
		n = ((n - 128) << 8) + cur_u8(&in);
	if (n) {
		modes = cur_u8(&in);
		if (in.bad || !choose_states(z, LITERALS, &in, modes >> 6) || !choose_states(z, OFFSET, &in, modes >> 4 & 3) ||
		    !choose_states(z, MATCH, &in, modes >> 2 & 3) || !read_sequences(z, in, n))
			return fail(z, broken);
	}
	return !in.bad ? put_literals(z, z->literals) : fail(z, broken);
}

/* ---- frames: section 3.1 ---- */

/* WINDOW: how far matches may reach back, where the header says that. */
static bool
read_frame_header(struct zstd *z, struct cursor *in, bool *checksum, uint64_t *window)
{
	unsigned head = cur_u8(in), size = head >> 6, single = head >> 5 & 1, dictionary = head & 3, w;

	*checksum = head >> 2 & 1;
	if (head & 8)
		return fail(z, broken);
	if (!single) {
		w = cur_u8(in);
		*window = ((uint64_t)1 << (10 + (w >> 3))) / 8 * (8 + (w & 7));
	}
	if (dictionary && cur_uint(in, dictionary == 3 ? 4 : dictionary))
		return fail(z, "needs a dictionary");
	if (size || single) {
		uint64_t content = cur_uint(in, 1u << size);

		*window = single ? content + (size == 1 ? 256 : 0) : *window;
	}
	return !in->bad || fail(z, broken);
}

static void
begin_frame(struct zstd *z)
{
	z->begin = z->out;
	z->huffman_bits = 0;
	for (unsigned p = 0; p < PARTS; p++)
		z->fse[p].known = false;
	z->repeated[0] = 1;
	z->repeated[1] = 4;
	z->repeated[2] = 8;
}

/* The size of a block in the input, by its head. */
static uint32_t
block_bytes(uint32_t head)
{
	return (head >> 1 & 3) == 1 ? 1 : head >> 3;
}

static void
put_block(struct zstd *z, uint32_t head, struct cursor block)
{
	uint32_t size = head >> 3, type = head >> 1 & 3;

	if (size > BLOCK_MAX || type == 3 || !z->blocks--)
		fail(z, broken);
	else if (type == 2)
		read_block(z, block);
	else if (size > (size_t)(z->end - z->out))
		fail(z, "is larger than it says");
	else {
		if (type == 1)
			memset(z->out, block.pos[0], size);
		else if (size)
			memcpy(z->out, block.pos, size);
		z->out += size;
	}
}

static void
read_frame(struct zstd *z, struct cursor *in)
{
	bool last = false, checksum;
	uint64_t window;

	begin_frame(z);
	if (!read_frame_header(z, in, &checksum, &window))
		return;
	while (!last && !z->bad) {
		uint32_t head = (uint32_t)cur_uint(in, 3);
		struct cursor block = cur_sub(in, block_bytes(head));

		last = head & 1;
		if (in->bad)
			fail(z, "ends early");
		else
			put_block(z, head, block);
	}
	if (checksum)
		cur_u32(in);
}

const char *
zstd(struct cursor in, void *out, size_t n)
{
	struct zstd *z = NULL;
	uint32_t cap = 0, magic;
	const char *bad;

	if (!vec_room(&z, &cap, sizeof *z, 1))
		return "needs more memory than is allowed";
	in.big = false;
	in.bad = NULL;
	z->out = out;
	z->end = z->out + n;
	z->blocks = BLOCKS_LEAST + n / BLOCK_LEAST;
	do {
		if ((magic = cur_u32(&in)) == MAGIC)
			read_frame(z, &in);
		else if ((magic & ~15u) == SKIPPABLE)
			cur_take(&in, cur_u32(&in));
		else
			fail(z, "is not in zstd's format");
	} while (!z->bad && !in.bad && cur_left(&in));
	if (in.bad)
		fail(z, "ends early");
	if (z->out < z->end)
		fail(z, "is smaller than it says");
	bad = z->bad;
	vec_free(&z, &cap, 1);
	return bad;
}

/* ---- streams ---- */

enum { PIECE_BLOCKS = 4 };   /* that prof unpacks before the window moves on */

struct zstd_stream {
	struct zstd z;
	uint8_t *in, *room;        /* bytes that wait for the rest of their block; the window, and place for some blocks */
	uint32_t in_cap, room_cap, n;
	uint32_t window;
	bool inside, last, checksum;   /* of a frame; its last block has come */
};

struct zstd_stream *
zstd_stream_new(void)
{
	struct zstd_stream *s = NULL;
	uint32_t cap = 0;

	return vec_room(&s, &cap, sizeof *s, 1) ? s : NULL;
}

void
zstd_stream_free(struct zstd_stream *s)
{
	uint32_t cap = sizeof *s;

	if (!s)
		return;
	vec_free(&s->in, &s->in_cap, 1);
	vec_free(&s->room, &s->room_cap, 1);
	vec_free(&s, &cap, 1);
}

/* Makes place for a block.  The window becomes as large as what there is to hold, before it moves on. */
static bool
make_place(struct zstd_stream *s)
{
	struct zstd *z = &s->z;
	size_t keep = (size_t)(z->out - z->begin);
	uint64_t more = (uint64_t)s->room_cap * 2 + BLOCK_MAX, most = (uint64_t)s->window + PIECE_BLOCKS * BLOCK_MAX;

	if (z->end - z->out >= BLOCK_MAX)
		return true;
	if (s->room_cap < most) {
		if (!vec_room(&s->room, &s->room_cap, more < most ? more : most, 1))
			return fail(z, "needs more memory than is allowed");
	} else {
		keep = keep < s->window ? keep : s->window;
		memmove(s->room, z->out - keep, keep);
	}
	z->begin = s->room;
	z->out = s->room + keep;
	z->end = s->room + s->room_cap;
	return true;
}

/* The bytes of a frame's header, by its fifth one. */
static size_t
header_bytes(unsigned head)
{
	static const uint8_t dictionary[] = { 0, 1, 2, 4 }, size[] = { 0, 2, 4, 8 };
	unsigned single = head >> 5 & 1;

	return 6 - single + dictionary[head & 3] + (single && !(head >> 6) ? 1u : size[head >> 6]);
}

static bool
open_frame(struct zstd_stream *s, struct cursor *in)
{
	struct zstd *z = &s->z;
	uint64_t window = 0;
	struct cursor head = *in;

	if (cur_u32(&head) != MAGIC)
		return fail(z, "is not in zstd's format");
	if (!read_frame_header(z, &head, &s->checksum, &window))
		return false;
	if (window > ZSTD_WINDOW_MOST)
		return fail(z, "needs more memory than is allowed");
	s->window = window < BLOCK_MAX ? BLOCK_MAX : (uint32_t)window;
	z->out = s->room;
	begin_frame(z);
	s->inside = true;
	s->last = false;
	*in = head;
	return true;
}

/* Takes the next piece of IN: a frame's head, a block, a checksum.  False where it is not all there, or on a failure. */
static bool
take_piece(struct zstd_stream *s, struct cursor *in, void (*out)(void *ctx, const uint8_t *bytes, size_t n), void *ctx)
{
	struct cursor at = *in, block;
	struct zstd *z = &s->z;
	const uint8_t *from;
	uint32_t head;

	if (!s->inside)
		return cur_left(in) > 4 && cur_left(in) >= header_bytes(in->pos[4]) && open_frame(s, in);
	if (s->last) {
		cur_take(&at, s->checksum ? 4 : 0);
		s->inside = at.bad != NULL;
	} else {
		head = (uint32_t)cur_uint(&at, 3);
		block = cur_sub(&at, block_bytes(head));
		if (at.bad)
			return block_bytes(head) <= BLOCK_MAX ? false : fail(z, broken);
		if (!make_place(s))
			return false;
		z->blocks = 1;
		from = z->out;
		put_block(z, head, block);
		if (z->bad)
			return false;
		s->last = head & 1;
		out(ctx, from, (size_t)(z->out - from));
	}
	if (!at.bad)
		*in = at;
	return !at.bad;
}

const char *
zstd_stream_feed(struct zstd_stream *s, struct cursor in, void (*out)(void *ctx, const uint8_t *bytes, size_t n), void *ctx)
{
	struct cursor all;

	if (s->z.bad || !cur_left(&in))
		return s->z.bad;
	if (!vec_room(&s->in, &s->in_cap, (uint64_t)s->n + cur_left(&in), 1))
		return s->z.bad = "needs more memory than is allowed";
	memcpy(s->in + s->n, in.pos, cur_left(&in));
	s->n += (uint32_t)cur_left(&in);
	all = cur_of(s->in, s->n, false);
	while (take_piece(s, &all, out, ctx))
		;
	s->n = (uint32_t)cur_left(&all);
	memmove(s->in, all.pos, s->n);
	return s->z.bad;
}

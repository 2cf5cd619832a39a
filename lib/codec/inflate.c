/* See inflate.h.  It looks up codes of up to ROOT bits, and counts out longer ones. */
#include "inflate.h"
#include "crc.h"
#include "lib/mem.h"

#include <string.h>

enum { ROOT = 11, BITS_MAX = 15, LITERALS = 288, DISTANCES = 32, LENGTHS = 19, END = 256, MATCH_MAX = 258, BLOCK_LEAST = 64, BLOCKS_LEAST = 4096 };

/* What a code stands for.  The lowest six bits: its length plus that of the extra bits behind it; four of the next eight: its own
 * length; then a flag; the upper half: the symbol, or the length or distance that the extra bits add to. */
enum { ALL = 63, OWN = 8, LITERAL = 1 << 12, MATCH = 1 << 13, VALUE = 16 };

enum alphabet { SYMBOLS, LITERALS_AND_LENGTHS, ALL_DISTANCES };

struct code {
	enum alphabet alphabet;
	uint32_t fast[1 << ROOT];        /* 0: a longer code, or none */
	uint16_t count[BITS_MAX + 1];    /* codes by length */
	uint16_t symbol[LITERALS];       /* by code */
};

struct inflater {
	struct cursor in;
	uint64_t bits;
	unsigned nbits;
	uint8_t *out;
	size_t begin, n, room;           /* of OUT: the stream's first byte, what there is, what there may be now */
	struct sink *sink;               /* OUT is its buffer and grows up to MAX, or NULL */
	size_t max;
	size_t (*more)(void *ctx, size_t n);   /* makes room in OUT, which stays: for N bytes, or returns 0; or NULL */
	void *ctx;
	size_t blocks;                   /* that may still come: each has tables to make, and may say nothing */
	struct code literal, distance;
};

/* ---- bits ---- */

static inline void
fill(struct inflater *s)
{
	uint64_t w;

	if (cur_left(&s->in) >= 8) {
		memcpy(&w, s->in.pos, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		w = __builtin_bswap64(w);
#endif
		s->bits |= w << s->nbits;
		s->in.pos += (63 - s->nbits) >> 3;
		s->nbits |= 56;
		return;
	}
	for (; s->nbits <= 56 && cur_left(&s->in); s->nbits += 8)
		s->bits |= (uint64_t)*s->in.pos++ << s->nbits;
}

/* Past the input's end bits are zeros, and it sets BAD. */
static inline void
drop(struct inflater *s, unsigned n)
{
	if (n > s->nbits) {
		s->in.bad = "ends early";
		s->nbits = n;
	}
	s->bits >>= n;
	s->nbits -= n;
}

/* The first complaint stays. */
static void
complain(struct inflater *s, const char *why)
{
	if (!s->in.bad)
		s->in.bad = why;
}

static inline uint32_t
take(struct inflater *s, unsigned n)
{
	uint32_t v = (uint32_t)(s->bits & (((uint64_t)1 << n) - 1));

	drop(s, n);
	return v;
}

static uint32_t
get(struct inflater *s, unsigned n)
{
	fill(s);
	return take(s, n);
}

/* ---- codes ---- */

/* The classes grow by a bit every fourth, those of distances every second one. */
static uint32_t
meaning(enum alphabet alphabet, unsigned symbol)
{
	unsigned c = alphabet == LITERALS_AND_LENGTHS ? symbol - END - 1 : symbol, group = alphabet == ALL_DISTANCES ? 2 : 4, extra, base;

	if (alphabet == SYMBOLS || (alphabet == LITERALS_AND_LENGTHS && symbol <= END))
		return symbol << VALUE | (alphabet == SYMBOLS || symbol == END ? 0 : LITERAL);
	if (c >= (alphabet == ALL_DISTANCES ? 30u : 29u))
		return 0;
	extra = c < 2 * group || (group == 4 && c == 28) ? 0 : c / group - 1;
	base = group == 4 && c == 28 ? MATCH_MAX - 3 : c < 2 * group ? c : (group + c % group) << extra;
	return (base + (group == 4 ? 3 : 1)) << VALUE | MATCH | extra;
}

/* Makes the code from the lengths of N symbols.  Some bits may stay without a symbol; the decoder finds that when it meets them. */
static bool
make_code(struct code *c, enum alphabet alphabet, const uint8_t *bits, unsigned n)
{
	unsigned at[BITS_MAX + 1] = { 0 }, next[BITS_MAX + 1] = { 0 };
	int left = 1;

	memset(c, 0, sizeof *c);
	c->alphabet = alphabet;
	for (unsigned i = 0; i < n; i++)
		c->count[bits[i]]++;
	c->count[0] = 0;
	for (unsigned len = 1; len <= BITS_MAX; len++) {
		left = left * 2 - c->count[len];
		if (left < 0)
			return false;
		next[len] = (next[len - 1] + c->count[len - 1]) << 1;
		at[len] = at[len - 1] + c->count[len - 1];
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned len = bits[i], code, turned = 0;

		if (!len)
			continue;
		code = next[len]++;
		c->symbol[at[len]++] = (uint16_t)i;
		for (unsigned b = 0; b < len; b++)
			turned |= (code >> b & 1) << (len - 1 - b);
		for (uint32_t what = meaning(alphabet, i) + (len << OWN | len); len <= ROOT && turned < 1 << ROOT; turned += 1u << len)
			c->fast[turned] = what;
	}
	return true;
}

static uint32_t
decode_long(struct inflater *s, const struct code *c)
{
	unsigned code = 0, first = 0, index = 0;

	for (unsigned len = 1; len <= BITS_MAX; len++) {
		code |= s->bits >> (len - 1) & 1;
		if (code - first < c->count[len]) {
			drop(s, len);
			return meaning(c->alphabet, c->symbol[index + code - first]);
		}
		index += c->count[len];
		first = (first + c->count[len]) << 1;
		code <<= 1;
	}
	complain(s, s->nbits < BITS_MAX ? "ends early" : "holds an invalid code");
	return END << VALUE;
}

static uint32_t
decode(struct inflater *s, const struct code *c)
{
	uint32_t what = c->fast[s->bits & ((1 << ROOT) - 1)];

	if (!what)
		return decode_long(s, c);
	drop(s, what >> OWN & 15);
	return what;
}

/* The length or distance of a code that the caller has taken; this takes its extra bits. */
static size_t
extended(struct inflater *s, uint32_t what)
{
	return (what >> VALUE) + take(s, (what & ALL) - (what >> OWN & 15));
}

static void
fixed_codes(struct inflater *s)
{
	uint8_t bits[LITERALS];

	for (unsigned i = 0; i < LITERALS; i++)
		bits[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	make_code(&s->literal, LITERALS_AND_LENGTHS, bits, LITERALS);
	memset(bits, 5, DISTANCES);
	make_code(&s->distance, ALL_DISTANCES, bits, DISTANCES);
}

/* RFC 1951 section 3.2.7. */
static bool
read_codes(struct inflater *s)
{
	static const uint8_t order[LENGTHS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
	unsigned literals = get(s, 5) + 257, distances = get(s, 5) + 1, lengths = get(s, 4) + 4, n = 0;
	uint8_t bits[LITERALS + DISTANCES] = { 0 };

	for (unsigned i = 0; i < lengths; i++)
		bits[order[i]] = (uint8_t)get(s, 3);
	if (literals > 286 || !make_code(&s->literal, SYMBOLS, bits, LENGTHS))
		return false;
	memset(bits, 0, LENGTHS);
	while (n < literals + distances && !s->in.bad) {
		unsigned symbol, run;
		uint8_t value = 0;

		fill(s);
		if ((symbol = decode(s, &s->literal) >> VALUE) < 16) {
			bits[n++] = (uint8_t)symbol;
			continue;
		}
		run = symbol == 16 ? 3 + take(s, 2) : symbol == 17 ? 3 + take(s, 3) : 11 + take(s, 7);
		if ((symbol == 16 && !n) || run > literals + distances - n)
			return false;
		value = symbol == 16 ? bits[n - 1] : 0;
		memset(bits + n, value, run);
		n += run;
	}
	return !s->in.bad && make_code(&s->literal, LITERALS_AND_LENGTHS, bits, literals) &&
	       make_code(&s->distance, ALL_DISTANCES, bits + literals, distances);
}

/* ---- blocks ---- */

/* Room for N more bytes. */
static bool
make_room(struct inflater *s, size_t n)
{
	if (n <= s->room - s->n)
		return true;
	if (s->more && (s->room = s->more(s->ctx, s->n + n)) >= s->n + n)
		return true;
	if (!s->sink || n > s->max - s->n) {
		complain(s, s->sink ? "is larger than is allowed" : "is larger than it says");
		return false;
	}
	if (!vec_room(&s->sink->buf, &s->sink->cap, s->n + n, 1)) {
		complain(s, "needs more memory than is allowed");
		return false;
	}
	s->out = (uint8_t *)s->sink->buf;
	s->room = s->sink->cap < s->max ? s->sink->cap : s->max;
	return true;
}

/* Copies LEN bytes to TO from DIST bytes before it; there is room for 16 more. */
static inline void
copy_match(uint8_t *to, size_t len, size_t dist)
{
	const uint8_t *from = to - dist, *end = to + len;
	uint64_t w;

	if (dist >= 8) {
		memcpy(&w, from, 8);
		memcpy(to, &w, 8);
		memcpy(&w, from + 8, 8);
		memcpy(to + 8, &w, 8);
		for (to += 16, from += 16; to < end; to += 8, from += 8) {
			memcpy(&w, from, 8);
			memcpy(to, &w, 8);
		}
	} else if (dist == 1) {
		for (w = *from * (UINT64_MAX / 255); to < end; to += 8)
			memcpy(to, &w, 8);
	} else {
		while (to < end)
			*to++ = *from++;
	}
}

/* Copies one match; WHAT is the code of its length. */
static void
match(struct inflater *s, uint32_t what)
{
	size_t len = extended(s, what), dist;
	uint8_t *to;

	what = decode(s, &s->distance);
	if (!(what & MATCH)) {
		complain(s, "holds an invalid code");
		return;
	}
	dist = extended(s, what);
	if (dist > s->n - s->begin) {
		complain(s, "refers to data before its beginning");
		return;
	}
	if (!make_room(s, len))
		return;
	for (to = s->out + s->n, s->n += len; len--; to++)
		*to = to[-(ptrdiff_t)dist];
}

/* Decodes while there is more than enough input and room, and codes are short: no store can change what this loop reads. */
static void
coded_quickly(struct inflater *s)
{
	const uint32_t *literal = s->literal.fast, *distance = s->distance.fast, mask = (1 << ROOT) - 1;
	const uint8_t *pos = s->in.pos, *const end = s->in.end;
	uint8_t *to = s->out + s->n, *const begin = s->out + s->begin, *const room = s->out + s->room;
	uint64_t bits = s->bits, own, w;
	unsigned nbits = s->nbits;
	uint32_t what, which;

	if (end - pos < 24)
		return;
	memcpy(&w, pos, 8);
	bits |= w << nbits;
	pos += (63 - nbits) >> 3;
	nbits |= 56;
	what = literal[bits & mask];
	while (end - pos >= 16 && room - to >= MATCH_MAX + 24) {
		size_t len, dist;

		if (what & LITERAL) {
			*to++ = (uint8_t)(what >> VALUE);
			bits >>= what & ALL;
			nbits -= what & ALL;
			what = literal[bits & mask];
			if (what & LITERAL) {
				*to++ = (uint8_t)(what >> VALUE);
				bits >>= what & ALL;
				nbits -= what & ALL;
				what = literal[bits & mask];
			}
			memcpy(&w, pos, 8);
			bits |= w << nbits;
			pos += (63 - nbits) >> 3;
			nbits |= 56;
			if (what & LITERAL)
				continue;
		}
		own = bits >> (what & ALL);
		which = distance[own & mask];
		if (!(what & which & MATCH))
			break;
		len = (what >> VALUE) + (size_t)((bits & (((uint64_t)1 << (what & ALL)) - 1)) >> (what >> OWN & 15));
		nbits -= (what & ALL) + (which & ALL);
		dist = (which >> VALUE) + (size_t)((own & (((uint64_t)1 << (which & ALL)) - 1)) >> (which >> OWN & 15));
		if (dist > (size_t)(to - begin)) {
			nbits += (what & ALL) + (which & ALL);
			break;
		}
		bits = own >> (which & ALL);
		memcpy(&w, pos, 8);
		bits |= w << nbits;
		pos += (63 - nbits) >> 3;
		nbits |= 56;
		what = literal[bits & mask];
		copy_match(to, len, dist);
		to += len;
	}
	s->in.pos = pos;
	s->bits = bits;
	s->nbits = nbits;
	s->n = (size_t)(to - s->out);
}

static void
coded_block(struct inflater *s)
{
	while (!s->in.bad) {
		uint32_t what;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		coded_quickly(s);
#endif
		fill(s);   /* 56 bits: enough for a match */
		what = decode(s, &s->literal);
		if (what & LITERAL) {
			if (s->n < s->room || make_room(s, 1))
				s->out[s->n++] = (uint8_t)(what >> VALUE);
		} else if (what & MATCH)
			match(s, what);
		else if (what >> VALUE == END)
			return;
		else
			complain(s, "holds an invalid code");
	}
}

/* Gives whole bytes back, so that the cursor stands where bits end. */
static void
to_byte(struct inflater *s)
{
	s->in.pos -= s->nbits / 8;
	s->bits = s->nbits = 0;
}

static void
stored_block(struct inflater *s)
{
	uint16_t n, not_n;
	const uint8_t *p;

	to_byte(s);
	n = cur_u16(&s->in);
	not_n = cur_u16(&s->in);
	if ((n ^ not_n) != UINT16_MAX)
		complain(s, "has a block with two different lengths");
	p = cur_take(&s->in, n);
	if (!s->in.bad && p && make_room(s, n)) {
		memcpy(s->out + s->n, p, n);
		s->n += n;
	}
}

/* Decodes one block; whether more blocks follow. */
static bool
block(struct inflater *s)
{
	bool last;

	if (!s->blocks--) {
		s->in.bad = "has too many blocks";
		return false;
	}
	last = get(s, 1);
	switch (take(s, 2)) {
	case 0:
		stored_block(s);
		break;
	case 1:
		fixed_codes(s);
		coded_block(s);
		break;
	case 2:
		if (read_codes(s))
			coded_block(s);
		else
			complain(s, "holds impossible codes");
		break;
	default:
		complain(s, "has a block of an unknown kind");
		break;
	}
	return !last && !s->in.bad;
}

/* ---- wraps ---- */

static void
gzip_header(struct cursor *c)
{
	uint32_t magic = cur_u16(c), method = cur_u8(c), flags = cur_u8(c);

	if (magic != 0x8b1f || method != 8 || flags & 0xe0)
		c->bad = "is not in gzip's format";
	cur_take(c, 6);   /* time, how hard the writer tried, system */
	if (flags & 4)
		cur_take(c, cur_u16(c));
	for (unsigned strings = (flags >> 3 & 1) + (flags >> 4 & 1); strings--;)
		cur_str(c);
	if (flags & 2)
		cur_u16(c);
}

static void
zlib_header(struct cursor *c)
{
	uint32_t method = cur_u8(c), flags = cur_u8(c);

	if ((method & 15) != 8 || (method << 8 | flags) % 31)
		c->bad = "is not in zlib's format";
	else if (flags & 32)
		c->bad = "needs a dictionary";
}

static void
stream(struct inflater *s, enum inflate_wrap wrap)
{
	const uint8_t *out;
	size_t n;

	s->begin = s->n;
	if (wrap == INFLATE_GZIP)
		gzip_header(&s->in);
	else if (wrap == INFLATE_ZLIB)
		zlib_header(&s->in);
	while (!s->in.bad && block(s))
		;
	to_byte(s);
	if (s->in.bad || wrap == INFLATE_RAW)
		return;
	out = s->out + s->begin;
	n = s->n - s->begin;
	if (wrap == INFLATE_ZLIB ? __builtin_bswap32(cur_u32(&s->in)) != adler32_add(1, out, n)
	                         : cur_u32(&s->in) != crc32_add(0, out, n) || cur_u32(&s->in) != (uint32_t)n)
		s->in.bad = s->in.bad ? s->in.bad : "has a wrong checksum";
}

const char *
inflate(struct cursor *in, enum inflate_wrap wrap, void *out, size_t n)
{
	struct inflater s;

	s.in = cur_of(in->pos, cur_left(in), false);
	s.bits = s.nbits = 0;
	s.out = out;
	s.n = 0;
	s.room = s.max = n;
	s.blocks = BLOCKS_LEAST + n / BLOCK_LEAST;
	s.sink = NULL;
	s.more = NULL;
	stream(&s, wrap);
	in->pos = s.in.pos;
	return s.in.bad ? s.in.bad : s.n < n ? "is smaller than it says" : NULL;
}

const char *
inflate_sink(struct cursor *in, enum inflate_wrap wrap, struct sink *out, size_t max)
{
	struct inflater s;

	if (out->err)
		return "needs more memory than is allowed";
	s.in = cur_of(in->pos, cur_left(in), false);
	s.bits = s.nbits = 0;
	s.out = (uint8_t *)out->buf;
	s.n = out->len;
	s.max = max < SIZE_MAX - s.n ? s.n + max : SIZE_MAX;
	s.room = out->cap < s.max ? out->cap : s.max;
	s.sink = out;
	s.more = NULL;
	s.blocks = BLOCKS_LEAST + s.max / BLOCK_LEAST;
	do
		stream(&s, wrap);
	while (wrap == INFLATE_GZIP && !s.in.bad && cur_left(&s.in) >= 2 && s.in.pos[0] == 0x1f && s.in.pos[1] == 0x8b);
	out->len = s.n;
	in->pos = s.in.pos;
	return s.in.bad;
}

void
inflate_begin(struct inflate_stream *at, struct cursor in, size_t n)
{
	*at = (struct inflate_stream){ .in = in, .blocks = BLOCKS_LEAST + n / BLOCK_LEAST };
	zlib_header(&at->in);
}

size_t
inflate_block(struct inflate_stream *at, uint8_t *out, size_t have, size_t room, size_t (*more)(void *, size_t), void *ctx)
{
	struct inflater s;

	s.in = at->in;
	s.bits = at->bits;
	s.nbits = at->nbits;
	s.out = out;
	s.begin = 0;
	s.n = have;
	s.room = room;
	s.sink = NULL;
	s.more = more;
	s.ctx = ctx;
	s.blocks = at->blocks;
	at->last = !block(&s);
	*at = (struct inflate_stream){ s.in, s.bits, s.nbits, s.blocks, at->last };
	return s.n;
}

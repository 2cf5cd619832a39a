/* See deflate.h.  It finds matches by hash chains, and waits one byte if the next match is longer.  It stores a block, or
 * codes it by the fixed or its own Huffman codes, whichever is shortest. */
#include "deflate.h"
#include "crc.h"
#include "lib/mem.h"

#include <string.h>

enum {
	WINDOW = 1 << 15,
	BUFFER = 2 * WINDOW,
	HASHES = 1 << 15,
	SYMBOLS = 1 << 14,         /* in a block at most */
	MATCH_MIN = 3, MATCH_MAX = 258,
	AHEAD = MATCH_MAX + MATCH_MIN + 1,   /* bytes wanted beyond the one that is coded */
	FAR = 4096,                /* a match of three bytes farther away costs more than they do */
	/* Lengths of a match: below LAZY prof looks for a better one, from GOOD on it searches less, NICE is enough; CHAIN: places
	 * to look at. */
	LAZY = 16, GOOD = 8, NICE = 128, CHAIN = 128,
	/* Beyond so many bytes prof looks at fewer places: time counts more than a few hundredths of the size. */
	MUCH = 4 << 20, CHAIN_MUCH = 2,
	LITERALS = 288, DISTANCES = 30, LENGTHS = 19, END = 256, FIRST_LENGTH = 257, LAST_LENGTH = 285,
	BITS_MAX = 15, LENGTH_BITS_MAX = 7,
};

struct huffman {
	uint32_t freq[LITERALS];
	uint16_t code[LITERALS];   /* bits in the order they are written */
	uint8_t bits[LITERALS];
};

struct deflate_state {
	uint8_t buf[BUFFER];
	uint16_t head[HASHES];     /* the last place with that hash, 0: none */
	uint16_t prev[WINDOW];     /* the one before that, by place */
	struct { uint16_t dist, value; } symbol[SYMBOLS];   /* a literal where DIST is 0, else a length */
	struct huffman literal, distance, length;
	uint32_t symbols;
	uint32_t at, end;          /* of BUF: what is coded next, where input ends */
	int32_t block;             /* where the block begins; below 0: no longer in BUF */
	uint32_t dist, match_len;  /* of the byte before AT: the match found, if any */
	bool held;                 /* the byte before AT is not coded yet */
	uint64_t bits;
	unsigned nbits;
};

/* ---- bits and codes ---- */

/* Writes the whole bytes of the bits at hand. */
static void
put_whole(struct deflater *d)
{
	struct deflate_state *s = d->state;
	uint8_t byte[8];
	unsigned n = 0;

	for (; s->nbits >= 8; s->nbits -= 8, s->bits >>= 8)
		byte[n++] = (uint8_t)s->bits;
	sink_put(d->to, byte, n);
}

/* Writes N bits, at most 16. */
static void
put_bits(struct deflater *d, uint32_t v, unsigned n)
{
	struct deflate_state *s = d->state;

	s->bits |= (uint64_t)v << s->nbits;
	s->nbits += n;
	if (s->nbits >= 32)
		put_whole(d);
}

/* The class of a value and the bits behind its code: FINE is 1 for distances, 2 for lengths. */
static unsigned
class_of(uint32_t v, unsigned fine, unsigned *extra)
{
	unsigned n;

	*extra = 0;
	if (v < 2u << fine)
		return v;
	n = 31 - (unsigned)__builtin_clz(v);
	*extra = n - fine;
	return ((n - fine) << fine) + (v >> (n - fine));
}

static unsigned
length_class(uint32_t len, unsigned *extra)
{
	if (len < MATCH_MAX)
		return FIRST_LENGTH + class_of(len - MATCH_MIN, 2, extra);
	*extra = 0;
	return LAST_LENGTH;
}

/* Sorts the symbols that occur by frequency. */
static unsigned
sorted(const struct huffman *h, unsigned n, uint16_t *symbol)
{
	unsigned used = 0;

	for (unsigned i = 0; i < n; i++)
		if (h->freq[i])
			symbol[used++] = (uint16_t)i;
	for (unsigned gap = 132; gap; gap = gap == 1 ? 0 : gap / 3 + 1)   /* 132, 45, 16, 6, 3, 2, 1 */
		for (unsigned i = gap; i < used; i++) {
			uint16_t it = symbol[i];
			unsigned j = i;

			for (; j >= gap && h->freq[symbol[j - gap]] > h->freq[it]; j -= gap)
				symbol[j] = symbol[j - gap];
			symbol[j] = it;
		}
	return used;
}

/* How many of N codes have which length: Moffat and Katajainen, "In-Place Calculation of Minimum-Redundancy Codes".
 * A holds the frequencies, rising. */
static void
count_lengths(uint32_t *a, unsigned n, unsigned *count, unsigned max)
{
	unsigned root = 0, leaf = 2, avail = 1, used = 0, depth = 0;
	uint32_t room = 0;
	int next = (int)n - 1, inner = (int)n - 2;

	a[0] += a[1];
	for (unsigned i = 1; i < n - 1; i++) {
		for (unsigned k = 0; k < 2; k++) {
			uint32_t v;

			if (leaf >= n || (root < i && a[root] < a[leaf])) {
				v = a[root];
				a[root++] = i;
			} else
				v = a[leaf++];
			a[i] = k ? a[i] + v : v;
		}
	}
	a[n - 2] = 0;   /* from parents to depths */
	for (int i = (int)n - 3; i >= 0; i--)
		a[i] = a[a[i]] + 1;
	for (; avail; avail = 2 * used, depth++, used = 0) {
		for (; inner >= 0 && a[inner] == depth; inner--)
			used++;
		for (; avail > used; avail--, next--)
			count[depth < max ? depth : max]++;
	}
	/* A code that was deeper than MAX takes more room than there is: others give way. */
	for (unsigned i = 1; i <= max; i++)
		room += count[i] << (max - i);
	for (; room > 1u << max; room--) {
		unsigned i = max - 1;

		while (!count[i])
			i--;
		count[max]--;
		count[i]--;
		count[i + 1] += 2;
	}
}

/* Codes from lengths: RFC 1951 section 3.2.2. */
static void
number_codes(struct huffman *h, unsigned n)
{
	unsigned next[BITS_MAX + 1] = { 0 }, count[BITS_MAX + 1] = { 0 };

	for (unsigned i = 0; i < n; i++)
		count[h->bits[i]]++;
	count[0] = 0;
	for (unsigned i = 1; i <= BITS_MAX; i++)
		next[i] = (next[i - 1] + count[i - 1]) << 1;
	for (unsigned i = 0; i < n; i++) {
		unsigned code = h->bits[i] ? next[h->bits[i]]++ : 0, turned = 0;

		for (unsigned b = 0; b < h->bits[i]; b++)
			turned |= (code >> b & 1) << (h->bits[i] - 1 - b);
		h->code[i] = (uint16_t)turned;
	}
}

/* Codes for N symbols by their frequencies; at least two, because every reader takes that. */
static void
make_codes(struct huffman *h, unsigned n, unsigned max)
{
	unsigned count[BITS_MAX + 1] = { 0 }, used;
	uint16_t symbol[LITERALS];
	uint32_t a[LITERALS];

	for (unsigned i = 0; (used = sorted(h, n, symbol)) < 2; i++)
		h->freq[i] += !h->freq[i];
	for (unsigned i = 0; i < used; i++)
		a[i] = h->freq[symbol[i]];
	count_lengths(a, used, count, max);
	memset(h->bits, 0, sizeof h->bits);
	for (unsigned len = 1; len <= max; len++)
		while (count[len]--)
			h->bits[symbol[--used]] = (uint8_t)len;
	number_codes(h, n);
}

/* The fixed codes, which no stream needs to tell: RFC 1951 section 3.2.6. */
static unsigned
fixed_bits(unsigned literal)
{
	return literal < 144 ? 8 : literal < 256 ? 9 : literal < 280 ? 7 : 8;
}

static void
fixed_codes(struct deflate_state *s)
{
	for (unsigned i = 0; i < LITERALS; i++)
		s->literal.bits[i] = (uint8_t)fixed_bits(i);
	memset(s->distance.bits, 5, DISTANCES);
	number_codes(&s->literal, LITERALS);
	number_codes(&s->distance, DISTANCES);
}

/* ---- blocks ---- */

/* Bits that the symbols of a block take with its codes, or the fixed ones. */
static uint64_t
cost(const struct deflate_state *s, bool fixed)
{
	uint64_t bits = 0;
	unsigned extra;

	for (unsigned i = 0; i <= LAST_LENGTH; i++) {
		extra = i >= FIRST_LENGTH + 8 && i < LAST_LENGTH ? (i - FIRST_LENGTH) / 4 - 1 : 0;
		bits += (uint64_t)s->literal.freq[i] * ((fixed ? fixed_bits(i) : s->literal.bits[i]) + extra);
	}
	for (unsigned i = 0; i < DISTANCES; i++) {
		extra = i >= 4 ? i / 2 - 1 : 0;
		bits += (uint64_t)s->distance.freq[i] * ((fixed ? 5u : s->distance.bits[i]) + extra);
	}
	return bits;
}

/* The lengths of both codes, run-length coded: RFC 1951 section 3.2.7. */
struct lengths {
	struct { uint8_t code, extra, bits; } run[LITERALS + DISTANCES];
	unsigned n, literals, distances, lengths;
};

static const uint8_t length_order[LENGTHS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };

static void
add_run(struct lengths *l, struct huffman *h, unsigned code, unsigned extra, unsigned bits)
{
	h->freq[code]++;
	l->run[l->n].code = (uint8_t)code;
	l->run[l->n].extra = (uint8_t)extra;
	l->run[l->n++].bits = (uint8_t)bits;
}

static void
find_runs(struct lengths *l, struct huffman *h, const uint8_t *bits, unsigned n)
{
	for (unsigned i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && bits[i + run] == bits[i] && run < (bits[i] ? 7 : 138);)
			run++;
		if (!bits[i] && run >= 11)
			add_run(l, h, 18, run - 11, 7);
		else if (!bits[i] && run >= 3)
			add_run(l, h, 17, run - 3, 3);
		else {
			add_run(l, h, bits[i], 0, 0);
			if (run >= 4 && bits[i])
				add_run(l, h, 16, run - 4, 2);
			else
				run = 1;
		}
	}
}

/* The bits that these lengths take. */
static uint64_t
make_lengths(struct lengths *l, struct deflate_state *s)
{
	uint8_t all[LITERALS + DISTANCES];
	uint64_t bits = 14;

	l->n = 0;
	for (l->literals = LITERALS; !s->literal.bits[l->literals - 1];)
		l->literals--;
	for (l->distances = DISTANCES; !s->distance.bits[l->distances - 1];)
		l->distances--;
	memcpy(all, s->literal.bits, l->literals);
	memcpy(all + l->literals, s->distance.bits, l->distances);
	memset(s->length.freq, 0, sizeof s->length.freq);
	find_runs(l, &s->length, all, l->literals + l->distances);
	make_codes(&s->length, LENGTHS, LENGTH_BITS_MAX);
	for (l->lengths = LENGTHS; !s->length.bits[length_order[l->lengths - 1]];)
		l->lengths--;
	for (unsigned i = 0; i < l->n; i++)
		bits += s->length.bits[l->run[i].code] + l->run[i].bits;
	return bits + 3 * l->lengths;
}

static void
write_lengths(struct deflater *d, const struct lengths *l)
{
	const struct huffman *h = &d->state->length;

	put_bits(d, l->literals - 257, 5);
	put_bits(d, l->distances - 1, 5);
	put_bits(d, l->lengths - 4, 4);
	for (unsigned i = 0; i < l->lengths; i++)
		put_bits(d, h->bits[length_order[i]], 3);
	for (unsigned i = 0; i < l->n; i++) {
		put_bits(d, h->code[l->run[i].code], h->bits[l->run[i].code]);
		put_bits(d, l->run[i].extra, l->run[i].bits);
	}
}

static void
write_symbols(struct deflater *d)
{
	struct deflate_state *s = d->state;

	for (uint32_t i = 0; i < s->symbols; i++) {
		uint32_t dist = s->symbol[i].dist, value = s->symbol[i].value;
		unsigned extra = 0, c = dist ? length_class(value, &extra) : value;

		put_bits(d, s->literal.code[c], s->literal.bits[c]);
		if (!dist)
			continue;
		put_bits(d, (value - MATCH_MIN) & ((1u << extra) - 1), extra);
		c = class_of(dist - 1, 1, &extra);
		put_bits(d, s->distance.code[c], s->distance.bits[c]);
		put_bits(d, (dist - 1) & ((1u << extra) - 1), extra);
	}
	put_bits(d, s->literal.code[END], s->literal.bits[END]);
}

static void
write_stored(struct deflater *d, uint32_t n)
{
	struct deflate_state *s = d->state;

	put_bits(d, 0, 2);
	put_bits(d, 0, -s->nbits & 7);
	put_bits(d, n, 16);
	put_bits(d, ~n & 0xffff, 16);
	put_whole(d);
	sink_put(d->to, s->buf + s->block, n);
}

static void
write_block(struct deflater *d, bool last)
{
	struct deflate_state *s = d->state;
	uint32_t raw = (uint32_t)((int32_t)s->at - s->held - s->block);
	uint64_t own, fixed;
	struct lengths l;

	s->literal.freq[END]++;
	make_codes(&s->literal, LITERALS, BITS_MAX);
	make_codes(&s->distance, DISTANCES, BITS_MAX);
	own = make_lengths(&l, s) + cost(s, false);
	fixed = cost(s, true);
	put_bits(d, last, 1);
	if (s->block >= 0 && raw <= UINT16_MAX && (raw + 5) * 8 <= (own < fixed ? own : fixed))
		write_stored(d, raw);
	else {
		put_bits(d, own < fixed ? 2 : 1, 2);
		if (own < fixed)
			write_lengths(d, &l);
		else
			fixed_codes(s);
		write_symbols(d);
	}
	s->symbols = 0;
	s->block += (int32_t)raw;
	memset(s->literal.freq, 0, sizeof s->literal.freq);
	memset(s->distance.freq, 0, sizeof s->distance.freq);
}

static void
add_symbol(struct deflater *d, uint32_t dist, uint32_t value)
{
	struct deflate_state *s = d->state;
	unsigned extra;

	s->symbol[s->symbols].dist = (uint16_t)dist;
	s->symbol[s->symbols++].value = (uint16_t)value;
	s->literal.freq[dist ? length_class(value, &extra) : value]++;
	if (dist)
		s->distance.freq[class_of(dist - 1, 1, &extra)]++;
}

/* ---- matches ---- */

/* Makes AT known as a place to look at; returns the last one with the same hash, or 0. */
static uint32_t
insert(struct deflate_state *s, uint32_t at)
{
	const uint8_t *p = s->buf + at;
	uint32_t hash = (p[0] ^ (uint32_t)p[1] << 5 ^ (uint32_t)p[2] << 10) & (HASHES - 1), before = s->head[hash];

	s->prev[at % WINDOW] = (uint16_t)before;
	s->head[hash] = (uint16_t)at;
	return before;
}

/* How many of the first MAX bytes at P and Q are the same. */
static inline uint32_t
same_bytes(const uint8_t *p, const uint8_t *q, uint32_t max)
{
	uint32_t n = 0;
	uint64_t a, b;

	for (; max - n >= sizeof a; n += (uint32_t)sizeof a) {
		memcpy(&a, p + n, sizeof a);
		memcpy(&b, q + n, sizeof b);
		if (a != b)
			break;
	}
	while (n < max && q[n] == p[n])
		n++;
	return n;
}

static inline uint16_t
two_bytes(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* The longest match for AT that is longer than BEST (at least 1), of MOST places: its length, or BEST. */
static uint32_t
longest(const struct deflate_state *s, uint32_t candidate, uint32_t most, uint32_t best, uint32_t *where)
{
	uint32_t max = s->end - s->at < MATCH_MAX ? s->end - s->at : MATCH_MAX;
	uint32_t limit = s->at >= WINDOW ? s->at - WINDOW + 1 : 0;
	const uint8_t *p = s->buf + s->at;
	uint16_t wanted = best < max ? two_bytes(p + best - 1) : 0;   /* of a longer match */

	for (unsigned chain = best >= GOOD ? most / 4 : most; candidate > limit && chain && best < max; chain--) {
		const uint8_t *q = s->buf + candidate;
		uint32_t n;

		if (two_bytes(q + best - 1) == wanted && (n = same_bytes(p, q, max)) > best) {
			best = n;
			*where = candidate;
			if (n >= NICE || n == max)
				break;
			wanted = two_bytes(p + best - 1);
		}
		candidate = s->prev[candidate % WINDOW];
	}
	return best;
}

/* Codes the byte before AT with the match found for it, if any, and goes on behind that. */
static void
code_match(struct deflater *d)
{
	struct deflate_state *s = d->state;
	uint32_t last = s->at - 1 + s->match_len;

	add_symbol(d, s->dist, s->match_len);
	while (++s->at < last)
		if (s->at + MATCH_MIN <= s->end)
			insert(s, s->at);
	s->held = false;
	s->match_len = 0;
}

/* Goes on by one byte: if its match is better than that of the byte before, that byte becomes a literal. */
static void
step(struct deflater *d)
{
	struct deflate_state *s = d->state;
	uint32_t candidate = s->at + MATCH_MIN <= s->end ? insert(s, s->at) : 0, where = 0, len = 0;

	if (candidate && s->match_len < LAZY)
		len = longest(s, candidate, d->size > MUCH ? CHAIN_MUCH : CHAIN, s->match_len < MATCH_MIN ? MATCH_MIN - 1 : s->match_len, &where);
	if (len == MATCH_MIN && s->at - where > FAR)
		len = 0;
	if (s->held && s->match_len >= MATCH_MIN && (!where || len <= s->match_len)) {
		code_match(d);
		return;
	}
	if (s->held)
		add_symbol(d, 0, s->buf[s->at - 1]);
	s->held = true;
	s->dist = s->at - where;
	s->match_len = where ? len : 0;
	s->at++;
}

/* Codes the bytes at hand, but not those whose match may need bytes still to come; or ALL. */
static void
run(struct deflater *d, bool all)
{
	struct deflate_state *s = d->state;

	while (s->end - s->at >= (all ? 1 : AHEAD)) {
		step(d);
		if (s->symbols == SYMBOLS)
			write_block(d, false);
	}
	if (!all)
		return;
	if (s->held && s->match_len >= MATCH_MIN)
		code_match(d);
	else if (s->held)
		add_symbol(d, 0, s->buf[s->at - 1]);
	s->held = false;
}

/* Gives up the older half of the buffer. */
static void
slide(struct deflate_state *s)
{
	memmove(s->buf, s->buf + WINDOW, WINDOW);
	s->at -= WINDOW;
	s->end -= WINDOW;
	s->block -= WINDOW;
	for (unsigned i = 0; i < HASHES; i++)
		s->head[i] = (uint16_t)(s->head[i] > WINDOW ? s->head[i] - WINDOW : 0);
	for (unsigned i = 0; i < WINDOW; i++)
		s->prev[i] = (uint16_t)(s->prev[i] > WINDOW ? s->prev[i] - WINDOW : 0);
}

/* ---- the stream ---- */

static void
put_bytes(struct deflater *d, uint64_t v, unsigned n)
{
	for (; n--; v >>= 8)
		sink_char(d->to, (char)v);
}

bool
deflate_open(struct deflater *d, struct sink *to, enum deflate_wrap wrap)
{
	*d = (struct deflater){ .to = to, .wrap = wrap, .sum = wrap == DEFLATE_ZLIB };
	if (!vec_room(&d->state, &d->cap, sizeof *d->state, 1))
		return false;
	if (wrap == DEFLATE_GZIP)
		sink_put(to, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
	else if (wrap == DEFLATE_ZLIB)
		sink_put(to, "\x78\x9c", 2);
	return true;
}

void
deflate_put(struct deflater *d, const void *bytes, size_t n)
{
	struct deflate_state *s = d->state;
	const uint8_t *p = bytes;

	d->size += n;
	if (d->wrap != DEFLATE_RAW)
		d->sum = d->wrap == DEFLATE_ZLIB ? adler32_add(d->sum, p, n) : crc32_add(d->sum, p, n);
	while (n) {
		size_t part = n < BUFFER - s->end ? n : BUFFER - s->end;

		memcpy(s->buf + s->end, p, part);
		s->end += (uint32_t)part;
		p += part;
		n -= part;
		if (s->end == BUFFER) {
			run(d, false);
			slide(s);
		}
	}
}

void
deflate_close(struct deflater *d)
{
	run(d, true);
	write_block(d, true);
	put_bits(d, 0, -d->state->nbits & 7);
	put_whole(d);
	if (d->wrap == DEFLATE_ZLIB)
		put_bytes(d, __builtin_bswap32(d->sum), 4);
	if (d->wrap == DEFLATE_GZIP) {
		put_bytes(d, d->sum, 4);
		put_bytes(d, d->size, 4);
	}
	vec_free(&d->state, &d->cap, 1);
}

static void
drain(void *deflater, const void *bytes, size_t n)
{
	deflate_put(deflater, bytes, n);
}

void
deflate_sink(struct sink *s, struct deflater *d)
{
	sink_open_to(s, drain, d);
}

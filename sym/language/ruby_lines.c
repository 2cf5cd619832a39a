/* See ruby_lines.h.  iseq.c of Ruby, struct succ_index_table: for each word of a function's code, how many entries begin at or before it.
 * For the first 54 words these numbers themselves, nine of 7 bits in a word; then blocks for 512 words each, with a bit for each word
 * at which an entry begins. */
#include "ruby_lines.h"

#include <string.h>

enum { FIRST = 54, EACH = 9, BLOCK = 512, BLOCK_BYTES = 80, BITS = 16, SIZE_MOST = 1 << 16 };

static uint64_t
word(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static uint32_t
first_words(uint32_t size)
{
	return (size < FIRST ? size + 8 : FIRST) / EACH;
}

uint32_t
ruby_lines_positions(uint32_t size)
{
	if (!size || size > SIZE_MOST)
		return 0;
	return 8 * first_words(size) + (size < FIRST ? 0 : (size - FIRST + BLOCK - 1) / BLOCK * BLOCK_BYTES);
}

struct list {
	uint8_t *to;
	uint32_t n;                /* bytes */
	uint32_t line;
};

static void
put(struct list *l, uint32_t at, const uint8_t *entry)
{
	uint32_t line;

	memcpy(&line, entry, sizeof line);
	if (line == l->line)
		return;
	memcpy(l->to + l->n, &at, sizeof at);
	memcpy(l->to + l->n + 4, &line, sizeof line);
	l->n += RUBY_LINES_ITEM;
	l->line = line;
}

uint32_t
ruby_lines(const uint8_t *positions, uint32_t size, const uint8_t *entries, uint32_t n, uint8_t *to)
{
	const uint8_t *blocks = positions + 8 * first_words(size);
	struct list l = { .to = to };
	uint32_t rank = 0;

	for (uint32_t at = 0; at < size && rank < n; at++) {
		uint32_t next = rank, in = at - FIRST;

		if (at < FIRST)
			next = (uint32_t)(word(positions + 8 * (at / EACH)) >> 7 * (at % EACH) & 127);
		else
			next += (uint32_t)(word(blocks + in / BLOCK * BLOCK_BYTES + BITS + 8 * (in % BLOCK / 64)) >> in % 64 & 1);
		if (next > rank && next <= n)
			put(&l, at, entries + (next - 1) * RUBY_LINES_ENTRY);
		rank = next > rank ? next : rank;
	}
	return l.n;
}

uint32_t
ruby_line(const struct language_function *f, uint32_t at)
{
	uint32_t line = f->line, from;

	for (uint32_t i = 0; i + RUBY_LINES_ITEM <= f->nlines; i += RUBY_LINES_ITEM) {
		memcpy(&from, f->lines + i, sizeof from);
		if (from > at)
			break;
		memcpy(&line, f->lines + i + 4, sizeof line);
	}
	return line;
}

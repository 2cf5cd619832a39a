/* See core_bytes.h. */
#include "core_bytes.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 64 << 10 };

void
core_bytes_open(struct core_bytes *b, int fd)
{
	struct stat st;

	*b = (struct core_bytes){ .fd = fd, .piped = true, .size = UINT64_MAX };
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		b->piped = false;
		b->size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
	}
}

void
core_bytes_close(struct core_bytes *b)
{
	vec_free(&b->head, &b->cap_head, 1);
	vec_free(&b->piece, &b->cap_piece, sizeof *b->piece);
	vec_free(&b->buffer, &b->cap_buffer, 1);
	arena_free(&b->arena);
}

/* The next bytes of the pipe, up to N. */
static size_t
next(struct core_bytes *b, uint8_t *to, size_t n)
{
	size_t got = 0;

	while (got < n && !b->ended) {
		ssize_t k = read(b->fd, to + got, n - got);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			b->ended = true;
		else
			got += (size_t)k;
	}
	b->at += got;
	return got;
}

static size_t
from_file(const struct core_bytes *b, uint64_t off, uint8_t *to, size_t n)
{
	size_t got = 0;

	while (got < n && off + got <= INT64_MAX) {
		ssize_t k = pread(b->fd, to + got, n - got, (off_t)(off + got));

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		got += (size_t)k;
	}
	return got;
}

/* Reads on until the head reaches up to END. */
static void
lengthen(struct core_bytes *b, uint64_t end)
{
	end = end < CORE_HEAD_MOST ? end : CORE_HEAD_MOST;
	while (b->nhead < end && !b->ended) {
		size_t n = end - b->nhead < PIECE ? (size_t)(end - b->nhead) : PIECE;

		if (!vec_room(&b->head, &b->cap_head, b->nhead + n, 1))
			break;
		b->nhead += (uint32_t)next(b, b->head + b->nhead, n);
	}
}

struct cursor
core_bytes_some(struct core_bytes *b, uint64_t off, uint64_t n)
{
	uint64_t left;

	if (b->piped) {
		lengthen(b, off + n < off ? UINT64_MAX : off + n);
		left = off < b->nhead ? b->nhead - off : 0;
		return cur_of(left ? b->head + off : NULL, (size_t)(n < left ? n : left), false);
	}
	left = off < b->size ? b->size - off : 0;
	n = n < left ? n : left;
	n = n < CORE_HEAD_MOST ? n : CORE_HEAD_MOST;
	if (!n || !vec_room(&b->buffer, &b->cap_buffer, n, 1))
		return cur_of(NULL, 0, false);
	return cur_of(b->buffer, from_file(b, off, b->buffer, (size_t)n), false);
}

/* Reads up to OFF without keeping anything. */
static bool
skip(struct core_bytes *b, uint64_t off)
{
	uint8_t buf[8192];

	while (b->at < off && !b->ended)
		next(b, buf, off - b->at < sizeof buf ? (size_t)(off - b->at) : sizeof buf);
	return b->at >= off;
}

bool
core_bytes_keep(struct core_bytes *b, uint64_t lo, uint64_t hi, uint64_t most)
{
	uint8_t *to;
	size_t n;

	lo = lo > b->at ? lo : b->at;
	if (!skip(b, lo))
		return false;
	hi = hi < lo + (most - b->kept) ? hi : lo + (most - b->kept);
	if (lo >= hi)
		return true;
	to = arena_alloc(&b->arena, (size_t)(hi - lo));
	if (!to || !vec_room(&b->piece, &b->cap_piece, (uint64_t)b->npiece + 1, sizeof *b->piece))
		return true;
	n = next(b, to, (size_t)(hi - lo));
	b->piece[b->npiece++] = (struct core_piece){ lo, lo + n, to };
	b->kept += n;
	return lo + n >= hi;
}

void
core_bytes_drain(struct core_bytes *b)
{
	if (b->piped)
		skip(b, UINT64_MAX);
}

/* The kept bytes at OFF, at most *N of them. */
static const uint8_t *
kept_at(const struct core_bytes *b, uint64_t off, size_t *n)
{
	uint32_t lo = 0, hi = b->npiece;
	const struct core_piece *p;
	uint64_t left = off < b->nhead ? b->nhead - off : 0;

	while (!left && lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		*(b->piece[mid].hi <= off ? &lo : &hi) = b->piece[mid].hi <= off ? mid + 1 : mid;
	}
	p = lo < b->npiece ? &b->piece[lo] : NULL;   /* there may be none at all */
	if (!left && p && off >= p->lo)
		left = p->hi - off;
	*n = *n < left ? *n : (size_t)left;
	return !*n ? NULL : off < b->nhead ? b->head + off : p->bytes + (off - p->lo);
}

size_t
core_bytes_read(const struct core_bytes *b, uint64_t off, void *to, size_t n)
{
	size_t got = 0;
	uint8_t *at = to;

	if (!b->piped)
		return from_file(b, off, at, n);
	while (got < n) {
		size_t k = n - got;
		const uint8_t *p = kept_at(b, off + got, &k);

		if (!p)
			break;
		memcpy(at + got, p, k);
		got += k;
	}
	return got;
}

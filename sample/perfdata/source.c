/* See source.h. */
#include "source.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/mem.h"

#include <string.h>

enum { PIECE = 1 << 18 };

void
source_open(struct source *s, int fd)
{
	struct stat st;

	*s = (struct source){ .fd = fd };
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0) {
		s->seeks = true;
		s->size = (uint64_t)st.st_size;
	}
}

void
source_free(struct source *s)
{
	vec_free(&s->bytes, &s->cap, 1);
}

/* Reads some more behind what is there; false at the end. */
static bool
more(struct source *s, uint32_t want)
{
	uint32_t left = s->n - s->pos;
	ssize_t got;

	if (s->pos && s->bytes)
		memmove(s->bytes, s->bytes + s->pos, left);
	s->pos = 0;
	s->n = left;
	if (!vec_room(&s->bytes, &s->cap, (uint64_t)want + PIECE, 1)) {
		s->err = ENOMEM;
		return false;
	}
	do
		got = s->seeks ? pread(s->fd, s->bytes + s->n, s->cap - s->n, (off_t)(s->at + left))
		               : read(s->fd, s->bytes + s->n, s->cap - s->n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		s->err = errno;
	s->n += got > 0 ? (uint32_t)got : 0;
	return got > 0;
}

const uint8_t *
source_peek(struct source *s, uint32_t n)
{
	while (s->n - s->pos < n)
		if (!more(s, n))
			return NULL;
	return s->bytes + s->pos;
}

bool
source_go(struct source *s, uint64_t at)
{
	if (at >= s->at && at - s->at <= s->n - s->pos) {
		s->pos += (uint32_t)(at - s->at);
	} else if (s->seeks && at <= s->size) {
		s->pos = s->n = 0;
	} else {
		return false;
	}
	s->at = at;
	return true;
}

bool
source_skip(struct source *s, uint64_t n)
{
	if (s->seeks)
		return n <= UINT64_MAX - s->at && source_go(s, s->at + n);
	while (n) {
		uint32_t here = s->n - s->pos;

		if (!here && !more(s, 1))
			return false;
		here = s->n - s->pos;
		here = here < n ? here : (uint32_t)n;
		s->pos += here;
		s->at += here;
		n -= here;
	}
	return true;
}

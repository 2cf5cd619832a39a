/* See asked_map.h. */
#include "asked_map.h"

#include <sys/mman.h>
#include <unistd.h>

#include "asked_file.h"
#include "touched.h"

/* Bytes that prof asks for at a time, and most bytes that it holds. */
enum { PIECE = ASKED_FILE_MOST, HELD_MOST = 16 << 20 };

static struct asked_map *all;
static size_t held;

static bool
pages(uint8_t *at, size_t n, int protection)
{
	return mmap(at, n, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

void
asked_map_trim(void)
{
	for (struct asked_map *m = all; m; m = m->next)
		pages(m->base, m->room, PROT_NONE);
	held = 0;
}

/* A reader that touches two pieces at once comes here twice: there is room for both. */
static bool
fill(uintptr_t at)
{
	for (struct asked_map *m = all; m; m = m->next) {
		size_t off = at - (uintptr_t)m->base, lo = off & ~(size_t)(PIECE - 1), n;

		if (off >= m->room)
			continue;
		if (held + PIECE > HELD_MOST)
			asked_map_trim();
		n = m->room - lo < PIECE ? m->room - lo : PIECE;
		if (!pages(m->base + lo, n, PROT_READ | PROT_WRITE))
			return touched_zeros(at);
		held += n;
		if (lo < m->size)
			asked_file_read(m->fd, m->base + lo, m->size - lo < n ? m->size - lo : n, lo);
		return true;
	}
	return false;
}

bool
asked_map_open(struct asked_map *m, int fd, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = ((size + page - 1) & ~(page - 1)) + page;
	void *p = touched_fill(fill) ? mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : MAP_FAILED;

	if (p == MAP_FAILED)
		return false;
	*m = (struct asked_map){ .next = all, .base = p, .size = size, .room = room, .fd = fd };
	all = m;
	return true;
}

void
asked_map_close(struct asked_map *m)
{
	struct asked_map **at = &all;

	while (*at && *at != m)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = m->next;
	munmap(m->base, m->room);
}

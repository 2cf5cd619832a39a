/* See dead_ends.h. */
#include "dead_ends.h"

enum { ENDS_LOG = 10, SETS = 4, STATE_SHIFT = 56 };
enum { PLAIN = 1, FP_CHANGED, FROM_FP };   /* states */

struct dead_ends {
	struct code_extent extent; /* what all this was read from */
	uint32_t epoch;            /* of the space; 0: there is nothing */
	bool by_fp;
	uint64_t end[1 << ENDS_LOG];   /* by its hash: where nothing was found, and in which state */
};

struct dead_end_sets {
	unsigned next;             /* to be replaced */
	struct dead_ends set[SETS];
};

uint8_t
dead_ends_state(const struct flow *f)
{
	if (f->record || f->far.reg)
		return NO_DEAD_END;
	return f->fp.in != HOLDS_ORIGINAL ? FP_CHANGED : f->base_fp ? FROM_FP : PLAIN;
}

static uint64_t
key_of(uint64_t at, uint8_t state)
{
	return at ^ (uint64_t)state << STATE_SHIFT;
}

static unsigned
slot_of(uint64_t key)
{
	return hash_u64(key) >> (32 - ENDS_LOG);
}

const struct dead_ends *
dead_ends_around(struct code_source *src, uint64_t addr)
{
	for (unsigned i = 0; src->dead && src->space && i < SETS; i++) {
		const struct dead_ends *d = &src->dead->set[i];

		if (d->epoch && d->epoch == src->space->epoch && code_pages_covers(&d->extent, addr) && code_pages_same(&src->pages, src->space, &d->extent)) {
			code_pages_rely(&src->pages, &d->extent);
			return d;
		}
	}
	return NULL;
}

bool
dead_ends_has(const struct dead_ends *d, uint64_t at, uint8_t state, bool *by_fp)
{
	uint64_t key = key_of(at, state);

	if (state == NO_DEAD_END || d->end[slot_of(key)] != key)
		return false;
	*by_fp |= d->by_fp && state != FP_CHANGED;
	return true;
}

void
dead_ends_add(struct code_source *src, const struct dead_ends *known, const uint64_t *at, const uint8_t *state, unsigned n, bool by_fp)
{
	struct code_extent extent;
	struct dead_ends *d;

	if (!src->space || !code_pages_noted(&src->pages, &extent) ||
	    (!src->dead && !(src->dead = arena_alloc(src->arena, sizeof *src->dead))))
		return;
	d = known ? &src->dead->set[known - src->dead->set] : &src->dead->set[src->dead->next++ % SETS];
	if (!known)
		*d = (struct dead_ends){ .epoch = src->space->epoch };
	d->extent = extent;
	d->by_fp |= by_fp;
	for (unsigned i = 0; i < n; i++) {
		uint64_t key = key_of(at[i], state[i]);

		if (state[i] != NO_DEAD_END)
			d->end[slot_of(key)] = key;
	}
}

/* See python_gil.h.  Python/ceval_gil.c, struct _gil_runtime_state: the switch interval, the last thread that had the lock, whether it is
 * locked, how often it went from a thread to another; then a condition and a mutex.  From 3.13 on the process tells where it is.  Before,
 * it is somewhere in _PyRuntime, from where prof looks for words of this form. */
#include "python_gil.h"

enum { INTERVAL, HOLDER, LOCKED, SWITCHES, WORDS, PAGE = 4096, RUNTIME_MOST = 1 << 20, CANDIDATES = 32 };

#define INTERVAL_MOST 100000000u         /* µs */
#define LOOK_AGAIN UINT64_C(300000000)   /* ns */

static bool
may_be_gil(const uint64_t w[WORDS])
{
	return w[INTERVAL] && w[INTERVAL] <= INTERVAL_MOST && w[LOCKED] <= 1 && w[SWITCHES] && w[HOLDER] && w[HOLDER] % 8 == 0;
}

static uint64_t
search(const struct python_image *p, struct look *l, uint64_t runtime, uint8_t *room, bool (*is_thread)(const void *, uint64_t), const void *ctx)
{
	uint64_t w[WORDS];
	unsigned left = CANDIDATES;
	size_t n;

	for (uint64_t at = 0; at < p->runtime_size && at < RUNTIME_MOST; at += PAGE - sizeof w) {
		n = p->runtime_size - at < PAGE ? (size_t)(p->runtime_size - at) : PAGE;
		l->reads += l->reads < 4;
		if (!look_copy(l, runtime + at, room, n))
			return 0;
		for (size_t i = 0; i + sizeof w <= n; i += 8) {
			__builtin_memcpy(w, room + i, sizeof w);
			if (!may_be_gil(w))
				continue;
			if (is_thread(ctx, w[HOLDER]))
				return runtime + at + i;
			if (!--left)   /* each costs a way along all threads */
				return 0;
		}
	}
	return 0;
}

uint64_t
python_gil_find(struct python_gil *g, const struct python_image *p, struct look *l, uint64_t runtime, uint64_t interpreter, uint8_t *room,
                bool (*is_thread)(const void *ctx, uint64_t state), const void *ctx)
{
	uint64_t gil;

	if (p->free_threaded)
		return 0;
	if (p->at[PY_I_GIL])
		return look_word(l, interpreter + p->at[PY_I_GIL], &gil) && gil % 8 == 0 ? gil : 0;
	if (!g->at && l->moment->time - g->tried >= LOOK_AGAIN) {
		g->tried = l->moment->time;
		g->at = search(p, l, runtime, room, is_thread, ctx);
	}
	return g->at;
}

uint64_t
python_gil_holder(const struct python_image *p, struct look *l, uint64_t gil)
{
	const uint32_t *at = p->at;
	uint64_t holder, locked;
	bool told = at[PY_I_GIL];

	if (!look_word(l, gil + (told ? at[PY_GIL_HOLDER] - at[PY_GIL_STATE] : 8 * HOLDER), &holder) ||
	    !look_word(l, gil + (told ? at[PY_GIL_LOCKED] - at[PY_GIL_STATE] : 8 * LOCKED), &locked))
		return 0;
	return (uint32_t)locked == 1 ? holder : 0;
}

/* See python_threads.h.  The states of an interpreter's threads are a list, the newest one first, that a process can make long, or change
 * all the time.  So a search keeps what it met for the next one, and all searches have an allowance. */
#include "python_threads.h"

#include "lasting.h"

enum {
	READS = 256,               /* pieces of memory that prof may read for a sample after a search, and for each step of a search */
	INTERPRETERS = 64, THREADS = 4096, STATES = 1 << 14,
	BEHIND = 16,               /* threads that a search looks at behind the one that it wants, and as many again as before it */
	SCANNED = 1024, FEW = 64,            /* states to look through for one of the allowance */
	STRUCT = 1008, NUMBER_FIRST = 32,   /* bytes of the C library's struct, and of pointers and flags that it begins with */
};

#define STACK_MOST UINT64_C(0x10000000)  /* bytes of a thread's stack */
#define LOOK_SOON UINT64_C(1000000)      /* ns: until a thread is looked for again, */
#define LOOK_AGAIN UINT64_C(100000000)   /* and if that was in vain for long */
#define MOVED UINT64_C(20000000)         /* ns: until a thread may have entered another interpreter; longer if there are more than FEW threads */

void
python_threads_free(struct python_threads *p)
{
	vec_free(&p->thread, &p->cap, sizeof *p->thread);
	vec_free(&p->tid, &p->cap_tids, sizeof *p->tid);
	vec_free(&p->state, &p->cap_states, sizeof *p->state);
	vec_free(&p->met, &p->cap_met, sizeof *p->met);
}

/* The thread's number.  Before 3.11 a thread is known by the address of its C library's struct, which has its number in it: at a place that
 * prof learns when it finds WANTED. */
static int32_t
number_of(struct python_threads *p, struct look *l, uint64_t state, int32_t wanted)
{
	const uint32_t *at = p->image->at;
	const uint8_t *o;
	uint64_t id;

	if (at[PY_T_NATIVE_ID])
		return look_word(l, state + at[PY_T_NATIVE_ID], &id) ? (int32_t)id : 0;
	if (!look_word(l, state + at[PY_T_ID], &id) || id % 8 || !(o = look_at(l, id + p->number_at, p->number_at ? 4 : STRUCT)))
		return 0;
	if (p->number_at)
		return (int32_t)look_u32(o);
	for (unsigned i = NUMBER_FIRST; wanted && i < STRUCT; i += 4)
		if (look_u32(o + i) == (uint32_t)wanted) {
			p->number_at = i;
			return wanted;
		}
	return 0;
}

/* The C library keeps a thread's struct, whose address is ID, right above the thread's stack.  The first thread has its stack above
 * those of all others. */
static bool
is_nearer(const struct look *l, uint64_t id, const struct python_state *best)
{
	uint64_t sp = l->moment->sp[0], far = best ? best->id - sp : 0;

	return !best || (id - sp < STACK_MOST && id - sp < far) || (far >= STACK_MOST && id - sp >= STACK_MOST);
}

/* The thread among the states that are known: by its number, or (of another pid namespace) by its stack. */
static const struct python_state *
known(struct python_threads *p, struct look *l, int32_t tid)
{
	const struct python_state *best = NULL;

	l->reads = READS;
	for (uint32_t i = 0; i < p->states; i++) {
		const struct python_state *s = &p->state[i];

		if (s->number == tid && number_of(p, l, s->state, tid) == tid) {
			p->numbered = true;
			return s;
		}
		if (!p->numbered && s->id && is_nearer(l, s->id, best))
			best = s;
	}
	return p->numbered ? NULL : best;
}

/* Goes along the lists until TID is met (0: all of them), and as far again behind it: so a search for each of many threads is not a way
 * along all of them.  False if it was ended before all of them. */
static bool
walk(struct python_threads *p, struct languages *languages, struct look *l, int32_t tid)
{
	const uint32_t *at = p->image->at;
	struct python_state s = { 0 };
	uint32_t n = 0, interpreters = 0, upto = STATES, number_at = p->number_at;
	uint64_t began = l->since, newest;

	look_word(l, p->runtime + at[PY_HEAD], &newest);
	s.interpreter = newest;
	look_word(l, s.interpreter + at[PY_THREADS], &s.state);
	for (; s.interpreter && n < upto; l->reads = READS) {
		if (!s.state && ++interpreters == INTERPRETERS)
			break;
		if (!s.state) {
			look_word(l, s.interpreter + at[PY_INTERPRETER_NEXT], &s.interpreter);
			look_word(l, s.interpreter + at[PY_THREADS], &s.state);
		} else {
			s.number = number_of(p, l, s.state, tid);
			look_word(l, s.state + at[PY_T_ID], &s.id);
			if (!vec_room(&p->state, &p->cap_states, (uint64_t)n + 1, sizeof *p->state) || !vec_room(&p->met, &p->cap_met, (uint64_t)n + 1, sizeof *p->met))
				return false;
			p->met[n] = (struct language_other){ s.state + at[PY_T_FRAME], s.number };
			p->state[n++] = s;
			p->nmet = n;
			p->states = p->states < n ? n : p->states;
			if (tid && s.number == tid && upto == STATES && n < STATES / 2 - BEHIND)
				upto = 2 * n + BEHIND;
			look_word(l, s.state + at[PY_T_NEXT], &s.state);
		}
		if (!languages_may_search(languages, &p->allowance, l->moment->time, 1 + READS - l->reads))
			return false;
	}
	if (upto < STATES && n == upto)
		return false;
	p->states = n;
	p->complete = p->number_at == number_at ? began : 0;   /* else not all numbers could be read */
	p->newest = newest;
	p->several = interpreters > 1;
	return true;
}

/* EACH: it may have states in several interpreters. */
static const struct python_state *
search(struct python_threads *p, struct languages *languages, struct look *l, int32_t tid, bool each)
{
	const struct python_state *s;
	bool all = p->complete && p->complete >= l->moment->time;

	if (!languages_may_search(languages, &p->allowance, l->moment->time, 1 + p->states / SCANNED))
		return NULL;
	s = known(p, l, tid);
	if (all || (s && p->numbered && !each))
		return s;
	all = walk(p, languages, l, each ? 0 : tid);
	s = known(p, l, tid);
	if (!s)   /* what was taken for its place may have been another member */
		p->number_at = 0;
	return all || p->numbered ? s : NULL;   /* a nearer one may be in the rest */
}

/* Whether the thread is still there, where it was found. */
static bool
is_there(struct python_threads *p, struct look *l, const struct python_thread *t, int32_t tid)
{
	uint64_t id;

	if (t->id)
		return look_word(l, t->in[0].state + p->image->at[PY_T_ID], &id) && id == t->id;
	return t->in[0].state && (!p->image->at[PY_T_NATIVE_ID] || number_of(p, l, t->in[0].state, tid) == tid);
}

/* Whether it may have entered or left another interpreter since. */
static bool
may_have_moved(const struct python_threads *p, struct look *l, const struct python_thread *t)
{
	uint64_t newest;

	return l->moment->time - t->searched > MOVED * (1 + p->states / FEW) &&
	       (p->several || (look_word(l, p->runtime + p->image->at[PY_HEAD], &newest) && newest != p->newest));
}

/* Takes S, and what else among the states is the thread's. */
static void
take(const struct python_threads *p, struct python_thread *t, const struct python_state *s, int32_t tid)
{
	uint32_t n = 0, i;

	t->id = p->numbered ? 0 : s->id;
	for (; s < p->state + p->states && n < PYTHON_STATES; s++)
		if (p->numbered ? s->number == tid : s->id == t->id) {
			for (i = 0; i < n && t->in[i].state != s->state; i++)
				;
			if (i < n)   /* a search that ended early has left it where it was, too */
				continue;
			t->in[n].state = s->state;
			t->in[n++].interpreter = s->interpreter;
		}
	for (; n < PYTHON_STATES; n++)
		t->in[n].state = 0;
}

/* The place for another thread: that of one that has ended, if its memory is used again.  (Without numbers, two threads may seem to have
 * one state.) */
static struct python_thread *
place_for(struct python_threads *p, int32_t tid, uint64_t state)
{
	uint32_t i = 0;

	while (i < p->n && !(p->numbered && state && p->thread[i].in[0].state == state))
		i++;
	if (i == p->n && i < THREADS) {
		if (!vec_room(&p->thread, &p->cap, (uint64_t)i + 1, sizeof *p->thread) || !vec_room(&p->tid, &p->cap_tids, (uint64_t)i + 1, sizeof *p->tid))
			return NULL;
		p->thread[p->n++] = (struct python_thread){ 0 };
	}
	i = i == THREADS ? p->turn++ % THREADS : i;
	if (p->thread[i].chain)
		p->thread[i].chain->n = 0;
	p->thread[i] = (struct python_thread){ .chain = p->thread[i].chain, .names = p->thread[i].names };
	p->tid[i] = tid;
	return &p->thread[i];
}

struct python_thread *
python_threads_find(struct python_threads *p, struct languages *languages, struct look *l, int32_t tid)
{
	const struct python_state *s;
	struct python_thread *t;
	uint32_t i = 0;
	bool there;

	p->nmet = 0;
	while (i < p->n && p->tid[i] != tid)
		i++;
	t = i < p->n ? &p->thread[i] : NULL;
	there = t && is_there(p, l, t, tid);
	if (there && !may_have_moved(p, l, t))
		return t;
	if (t && !there && l->moment->time - t->searched < t->pause)
		return NULL;
	s = search(p, languages, l, tid, there || p->several);
	if (!t && !(t = place_for(p, tid, s ? s->state : 0)))
		return NULL;
	t->searched = l->moment->time;
	if (s) {
		t->pause = 0;
		take(p, t, s, tid);
	} else if (!there) {   /* soon again: it may have just begun */
		t->pause = t->pause < LOOK_AGAIN / 2 ? t->pause * 2 + LOOK_SOON : LOOK_AGAIN;
	}
	return s || there ? t : NULL;
}

bool
python_threads_has(struct python_threads *p, struct languages *languages, struct look *l, uint64_t interpreter, uint64_t state)
{
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < p->states; i++)
			if (p->state[i].state == state && p->state[i].interpreter == interpreter)
				return true;
		if ((p->complete && p->complete >= l->moment->time) || !walk(p, languages, l, 0))
			break;
	}
	return false;
}

/* Threads of a Python process: which PyThreadState is a thread's. */
#ifndef SYM_LANGUAGE_PYTHON_THREADS_H
#define SYM_LANGUAGE_PYTHON_THREADS_H

#include "languages.h"
#include "look.h"
#include "python_image.h"

struct lasting;

/* A thread has a state in each interpreter that it has entered, and runs the newest one of those that have frames. */
enum { PYTHON_STATES = 4 };

struct python_thread {
	struct { uint64_t state, interpreter; } in[PYTHON_STATES];   /* the newest interpreter first; no state: it was not found, */
	uint64_t searched, pause;  /* when, ns, and until it is looked for again */
	uint64_t id;               /* not 0: it has another number in its own pid namespace, and prof knows it by this word */
	struct lasting *chain;     /* as prof read it last, or NULL */
	const char *name;          /* what the program calls it, or NULL, */
	uint64_t named;            /* and when prof looked, ns; */
	uint32_t names;            /* and how many names it has had */
};

/* A thread's state as a search met it; it may be gone since. */
struct python_state {
	uint64_t state, interpreter, id;
	int32_t number;            /* the thread's, or 0 */
};

struct python_threads {
	const struct python_image *image;
	uint64_t runtime;          /* _PyRuntime */
	struct python_thread *thread;
	int32_t *tid;              /* of each of these */
	uint32_t n, cap, cap_tids;
	uint32_t turn;             /* the next one to forget */
	struct python_state *state;
	uint32_t states, cap_states;
	struct language_other *met;   /* what the last search met, */
	uint32_t nmet, cap_met;       /* from 0 on for each question */
	uint64_t complete;         /* ns: all threads that were there at this time, and are still there, are among the states */
	struct allowance allowance;
	uint64_t newest;           /* the first interpreter in the list when all threads were met */
	bool several;              /* there were other interpreters */
	uint32_t number_at;        /* the number's place in the C library's struct, or 0: not known yet */
	bool numbered;             /* its threads have the numbers that prof knows: it is in no other pid namespace */
};

void python_threads_free(struct python_threads *);
/* The thread, until the next question; or NULL. */
struct python_thread *python_threads_find(struct python_threads *, struct languages *, struct look *, int32_t tid);
/* Whether there is such a state of a thread of the interpreter. */
bool python_threads_has(struct python_threads *, struct languages *, struct look *, uint64_t interpreter, uint64_t state);

#endif

/* See jit_gap.h.  Erlang's schedulers (BeamAsm) call process_main once, and it never returns.  It jumps to code that the process made, which
 * makes a frame of some 16 KiB on the thread's stack.  The code then changes to stacks in the heap; while C functions run, it is back on
 * the thread's.  One register points into that frame all the time.
 *
 * The frame's return address is the only one on this stack behind a direct call of that function (process_main has jumped, so an
 * address in it is an old word).  It stays as long as the thread, so prof may read it from the process's memory later, where the copy
 * does not have it.  A walk from there must reach the root by itself.  Then prof knows the thread's base.  It holds for other samples of
 * the same thread if their sp, or that register, is within the frame; if the copy has the return address, prof compares it.
 *
 * Chez Scheme (and so Racket) jumps to its code from S_generic_invoke. The code saves a few registers on the thread's stack, and leaves sp
 * there: its own frames are in the heap. */
#include "jit_gap.h"

#include "chain.h"
#include "entry.h"
#include "hosted_frame.h"

enum {
	BASES = 64,
	BASE_FRAMES = 14,
	FRAME_MOST = 24 << 10,   /* bytes between sp in that frame and its return address */
	SAVED_MOST = 512,        /* of code that leaves sp alone */
	BEHIND = 4 << 10,        /* bytes of the thread's outermost frames */
	PAGE = 4096,
	PIECES = 96,
	PAUSE = 100,             /* samples of a thread, until prof looks for its base again */
};

struct base {
	const struct space *space;   /* NULL: none */
	const struct module *module;
	uint64_t at;                 /* where its return address is, */
	uint64_t ra;
	int32_t tid;
	uint32_t n;                  /* 0: prof found none, and waits for */
	uint32_t pause;              /* so many samples */
	uint32_t code[BASE_FRAMES];
};

struct bases {
	struct base base[BASES];
	struct pieces all;
	struct piece piece[PIECES];
	uint8_t bytes[FRAME_MOST + BEHIND];   /* as they are now */
};

static bool
is_jit(const struct job *j, uint32_t code)
{
	const struct unwinder *u = j->u;

	return code >= CODE_MARKS && u->code.modules->module[u->codes->code[code].module]->kind == MODULE_JIT;
}

/* Within the frame of such code on the thread's stack; 0 if the thread's innermost code is on another stack, and its register tells
 * nothing.  HEAP: it is. */
static uint64_t
place_in_frame(const struct job *j, const struct jumper *k, const struct regs *regs, uint32_t first)
{
	const struct walk *w = j->walk;
	uint8_t keeps = j->u->code.arch->keeps_stack;
	uint32_t from = first;

	while (first < w->n && !is_jit(j, w->code[first]))
		first++;
	if (first == w->n)
		return 0;
	if (first > from || k->stays)   /* C code has called it, which runs on the thread's stack alone */
		return w->sp[first];
	return regs->known >> keeps & 1 ? regs->r[keeps] : 0;
}

/* Adds to the copied memory what lies from SP on now. */
static void
read_now(struct job *j, struct bases *all, uint64_t sp)
{
	struct memory *m = &j->memory;
	uint32_t n = m->beyond ? m->beyond->n : 0;
	size_t got = 0, more = 1;

	if (n >= PIECES || !j->space->read)
		return;
	while (got < sizeof all->bytes && more) {
		size_t most = PAGE - (sp + got) % PAGE;

		more = sizeof all->bytes - got < most ? sizeof all->bytes - got : most;
		more = j->space->read(j->space, sp + got, all->bytes + got, more);
		got += more;
	}
	for (uint32_t i = 0; i < n; i++)
		all->piece[i] = m->beyond->piece[i];
	all->piece[n] = (struct piece){ sp, got, all->bytes };   /* what the copy has comes first */
	all->all = (struct pieces){ all->piece, n + 1 };
	m->beyond = &all->all;
}

/* Looks for the frame's return address from SP on.  If there are two, one of them is old; but code that leaves sp alone has written all that
 * lies before its own. */
static enum step
search(struct job *j, const struct jumper *k, uint64_t sp, struct frame *to)
{
	uint64_t most = k->stays ? SAVED_MOST : FRAME_MOST, ra;
	unsigned word = j->u->code.arch->word;

	to->pc = 0;
	for (uint64_t at = sp; at - sp < most && memory_word(&j->memory, at, &ra); at += word) {
		if (!hosted_called(j, k, ra))
			continue;
		if (to->pc)
			return STEP_NONE;
		*to = (struct frame){ .pc = ra, .sp = at + word };
		if (k->stays)
			break;
	}
	return to->pc ? STEP_OK : STEP_NONE;
}

/* By what prof knows already of the thread's base. */
static enum step
step_known(struct job *j, struct base *b, struct frame *to)
{
	unsigned word = j->u->code.arch->word;
	uint64_t ra;

	if (!memory_word(&j->memory, b->at, &ra))
		return STEP_ROOT;
	*to = (struct frame){ .pc = ra, .sp = b->at + word };
	return ra == b->ra ? STEP_OK : STEP_NONE;
}

enum step
jit_gap_find(struct job *j, const struct regs *regs, int32_t tid, uint32_t above, struct frame *to, const struct base **base)
{
	struct unwinder *u = j->u;
	const struct jumper *k;
	enum step step = STEP_NONE;
	struct base *b;
	uint64_t sp;

	if (u->mode != MODE_AUTO || !u->code.arch->keeps_stack || !tid || !is_jit(j, walk_last(u, j->walk, j->ring)) || !(k = hosted_switches(j)) ||
	    !(sp = place_in_frame(j, k, regs, above)) || sp % u->code.arch->word || (!u->bases && !(u->bases = arena_alloc(&u->arena, sizeof *u->bases))))
		return STEP_NONE;
	if (k->stays)
		return search(j, k, sp, to);
	if (above)
		return STEP_NONE;
	*base = b = &u->bases->base[(uint32_t)tid % BASES];
	if (b->space == j->space && b->tid == tid && b->module == k->module) {
		if (b->n && b->at - sp < FRAME_MOST)
			step = step_known(j, b, to);
		if (step != STEP_NONE || (b->pause && b->pause--))
			return step;
	}
	*b = (struct base){ .space = j->space, .module = k->module, .tid = tid, .pause = PAUSE };
	read_now(j, u->bases, sp);
	return search(j, k, sp, to);
}

void
jit_gap_push(struct job *j, const struct base *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		walk_push(j->u, j->walk, b->code[i], 0, &j->ring);
}

void
jit_gap_learn(struct job *j, int32_t tid, const struct frame *to, uint32_t from)
{
	struct base *b = &j->u->bases->base[(uint32_t)tid % BASES];
	const struct walk *w = j->walk;

	if (w->elided || w->n - from > BASE_FRAMES)
		return;
	b->at = to->sp - j->u->code.arch->word;
	b->ra = to->pc;
	b->n = w->n - from;
	b->pause = 0;
	for (uint32_t i = 0; i < b->n; i++)
		b->code[i] = w->code[from + i];
}

/* See work.h.  A hostile file makes much work out of few bytes: tables that claim to be large, lists that lead to themselves, streams
 * that become a thousand times as long.  A byte of an honest file costs a third of a step at most, and half a byte of memory.  If a
 * watchdog looks, time bounds what steps do not. */
#include "work.h"

#include "clock.h"
#include "mem.h"

/* Steps to begin with, for each byte of the file, and for each question; bytes of memory to begin with, and for each byte. */
enum { STEPS_FIRST = 1 << 22, STEPS_BYTE = 2, STEPS_EACH = 4096, MEMORY_FIRST = 48 << 20, MEMORY_BYTE = 2 };

/* ns: all files that take too long get together at most twice as much, beside the least that each gets. */
#define PATIENCE       UINT64_C(1500000000)
#define PATIENCE_LEAST UINT64_C(50000000)

uint64_t work_left = UINT64_MAX;
static struct work *now;
static unsigned depth;
static size_t before;      /* bytes of memory in use when the work began */
static unsigned waiting;   /* prof waits for another process's answer about a file */
static uint64_t waits_since;
static unsigned turn;      /* counts the work that begins */
/* ns of CPU that one file may take: to begin with (less after each file that took them), and for each byte. */
static uint64_t patience = PATIENCE, patience_byte;

/* The memory that W may hold bounds what all of prof holds meanwhile. */
static void
bound_memory(const struct work *w)
{
	int64_t most = (int64_t)MEMORY_FIRST + (int64_t)(w->bytes < UINT32_MAX ? w->bytes : UINT32_MAX) * MEMORY_BYTE - w->held;
	uint64_t bound = before + (most > 0 ? (uint64_t)most : 0);

	mem_bound(bound < SIZE_MAX ? (size_t)bound : SIZE_MAX - 1);
}

void
work_begin(struct work *w)
{
	if (depth++)
		return;
	now = w;
	turn++;
	before = mem_used();
	if (!w->begun)
		w->left = STEPS_FIRST;
	w->begun = true;
	work_left = w->left > STEPS_EACH ? w->left : STEPS_EACH;
	bound_memory(w);
}

void
work_end(void)
{
	if (--depth)
		return;
	if (mem_bounded() && !now->over)
		now->over = "needs far more memory than a file of its size should";
	now->held += (int64_t)mem_used() - (int64_t)before;
	now->left = now->over ? 0 : work_left;
	now = NULL;
	work_left = UINT64_MAX;
	mem_bound(SIZE_MAX);
}

void
work_allow_steps(uint64_t bytes)
{
	if (now && !now->over)
		work_left += (bytes < UINT32_MAX ? bytes : UINT32_MAX) * STEPS_BYTE;
}

void
work_allow(uint64_t bytes)
{
	if (!now)
		return;
	now->bytes += bytes;
	bound_memory(now);
	work_allow_steps(bytes);
}

void
work_stop(const char *why)
{
	if (!now)
		return;
	if (!now->over)
		now->over = why;
	work_left = 0;
}

bool
work_over(void)
{
	return now && (now->over || mem_bounded());
}

/* After a file that took too long, the next ones get less time. */
static void
lose_patience(void)
{
	if (!now->over)
		patience = patience / 2 > PATIENCE_LEAST ? patience / 2 : PATIENCE_LEAST;
}

void
work_wait(bool on)
{
	if (on && !waiting++)
		waits_since = clock_now();
	if (on || --waiting || !now)
		return;
	now->waited += clock_now() - waits_since;
	if (now->waited <= patience)
		return;
	lose_patience();
	work_stop("is on a file system that answers too late");
}

bool
work_busy(void)
{
	return depth || waiting;
}

void
work_patience(uint64_t ns_byte)
{
	patience_byte = ns_byte;
}

/* Only what is still going on at a second look counts: the rest is shorter than the time between looks. */
void
work_look(void)
{
	static uint64_t looked;
	static unsigned at;
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	/* It may look while work begins or ends. */
	if (now && at == turn)
		now->used += cpu - looked;
	at = turn;
	looked = cpu;
	if (!now || now->used <= patience + now->bytes * patience_byte)
		return;
	lose_patience();
	work_stop("takes too long to read");
}

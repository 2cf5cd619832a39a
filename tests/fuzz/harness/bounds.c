/* Stands between the fuzzer (or replay.c) and the target: fails where an input costs more than its bytes explain.  Steps and memory
 * are counted, and are the same each time; the CPU's time is not, so an input is too slow only if it is so three times.
 * BOUNDS=tell prints the most that was seen, for each byte beyond 64 too. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* mremap */
#endif
#include "bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "lib/mem.h"
#include "lib/work.h"

/* The usual ones; times are those of a program with sanitizers in it. */
static const struct bounds usual = {
	.steps = { 20000, 200 },
	.memory = { 2 << 20, 1000 },
	.ns = { 200000000, 20000 },
};

/* ---- memory: lib/mem.c asks for it here, once it has counted it ---- */

static size_t most;

static void
look(void)
{
	size_t now = mem_used();

	most = now > most ? now : most;
}

static void *
look_calloc(size_t n, size_t size)
{
	look();
	return calloc(n, size);
}

static void *
look_realloc(void *p, size_t size)
{
	look();
	return realloc(p, size);
}

static void *
look_mmap(void *p, size_t size, int prot, int flags, int fd, off_t off)
{
	look();
	return mmap(p, size, prot, flags, fd, off);
}

#define calloc look_calloc
#define realloc look_realloc
#define mmap look_mmap
#define mremap(...) (look(), mremap(__VA_ARGS__))
#include "lib/mem.c"
#undef calloc
#undef realloc
#undef mmap
#undef mremap

/* ---- steps: those that were taken since work_left was set last ---- */

static uint64_t steps, set = UINT64_MAX;

static void
add_steps(void)
{
	steps += set - work_left;
}

#define work_begin real_begin
#define work_end real_end
#define work_allow real_allow
#define work_allow_steps real_allow_steps
#define work_stop real_stop
static void real_begin(struct work *);
static void real_end(void);
static void real_allow(uint64_t);
static void real_allow_steps(uint64_t);
static void real_stop(const char *);
#include "lib/work.c"
#undef work_begin
#undef work_end
#undef work_allow
#undef work_allow_steps
#undef work_stop

void
work_begin(struct work *w)
{
	add_steps();
	real_begin(w);
	set = work_left;
}

void
work_end(void)
{
	add_steps();
	real_end();
	set = work_left;
}

void
work_allow(uint64_t bytes)
{
	add_steps();
	real_allow(bytes);
	set = work_left;
}

void
work_allow_steps(uint64_t bytes)
{
	add_steps();
	real_allow_steps(bytes);
	set = work_left;
}

void
work_stop(const char *why)
{
	add_steps();
	real_stop(why);
	set = work_left;
}

/* ---- an input ---- */

static uint64_t
cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static struct most {
	uint64_t first, byte;
} of_steps, of_memory, of_ns;

static void
tell(void)
{
	fprintf(stderr, "most: %llu steps, %llu a byte; memory %llu, %llu a byte; ns %llu, %llu a byte\n",
	        (unsigned long long)of_steps.first, (unsigned long long)of_steps.byte, (unsigned long long)of_memory.first,
	        (unsigned long long)of_memory.byte, (unsigned long long)of_ns.first, (unsigned long long)of_ns.byte);
}

static void
note(struct most *m, uint64_t cost, size_t size)
{
	if (size <= 64)
		m->first = cost > m->first ? cost : m->first;
	else if (cost / size > m->byte)
		m->byte = cost / size;
}

static bool
within(const char *what, const struct bound *b, uint64_t cost, size_t size)
{
	uint64_t allowed = b->first + b->byte * size;

	if (cost > allowed)
		fprintf(stderr, "ERROR: bounds: %s: %llu for %zu bytes, where %llu are allowed\n", what, (unsigned long long)cost, size,
		        (unsigned long long)allowed);
	return cost <= allowed;
}

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
__wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bounds *b = &bounds ? &bounds : &usual;
	static int telling = -1;
	uint64_t took = 0, least = UINT64_MAX;
	size_t held = mem_used();
	int result = 0;

	if (telling < 0 && (telling = getenv("BOUNDS") != NULL))
		atexit(tell);
	for (unsigned i = 0; i < 3 && least > b->ns.first + b->ns.byte * size; i++) {
		steps = 0;
		set = work_left;
		most = held;
		took = cpu();
		result = __real_LLVMFuzzerTestOneInput(data, size);
		took = cpu() - took;
		add_steps();
		least = took < least ? took : least;
	}
	if (telling) {
		note(&of_steps, steps, size);
		note(&of_memory, most - held, size);
		note(&of_ns, least, size);
	}
	if (!within("steps", &b->steps, steps, size) || !within("bytes of memory", &b->memory, most - held, size) ||
	    !within("ns of CPU", &b->ns, least, size))
		abort();
	return result;
}

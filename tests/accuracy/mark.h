/* How a program tells the truth about its own stack: each marked function keeps a record in its own frame, so that a
 * copy of the stack carries its truth with it, and no race blurs it.
 *
 * A record is good if its magic names its own address.  It says which function the frame belongs to, and its return
 * address: the next frame must be exactly there.  For a call into code that is not marked, SITE says where the call is.
 * Rules for programs, which the check relies on:
 * - A marked function's name begins with m_, no other's does.
 * - It enters the mark first and leaves it last.  A function that something interrupts before that or after it has no mark: at
 *   the leaf, and below a signal frame.  After the end of the mark it may call _Unwind_Resume, and nothing else.
 * - A function that longjmp lands in clears the skipped records (mark_landed) before a signal handler can run on that stack.
 * - Stacks do not touch each other, unless the one with the lower addresses is for signal handlers. */
#ifndef TESTS_ACCURACY_MARK_H
#define TESTS_ACCURACY_MARK_H

#include <stdint.h>

#define MARK_LIVE UINT64_C(0x9d3c6d61726b4c56)   /* ^ the record's address */
#define MARK_LEFT UINT64_C(0x9d3c6d61726b4c54)

struct mark {
	volatile uint64_t magic;
	volatile uint64_t fn;     /* address of the function */
	volatile uint64_t ra;     /* where it returns to */
	volatile uint64_t site;   /* right before a call into code that is not marked, or 0 */
	volatile uint64_t id;     /* for people who read the dump */
};

#ifndef MARK_CHECKER

#include <time.h>

#if defined __has_attribute && __has_attribute(noipa)
#define MARKED __attribute__((noipa))
#else
#define MARKED __attribute__((noinline))
#endif
/* An address without Thumb's bit, which is no part of it. */
#ifdef __arm__
#define MARK_ADDR(p) ((uint64_t)(uintptr_t)(p) & ~UINT64_C(1))
#else
#define MARK_ADDR(p) ((uint64_t)(uintptr_t)(p))
#endif
#if defined __x86_64__
#define MARK_PC "lea 0(%%rip), %0"
#define MARK_SP "mov %%rsp, %0"
#elif defined __aarch64__
#define MARK_PC "adr %0, ."
#define MARK_SP "mov %0, sp"
#elif defined __arm__
#define MARK_PC "mov %0, pc"
#define MARK_SP "mov %0, sp"
#elif defined __riscv
#define MARK_PC "auipc %0, 0"
#define MARK_SP "mv %0, sp"
#elif defined __i386__
#define MARK_PC "mov $1f, %0\n1:"   /* not in PIC; the compiler would not know that the call moves sp */
#define MARK_SP "mov %%esp, %0"
#endif
#define MARK_INLINE static inline __attribute__((always_inline, unused))

#define MARK_ENTER(m, function, number) \
	do { \
		(m).fn = MARK_ADDR(function); \
		(m).ra = MARK_ADDR(__builtin_return_address(0)); \
		(m).site = 0; \
		(m).id = (uint64_t)(number); \
		(m).magic = MARK_LIVE ^ (uint64_t)(uintptr_t)&(m); \
	} while (0)

MARK_INLINE void
mark_leave(struct mark *m)
{
	m->magic = MARK_LEFT ^ (uint64_t)(uintptr_t)m;
}

/* The usual way: left however the function ends, by an exception too.  (Tail calls need ENTER and leave by hand.) */
#define MARK(function, number) \
	struct mark mark_ __attribute__((cleanup(mark_leave))); \
	MARK_ENTER(mark_, function, number)

/* The next call, no further than 128 bytes away, is the one that the frame is in. */
#define MARK_SITE() \
	do { \
		uintptr_t at_; \
		__asm__ volatile(MARK_PC : "=r"(at_)); \
		mark_.site = at_; \
	} while (0)

/* The next calls may be anywhere. */
#define MARK_NO_SITE() (mark_.site = 0)

/* What lies from LO up to our own stack pointer is no frame any more. */
MARK_INLINE uint64_t
mark_sp(void)
{
	uintptr_t sp;

	__asm__ volatile(MARK_SP : "=r"(sp));
	return sp;
}

/* What lies from LO up to our own stack pointer is no frame any more. */
MARK_INLINE void
mark_landed(uint64_t lo)
{
	for (uint64_t sp = mark_sp(); lo < sp; lo += 8) {
		*(volatile uint64_t *)(uintptr_t)lo = 0;
		__asm__ volatile("" ::: "memory");
	}
}

/* About N ns of work that no optimizer removes. */
MARK_INLINE void
mark_work(unsigned n)
{
	while (n--)
		__asm__ volatile("" ::: "memory");
}

MARK_INLINE double
mark_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* True until the seconds (the program's first argument) are over; programs ask once in a while. With MARK_PATIENCE these are
 * seconds of CPU time, whatever else the machine does, but at most so many times as long by the clock. */
#ifdef MARK_PATIENCE
#include <sys/resource.h>

MARK_INLINE double
mark_cpu(void)
{
	double sum = 0;

	for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) {
		struct rusage r;

		getrusage(who, &r);
		sum += (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
	}
	return sum;
}

#define MARK_FOR(seconds) \
	for (double end_ = mark_time() + MARK_PATIENCE * (seconds), cpu_ = mark_cpu() + (seconds); mark_time() < end_ && mark_cpu() < cpu_;)
#else
#define MARK_FOR(seconds) for (double end_ = mark_time() + (seconds); mark_time() < end_;)
#endif
#define MARK_SECONDS(argc, argv) ((argc) > 1 ? atof((argv)[1]) : 1.0)

static volatile unsigned mark_sink __attribute__((unused));

#endif
#endif

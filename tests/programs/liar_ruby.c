/* A program that looks like Ruby 3.1: its threads, environments, classes and tables lead in circles, its sizes are huge, and its frames
 * change while it runs. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 4, FRAMES = 4000, FRAME = 8, WORDS = 1 << 16 };
enum { INTERNAL = 0x1a, METHOD = INTERNAL | 6 << 12, ISEQ = INTERNAL | 7 << 12, STRING = 5, LONG_STRING = STRING | 1 << 13, CLASS = 2 };

__attribute__((visibility("default"))) const char ruby_version[6] = "3.1.2";
__attribute__((visibility("default"))) uint64_t *ruby_current_vm_ptr;
static uint64_t vm[16], thread[THREADS][16], context[32], stack[WORDS], iseq[8], body[64], method[8], definition[8], class[8], extension[8],
	table[16], text[8], entries[12];
static volatile double x;

/* Frames of each kind; their environments are around each other. */
static void
lie(unsigned turn)
{
	static const uint64_t kind[] = { 0x11110001, 0x55550003, 0x22220001, 0x66660001, 0x77770021, 0x22220001 };

	for (unsigned i = 0; i < FRAMES; i++) {
		uint64_t *f = stack + WORDS - (i + 1) * FRAME, *ep = stack + 8 + 4 * ((i + turn) % 1000);

		f[0] = (uintptr_t)(body + i % 8);
		f[1] = (uintptr_t)(stack + 4096);
		f[2] = (uintptr_t)iseq;
		f[4] = (uintptr_t)ep;
		ep[-2] = (uintptr_t)method;
		ep[-1] = (uintptr_t)ep | (i & 3);
		ep[0] = kind[(i + turn) % 6];
	}
}

__attribute__((noinline)) static void
work(double seconds)
{
	struct timespec t;
	double end;
	unsigned turn = 0;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	end = (double)t.tv_sec + seconds;
	do {
		for (int i = 0; i < 100000; i++)
			x += i;
		lie(turn++);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)t.tv_sec < end);
}

int
main(int argc, char **argv)
{
	ruby_current_vm_ptr = vm;
	vm[5] = (uintptr_t)thread[0];
	for (unsigned i = 0; i < THREADS; i++) {
		thread[i][0] = (uintptr_t)thread[1 + i % (THREADS - 1)];   /* a circle that does not lead back to the first one */
		thread[i][4] = (uintptr_t)vm;
		thread[i][5] = (uintptr_t)context;
	}
	context[0] = (uintptr_t)stack;
	context[1] = WORDS;
	context[2] = (uintptr_t)(stack + WORDS - FRAMES * FRAME);
	context[18] = (uintptr_t)__builtin_frame_address(0) + 4096;
	context[20] = UINT64_MAX;
	iseq[0] = ISEQ;
	iseq[2] = (uintptr_t)body;
	body[0] = UINT64_MAX;
	body[1] = (uintptr_t)body;
	body[8] = body[9] = body[10] = (uintptr_t)text;
	body[15] = body[18] = (uintptr_t)entries;
	body[17] = 4000;
	body[22] = (uintptr_t)iseq;
	text[0] = LONG_STRING;
	text[2] = 900;
	text[3] = (uintptr_t)stack;
	method[0] = METHOD;
	method[2] = (uintptr_t)definition;
	method[3] = 1 << 30;
	method[4] = (uintptr_t)class;
	definition[1] = (uintptr_t)iseq;
	class[0] = CLASS | 1 << 12;
	class[3] = (uintptr_t)extension;
	extension[1] = (uintptr_t)table;
	table[5] = UINT64_MAX;
	table[6] = (uintptr_t)table;
	work(argc > 1 ? atof(argv[1]) : 1);
	return 0;
}

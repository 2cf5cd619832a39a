/* A program that looks like PHP 8.2: its frames lead in circles, its functions and names are huge or none, and they change while it
 * runs. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { FRAMES = 4000, FRAME = 8, FUNCTION = 24 };

__attribute__((visibility("default"))) const char php_header[] = "X-Powered-By: PHP/8.2.36";
__attribute__((visibility("default"))) uint64_t executor_globals[225];
static uint64_t frame[FRAMES][FRAME], function[4][FUNCTION], code[64 * 4], class[4], text[200];
static volatile double x;

static void
lie(unsigned turn)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		frame[i][0] = (uintptr_t)(code + 4 * ((i + turn) % 80));
		frame[i][3] = (i + turn) % 7 ? (uintptr_t)function[(i + turn) % 4] : 0;
		frame[i][5] = (i + turn) % 3 ? 1 << 17 : 0;
		frame[i][6] = (uintptr_t)frame[(i + 1) % FRAMES];
	}
	executor_globals[61] = (uintptr_t)frame[turn % FRAMES];
	text[2] = turn % 5 ? 400 : UINT64_MAX;
}

__attribute__((visibility("default"), noinline)) void
execute_ex(double seconds)
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
	for (unsigned i = 0; i < 4; i++) {
		function[i][0] = i ? 2 : 1;
		function[i][1] = i == 3 ? 1 : (uintptr_t)text;
		function[i][2] = i == 2 ? (uintptr_t)class : 0;
		function[i][10] = 64 - i;
		function[i][11] = (uintptr_t)code;
		function[i][19] = (uintptr_t)text;
		function[i][20] = UINT64_C(1000) << 32 | i;
	}
	class[1] = (uintptr_t)text;
	for (unsigned i = 3; i < 200; i++)
		text[i] = 0x2f3b0a3a5c413b2f * i;
	execute_ex(argc > 1 ? atof(argv[1]) : 1);
	return php_header[0] == 'x';
}

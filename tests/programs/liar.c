/* A program that looks like Python 3.13: its threads, frames and code objects lead in circles, and its sizes are huge. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Like _Py_DebugOffsets; offsets that it leaves out are 0. */
enum { COOKIE, VERSION, HEAD = 5, NEXT = 8, THREADS, T_NEXT = 21, T_FRAME = 23, T_ID, T_NATIVE, F_PREVIOUS = 29, F_CODE, F_INSTR, F_OWNER = 33,
       CO_FILE = 35, CO_NAME = 37, CO_TABLE, CO_LINE, CO_CODE = 43, TYPE = 45, TYPE_NAME = 47, SIZE = 65, BYTES, STR_STATE = 68, STR_LENGTH,
       STR_ASCII };

__attribute__((visibility("default"))) uint64_t _PyRuntime[512] = {
	[COOKIE] = 0x7970677562656478, [VERSION] = 0x030d00f0, [HEAD] = 1024, [NEXT] = 0, [THREADS] = 8, [T_NEXT] = 0, [T_FRAME] = 8,
	[T_ID] = 16, [T_NATIVE] = 24, [F_PREVIOUS] = 8, [F_CODE] = 0, [F_INSTR] = 16, [F_OWNER] = 24, [CO_FILE] = 112, [CO_NAME] = 120,
	[CO_TABLE] = 136, [CO_LINE] = 68, [CO_CODE] = 200, [TYPE] = 8, [TYPE_NAME] = 24, [SIZE] = 16, [BYTES] = 32, [STR_STATE] = 32,
	[STR_LENGTH] = 16, [STR_ASCII] = 40,
};
static uint64_t interpreter[8], thread[8], frame[4][8], code[64], type[8];
static volatile double x;

__attribute__((noinline)) void
_PyEval_EvalFrameDefault(double seconds)
{
	struct timespec t;
	double end;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	end = (double)t.tv_sec + seconds;
	do {
		for (int i = 0; i < 100000; i++)
			x += i;
		frame[0][1] = (uintptr_t)frame[1 + (int)x % 3];
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)t.tv_sec < end);
}

int
main(int argc, char **argv)
{
	_PyRuntime[128] = (uintptr_t)interpreter;
	interpreter[0] = (uintptr_t)interpreter;
	interpreter[1] = (uintptr_t)thread;
	thread[0] = (uintptr_t)thread;
	thread[1] = (uintptr_t)frame[0];
	thread[3] = (uint64_t)getpid();
	for (int i = 0; i < 4; i++) {
		frame[i][0] = (uintptr_t)code;
		frame[i][1] = (uintptr_t)frame[(i + 1) % 4];
		frame[i][2] = (uintptr_t)code + 202;
	}
	code[1] = (uintptr_t)type;
	code[2] = UINT64_MAX / 4;
	code[14] = code[15] = code[17] = (uintptr_t)code;
	type[3] = (uintptr_t)"code";
	_PyEval_EvalFrameDefault(argc > 1 ? atof(argv[1]) : 1);
	return 0;
}

/* A program that looks like Node.js 20: its frames' functions, names, scopes and sources lead in circles, have huge sizes, and change while
 * it runs. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define CONSTANT(name, value) __attribute__((visibility("default"))) int v8dbg_##name = value
__attribute__((visibility("default"))) int major __asm__("_ZN2v88internal7Version6major_E") = 11;
CONSTANT(TaggedSize, 8);
CONSTANT(SmiShiftSize, 31);
CONSTANT(JSFunctionRegister, 7);
CONSTANT(ContextRegister, 6);
CONSTANT(type_JSFunction__JS_FUNCTION_TYPE, 2066);
CONSTANT(type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE, 262);
CONSTANT(type_Script__SCRIPT_TYPE, 167);
CONSTANT(type_ScopeInfo__SCOPE_INFO_TYPE, 261);
CONSTANT(type_BytecodeArray__BYTECODE_ARRAY_TYPE, 191);
CONSTANT(type_Oddball__ODDBALL_TYPE, 131);
CONSTANT(class_JSFunction__shared__SharedFunctionInfo, 24);
CONSTANT(class_SharedFunctionInfo__name_or_scope_info__Object, 16);
CONSTANT(class_SharedFunctionInfo__script_or_debug_info__HeapObject, 32);
CONSTANT(class_Script__name__Object, 16);
CONSTANT(class_Script__source__Object, 8);
CONSTANT(class_Script__line_ends__Object, 56);
CONSTANT(scopeinfo_idx_first_vars, 3);
CONSTANT(class_BytecodeArray__data__uintptr_t, 54);

static uint64_t *words;   /* above 4 GiB, where objects are */

static uint64_t
object(unsigned i, uint64_t type)
{
	uint64_t *map = words + 4096 + 8 * i;

	words[32 * i] = (uintptr_t)map + 1;
	map[1] = type << 32;
	return (uintptr_t)(words + 32 * i) + 1;
}

static void
lie(unsigned turn)
{
	static const uint64_t types[] = { 2066, 262, 261, 167, 41, 43, 45, 42, 40, 34 };
	uint64_t all[10];

	for (unsigned i = 0; i < 10; i++)
		all[i] = object(i, types[turn % 7 ? i : (i + turn) % 10]);
	for (unsigned i = 0; i < 10; i++)
		for (unsigned k = 1; k < 32; k++)
			words[32 * i + k] = k == 1 ? UINT64_C(0x1fffffff00000000) : all[(i + k * turn) % 10];
	words[3] = all[1];                         /* the function's */
	words[32 + 2] = all[2 + turn % 3];
	words[32 + 4] = all[3];
	words[3 * 32 + 1] = all[4 + turn % 6];     /* the source */
	words[2 * 32 + 3] = (uint64_t)(turn % 70) << 32;
}

/* Code that was made, with a frame as V8's, in another one: it is called with how often, a function and a context. */
static void
make(uint8_t *code)
{
	static const uint8_t bytes[] = {
		0x55, 0x48, 0x89, 0xe5,             /* push rbp; mov rbp, rsp */
		0xe8, 0x02, 0x00, 0x00, 0x00,       /* call what is behind the return */
		0xc9, 0xc3,                         /* leave; ret */
		0x55, 0x48, 0x89, 0xe5,             /* push rbp; mov rbp, rsp */
		0x52, 0x56, 0x52, 0x52, 0x52, 0x52, /* push rdx (the context), rsi (the function), and more */
		0x48, 0xff, 0xcf, 0x75, 0xfb,       /* dec rdi; jnz */
		0xc9, 0xc3,                         /* leave; ret */
	};

	memcpy(code, bytes, sizeof bytes);
}

int
main(int argc, char **argv)
{
	struct timespec t;
	void (*made)(uint64_t, uint64_t, uint64_t);
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double end = argc > 1 ? atof(argv[1]) : 1;

	words = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	make(code);
	memcpy(&made, &code, sizeof made);
	for (unsigned turn = 0;; turn++) {
		lie(turn);
		made(1000000, (uintptr_t)words + 1, (uintptr_t)words + 1);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		if ((double)t.tv_sec + (double)t.tv_nsec / 1e9 >= end)
			return 0;
	}
}

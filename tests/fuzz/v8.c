/* A process that looks like Node.js and lies: its memory is the input, the version of V8 its last byte, and where compiled code runs the two before
 * it.  Frames have names and an entry, and what prof reads for them ends. */
#include "sym/language/v8.c"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/harness/frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STACK = 1024, NATIVE = 4 };
#define BASE UINT64_C(0x200000000000)

static const uint8_t *memory;
static size_t left;
static unsigned reads;

static size_t
read_input(struct space *space, uint64_t addr, void *to, size_t n)
{
	(void)space;
	reads++;
	if (addr < BASE || addr - BASE >= left)
		return 0;
	n = n < left - (addr - BASE) ? n : left - (addr - BASE);
	memcpy(to, memory + (addr - BASE), n);
	return n;
}

/* The types and offsets of V8 11, 13 and 10. */
static const int32_t of[][V8_CONSTANTS] = {
	{ 8, 31, 7, 6, 2066, 2082, 262, 167, 261, 191, 131, 24, 16, 32, 16, 8, 56, 3, 54, 9, 0, 188, 274, 240, 245, 16, 40, 56, 16, 6, 2, 7 },
	{ 8, 31, 7, 6, 2065, 2081, 282, 167, 280, 186, 131, 32, 24, 40, 16, 8, 56, 5, 64, 9, 16, 265, 295, 256, 187, 32, 40, 56, 8, 7, 3, 8 },
	{ 8, 31, 7, 6, 2065, 2081, 257, 167, 256, 195, 131, 24, 16, 32, 16, 8, 56, 3, 56, 9, 0, 200, 264, 237, 240, 128, 0, 40, 16, 6, 2, 7 },
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct modules modules;
	struct codes codes;
	struct space space;
	struct v8_image image = { .function = 5, .context = 4, .offset = 9, .root = 13 };
	struct module *m, *made;
	struct languages *l;
	static struct language_stack to;
	static const uint8_t numbers[] = { 5, 4, 9, 13 };
	uint64_t regs[4], sp[NATIVE + 1];
	uint32_t code[NATIVE], merged[64];
	uint64_t pc;

	if (size < STACK + 16)
		return 0;
	memory = data;
	left = size - 1;
	pc = BASE + STACK + (data[size - 3] | (uint64_t)data[size - 2] << 8);
	if (!modules_init(&modules) || !codes_init(&codes) || !(l = languages_new(&modules, &codes)) || !(m = module_word(&modules, "node")) ||
	    !(made = jit_module(&modules, 1, NULL)))
		abort();
	space_init(&space);
	space.read = read_input;
	image.modules = &modules;
	memcpy(image.at, of[data[size - 1] & 8 ? 2 : data[size - 1] & 1], sizeof image.at);
	image.major = data[size - 1] & 16 ? 14 : 13;
	for (unsigned i = 0; i < sizeof image.size; i++)
		image.size[i / 256][i % 256] = (uint8_t)(i % 7);
	for (unsigned i = 0; i < NATIVE; i++) {
		code[i] = i % 2 ? code_intern(&codes, m->id, 100 + i) : code_intern(&codes, made->id, pc + 64 * i);
		sp[i] = BASE + i * (STACK / NATIVE);
	}
	sp[NATIVE] = BASE + STACK;
	if (data[size - 1] & 2)
		sp[1] = sp[0] + 8;
	memcpy(regs, data, 3 * sizeof *regs);
	regs[3] = BASE + STACK - 4096;
	struct moment moment = { .space = &space, .tid = 1, .time = UINT64_C(1) << 40, .reg = regs, .number = numbers, .nreg = 4, .code = code, .sp = sp,
	                         .n = NATIVE, .stack = { BASE, STACK, data }, .still = !(data[0] & 4) };
	struct v8 v = { 0 };

	begin(&v, &image, m, 0);
	for (unsigned round = 0; round < 2; round++, moment.time += UINT64_C(1000000000)) {
		to.n = to.doubtful = 0;
		reads = 0;
		frames(&v, l, &moment, &to);
		if (reads > READS + V8_SCRIPT_READS || to.n > NATIVE * V8_INLINED || language_merge(l, &moment, &to, round, merged, 64) > 64)
			abort();
		check_frames(&modules, &codes, &to);
	}
	done(&v);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
	if (mem_used())
		abort();
	return 0;
}

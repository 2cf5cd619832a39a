/* A process that looks like PHP and lies: its memory is the input, the version its last byte.  Frames have names and an entry, and end. */
#include "sym/language/php.c"

#include <stdlib.h>

#include "tests/fuzz/harness/frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BASE = 0x10000, STACK = 512, NATIVE = 4 };

static const uint8_t *memory;
static size_t left;

static size_t
read_input(struct space *space, uint64_t addr, void *to, size_t n)
{
	(void)space;
	if (addr < BASE || addr - BASE >= left)
		return 0;
	n = n < left - (addr - BASE) ? n : left - (addr - BASE);
	memcpy(to, memory + (addr - BASE), n);
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct modules modules;
	struct codes codes;
	struct space space;
	struct php_image image = { BASE + STACK, 100, 102, G_FRAME, 0 };
	struct module *m;
	struct languages *l;
	static struct language_stack to;
	uint64_t regs[4], sp[NATIVE + 1];
	uint32_t code[NATIVE], merged[64];

	if (size < STACK + G_FRAME + 16)
		return 0;
	memory = data;
	left = size - 1;
	if (!modules_init(&modules) || !codes_init(&codes) || !(l = languages_new(&modules, &codes)) || !(m = module_word(&modules, "php")))
		abort();
	space_init(&space);
	space.read = read_input;
	image.moved = data[size - 1] & 1 ? MOVED : 0;
	for (unsigned i = 0; i < NATIVE; i++) {
		code[i] = code_intern(&codes, m->id, i % 2 ? 100 + i / 2 : i);
		sp[i] = BASE + i * (STACK / NATIVE);
		memcpy(&regs[i], data + 8 * i, 8);
	}
	if (data[size - 1] & 2)   /* the interpreter itself was interrupted */
		code[0] = code[1];
	sp[NATIVE] = BASE + STACK;
	struct moment moment = { .space = &space, .tid = 1, .time = UINT64_C(1) << 40, .reg = regs, .nreg = 4, .code = code, .sp = sp, .n = NATIVE,
	                         .stack = { BASE, STACK, data }, .whole = !(data[size - 1] & 4), .still = !(data[size - 1] & 8) };
	struct php p = { 0 };

	begin(&p, &image, m, 0);
	for (unsigned round = 0; round < 3; round++, moment.time += LOOK_AGAIN / 2) {
		to.n = to.doubtful = 0;
		frames(&p, l, &moment, &to);
		if (to.n > LANGUAGE_FRAMES || language_merge(l, &moment, &to, round, merged, 64) > 64)
			abort();
		check_frames(&modules, &codes, &to);
	}
	done(&p);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
	if (mem_used())
		abort();
	return 0;
}

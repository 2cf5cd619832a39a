/* A process that looks like Ruby and lies: its memory is the input, the version its last byte.  Frames have names and an entry, and end. */
#include "sym/language/ruby.c"

#include <stdlib.h>
#include <string.h>

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
	static const uint8_t at[][RB_MEMBERS] = { { 40, 144, 64, 120, 176, 0, 0, 12, 0 }, { 48, 152, 56, 112, 168, 152, 128, 12, 1 } };
	struct modules modules;
	struct codes codes;
	struct space space;
	struct ruby_image *image;
	struct module *m;
	struct languages *l;
	static struct language_stack to;
	uint64_t regs[4], sp[NATIVE + 1];
	uint32_t code[NATIVE], merged[64];

	if (size < STACK + 16)
		return 0;
	memory = data;
	left = size - 1;
	if (!modules_init(&modules) || !codes_init(&codes) || !(l = languages_new(&modules, &codes)) ||
	    !(m = module_word(&modules, "ruby")) || !(image = arena_alloc(&modules.arena, sizeof *image)))
		abort();
	space_init(&space);
	space.read = read_input;
	*image = (struct ruby_image){ .modules = &modules, .vm = BASE + STACK, .data = { BASE + STACK, BASE + left }, .bss = { BASE, BASE + left },
	                              .at = at[data[size - 1] >> 1 & 1], .minor = data[size - 1] & 3 };
	if (data[size - 1] & 64)
		image->vm = 0;
	for (unsigned i = 0; i < NATIVE; i++) {
		code[i] = code_intern(&codes, m->id, i % 2 ? 100 + i / 2 : i);
		sp[i] = BASE + i * (STACK / NATIVE);
		memcpy(&regs[i], data + 8 * i, 8);
	}
	sp[NATIVE] = BASE + STACK;
	struct moment moment = { .space = &space, .tid = 1, .time = UINT64_C(1) << 40, .reg = regs, .nreg = 4, .code = code, .sp = sp, .n = NATIVE,
	                         .stack = { BASE, STACK, data }, .whole = !(data[0] & 1), .still = !(data[0] & 4) };

	if (data[0] & 8) {   /* the sampler went to a state that the thread has at that moment */
		moment.pointer = regs[1];
		moment.at = regs[2];
	}
	struct ruby r = { 0 };

	begin(&r, image, m, 0);
	r.core = (struct ruby_range){ 100, 102 };
	for (unsigned round = 0; round < 2; round++, moment.time += UINT64_C(1000000000)) {
		to.n = to.doubtful = 0;
		frames(&r, l, &moment, &to);
		if (to.n > LANGUAGE_FRAMES || language_merge(l, &moment, &to, round, merged, 64) > 64)
			abort();
		check_frames(&modules, &codes, &to);
	}
	done(&r);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
	if (mem_used())
		abort();
	return 0;
}

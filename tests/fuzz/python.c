/* A process that looks like Python and lies: its memory is the input.  Frames have names and an entry, and end. */
#include "sym/language/python.c"

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

/* Small structs: a pointer is one of few bytes. */
static const uint32_t at[PY_MEMBERS] = {
	[PY_HEAD] = 0, [PY_INTERPRETER_NEXT] = 0, [PY_THREADS] = 8, [PY_T_NEXT] = 0, [PY_T_NATIVE_ID] = 8, [PY_T_ID] = 8, [PY_T_FRAME] = 16,
	[PY_CFRAME_FRAME] = 0, [PY_CFRAME_PREVIOUS] = 8, [PY_F_PREVIOUS] = 0, [PY_F_CODE] = 8, [PY_F_INSTR] = 16, [PY_F_OWNER] = 25,
	[PY_CO_FILE] = 48, [PY_CO_NAME] = 16, [PY_CO_TABLE] = 24, [PY_CO_LINE] = 32, [PY_CO_CODE] = 40, [PY_TYPE] = 0, [PY_TYPE_NAME] = 8,
	[PY_SIZE] = 8, [PY_BYTES] = 16, [PY_STR_LENGTH] = 0, [PY_STR_STATE] = 8, [PY_STR_ASCII] = 16,
	[PY_F_LOCALS] = 8, [PY_TYPE_KEYS] = 16,
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct modules modules;
	struct codes codes;
	struct space space;
	struct python_image *image;
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
	    !(m = module_word(&modules, "python")) || !(image = arena_alloc(&modules.arena, sizeof *image)))
		abort();
	space_init(&space);
	space.read = read_input;
	memcpy(image->at, at, sizeof at);
	image->runtime = BASE;
	image->runtime_size = left;
	image->minor = (uint8_t)(8 + data[size - 1] % 8);
	image->free_threaded = data[size - 1] & 64;
	image->handlers = data[size - 1] & 128;
	image->eval_hi = 2;
	if (image->minor < 11)
		image->at[PY_T_NATIVE_ID] = 0;
	if (image->minor >= 13) {
		image->at[PY_I_GIL] = image->at[PY_GIL_HOLDER] = 8;
		image->at[PY_GIL_LOCKED] = 16;
	}
	for (unsigned i = 0; i < NATIVE; i++) {
		code[i] = code_intern(&codes, m->id, i);
		sp[i] = BASE + i * (STACK / NATIVE);
		memcpy(&regs[i], data + 8 * i, 8);
	}
	sp[NATIVE] = BASE + STACK;
	struct moment moment = { .space = &space, .tid = 1, .time = UINT64_C(1) << 40, .reg = regs, .nreg = 4, .code = code, .sp = sp, .n = NATIVE,
	                         .stack = { BASE, STACK, data }, .whole = data[0] & 1, .waits = data[0] & 2, .still = data[0] & 4 };
	struct python p = { 0 };

	begin(&p, image, m, 0);
	for (unsigned round = 0; round < 2; round++, moment.time += UINT64_C(1000000000)) {
		char text[PYTHON_TEXT_MOST];

		to.n = to.doubtful = 0;
		frames(&p, l, &moment, &to);
		if (to.n > LANGUAGE_FRAMES || language_merge(l, &moment, &to, round, merged, 64) > 64)
			abort();
		for (unsigned i = 0; i < 4; i++) {
			struct look *look = languages_room(l, PYTHON_ROOM, sizeof(struct python_room));
			uint64_t value = look ? python_object_attribute(image, look, regs[i], "_name") : 0;

			if (value && python_object_text(image, look, value, text) && (!*text || strlen(text) >= PYTHON_TEXT_MOST))
				abort();
		}
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

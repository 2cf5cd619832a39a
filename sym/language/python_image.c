/* See python_image.h.  From 3.13 on _PyRuntime begins with a description of itself (_Py_DebugOffsets, after the cookie "xdebugpy"),
 * whose order differs by minor version, and it has a section of its own.  For older versions prof has a row of offsets each, from the
 * headers for a 64-bit machine: Include/internal/pycore_runtime.h, pycore_interp.h, pycore_frame.h; Include/cpython/pystate.h,
 * code.h, unicodeobject.h. */
#include "python_image.h"

#include <string.h>

#include "sym/elf/symbol_tables.h"

enum { FIRST_ROW = 8, OLDEST = 8, SELF_TOLD = 13, NEWEST = 15, WORDS_MAX = 93, OFFSET_MOST = 1 << 20, HANDLER_ONLY = 4096, KEYS_3_13 = 880,
       FREE_THREADED = 16 /* bytes that an object's head is larger */ };

static const uint16_t rows[][PY_MEMBERS] = {
	/* 3.8 */  { 32, 0, 8, 8, 0, 176, 24, 0, 0, 24, 32, 104, 0, 104, 112, 120, 40, 48, 8, 24, 16, 32, 16, 32, 48, 360, 872 },
	/* 3.9 */  { 32, 0, 8, 8, 0, 176, 24, 0, 0, 24, 32, 104, 0, 104, 112, 120, 40, 48, 8, 24, 16, 32, 16, 32, 48, 360, 864 },
	/* 3.10 */ { 32, 0, 8, 8, 0, 176, 24, 0, 0, 24, 32, 96, 0, 104, 112, 120, 40, 48, 8, 24, 16, 32, 16, 32, 48, 352, 872 },
	/* 3.11 */ { 40, 0, 16, 8, 160, 152, 56, 8, 16, 48, 32, 56, 69, 112, 128, 136, 72, 184, 8, 24, 16, 32, 16, 32, 48, 72, 872 },
	/* 3.12 */ { 40, 0, 72, 8, 144, 136, 56, 0, 8, 8, 0, 56, 70, 112, 128, 136, 68, 192, 8, 24, 16, 32, 16, 32, 40, 72, 880 },
};

/* The number of each member's word in _Py_DebugOffsets. */
static const uint8_t words[][PY_MEMBERS] = {
	/* 3.13 */ { 5, 8, 9, 21, 25, 24, 23, 0, 0, 29, 30, 31, 33, 35, 37, 38, 39, 43, 45, 47, 65, 66, 69, 68, 70, 32, 0, 14, 15, 17, 18 },
	/* 3.14 */ { 5, 8, 9, 24, 28, 27, 26, 0, 0, 32, 33, 34, 36, 40, 42, 43, 44, 48, 51, 53, 75, 76, 79, 78, 80, 35, 0, 15, 16, 18, 19 },
	/* 3.15 */ { 5, 8, 9, 24, 31, 30, 26, 0, 0, 40, 41, 42, 44, 48, 50, 51, 52, 56, 59, 61, 87, 88, 91, 90, 92, 43, 0, 15, 16, 18, 19 },
};

static bool
told_by_itself(struct python_image *p, const struct elf *e)
{
	struct cursor c = elf_at(e, p->runtime, 8 * WORDS_MAX);
	const uint8_t *cookie = cur_take(&c, 8);
	uint64_t word[WORDS_MAX] = { 0 }, version;

	if (!cookie || memcmp(cookie, "xdebugpy", 8))
		return false;
	for (unsigned i = 1; i < WORDS_MAX; i++)
		word[i] = cur_u64(&c);
	version = word[1] >> 16;
	p->minor = (uint8_t)version;
	if (version >> 8 != 3 || p->minor < SELF_TOLD || p->minor > NEWEST)
		return false;
	p->free_threaded = word[2];
	for (unsigned i = 0; i < PY_MEMBERS; i++) {
		p->at[i] = (uint32_t)word[words[p->minor - SELF_TOLD][i]];
		if (words[p->minor - SELF_TOLD][i] && word[words[p->minor - SELF_TOLD][i]] > OFFSET_MOST)
			return false;
	}
	p->at[PY_TYPE_KEYS] = p->minor == SELF_TOLD ? KEYS_3_13 + (p->free_threaded ? FREE_THREADED : 0) : 0;
	return true;
}

/* The version, by symbols that each version was the first to have. */
static uint8_t
minor_of(const struct elf *e, const struct symbols *t)
{
	struct raw_symbol s;
	struct cursor c;

	if (symbol_tables_named(e, t, "Py_Version", &s)) {
		c = elf_at(e, s.value, 8);
		return (uint8_t)(cur_u64(&c) >> 16);
	}
	return symbol_tables_named(e, t, "PyModule_AddObjectRef", &s) ? 10
	       : symbol_tables_named(e, t, "PyFrame_GetBack", &s)     ? 9
	       : symbol_tables_named(e, t, "PyVectorcall_Call", &s)   ? 8
	                                                              : 0;
}

static bool
told_by_version(struct python_image *p, const struct elf *e, const struct symbols *t)
{
	p->minor = minor_of(e, t);
	if (p->minor < OLDEST || p->minor >= SELF_TOLD)
		return false;
	for (unsigned i = 0; i < PY_MEMBERS; i++)
		p->at[i] = rows[p->minor - FIRST_ROW][i];
	return true;
}

void *
python_image_find(struct modules *ms, struct module *m)
{
	const struct elf *e = &m->elf;
	struct python_image image = { 0 }, *p;
	const struct symbols *t;
	struct symbol_tables tables;
	struct raw_symbol s;
	struct section own;

	if (!e->is64 || e->bytes.big)
		return NULL;
	symbol_tables_find(&tables, e);
	t = tables.dynsym.n ? &tables.dynsym : &tables.symtab;
	if (symbol_tables_named(e, t, "_PyRuntime", &s))
		image.runtime = s.value, image.runtime_size = s.size;
	else if (elf_section_named(e, ".PyRuntime", &own))
		image.runtime = own.addr;
	else
		return NULL;
	if (!told_by_itself(&image, e) && !told_by_version(&image, e, t))
		return NULL;
	image.globals = image.at[PY_F_CODE] + (image.minor < 11 ? 16 : 24);
	image.locals = image.at[PY_F_CODE] + (image.minor < 11 ? 24 : 40);
	if (image.minor == 11) {   /* they come before the code */
		image.globals = image.at[PY_F_CODE] - 24;
		image.locals = image.at[PY_F_CODE] - 8;
	}
	if (symbol_tables_named(e, t, "_PyEval_EvalFrameDefault", &s)) {
		image.eval_lo = s.value;
		image.eval_hi = s.value + s.size;
		image.handlers = image.minor >= 14 && s.size < HANDLER_ONLY;
	}
	if ((p = arena_alloc(&ms->arena, sizeof *p)))
		*p = image;
	return p;
}

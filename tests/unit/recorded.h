/* Stacks recorded of a program of any machine (tests/data/record), unwound again on this one. */
#ifndef TESTS_UNIT_RECORDED_H
#define TESTS_UNIT_RECORDED_H

#include <stdlib.h>

#include "elfwrite.h"
#include "lib/codec/xz.h"
#include "test.h"
#include "unwind/rule.h"
#include "unwind/unwind.h"

struct recorded {
	const struct arch *arch;
	struct sink program, stacks;
	bool stripped;            /* neither symbols nor sections */
	uint64_t mask;            /* of the machine it was recorded on */
	enum walk_mode mode;
	/* What came of it. */
	unsigned samples, complete, cut, wrong;
	unsigned by_cfi, by_fp, by_code;
};

static inline bool
unpack(const char *path, struct sink *to)
{
	static uint8_t bytes[1 << 20];
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;

	if (f)
		fclose(f);
	sink_open(to, -1);
	return n && !xz(cur_of(bytes, n, false), to, 1 << 26);
}

static struct recorded *recorded_now;
static struct modules *recorded_modules;

/* Where the kernel has its vdso and qemu a page of its own, a signal trampoline begins a page. */
static inline bool
trampoline_page(struct space *space, uint64_t addr)
{
	const struct trampoline *t = recorded_now->arch->trampolines;
	struct map m = { .lo = (addr + 1) & ~UINT64_C(4095), .bias = ((addr + 1) & ~UINT64_C(4095)) - 0x1000, .exec = true, .file = 2 };
	struct elfwrite w = elfwrite_new(true, false);
	uint8_t text[4096] = { 0 };
	struct bytes file;

	if ((addr + 1) % 4096 > 16)
		return false;
	w.machine = recorded_now->arch->machine;
	memcpy(text, t->bytes, t->len);
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, text, sizeof text);
	file = elfwrite_finish(&w);
	m.module = module_image(recorded_modules, "[trampoline]", file.p, file.n);
	bytes_free(&file);
	m.hi = m.lo + 4096;
	m.lo -= 16;
	return space_add(space, &m);
}

/* How prof steps from OFF in CODE, a function of N bytes without a description. */
static inline uint8_t
rule_in(const struct arch *arch, const void *code, size_t n, uint64_t off, struct rule *rule)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct modules modules;
	struct codes codes;
	struct unwinder *u = NULL;
	struct bytes file;
	struct module *m;
	unsigned sec;

	w.machine = arch->machine;
	sec = elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, n);
	elfwrite_symbol(&w, "f", 0x1000, n, STT_FUNC, sec);
	file = elfwrite_finish(&w);
	CHECK(modules_init(&modules) && codes_init(&codes) && (u = unwinder_new(arch, &modules, &codes, MODE_AUTO, 512)));
	m = module_bytes(&modules, "/f", file.p, file.n);
	if (!rule_find(u, m, 0x1000 + off, rule))
		rule_undescribed(u, m, 0x1000 + off, rule);
	unwinder_free(u);
	codes_free(&codes);
	modules_free(&modules);
	bytes_free(&file);
	return rule->kind;
}

/* The frames of a walk from the address at OFF in CODE, functions of SIZE bytes each without a description, which begins at
 * 0x1000; 0 where it is not complete. */
static inline uint32_t
walk_in(const struct arch *arch, const void *code, size_t n, size_t size, uint64_t off, struct regs *regs, struct stack *stack)
{
	static struct walk walk;
	struct elfwrite w = elfwrite_new(true, false);
	struct map m = { .lo = 0, .hi = 0x10000, .exec = true, .file = 1 };
	struct modules modules;
	struct codes codes;
	struct space space;
	struct unwinder *u = NULL;
	struct bytes file;
	unsigned sec;

	w.machine = arch->machine;
	sec = elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, n);
	for (size_t at = 0; at < n; at += size)
		elfwrite_symbol(&w, "f", 0x1000 + at, size, STT_FUNC, sec);
	file = elfwrite_finish(&w);
	CHECK(modules_init(&modules) && codes_init(&codes) && (u = unwinder_new(arch, &modules, &codes, MODE_AUTO, 512)));
	m.module = module_bytes(&modules, "/f", file.p, file.n);
	space_init(&space);
	CHECK(space_add(&space, &m));
	regs->r[arch->pc] = 0x1000 + off;
	regs->known = (UINT64_C(1) << 33) - 1;
	unwind(u, &space, regs, stack, NULL, 0, &walk);
	space_free(&space);
	unwinder_free(u);
	codes_free(&codes);
	modules_free(&modules);
	bytes_free(&file);
	return walk.end == WALK_ROOT ? walk.n : 0;
}

static inline void
compare_recorded(struct recorded *t, const struct codes *codes, const struct walk *w, struct cursor *frames)
{
	uint64_t n = cur_u64(frames), truth;

	t->samples++;
	t->complete += w->end == WALK_ROOT;
	t->cut += w->end != WALK_ROOT;
	t->by_cfi += w->by_cfi;
	t->by_fp += w->by_fp;
	t->by_code += w->by_code;
	for (uint64_t i = 0; i < n; i++) {
		truth = cur_u64(frames);
		if (i < w->n ? codes->code[w->code[i]].vaddr != truth : w->end == WALK_ROOT) {
			if (t->wrong++ < 3)
				printf("%s: sample %u at %#llx, frame %u of %u: %#llx, not %#llx\n", t->arch->name, t->samples, (unsigned long long)codes->code[w->code[0]].vaddr, (unsigned)i, (unsigned)n,
				       i < w->n ? (unsigned long long)codes->code[w->code[i]].vaddr : 0, (unsigned long long)truth);
			cur_take(frames, 8 * (n - i - 1));
			return;
		}
	}
	t->wrong += w->n > n;
}

static inline void
unwind_recorded(struct recorded *t)
{
	static struct walk walk, full;
	struct modules modules;
	struct codes codes;
	struct space space;
	struct unwinder *u = NULL;
	struct cursor c = cur_of(t->stacks.buf, t->stacks.len, false);
	uint8_t *program = malloc(t->program.len);
	struct map m = { .lo = 0, .hi = UINT64_C(1) << 32, .exec = true, .file = 1 };

	t->samples = t->complete = t->cut = t->wrong = t->by_cfi = t->by_fp = t->by_code = 0;
	CHECK(program && modules_init(&modules) && codes_init(&codes) && (u = unwinder_new(t->arch, &modules, &codes, t->mode, 512)));
	memcpy(program, t->program.buf, t->program.len);
	if (t->stripped)
		memset(program + 40, 0, 8), memset(program + 60, 0, 4);   /* e_shoff; e_shnum, e_shstrndx */
	m.module = module_bytes(&modules, "/walkthrough", program, t->program.len);
	CHECK(m.module && !m.module->bad);
	space_init(&space);
	CHECK(space_add(&space, &m));
	u->mask = t->mask;
	space.missing = trampoline_page;
	recorded_now = t;
	recorded_modules = &modules;
	while (cur_left(&c)) {
		struct regs regs = { .known = (UINT64_C(1) << 33) - 1 };
		struct stack stack = { 0 };

		for (unsigned i = 0; i < 33; i++)
			regs.r[i] = cur_u64(&c);
		stack.lo = regs.r[t->arch->sp];
		stack.size = cur_u64(&c);
		stack.bytes = cur_take(&c, stack.size);
		CHECK(stack.bytes != NULL);
		if (!stack.bytes)
			break;
		u->full_always = false;
		unwind(u, &space, &regs, &stack, NULL, 0, &walk);
		u->full_always = t->mode != MODE_FP;
		unwind(u, &space, &regs, &stack, NULL, 0, &full);
		CHECK(walk.n == full.n && walk.end == full.end && !memcmp(walk.code, full.code, walk.n * sizeof *walk.code));
		compare_recorded(t, &codes, &walk, &c);
	}
	CHECK(!c.bad);
	unwinder_free(u);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
	free(program);
}

#endif

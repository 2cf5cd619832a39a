/* Samples of tests/data: each instruction of a small program, and the frames that were really called there. */
#ifndef TESTS_UNIT_SAMPLES_H
#define TESTS_UNIT_SAMPLES_H

#include <stdio.h>

#include "test.h"
#include "unwind/rule.h"
#include "unwind/unwind.h"

struct samples {
	const struct arch *arch;
	struct modules modules;
	struct codes codes;
	struct space space;
	struct unwinder *unwinder;
	struct walk quick, full;
	unsigned n, complete, wrong;
};

static inline struct cursor
samples_file(struct arena *a, const char *path)
{
	enum { MOST = 1 << 20 };
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = arena_alloc(a, MOST);
	size_t n = f && bytes ? fread(bytes, 1, MOST, f) : 0;

	if (f)
		fclose(f);
	return cur_of(bytes, n, false);
}

static inline bool
samples_agree(const struct walk *w, const struct codes *codes, const uint64_t *frame, uint64_t n)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (i >= n || codes->code[w->code[i]].vaddr != frame[i])
			return false;
	return w->end != WALK_ROOT || w->n == n;
}

/* The next sample, unwound both ways. */
static inline bool
samples_next(struct samples *s, struct cursor *c, const char *name)
{
	const struct arch *a = s->arch;
	struct regs regs = { .known = (UINT64_C(2) << a->pc) - 1 };
	struct stack stack = { 0 };
	uint64_t frame[64], n;
	bool ok;

	for (unsigned i = 0; i <= a->pc; i++)
		regs.r[i] = cur_uint(c, a->word);
	stack.lo = regs.r[a->sp];
	stack.size = cur_uint(c, a->word);
	stack.bytes = cur_take(c, stack.size);
	n = cur_uint(c, a->word);
	if (c->bad || n > 64)
		return false;
	for (uint64_t i = 0; i < n; i++)
		frame[i] = cur_uint(c, a->word);
	s->unwinder->full_always = false;
	unwind(s->unwinder, &s->space, &regs, &stack, NULL, 0, &s->quick);
	s->unwinder->full_always = true;
	unwind(s->unwinder, &s->space, &regs, &stack, NULL, 0, &s->full);
	ok = samples_agree(&s->quick, &s->codes, frame, n) && samples_agree(&s->full, &s->codes, frame, n) &&
	     s->quick.n == s->full.n;
	/* The kernel leaves the bit that says T32 in a handler's pc. */
	regs.r[a->pc] |= ~a->addr_mask & 1;
	s->unwinder->full_always = false;
	unwind(s->unwinder, &s->space, &regs, &stack, NULL, 0, &s->full);
	ok &= samples_agree(&s->full, &s->codes, frame, n) && s->full.n == s->quick.n && s->full.end == s->quick.end;
	if (!ok && !s->wrong++ && printf("%s: %s; with all registers %u frames, %s\n", name, walk_end_words[s->quick.end], s->full.n, walk_end_words[s->full.end]))
		for (uint64_t i = 0; i < n || i < s->quick.n; i++)
			printf("%s: frame %u: %#llx, not %#llx\n", name, (unsigned)i,
			       i < s->quick.n ? (unsigned long long)s->codes.code[s->quick.code[i]].vaddr : 0,
			       i < n ? (unsigned long long)frame[i] : 0);
	s->complete += s->quick.end == WALK_ROOT;
	s->n++;
	return true;
}

/* The samples of DIRECTORY/NAME.samples against FILE: none wrong, PERCENT of them complete. */
static inline void
samples_check(const struct arch *arch, const char *directory, const char *file, const char *name, unsigned percent)
{
	static struct samples s;
	struct arena arena = { 0 };
	char path[128];
	struct cursor elf, c;
	struct module *m;

	s = (struct samples){ .arch = arch };
	snprintf(path, sizeof path, "%s/%s", directory, file);
	elf = samples_file(&arena, path);
	snprintf(path, sizeof path, "%s/%s.samples", directory, name);
	c = samples_file(&arena, path);
	CHECK(modules_init(&s.modules) && codes_init(&s.codes));
	CHECK((s.unwinder = unwinder_new(arch, &s.modules, &s.codes, MODE_AUTO, 512)) != NULL);
	CHECK((m = module_bytes(&s.modules, file, elf.pos, cur_left(&elf))) != NULL);
	space_init(&s.space);
	for (uint32_t i = 0; i < m->elf.nload; i++) {
		struct map map = { .lo = m->elf.load[i].vaddr, .hi = m->elf.load[i].vaddr + m->elf.load[i].memsz, .module = m,
		                   .exec = m->elf.load[i].exec };

		CHECK(space_add(&s.space, &map));
	}
	while (cur_left(&c) && samples_next(&s, &c, file))
		;
	CHECK(!c.bad && s.n > 100);
	CHECK_U64(s.wrong, 0);
	if (s.complete * 100 < s.n * percent)
		printf("%s: %u of %u complete\n", file, s.complete, s.n);
	CHECK(s.complete * 100 >= s.n * percent);
	unwinder_free(s.unwinder);
	space_free(&s.space);
	codes_free(&s.codes);
	modules_free(&s.modules);
	arena_free(&arena);
}

#endif

#include "sym/module/arm_vectors.c"

#include "elfwrite.h"
#include "sym/module/symtab.h"
#include "test.h"
#include "unwind/rule.h"
#include "unwind/unwind.h"

static struct modules modules;
static struct codes codes;
static struct space space;
static struct unwinder *unwinder;
static struct walk walk;

static struct module *
page(const char *path, const void *code, size_t n, unsigned at)
{
	uint8_t bytes[4096] = { 0 };

	memcpy(bytes + at, code, n);
	return arm_vectors_module(&modules, path, bytes, sizeof bytes);
}

static void
open_unwinder(void)
{
	CHECK(modules_init(&modules) && codes_init(&codes) && (unwinder = unwinder_new(&arch_armv7, &modules, &codes, MODE_AUTO, 512)));
	space_init(&space);
}

static void
close_unwinder(void)
{
	space_free(&space);
	unwinder_free(unwinder);
	codes_free(&codes);
	modules_free(&modules);
}

static void
helpers_have_names(void)
{
	struct symbol s;
	struct module *m, *other;

	open_unwinder();
	m = page("[vectors]", "\x1e\xff\x2f\xe1", 4, 0xfe0);
	CHECK(m && !m->bad && m == page("[vectors]", "\x1e\xff\x2f\xe1", 4, 0xfe0));
	CHECK(symtab_find(&modules, m, 0xf60, &s) && !strcmp(s.name, "__kuser_cmpxchg64") && s.lo == 0xf60 && s.hi == 0xfa0 && !s.thumb);
	CHECK(symtab_find(&modules, m, 0xfbc, &s) && !strcmp(s.name, "__kuser_memory_barrier"));
	CHECK(symtab_find(&modules, m, 0xfdf, &s) && !strcmp(s.name, "__kuser_cmpxchg"));
	CHECK(symtab_find(&modules, m, 0xfe0, &s) && !strcmp(s.name, "__kuser_get_tls"));
	CHECK(!symtab_find(&modules, m, 0xffc, &s) && !symtab_find(&modules, m, 0xf5c, &s));
	other = page("[sigpage]", "\x1e\xff\x2f\xe1", 4, 0xfe0);
	CHECK(other && other != m && !symtab_find(&modules, other, 0xfe0, &s));
	close_unwinder();
}

/* Code at 0x1000, in functions of 32 bytes:
 *	push {r4, lr}; bl; pop {r4, pc}
 *	bl; ldr lr, [sp, #64]; add sp, #72; bx lr: what libgcc's unwinder has behind its call
 *	bx lr */
enum { BEHIND_CALL = 0x1008, BEHIND_PUSH = 0x1004, KEEPS = 0x1064, LEAF = 0x1080, STACK = 0x7000, KEPT_SP = 15, KEPT_LR, KEPT_PC, FRAME = 18 };
static const uint32_t code[40] = { 0xe92d4010, 0xeb000000, 0xe8bd8010, [24] = 0xeb000000, 0xe59de040, 0xe28dd048, 0xe12fff1e, [32] = 0xe12fff1e };

static void
walk_code(const uint32_t *stack, unsigned n, uint64_t pc, uint64_t lr)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct map m = { .lo = 0, .hi = 0x2000, .exec = true, .file = 1 };
	struct stack s = { .lo = STACK, .size = n * 4, .bytes = (const uint8_t *)stack };
	struct regs regs = { .r = { [13] = STACK, [14] = lr, [15] = pc }, .known = 0xffff };
	struct bytes file;
	unsigned sec;

	w.machine = arch_armv7.machine;
	sec = elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof code);
	for (unsigned at = 0; at < sizeof code; at += 32)
		elfwrite_symbol(&w, "f", 0x1000 + at, 32, STT_FUNC, sec);
	file = elfwrite_finish(&w);
	m.module = module_bytes(&modules, "/f", file.p, file.n);
	CHECK(space_add(&space, &m));
	unwind(unwinder, &space, &regs, &s, NULL, 0, &walk);
	bytes_free(&file);
}

/* What is behind the frame of the function that keeps its caller's registers. */
static uint64_t
goes_on(uint32_t sp, uint32_t lr, uint32_t pc, uint32_t frames)
{
	uint32_t stack[FRAME + 6] = { [KEPT_SP] = sp, [KEPT_LR] = lr, [KEPT_PC] = pc, [FRAME + 1] = BEHIND_CALL, [FRAME + 3] = BEHIND_CALL };
	uint64_t at;

	open_unwinder();
	walk_code(stack, FRAME + 6, LEAF, KEEPS);
	CHECK_U64(walk.n, 2 + frames);
	CHECK_U64(codes.code[walk.code[0]].vaddr, LEAF);
	CHECK_U64(codes.code[walk.code[1]].vaddr, KEEPS - 1);
	at = walk.n > 2 ? codes.code[walk.code[2]].vaddr : 0;
	close_unwinder();
	return at;
}

static void
who_raised_and_who_will_catch(void)
{
	const uint32_t frame = STACK + FRAME * 4;

	CHECK_U64(goes_on(frame, BEHIND_CALL, BEHIND_CALL, 3), BEHIND_CALL - 1);
	CHECK_U64(goes_on(frame, BEHIND_CALL, KEEPS - 4, 3), BEHIND_CALL - 1);       /* A32's pc at first */
	CHECK_U64(goes_on(frame + 8, BEHIND_CALL, BEHIND_CALL, 2), BEHIND_CALL - 1); /* outside of one frame */
	CHECK_U64(goes_on(frame + 8, BEHIND_CALL, BEHIND_PUSH, 2), BEHIND_PUSH);     /* at a handler there */
	CHECK_U64(goes_on(frame + 4, BEHIND_CALL, BEHIND_CALL, 0), 0);               /* sp is on its way */
	CHECK_U64(goes_on(frame + 12, KEEPS, BEHIND_CALL, 0), 0);
	CHECK_U64(goes_on(STACK, BEHIND_CALL, BEHIND_CALL, 0), 0);
}

int
main(void)
{
	RUN("vectors", helpers_have_names);
	RUN("vectors", who_raised_and_who_will_catch);
	return TEST_STATUS;
}

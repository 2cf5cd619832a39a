#include "unwind/unwind.c"

#include <sys/mman.h>
#include <unistd.h>

#include "elfwrite.h"
#include "sym/jit/jit.h"
#include "test.h"

/* A program of functions of 256 bytes from 0x1000 on, mapped at BIAS.  In each a call ends at 0x20, so that 0x20 is what
 * a return address into it looks like. */
enum { TEXT = 0x1000, FUNCTION = 0x100, RET = 0x20, WORDS = 512 };
enum { RDX = 1, RBX = 3, RDI = 5, RBP = 6, RSP = 7, R12 = 12, RIP = 16 };
#define BIAS 0x555500000000u
#define STACK 0x7ffd00001000u

/* The functions by number; what has no frame description has code. */
enum { ROOT, PLAIN, FRAMED, LEAF, BY_RBX, REALIGNED, FP_IN_R12, LOSES_RBX, SETS_R12, SIGNAL, LIAR, PLT, SAVES_FP, EPILOGUE,
       PLAIN_SIGNAL, VFORK, REALIGNED_END, REMEMBERS, FAR, DESCRIBED,
       ENTRY = DESCRIBED, BARE, PUSHES, ALLOCA, POPPED, VFORKS, TRAMPOLINE, STRIPPED, ENDLESS, SILENT, RECORD, CLONES, CALLED,
       CALLS, SWITCHES, FUNCTIONS };

static const struct { const char *insns; uint8_t n; bool signal; } descriptions[DESCRIBED] = {
	[ROOT] = { "\x07\x10", 2, false },
	[PLAIN] = { "\x0e\x20\x83\x02", 4, false },                         /* cfa = rsp + 32, rbx at -16 */
	[FRAMED] = { "\x0c\x06\x10\x86\x02\x8c\x04", 7, false },            /* cfa = rbp + 16, rbp at -16, r12 at -32 */
	[LEAF] = { "\x0e\x10\x86\x02", 4, false },                          /* rbp at -16 */
	[BY_RBX] = { "\x0c\x03\x20\x83\x04", 5, false },                    /* cfa = rbx + 32, rbx at -32 */
	[REALIGNED] = { "\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00", 10, false },   /* cfa = *(rbp - 8), rbp at rbp */
	[FP_IN_R12] = { "\x0e\x20\x09\x06\x0c\x8c\x04", 7, false },         /* rbp in r12 */
	[LOSES_RBX] = { "\x0e\x10\x07\x03", 4, false },
	[SETS_R12] = { "\x0e\x20\x16\x0c\x02\x73\x10", 7, false },          /* r12 = rbx + 16 */
	[SIGNAL] = { "\x0f\x03\x77\x28\x06\x10\x10\x02\x77\x08\x10\x06\x02\x77\x10\x10\x03\x02\x77\x18\x10\x07\x02\x77\x28",
	             25, true },   /* ra, rbp, rbx, rsp at rsp + 8, 16, 24, 40 */
	[LIAR] = { "\x0c\x63\x08", 3, false },
	[PLT] = { "\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", 13, false },
	[SAVES_FP] = { "\x0e\x20\x86\x03", 4, false },                      /* cfa = rsp + 32, rbp at -24 */
	[EPILOGUE] = { "\x86\x02", 2, false },                              /* cfa = rsp + 8, rbp at -16 */
	[PLAIN_SIGNAL] = { "\x0e\x20", 2, true },
	[REALIGNED_END] = { "\x0c\x0a\x00\x10\x06\x02\x76\x00", 8, false },   /* cfa = r10, rbp at rbp */
	/* remembers, ten times, and restores it all */
	[REMEMBERS] = { "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0e\x20\x83\x02", 24, false },
	[FAR] = { "\x0c\x06\xff\xff\xff\xff\x07\x11\x10\x7f\x86\x02", 12, false },   /* cfa = rbp + INT32_MAX, ra at 8 */
	[VFORK] = { "\x0e\x00\x09\x10\x05", 5, false },                    /* cfa = rsp, ra in rdi */
};

static const struct { unsigned at; const char *bytes; uint8_t n; } code[] = {
	/* push %rbp; push %rbx; sub $24,%rsp; … call; add $24,%rsp; pop %rbx; pop %rbp; ret */
	{ PUSHES * FUNCTION, "\x55\x53\x48\x83\xec\x18\x85\xc0\x74\x20", 10 },
	{ PUSHES * FUNCTION + RET, "\x48\x83\xc4\x18\x5b\x5d\xc3", 7 },
	{ PUSHES * FUNCTION + 0x2a, "\x48\x83\xc4\x18\x5b\x5d\xc3", 7 },    /* where the branch leads */
	/* push %rbp; mov %rsp,%rbp; sub %rax,%rsp; … call */
	{ ALLOCA * FUNCTION, "\x55\x48\x89\xe5\x48\x29\xc4", 7 },
	{ ALLOCA * FUNCTION + RET, "\xff\xe0", 2 },                         /* no return in sight */
	{ POPPED * FUNCTION, "\x31\xed\x5f", 3 },                           /* xor %ebp,%ebp; pop %rdi; call */
	{ TRAMPOLINE * FUNCTION + RET - 5, "\x90\x90\x90\x90\x90", 5 },        /* it is not called */
	{ TRAMPOLINE * FUNCTION + RET, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9 },
	{ STRIPPED * FUNCTION + RET, "\x48\x83\xc4\x18\x85\xc0\x74\x02\x0f\x0b\x5b\x5d\xc3", 13 },
	{ ENDLESS * FUNCTION + RET, "\x89\xc7\xb0\x3c\x0f\x05\xf4", 7 },   /* mov %eax,%edi; mov $60,%al; syscall; hlt */
	{ BARE * FUNCTION, "\xff\xe0", 2 },
	{ BARE * FUNCTION + RET, "\x48\x8b\x45\xf8\xff\xe0", 6 },        /* mov -8(%rbp),%rax; jmp *%rax */
	{ VFORKS * FUNCTION, "\x5a\x0f\x05\x52", 4 },                      /* pop %rdx; syscall; push %rdx */
	{ CLONES * FUNCTION, "\x0f\x05\x85\xc0\xc3", 5 },                 /* syscall; test %eax,%eax; ret */
	{ SILENT * FUNCTION, "\xff\xe0", 2 },
	{ SILENT * FUNCTION + RET, "\xff\xe0", 2 },
	/* push %rbp; mov %rsp,%rbp; push %r12; push %rbx; sub $16,%rsp; and no way on can be seen */
	{ CALLED * FUNCTION, "\x55\x48\x89\xe5\x41\x54\x53\x48\x83\xec\x10\xff\xe0", 13 },
	{ CALLED * FUNCTION + RET, "\xff\xe0", 2 },
	{ CALLS * FUNCTION + RET - 4, "\xe0\xfe\xff\xff", 4 },           /* CALLED */
	{ CALLS * FUNCTION + RET, "\x48\x83\xc4\x18\xc3", 5 },
	/* lea -24(%rbp),%rsp; pop %rbx; pop %r10; pop %r12; pop %rbp; lea -8(%r10),%rsp; ret */
	{ RECORD * FUNCTION, "\xff\xe0", 2 },
	{ RECORD * FUNCTION + RET, "\x48\x8d\x65\xe8\x5b\x41\x5a\x41\x5c\x5d\x49\x8d\x62\xf8\xc3", 15 },
};

static struct modules modules;
static struct codes codes;
static struct space space;
static struct unwinder *unwinder;
static struct module *program, *jit;
static uint64_t words[WORDS];
static struct regs regs;
static struct walk walk;

static struct bytes
build(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct ehwrite e = ehwrite_new(&w, 0x6000);
	static uint8_t text[FUNCTIONS * FUNCTION];
	size_t plain, signal;
	unsigned sec;

	w.entry = TEXT + ENTRY * FUNCTION;
	memset(text, 0x90, sizeof text);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		memcpy(text + i * FUNCTION + RET - 5, "\xe8\0\0\0\0", 5);
	for (unsigned i = 0; i < sizeof code / sizeof *code; i++)
		memcpy(text + code[i].at, code[i].bytes, code[i].n);
	sec = elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, text, sizeof text);
	for (unsigned i = BARE; i <= VFORKS; i++)
		elfwrite_symbol(&w, "f", TEXT + i * FUNCTION, FUNCTION, STT_FUNC, sec);
	elfwrite_section(&w, ".note.go.buildid", SHT_NOTE, 0, 0, NULL, 4);
	elfwrite_symbol(&w, "runtime.systemstack", TEXT + SWITCHES * FUNCTION, FUNCTION, STT_FUNC, sec);
	elfwrite_symbol(&w, "_start", TEXT + ENTRY * FUNCTION, FUNCTION, STT_FUNC, sec);
	plain = ehwrite_cie(&e, "zR", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5);
	signal = ehwrite_cie(&e, "zRS", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5);
	for (unsigned i = 0; i < DESCRIBED; i++)
		ehwrite_fde(&e, descriptions[i].signal ? signal : plain, TEXT + i * FUNCTION, FUNCTION, descriptions[i].insns,
		            descriptions[i].n);
	ehwrite_finish(&e, &w, 0x5000);
	return elfwrite_finish(&w);
}

static void
set_up(enum walk_mode mode, uint32_t max)
{
	struct bytes file = build();
	int fd = memfd_create("program", 0);
	struct map m = { .lo = BIAS, .hi = BIAS + 0x10000, .exec = true, .file = 1 };

	memset(words, 0, sizeof words);
	regs = (struct regs){ .known = (1 << 17) - 1 };
	CHECK(modules_init(&modules) && codes_init(&codes));
	CHECK(write(fd, file.p, file.n) == (ssize_t)file.n);
	program = module_file(&modules, fd, "/program");
	close(fd);
	bytes_free(&file);
	space_init(&space);
	space_bind(&m, program);
	m.bias = BIAS;
	CHECK(!program->bad && space_add(&space, &m));
	jit = jit_module(&modules, 1, NULL);
	m = (struct map){ .lo = 0x10000, .hi = 0x20000, .exec = true, .module = jit, .file = 2 };
	CHECK(space_add(&space, &m));
	unwinder = unwinder_new(&arch_x86_64, &modules, &codes, mode, max);
	CHECK(unwinder != NULL);
}

static void
tear_down(void)
{
	unwinder_free(unwinder);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
	CHECK_U64(mem_used(), 0);
}

static uint64_t
ret(unsigned function)
{
	return BIAS + TEXT + function * FUNCTION + RET;
}

static uint64_t
slot(unsigned word)
{
	return STACK + 8 * word;
}

/* Walks from PC with sp at word SP; the copy reaches from there to word END. */
static void
go_with(uint64_t pc, unsigned sp, unsigned end, const uint64_t *chain, uint32_t n)
{
	struct stack stack = { slot(sp), 8 * (end - sp), (const uint8_t *)(words + sp) };
	uint8_t *copy = malloc(stack.size + 1);   /* of just that size, for ASan to see */

	memcpy(copy, words + sp, stack.size);
	stack.bytes = copy;
	regs.r[RIP] = pc;
	regs.r[RSP] = slot(sp);
	unwind(unwinder, &space, &regs, &stack, chain, n, &walk);
	free(copy);
}

static void
go(uint64_t pc, unsigned sp, unsigned end)
{
	go_with(pc, sp, end, NULL, 0);
}

/* The function that frame I of the walk is in. */
static unsigned
in(uint32_t i)
{
	return i < walk.n && walk.code[i] >= CODE_MARKS ? (unsigned)(codes.code[walk.code[i]].vaddr - TEXT) / FUNCTION : 99;
}

static void
plain_frames_to_the_root(void)
{
	set_up(MODE_AUTO, 512);
	words[1] = ret(PLAIN);            /* LEAF: cfa = rsp + 16 */
	words[0] = slot(20);              /* its caller's rbp */
	words[2 + 3] = ret(FRAMED);       /* PLAIN: cfa = rsp + 32 */
	words[20] = 0x1234;
	words[21] = ret(ROOT);            /* FRAMED: cfa = rbp + 16 */
	go(ret(LEAF), 0, WORDS);
	CHECK_U64(walk.n, 4);
	CHECK(in(0) == LEAF && in(1) == PLAIN && in(2) == FRAMED && in(3) == ROOT);
	CHECK(walk.end == WALK_ROOT && walk.by_cfi == 3 && !walk.by_fp && !walk.by_code);
	CHECK_U64(walk.used, 22 * 8);
	CHECK_U64(codes.code[walk.code[0]].vaddr, TEXT + LEAF * FUNCTION + RET);        /* exact */
	CHECK_U64(codes.code[walk.code[1]].vaddr, TEXT + PLAIN * FUNCTION + RET - 1);   /* the call */
	tear_down();
}

static void
equal_rules_are_kept_once(void)
{
	uint32_t rules, found;

	set_up(MODE_AUTO, 512);
	words[3] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	rules = unwinder->rules;
	found = unwinder->found;
	go(ret(PLAIN) + 1, 0, WORDS);
	go(ret(PLAIN) + 2, 0, WORDS);
	CHECK(walk.n == 2 && walk.by_cfi == 1 && rules == 2 && unwinder->rules == rules);
	CHECK_U64(unwinder->found, found + 2);
	space_renew(&space);   /* found again by its code */
	go(ret(PLAIN) + 2, 0, WORDS);
	CHECK(walk.n == 2 && walk.by_cfi == 1);
	CHECK_U64(unwinder->found, found + 2);
	tear_down();
}

static void
a_zero_return_address_is_a_root(void)
{
	set_up(MODE_CFI, 512);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	tear_down();
}

/* As a vfork's child has it, whose parent runs again and writes on the stack that both have. */
static void
but_not_of_the_vdso(void)
{
	set_up(MODE_AUTO, 512);
	program->kind = MODULE_IMAGE;
	program->name = "[vdso]";
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end != WALK_ROOT && walk.n == 1);
	program->name = "program";
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	tear_down();
}

static void
the_entry_point_is_a_root(void)
{
	set_up(MODE_CFI, 512);
	words[3] = ret(ENTRY);
	words[4] = 0xdead;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && in(1) == ENTRY);
	tear_down();
}

static void
the_copy_ends(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = ret(PLAIN);
	go(ret(PLAIN), 0, 7);             /* the next return address is in word 7 */
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 2 && !walk.fp_at_cut);
	CHECK_U64(walk.used, 8 * 8);
	go(ret(PLAIN), 0, 0);
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 1);
	CHECK_U64(walk.used, 4 * 8);
	regs.r[RBP] = slot(100);
	go(ret(FRAMED), 0, 101);          /* half of the frame record */
	CHECK(walk.end == WALK_STACK_SHORT && walk.fp_at_cut);
	CHECK_U64(walk.used, 102 * 8);
	go(ret(FRAMED), 0, 102);
	CHECK(walk.end == WALK_ROOT);     /* the return address is zero */
	tear_down();
}

static void
epilogues_have_popped_fp(void)
{
	set_up(MODE_AUTO, 512);
	for (unsigned full = 0; full < 2; full++) {
		unwinder->full_always = full;
		words[1] = 0xdead;                /* where rbp was, not copied any more */
		words[2] = ret(FRAMED);
		words[8] = slot(200);
		words[9] = ret(ROOT);
		regs.r[RBP] = slot(8);
		go(ret(EPILOGUE), 2, WORDS);
		CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(1) == FRAMED);
	}
	tear_down();
}

static void
other_modes(void)
{
	for (enum walk_mode mode = MODE_AUTO; mode <= MODE_FP; mode++) {
		set_up(mode, 512);
		regs.r[RBP] = slot(8);
		words[8] = slot(20);
		words[9] = ret(PLAIN);
		words[13] = ret(ROOT);
		words[20] = 0;
		words[21] = ret(ROOT);
		go(ret(BARE), 0, WORDS);
		CHECK(walk.end == (mode == MODE_CFI ? WALK_NO_RULE : WALK_ROOT));
		CHECK_U64(walk.n, mode == MODE_CFI ? 1 : 3);
		CHECK_U64(walk.by_fp, mode == MODE_CFI ? 0 : mode == MODE_FP ? 2 : 1);
		/* not what can be a return address */
		words[9] = mode == MODE_FP ? 0xdead : ret(PLAIN) + 3;
		words[13] = words[21] = 0;
		go(ret(BARE), 0, WORDS);
		CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
		/* down the stack, or not aligned */
		words[9] = ret(ROOT);
		go(ret(BARE), 10, WORDS);
		CHECK(walk.end == WALK_NO_RULE);
		tear_down();
	}
}

static uint8_t jit_bytes[0x2000];
static unsigned jit_reads;

/* [0x10000, 0x12000) can be read. */
static size_t
read_jit(struct space *sp, uint64_t addr, void *to, size_t n)
{
	(void)sp;
	jit_reads++;
	if (addr < 0x10000 || addr >= 0x12000)
		return 0;
	n = n < 0x12000 - addr ? n : (size_t)(0x12000 - addr);
	memcpy(to, jit_bytes + (addr - 0x10000), n);
	return n;
}

/* Code that cannot be read goes by its frame pointer, where nothing speaks against it. */
static void
jitted_code_goes_by_fp(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[8] = slot(12);
	words[9] = 0x10200;
	words[12] = 7;
	words[13] = ret(ROOT);
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_fp == 2);
	CHECK_U64(codes.code[walk.code[1]].vaddr, 0x101ff);
	words[0] = slot(8);               /* as pushed: perhaps there is no record yet */
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[0] = ret(PLAIN);            /* right behind a call, or before the return */
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[0] = words[12] = words[13] = 0;        /* the outermost record */
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	words[12] = 5;
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
	tear_down();
}

static void
jitted_code_is_read(void)
{
	static const uint8_t framed[] = "\x55\x48\x89\xe5\x48\x83\xec\x40\xff\xd0\xc9\xc3",   /* push, mov, sub; call; leave; ret */
	                     bare[] = "\x48\x83\xec\x18\xff\xd0\x48\x83\xc4\x18\xc3";
	const uint64_t frame = 0x10ff6, plain = 0x11100;   /* across two pages */

	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0xcc, sizeof jit_bytes);
	memcpy(jit_bytes + (frame - 0x10000), framed, sizeof framed - 1);
	memcpy(jit_bytes + (plain - 0x10000), bare, sizeof bare - 1);
	regs.r[RBP] = slot(8);
	words[8] = slot(20);
	words[9] = words[21] = ret(ROOT);
	words[1] = plain + 6;
	words[5] = frame + 10;
	for (unsigned i = 0; i < 3; i++) {   /* at its first instruction, behind the push, at its return */
		const unsigned at[] = { 0, 1, 11 };

		words[0] = i == 1 ? slot(8) : plain + 6;
		words[4] = i == 1 ? 0 : frame + 10;
		go(frame + at[i], 0, WORDS);
		CHECK(walk.end == WALK_ROOT && walk.n == 4 && walk.by_fp == 1 && walk.by_code == 2);
		CHECK_U64(codes.code[walk.code[1]].vaddr, plain + 5);
	}
	tear_down();
}

/* As Python's trampolines: with nothing mapped before them. */
static void
jitted_code_at_the_edge(void)
{
	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0, sizeof jit_bytes);
	memcpy(jit_bytes, "\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3", 11);   /* sub; call *%rcx; add; ret */
	words[1] = 0x10006;               /* LEAF: cfa = rsp + 16 */
	words[3] = ret(ROOT);
	go(ret(LEAF), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	tear_down();
}

/* Code that pushes before it makes its frame record, as HotSpot's barriers and hand-written functions do. */
static void
jitted_code_pushes_first(void)
{
	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0xcc, sizeof jit_bytes);
	memcpy(jit_bytes + 0x200, "\x41\x57\x53\x68\xff\xff\xff\xff\x55\x48\x89\xe5\x48\x83\xec\x40\xff\xd0\x0f\x0b", 20);
	regs.r[RBP] = slot(8);
	words[0] = words[10] = ret(PLAIN) + 1;
	words[8] = slot(20);
	words[9] = UINT64_MAX;
	words[12] = ret(ROOT);
	go(0x10200 + 16, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	tear_down();
}

/* Compiled code that has called what HotSpot interprets: below its sp lie arguments, where that is kept. */
static void
jitted_code_behind_arguments(void)
{
	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0xcc, sizeof jit_bytes);
	memcpy(jit_bytes + 0x100, "\x55\x48\x89\xe5\xff\xd0\xc9\xc3", 8);                     /* push; mov; call; leave; ret */
	memcpy(jit_bytes + 0x200, "\x48\x83\xec\x18\xff\xd0\x48\x83\xc4\x18\xc3", 11);     /* sub; call; add; ret */
	regs.r[RBP] = slot(8);
	words[7] = slot(12);
	words[8] = slot(30);
	words[9] = 0x10206;
	words[13] = words[14] = words[16] = 7;
	words[15] = ret(ROOT);            /* 12 and the frame; not 10 and the frame */
	go(0x10106, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	words[7] = slot(11);
	go(0x10106, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
	words[7] = slot(10) + (2049 << 3);
	go(0x10106, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
	tear_down();
}

/* What was read is looked at again, and code that has changed is read anew. */
static void
jitted_code_changes(void)
{
	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0x90, sizeof jit_bytes);
	memcpy(jit_bytes + 0x100, "\x48\x83\xc4\x08\xc3", 5);
	words[0] = words[2] = ret(ROOT) + 1;
	words[1] = ret(ROOT);
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	jit_bytes[0x103] = 0x10;
	words[1] = ret(ROOT) + 1;
	words[2] = ret(ROOT);
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE);   /* it is not read for each walk */
	unwinder_compare(unwinder, &space, 1);
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE);   /* nor is it compared all the time */
	jit_reads = 0;
	unwinder_compare(unwinder, &space, 2000000000);
	CHECK(jit_reads > 0);
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	jit_reads = 0;
	go(0x10100, 0, WORDS);
	CHECK_U64(jit_reads, 0);
	tear_down();
}

/* Pages are read before all of their code is there. */
static void
jitted_code_comes_later(void)
{
	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0, sizeof jit_bytes);
	memcpy(jit_bytes + 0x100, "\x48\x83\xc4\x08\xc3", 5);
	words[1] = ret(ROOT);
	words[2] = 7;
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	memcpy(jit_bytes + 0x200, "\x48\x83\xc4\x10\xc3", 5);
	words[2] = ret(ROOT);
	go(0x10200, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	jit_reads = 0;
	unwinder_compare(unwinder, &space, 1);
	CHECK_U64(jit_reads, 0);
	jit_bytes[0x103] = 0x10;          /* with something new comes something else */
	memcpy(jit_bytes + 0x300, "\x48\x83\xc4\x10\xc3", 5);
	go(0x10300, 0, WORDS);
	unwinder_compare(unwinder, &space, 1);
	words[1] = 7;
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	tear_down();
}

static void
nothing_mapped(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = 0x666;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_NO_MAP && walk.n == 2 && walk.code[1] == CODE_UNKNOWN);
	go(0x666, 0, WORDS);
	CHECK(walk.end == WALK_NO_MAP && walk.n == 1 && walk.code[0] == CODE_UNKNOWN);
	CHECK_U64(unwind_code(unwinder, &space, 0x666), CODE_UNKNOWN);
	CHECK_U64(codes.code[unwind_code(unwinder, &space, 0x10300)].vaddr, 0x10300);
	tear_down();
}

static void
a_new_epoch_is_another_place(void)
{
	struct map m = { .lo = BIAS + TEXT, .hi = BIAS + TEXT + 0x1000, .exec = true, .file = 9 };

	set_up(MODE_AUTO, 512);
	words[3] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT);
	m.module = module_lost(&modules, "/gone", "cannot be opened");
	CHECK(space_add(&space, &m));
	go(ret(PLAIN), 0, 2);
	CHECK(walk.end == WALK_NO_MODULE && walk.n == 1);
	CHECK_U64(codes.code[walk.code[0]].module, m.module->id);
	tear_down();
}

static void
lies_end_the_walk(void)
{
	set_up(MODE_AUTO, 512);
	go(ret(LIAR), 0, WORDS);
	CHECK(walk.end == WALK_BAD_RULE && walk.n == 1);
	regs.r[RBP] = STACK;
	go(ret(FAR), 0, WORDS);   /* as far as a rule can say */
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 1);
	tear_down();
}

static void
coroutines_begin_where_they_would_return_to(void)
{
	set_up(MODE_AUTO, 512);
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = ret(PLAIN);
	words[3] = BIAS + TEXT;           /* a function's first instruction, which follows no call and no return */
	go(ret(PLAIN), 0, 30);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	tear_down();
}

static void
no_progress_ends_the_walk(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[8] = slot(4);               /* its caller's frame lies below */
	words[9] = ret(FRAMED);
	words[4] = slot(4);
	words[5] = ret(FRAMED);
	go(ret(FRAMED), 0, WORDS);
	CHECK(walk.end == WALK_LOOP && walk.n == 2);
	tear_down();
}

/* ---- what plain rules cannot do ---- */

static void
registers_that_were_not_carried_along(void)
{
	for (unsigned full = 0; full < 2; full++) {
		set_up(MODE_AUTO, 512);
		unwinder->full_always = full;
		words[2] = slot(40);              /* PLAIN's caller's rbx */
		words[3] = ret(BY_RBX);
		words[40] = 0xb;                  /* cfa = rbx + 32 */
		words[43] = ret(BY_RBX);
		words[44] = 0;
		go(ret(PLAIN), 0, WORDS);
		CHECK(in(1) == BY_RBX && in(2) == BY_RBX);
		CHECK(walk.end == WALK_STACK_SHORT || walk.end == WALK_BAD_RULE);   /* rbx is 0xb */
		CHECK_U64(walk.n, 3);
		tear_down();
	}
}

/* What is too much for our own rules is libunwind's; it hands all registers on. */
static void
the_second_opinion(void)
{
	set_up(MODE_AUTO, 512);
	words[1] = ret(REMEMBERS);        /* LEAF: cfa = rsp + 16 */
	words[2 + 2] = slot(20);          /* REMEMBERS: rbx at cfa - 16 */
	words[2 + 3] = ret(BY_RBX);
	words[20 + 3] = ret(ROOT);        /* cfa = rbx + 32 */
	go(ret(LEAF), 0, WORDS);
	CHECK_U64(walk.n, 4);
	CHECK(in(0) == LEAF && in(1) == REMEMBERS && in(2) == BY_RBX && in(3) == ROOT);
	CHECK(walk.end == WALK_ROOT && walk.by_cfi == 2 && walk.by_libunwind == 1);
	words[2 + 3] = 0x1234;            /* no code */
	go(ret(LEAF), 0, WORDS);
	CHECK(walk.end == WALK_BAD_RULE && walk.n == 2 && !walk.by_libunwind);
	tear_down();
}

static void
the_leaf_has_all_registers(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBX] = slot(10);
	words[13] = ret(ROOT);
	go(ret(BY_RBX), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	tear_down();
}

static void
a_leaf_without_a_frame(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RDI] = ret(PLAIN);
	words[3] = ret(ROOT);
	go(ret(VFORK), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(1) == PLAIN);
	regs.r[RDI] = ret(VFORK);         /* itself, for ever */
	go(ret(VFORK), 0, WORDS);
	CHECK(walk.end == WALK_LOOP);
	tear_down();
}

static void
a_lost_register_is_missed(void)
{
	set_up(MODE_AUTO, 512);
	words[1] = ret(BY_RBX);
	go(ret(LOSES_RBX), 0, WORDS);
	CHECK(walk.end == WALK_BAD_RULE && walk.n == 2);
	tear_down();
}

static void
realigned_and_plt(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[7] = slot(12);              /* *(rbp - 8) is the CFA */
	words[11] = ret(PLAIN);
	words[12 + 3] = ret(ROOT);
	words[0] = ret(REALIGNED);
	go(BIAS + TEXT + PLT * FUNCTION, 0, WORDS);        /* cfa = rsp + 8 */
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(1) == REALIGNED && in(2) == PLAIN);
	words[1] = words[0];
	words[0] = 0;
	go(BIAS + TEXT + PLT * FUNCTION + 11, 0, WORDS);   /* cfa = rsp + 16 */
	CHECK(walk.end == WALK_ROOT && walk.n == 4);
	tear_down();
}

static void
a_described_signal_frame(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = ret(SIGNAL);           /* the handler is PLAIN */
	words[4 + 1] = BIAS + TEXT + FRAMED * FUNCTION;   /* the first instruction: exact, not one less */
	words[4 + 2] = slot(30);          /* rbp */
	words[4 + 5] = slot(20);          /* rsp */
	words[31] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(1) == SIGNAL && in(2) == FRAMED);
	CHECK_U64(codes.code[walk.code[2]].vaddr, TEXT + FRAMED * FUNCTION);
	words[4 + 2] = 0x1000;            /* on another stack, which was not copied */
	words[4 + 5] = 0x2000;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 3);
	tear_down();
}

static void
a_signal_frame_of_a_plain_rule(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = ret(PLAIN_SIGNAL);
	words[7] = BIAS + TEXT + ROOT * FUNCTION;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	CHECK_U64(codes.code[walk.code[2]].vaddr, TEXT + ROOT * FUNCTION);
	tear_down();
}

static void
handlers_are_not_called(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(2);
	words[2] = 7;
	words[3] = ret(TRAMPOLINE);       /* follows no call */
	words[4 + 5 + 15] = slot(60);
	words[4 + 5 + 16] = ret(ROOT);
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(1) == TRAMPOLINE && walk.by_fp == 1);
	tear_down();
}

static void
a_bare_signal_frame(void)
{
	set_up(MODE_CFI, 512);
	words[3] = ret(TRAMPOLINE);       /* the ucontext at word 4, its registers 40 bytes on */
	words[4 + 5 + 11] = slot(100);    /* rbx */
	words[4 + 5 + 15] = slot(60);     /* rsp */
	words[4 + 5 + 16] = ret(BY_RBX);  /* rip */
	words[103] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(1) == TRAMPOLINE && in(2) == BY_RBX);
	CHECK_U64(codes.code[walk.code[2]].vaddr, TEXT + BY_RBX * FUNCTION + RET);   /* exact */
	memmove(words, words + 4, 200 * 8);
	words[5 + 11] = slot(96);
	go(ret(TRAMPOLINE), 0, WORDS);    /* interrupted in the trampoline itself, at either instruction */
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	go(ret(TRAMPOLINE) + 7, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	go(ret(TRAMPOLINE) + 9, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	tear_down();
}

static uint32_t seed;

static uint32_t
any(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Stacks of return addresses (in odd words) and of pointers a little upward (in even ones), so that walks get far. */
static void
random_stack(void)
{
	static const uint8_t some[] = { PLAIN, FRAMED, LEAF, BY_RBX, REALIGNED, FP_IN_R12, LOSES_RBX, SETS_R12, SIGNAL, PUSHES,
	                                BARE, ALLOCA, SAVES_FP, STRIPPED };

	for (unsigned i = 0; i < WORDS; i++)
		words[i] = i % 2 ? ret(some[any(sizeof some)]) : slot((i + 2 + 2 * any(12)) & ~1u);
	for (unsigned i = 0; i < 17; i++)
		regs.r[i] = slot(2 * any(20));
}

static void
the_quick_walk_is_the_full_walk(void)
{
	static struct walk quick;
	unsigned far = 0, by_rbx = 0;

	set_up(MODE_AUTO, 512);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned first = i % (ENTRY - 1) + 1;

		seed = i;
		random_stack();
		unwinder->full_always = false;
		go(ret(first), 0, WORDS);
		quick = walk;
		unwinder->full_always = true;
		go(ret(first), 0, WORDS);
		CHECK(walk.n == quick.n && walk.end == quick.end && walk.used == quick.used &&
		      !memcmp(walk.code, quick.code, walk.n * sizeof *walk.code));
		CHECK(walk.by_cfi == quick.by_cfi && walk.by_fp == quick.by_fp && walk.by_code == quick.by_code);
		far += walk.n > 5;
		for (uint32_t k = 1; k + 1 < walk.n; k++)
			by_rbx += in(k) == BY_RBX;
	}
	CHECK(far > 1000 && by_rbx > 1000);   /* else this tests nothing */
	tear_down();
}

/* Walks of one stack again and again, with a word changed or from another depth: what is left of the last walk must not be
 * believed. */
static void
the_trail_is_not_believed(void)
{
	static const uint8_t plain[] = { PLAIN, FRAMED, LEAF, SAVES_FP, ALLOCA, PUSHES, STRIPPED };
	static struct walk quick;
	unsigned far = 0, derived = 0;

	set_up(MODE_AUTO, 512);
	seed = 1;
	for (unsigned i = 0; i < 40000; i++) {
		unsigned sp = 2 * any(8), at = any(WORDS);

		if (i % 100 == 0) {
			random_stack();
			for (unsigned k = 1; k < WORDS; k += 2)
				words[k] = ret(plain[any(i % 200 ? sizeof plain : 4)]);
		}
		if (i % 3 == 0)
			words[at] = at % 2 ? ret(plain[any(i / 100 % 2 ? sizeof plain : 4)]) : slot((at + 2 + 2 * any(12)) & ~1u);
		unwinder->full_always = false;
		go(ret(PLAIN), sp, WORDS);
		quick = walk;
		unwinder->full_always = true;
		go(ret(PLAIN), sp, WORDS);
		far += walk.n > 20;
		derived += walk.n > 10 && walk.by_fp > 2 && walk.by_code > 2;
		CHECK(walk.n == quick.n && walk.end == quick.end && !memcmp(walk.code, quick.code, walk.n * sizeof *walk.code));
		CHECK(walk.by_cfi == quick.by_cfi && walk.by_fp == quick.by_fp && walk.by_code == quick.by_code);
	}
	CHECK(far > 1000 && derived > 1000);
	tear_down();
}

/* ---- code that is not described ---- */

static void
instructions_tell(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = 0x77;
	words[0] = words[1] = words[2] = 0x1111;
	words[3] = 1;                     /* rbx */
	words[4] = slot(20);              /* rbp */
	words[5] = ret(FRAMED);
	words[20] = 5;
	words[21] = ret(ROOT);
	go(ret(PUSHES), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1 && in(1) == FRAMED);
	/* the block behind the return has the state of the branch to it */
	go(BIAS + TEXT + PUSHES * FUNCTION + 0x2a, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	go(BIAS + TEXT + PUSHES * FUNCTION + 0x2a + 5, 4, WORDS);   /* rbx is popped, rbp not */
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	go(BIAS + TEXT + PUSHES * FUNCTION + 1, 4, WORDS);          /* rbp is pushed */
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	regs.r[RBP] = slot(20);
	go(BIAS + TEXT + PUSHES * FUNCTION, 5, WORDS);              /* nothing is */
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	tear_down();
}

/* As with a file too large to be looked at in its mapping: first as it is, then cut short. */
static void
a_large_files_code(void)
{
	int fd = memfd_create("large", 0);

	set_up(MODE_AUTO, 512);
	CHECK(write(fd, program->file.data, program->file.size) == (ssize_t)program->file.size);
	program->file.fd = fd;
	words[4] = slot(20);
	words[5] = ret(FRAMED);
	words[21] = ret(ROOT);
	go(ret(PUSHES), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1 && in(1) == FRAMED);
	tear_down();
	set_up(MODE_AUTO, 512);
	program->file.fd = memfd_create("empty", 0);
	words[5] = ret(FRAMED);
	go(ret(PUSHES), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

static void
instructions_behind_alloca(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(33);
	words[33] = slot(40);
	words[34] = ret(FRAMED);
	words[40] = 0;
	words[41] = ret(ROOT);
	go(ret(ALLOCA), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_fp == 1);
	go(ret(ALLOCA), 0, 30);
	CHECK(walk.end == WALK_STACK_SHORT && walk.fp_at_cut);
	tear_down();
}

/* A frame record's call tells where the function begins, and its frame's size that it is its own. */
static void
the_call_tells_the_function(void)
{
	for (unsigned fp = 7; fp <= 9; fp++) {
		set_up(MODE_AUTO, 512);
		regs.r[RBP] = slot(fp);
		words[3] = ret(CALLED);
		words[fp] = slot(20);
		words[fp + 1] = ret(CALLS);
		words[fp + 5] = ret(ROOT);
		go(ret(PLAIN), 0, WORDS);
		CHECK(fp == 8 ? walk.end == WALK_ROOT && walk.n == 4 && walk.by_fp == 1 && in(2) == CALLS : walk.end == WALK_NO_RULE && walk.n == 2);
		tear_down();
	}
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[3] = ret(CALLED);
	words[9] = ret(STRIPPED);         /* which calls another */
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
	tear_down();
}

static void
instructions_forward(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = 1;
	words[4] = slot(20);
	words[5] = ret(FRAMED);
	words[21] = ret(ROOT);
	go(ret(STRIPPED), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	tear_down();
}

static void
threads_begin_where_nothing_is_to_return_to(void)
{
	set_up(MODE_AUTO, 512);
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = 0x1111;
	words[3] = ret(POPPED);
	words[4] = ret(PLAIN);            /* not to be taken for a return address */
	words[8] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && in(1) == POPPED);
	memset(words, 0, sizeof words);
	words[3] = ret(ENDLESS);          /* ends the thread */
	go(ret(PLAIN), 0, 4);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	words[3] = ret(PLAIN);
	go(ret(ENDLESS) + 2, 0, 4);       /* so does whoever was called to do that */
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

/* Go's functions are known by their symbols, too, where its own table is not found. */
static void
another_stack_begins_where_go_goes_over_to_it(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = ret(SWITCHES);
	words[4] = ret(PLAIN);
	words[8] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && in(1) == SWITCHES);
	tear_down();
}

/* Words in the stack that could be return addresses are not taken for one, but the first of all, if it is a root's. */
static void
nothing_is_looked_for(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(30);           /* a frame record of somebody's */
	words[30] = 0;
	words[31] = ret(ROOT);
	words[3] = ret(PLAIN);
	words[7] = ret(ROOT);
	go(ret(SILENT), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[3] = ret(PLAIN) + 1;
	go(ret(SILENT), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && in(1) == ROOT && walk.by_code == 1);
	go(ret(SILENT), 0, 7);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[3] = BIAS + TEXT;           /* where a coroutine would end, or a pointer to that function */
	go(ret(SILENT), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

static void
the_cfa_in_the_frame(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[6] = slot(14);              /* r10's slot: 16 below the record */
	words[8] = slot(40);
	words[9] = words[13] = ret(PLAIN);
	words[14 + 3] = ret(ROOT);
	go(ret(RECORD), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1 && walk.by_cfi == 1);
	words[13] = ret(ROOT);            /* not the same return address as in the record */
	go(ret(RECORD), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[6] = slot(WORDS + 9);
	go(ret(RECORD), 0, WORDS);
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 1);
	tear_down();
}

/* gcc's tables say that rbp lies at rbp also where it has been popped. */
static void
the_end_of_a_realigned_frame(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[10] = slot(6);
	words[5] = ret(FRAMED);
	words[20] = slot(40);
	words[21] = ret(FRAMED);
	words[41] = ret(ROOT);
	regs.r[RBP] = slot(20);           /* the caller's */
	go(BIAS + TEXT + REALIGNED_END * FUNCTION, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(3) == ROOT);
	words[3] = slot(20);
	regs.r[RBP] = slot(3);            /* still its own: in its beginning */
	go(BIAS + TEXT + REALIGNED_END * FUNCTION, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(3) == ROOT);
	tear_down();
}

static void
a_thread_that_was_just_made(void)
{
	const uint64_t at = BIAS + TEXT + CLONES * FUNCTION;

	set_up(MODE_AUTO, 512);
	regs.r[0] = 0;
	go(at + 2, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	words[0] = 0x1111;                /* what it was made with */
	go(at + 2, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	go(at, 0, WORDS);                 /* before the system call */
	CHECK(walk.end == WALK_NO_RULE);
	regs.r[0] = 17;                   /* who made it */
	go(at + 2, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE);
	words[0] = ret(ROOT);
	go(at + 2, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	tear_down();
}

static void
a_popped_return_address(void)
{
	const uint64_t at = BIAS + TEXT + VFORKS * FUNCTION;

	set_up(MODE_AUTO, 512);
	regs.r[RDX] = ret(ROOT);
	words[0] = ret(PLAIN);            /* the child's, since */
	go(at + 3, 0, WORDS);             /* behind the system call */
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	words[0] = ret(ROOT);
	go(at, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	regs.r[RDX] = ret(ROOT) + 1;
	go(at + 3, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

/* ---- deep stacks, chains ---- */

static void
both_ends_of_a_deep_stack(void)
{
	for (unsigned max = 2; max < 12; max++) {
		set_up(MODE_AUTO, max);
		for (unsigned i = 0; i < 10; i++)
			words[4 * i + 3] = ret(PLAIN);
		words[43] = ret(SAVES_FP);
		words[47] = ret(ROOT);        /* 11 PLAIN, SAVES_FP, ROOT: 13 */
		go(ret(PLAIN), 0, WORDS);
		CHECK(walk.end == WALK_ROOT && walk.n == max && walk.elided);
		CHECK(walk.code[max / 2] == CODE_ELIDED && in(0) == PLAIN);
		if (max > 2)
			CHECK(in(max - 1) == ROOT);
		if (max > 4)
			CHECK(in(max - 2) == SAVES_FP && (max - 3 == max / 2 || in(max - 3) == PLAIN));
		tear_down();
	}
	set_up(MODE_AUTO, 13);
	for (unsigned i = 0; i < 11; i++)
		words[4 * i + 3] = ret(PLAIN);
	words[47] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.n == 13 && !walk.elided);
	tear_down();
}

static void
the_kernels_chain_goes_on(void)
{
	/* FRAMED under FRAMED under FRAMED: rbp at words 8, 30, 50, and the copy ends at 32. */
	uint64_t chain[] = { ret(FRAMED), ret(FRAMED), ret(FRAMED), ret(FRAMED), ret(ROOT) };

	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[8] = slot(30);
	words[9] = ret(FRAMED);
	words[30] = slot(50);
	words[31] = ret(FRAMED);
	go_with(ret(FRAMED), 0, 32, NULL, 0);
	CHECK(walk.end == WALK_STACK_SHORT && walk.fp_at_cut && walk.n == 3);
	go_with(ret(FRAMED), 0, 32, chain, 5);
	CHECK(walk.end == WALK_ROOT && walk.n == 5 && walk.by_chain == 2 && walk.by_cfi == 2);
	chain[3] = ret(PLAIN);            /* does not keep frame pointers: what comes behind is not to be believed */
	go_with(ret(FRAMED), 0, 32, chain, 5);
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 4 && walk.by_chain == 1);
	words[8] = slot(29);              /* the walk leaves the kernel's chain */
	chain[3] = ret(FRAMED);
	regs.r[RBP] = slot(11);
	words[11] = slot(13);
	words[13] = slot(60);
	words[3] = ret(FRAMED);           /* SAVES_FP: rbp at -24 */
	words[1] = slot(8);
	go_with(ret(SAVES_FP), 0, 20, chain, 5);
	CHECK(walk.by_chain == 0 && walk.end != WALK_ROOT);
	tear_down();
}

static void
a_chain_alone(void)
{
	const uint64_t chain[] = { ret(LEAF), ret(FRAMED), ret(ROOT), ret(PLAIN) }, lost[] = { ret(LEAF), 0x666, ret(ROOT) };

	set_up(MODE_FP, 512);
	unwind_chain(unwinder, &space, chain, 4, &walk);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(2) == ROOT && walk.by_chain == 2);
	CHECK_U64(codes.code[walk.code[0]].vaddr, TEXT + LEAF * FUNCTION + RET);
	CHECK_U64(codes.code[walk.code[1]].vaddr, TEXT + FRAMED * FUNCTION + RET - 1);
	unwind_chain(unwinder, &space, chain, 2, &walk);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
	unwind_chain(unwinder, &space, lost, 3, &walk);
	CHECK(walk.end == WALK_NO_MAP && walk.n == 2 && walk.code[1] == CODE_UNKNOWN);
	tear_down();
}

static void
full_memory_degrades(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = ret(PLAIN);
	words[7] = ret(ROOT);
	mem_cap(mem_used());
	for (unsigned i = 0; i < 100; i++)
		go(ret(PLAIN) + i % 8, 0, WORDS);
	CHECK(walk.n >= 1);
	mem_cap(SIZE_MAX);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	mem_cap(mem_used() + 1000);
	CHECK(!unwinder_new(&arch_x86_64, &modules, &codes, MODE_AUTO, 10));
	mem_cap(SIZE_MAX);
	tear_down();
}

int
main(void)
{
	RUN("unwind", plain_frames_to_the_root);
	RUN("unwind", equal_rules_are_kept_once);
	RUN("unwind", a_zero_return_address_is_a_root);
	RUN("unwind", but_not_of_the_vdso);
	RUN("unwind", the_entry_point_is_a_root);
	RUN("unwind", the_copy_ends);
	RUN("unwind", epilogues_have_popped_fp);
	RUN("unwind", other_modes);
	RUN("unwind", jitted_code_goes_by_fp);
	RUN("unwind", jitted_code_is_read);
	RUN("unwind", jitted_code_at_the_edge);
	RUN("unwind", jitted_code_pushes_first);
	RUN("unwind", jitted_code_behind_arguments);
	RUN("unwind", jitted_code_changes);
	RUN("unwind", jitted_code_comes_later);
	RUN("unwind", nothing_mapped);
	RUN("unwind", a_new_epoch_is_another_place);
	RUN("unwind", lies_end_the_walk);
	RUN("unwind", coroutines_begin_where_they_would_return_to);
	RUN("unwind", no_progress_ends_the_walk);
	RUN("unwind", registers_that_were_not_carried_along);
	RUN("unwind", the_second_opinion);
	RUN("unwind", the_leaf_has_all_registers);
	RUN("unwind", a_leaf_without_a_frame);
	RUN("unwind", a_lost_register_is_missed);
	RUN("unwind", realigned_and_plt);
	RUN("unwind", a_described_signal_frame);
	RUN("unwind", a_signal_frame_of_a_plain_rule);
	RUN("unwind", handlers_are_not_called);
	RUN("unwind", a_bare_signal_frame);
	RUN("unwind", the_quick_walk_is_the_full_walk);
	RUN("unwind", the_trail_is_not_believed);
	RUN("unwind", instructions_tell);
	RUN("unwind", a_large_files_code);
	RUN("unwind", instructions_behind_alloca);
	RUN("unwind", the_call_tells_the_function);
	RUN("unwind", instructions_forward);
	RUN("unwind", threads_begin_where_nothing_is_to_return_to);
	RUN("unwind", another_stack_begins_where_go_goes_over_to_it);
	RUN("unwind", nothing_is_looked_for);
	RUN("unwind", the_cfa_in_the_frame);
	RUN("unwind", the_end_of_a_realigned_frame);
	RUN("unwind", a_thread_that_was_just_made);
	RUN("unwind", a_popped_return_address);
	RUN("unwind", both_ends_of_a_deep_stack);
	RUN("unwind", the_kernels_chain_goes_on);
	RUN("unwind", a_chain_alone);
	RUN("unwind", full_memory_degrades);
	return TEST_STATUS;
}

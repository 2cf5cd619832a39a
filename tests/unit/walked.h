/* A program for the unwinder to walk: functions of all kinds, a stack of words, and what is left of a walk.  For tests that
 * include unwind/unwind.c. */
#ifndef TESTS_UNIT_WALKED_H
#define TESTS_UNIT_WALKED_H

#include <sys/mman.h>
#include <unistd.h>

#include "elfwrite.h"
#include "sym/jit/jit.h"
#include "test.h"

/* A program of functions of 256 bytes from 0x1000 on, mapped at BIAS. In each function a call ends at 0x20, so that a return
 * address into it is at 0x20. */
enum { TEXT = 0x1000, FUNCTION = 0x100, RET = 0x20, RAISES = 0x40, WORDS = 512 };
enum { RDX = 1, RBX = 3, RDI = 5, RBP = 6, RSP = 7, R8 = 8, R12 = 12, RIP = 16 };
#define BIAS 0x555500000000u
#define STACK 0x7ffd00001000u

/* The functions by number; those without a frame description have code. */
enum { ROOT, PLAIN, FRAMED, LEAF, BY_RBX, REALIGNED, FP_IN_R12, LOSES_RBX, SETS_R12, SIGNAL, LIAR, PLT, SAVES_FP, EPILOGUE,
       PLAIN_SIGNAL, VFORK, REALIGNED_END, REMEMBERS, FAR, DESCRIBED,
       ENTRY = DESCRIBED, BARE, PUSHES, ALLOCA, POPPED, MOVES, LOSES, VFORKS, TRAMPOLINE, STRIPPED, ENDLESS, SILENT, RECORD, CLONES, CALLED,
       CALLS, SWITCHES, PADDED, ENTERS, ALIGNS, KEEPS, FUNCTIONS };

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
	/* pop %rax; push %rbx; push %rdi; push %rax or %rdx; push %rbp; mov %rsp,%rbp; and $-16,%rsp; call */
	{ MOVES * FUNCTION, "\x58\x53\x57\x50\x55\x48\x89\xe5\x48\x83\xe4\xf0", 12 },
	{ MOVES * FUNCTION + RET, "\xff\xe0", 2 },
	{ LOSES * FUNCTION, "\x58\x53\x57\x52\x55\x48\x89\xe5\x48\x83\xe4\xf0", 12 },
	{ LOSES * FUNCTION + RET, "\xff\xe0", 2 },
	{ PLAIN * FUNCTION + RAISES, "\x41\x5b\x41\xff\xe3", 5 },             /* pop %r11; jmp *%r11 */
	{ FRAMED * FUNCTION + RET - 5, "\x90\x90\x90\xff\xd0", 5 },            /* by an address */
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
	/* mov 23(%rdi),%rdx; jmp *%rcx; behind four bytes of padding */
	{ PADDED * FUNCTION - 4, "\xcc\xcc\xcc\xcc\x48\x8b\x57\x17\xff\xe1", 10 },
	{ ENTERS * FUNCTION - 4, "\xcc\xcc\xcc\xcc\xff\xe1", 6 },
	/* push %rbp; mov %rsp,%r11; and $-32,%rsp; sub $32,%rsp; mov %r11,8(%rsp); … call; mov 8(%rsp),%rsp; pop %rbp; ret */
	{ ALIGNS * FUNCTION, "\x55\x49\x89\xe3\x48\x83\xe4\xe0\x48\x83\xec\x20\x4c\x89\x5c\x24\x08", 17 },
	{ ALIGNS * FUNCTION + RET, "\x48\x8b\x64\x24\x08\x5d\xc3", 7 },
	/* the same, without the store; at the end mov %r11,%rsp */
	{ KEEPS * FUNCTION, "\x55\x49\x89\xe3\x48\x83\xe4\xe0\x48\x83\xec\x20", 12 },
	{ KEEPS * FUNCTION + RET, "\x4c\x89\xdc\x5d\xc3", 5 },
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
static int32_t thread;   /* 0: not known */

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
	elfwrite_symbol(&w, "Builtins_InterpreterEnterAtBytecode", TEXT + ENTERS * FUNCTION, FUNCTION, STT_FUNC, sec);
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
	struct stack stack = { slot(sp), 8 * (end - sp), (const uint8_t *)(words + sp), .tid = thread };
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
static inline unsigned
in(uint32_t i)
{
	return i < walk.n && walk.code[i] >= CODE_MARKS ? (unsigned)(codes.code[walk.code[i]].vaddr - TEXT) / FUNCTION : 99;
}

#endif

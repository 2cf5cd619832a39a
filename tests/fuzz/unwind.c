/* Walks over hostile stacks through a program with hostile frame descriptions and instructions; the quick walk and the one
 * that carries all registers along must agree.  The input: a mode, the lengths of the parts, the registers, two functions'
 * frame instructions, the code of a third without any, a kernel's chain, the stack.  Words are one byte each (see word).  With SWITCHES
 * that third function is Erlang's process_main, which jumps to the JIT's code (see jit_gap.h): then half of the stack is not in the copy,
 * and the process has it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elfwrite.h"
#include "sym/jit/jit.h"
#include "unwind/rule.h"
#include "unwind/unwind.h"

enum { TEXT = 0x1000, TEXT_SIZE = 0x200, BARE = 0x1100, ENTRY = 0x11f0, WORDS = 600, ROUNDS = 2, CALLS = 0x10e0, SWITCHES = 32 };
#define BIAS 0x555500000000u
#define STACK 0x7ffd00001000u

static struct module *program;
static struct modules modules;
static struct codes codes;
static struct space space;
static struct unwinder *unwinder;

static uint8_t jit[0x1000];
static uint64_t words[WORDS], words_at;   /* the stack in the process */

static size_t
read_process(struct space *s, uint64_t addr, void *to, size_t n)
{
	bool in_stack = addr - words_at < sizeof words;
	size_t most = in_stack ? sizeof words - (size_t)(addr - words_at) : (size_t)(0x11000 - addr);

	(void)s;
	if (!in_stack && addr - 0x10000 >= sizeof jit)
		return 0;
	n = n < most ? n : most;
	memcpy(to, in_stack ? (uint8_t *)words + (addr - words_at) : jit + (addr - 0x10000), n);
	return n;
}

/* A word of the stack, a little upward of itself; a place in the program; an address of JIT code; zero; any eight bytes. */
static uint64_t
word(struct cursor *c, uint64_t at)
{
	unsigned b = cur_u8(c);

	if (b == 0xff)
		return cur_u64(c);
	if (b == 0xfe)
		return 0x10010;
	if (b == 0xfd)
		return 0;
	return b < 0x80 ? (at & ~(uint64_t)7) + 8 * (uint64_t)b : BIAS + TEXT + 4 * (b & 0x7fu) + 1;
}

static struct bytes
build(struct cursor *c, unsigned flags, const uint8_t *len)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct ehwrite e = ehwrite_new(&w, 0x3000);
	uint8_t text[TEXT_SIZE];
	unsigned sec;
	size_t cie[2];

	memset(jit, 0xc3, sizeof jit);
	memset(text, 0xc3, sizeof text);   /* ends soon, as most code does */
	for (unsigned i = 0; i + 5 <= TEXT_SIZE; i += 16)
		memcpy(text + i, "\xe8\0\0\0\0", 5);
	w.entry = flags & 1 ? ENTRY : 0;
	cie[0] = ehwrite_cie(&e, "zR", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5);
	cie[1] = ehwrite_cie(&e, flags & 2 ? "zRS" : "zR", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t n = len[i] < cur_left(c) ? len[i] : cur_left(c);

		ehwrite_fde(&e, cie[i], TEXT + 0x80 * i, 0x80, cur_take(c, n), n);
	}
	for (unsigned i = 0; i < len[2] && i < TEXT_SIZE - 0x100 && cur_left(c); i++)
		jit[i] = text[0x100 + i] = cur_u8(c);
	if (flags & SWITCHES)
		memcpy(text + (CALLS - TEXT), "\xe8\x1b\0\0\0", 5);
	sec = elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, text, sizeof text);
	if (flags & 4)
		elfwrite_symbol(&w, flags & SWITCHES ? "process_main" : "f", BARE, ENTRY - BARE, STT_FUNC, sec);
	ehwrite_finish(&e, &w, 0x2000);
	return elfwrite_finish(&w);
}

static void
map_program(struct bytes *file, unsigned flags)
{
	struct map m = { .lo = BIAS, .hi = BIAS + 0x10000, .exec = true, .file = 1 };
	int fd = memfd_create("program", 0);

	if (write(fd, file->p, file->n) != (ssize_t)file->n)
		abort();
	program = module_file(&modules, fd, "/program");
	close(fd);
	space_init(&space);
	space.read = flags & 16 ? read_process : NULL;
	space_bind(&m, program);
	m.bias = BIAS;
	space_add(&space, &m);
	m = (struct map){ .lo = 0x10000, .hi = 0x11000, .exec = true, .file = 2, .module = jit_module(&modules, 1, NULL) };
	space_add(&space, &m);
}

/* Makes the unwinder as new; to allocate one each time would take most of the time. */
static void
start(enum walk_mode mode, uint32_t max)
{
	if (!unwinder && !(unwinder = unwinder_new(&arch_x86_64, &modules, &codes, mode, max)))
		abort();
	if (unwinder->rules)
		memset(unwinder->rule, 0, unwinder->rules * sizeof *unwinder->rule);
	for (unsigned i = 0; i < ROWS; i++)
		unwinder->rows[i].module = 0;
	unwinder->mode = mode;
	unwinder->max_stack = max;
	unwinder->full_always = false;
}

/* Quick, and with all registers. */
static void
agree(const struct regs *regs, const struct stack *stack, const uint64_t *chain, uint32_t n)
{
	static struct walk quick, full;

	unwinder->full_always = false;
	unwind(unwinder, &space, regs, stack, chain, n, &quick);
	unwinder->full_always = unwinder->mode != MODE_FP;
	unwind(unwinder, &space, regs, stack, chain, n, &full);
	if (quick.n != full.n || quick.end != full.end || memcmp(quick.code, full.code, quick.n * sizeof *quick.code))
		abort();
	if (quick.n > unwinder->max_stack)
		abort();
}

/* Walks the stack as it is, and sometimes with a changed word: the next quick walk reuses what the last one found. */
static void
walk(struct cursor *c, const struct regs *regs, const uint64_t *chain, uint32_t n, bool switches)
{
	static int32_t walks;      /* what prof knows of a thread's base is of no other input */
	struct stack stack = { .lo = regs->r[7], .tid = switches ? ++walks : 0 };
	uint8_t *copy;

	memset(words, 0, sizeof words);
	words_at = stack.lo;
	for (; cur_left(c) && stack.size < WORDS; stack.size++)
		words[stack.size] = word(c, stack.lo + 8 * stack.size);
	stack.size = (switches ? stack.size / 2 : stack.size) * 8;
	copy = malloc(stack.size + !stack.size);
	if (!copy)
		abort();
	memcpy(copy, words, stack.size);
	stack.bytes = copy;
	for (unsigned round = 0; round < ROUNDS; round++) {
		agree(regs, &stack, chain, n);
		if (stack.size >= 16) {
			uint64_t from = 8 * (words[round] % (stack.size / 8)), to = 8 * (words[stack.size / 8 - 1 - round] % (stack.size / 8));

			memcpy(copy + to, copy + from, 8);
		}
	}
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = cur_of(data, size, false);
	unsigned mode = cur_u8(&c), flags = mode >> 2;
	uint8_t len[4];
	struct regs regs = { .known = (1 << 17) - 1 };
	struct bytes file;
	uint64_t *chain;

	for (unsigned i = 0; i < 4; i++)
		len[i] = cur_u8(&c);
	len[3] %= 16;
	for (unsigned i = 0; i < 17; i++)
		regs.r[i] = word(&c, STACK);
	if (!modules_init(&modules) || !codes_init(&codes))
		abort();
	file = build(&c, flags, len);
	map_program(&file, flags);
	bytes_free(&file);
	start(mode % 3, flags & 8 ? 5 : 64);
	chain = malloc(8 * len[3] + 1u);
	if (!chain)
		abort();
	for (unsigned i = 0; i < len[3]; i++)
		chain[i] = word(&c, STACK);
	walk(&c, &regs, chain, len[3], flags & SWITCHES);
	free(chain);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
	return 0;
}

/* The unwinder keeps some memory from one walk to the next; it belongs to no input, so a walk through JIT code takes it first. */
__attribute__((constructor)) static void
begin(void)
{
	static const uint8_t gap[] = {
		0xd5, 0, 0, 20, 0,
		0xfd, 0xfd, 0xfd, 2, 0xfd, 0xfd, 0xfd, 0, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 0xfe,   /* rbx, rsp, rip */
		0xff, 0xe0, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xff, 0xe0, 0xcc, 0xcc,
		0xfd, 0xfd, 0xfd, 0xfd, 0xb9, 0xfc, 0xfd, 0xfd,   /* the call of process_main, the entry */
	};

	LLVMFuzzerTestOneInput(gap, sizeof gap);
	if (!unwinder->bases)
		abort();
}

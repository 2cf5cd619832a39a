/* Walks through code without a file, which prof reads from the process. */
#include "unwind/unwind.c"

#include "walked.h"

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

/* For code that prof cannot read, it uses the frame pointer, unless something speaks against it. */
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

/* Code of PCRE: parts of a function take the return address away first, into the function's frame or into a register. */
static void
parts_of_a_function(void)
{
	static const uint8_t whole[] = "\x53\x48\x83\xec\x10\xe8\x76\0\0\0\x90\x48\x83\xc4\x10\x5b\xc3",   /* push; sub; call 0x10180; nop; add; pop; ret */
	                     outer[] = "\x8f\x04\x24\x90\xe8\x77\0\0\0\x90\x48\x8b\x04\x24\x50\xc3",            /* pop (%rsp); nop; call 0x10200; nop; mov; push; ret */
	                     inner[] = "\x41\x58\x90\x90\x41\x50\xc3";                                        /* pop %r8; nop; nop; push %r8; ret */

	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0xcc, sizeof jit_bytes);
	memcpy(jit_bytes + 0x100, whole, sizeof whole - 1);
	memcpy(jit_bytes + 0x180, outer, sizeof outer - 1);
	memcpy(jit_bytes + 0x200, inner, sizeof inner - 1);
	words[0] = 0x1010a;
	words[3] = ret(ROOT);
	for (uint64_t pc = 0x10202; pc <= 0x10204; pc++) {
		regs.r[R8] = 0x10189;
		go(pc, 0, WORDS);
		CHECK(walk.end == WALK_ROOT && walk.n == 4 && walk.by_code == 3);
		CHECK_U64(codes.code[walk.code[1]].vaddr, 0x10188);
		CHECK_U64(codes.code[walk.code[2]].vaddr, 0x10109);
	}
	for (uint64_t pc = 0x10183; pc <= 0x1018e; pc += pc == 0x10184 ? 5 : 1)
		if (pc <= 0x1018a || pc == 0x1018e) {
			go(pc, 0, WORDS);
			CHECK(walk.end == WALK_ROOT && walk.n == 3);
		}
	words[0] = 0x10104;               /* no call ends there */
	go(0x10183, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
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

/* A function that begins without a push, as Mono's do, behind one that ends in a call which never returns. */
static void
jitted_code_behind_a_last_call(void)
{
	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0x90, sizeof jit_bytes);
	memcpy(jit_bytes + 0x100, "\x48\x83\xec\x28\x48\x89\x6c\x24\x20\xff\xd0", 11);   /* sub; mov %rbp; call */
	memcpy(jit_bytes + 0x110, "\x48\x83\xec\x48\xff\xd0\x48\x83\xc4\x48\xc3", 11);   /* sub; call; add; ret */
	words[9] = ret(ROOT);
	words[15] = ret(PLAIN);           /* left over from an earlier call, where both frames would end */
	go(0x10114, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
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

/* Code that tells nothing, as V8's between a call and a jump into its runtime: the record is its own, if no word before it may be
 * a return address. */
static void
jitted_code_has_a_record(void)
{
	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0xcc, sizeof jit_bytes);
	memcpy(jit_bytes + 0x100, "\xff\xd0\xe9\x00\x00\x10\x00", 7);   /* call; jmp far away */
	regs.r[RBP] = slot(8);
	words[3] = ret(LEAF) + 1;         /* code of a file, but not behind a call */
	words[8] = slot(20);
	words[9] = ret(PLAIN);
	words[13] = ret(ROOT);
	go(0x10102, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_fp == 1);
	words[7] = 0x10200;
	go(0x10102, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[7] = ret(PLAIN);
	go(0x10102, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[7] = 0;
	words[9] = words[13] = ret(PLAIN) + 1;
	go(0x10102, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
	set_up(MODE_AUTO, 512);           /* code of a file may use fp for other things */
	regs.r[RBP] = slot(8);
	words[8] = slot(20);
	words[9] = ret(PLAIN);
	words[13] = ret(ROOT);
	go(ret(SILENT), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

/* prof looks again at code that it has read, and reads changed code anew. */
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

/* If code of another page changes, prof need not follow this code again. */
static void
jitted_code_that_stays(void)
{
	uint64_t followed;

	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0x90, sizeof jit_bytes);
	memcpy(jit_bytes + 0x100, "\x48\x83\xc4\x08\xc3", 5);
	memcpy(jit_bytes + 0x1800, "\x48\x83\xc4\x08\xc3", 5);
	words[1] = ret(ROOT);
	words[2] = 7;
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	go(0x11800, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	jit_bytes[0x1803] = 0x10;
	unwinder_compare(unwinder, &space, 2000000000);
	followed = unwinder->code.followed;
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	CHECK_U64(unwinder->code.followed, followed);
	words[1] = 7;
	words[2] = ret(ROOT);
	go(0x11800, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	CHECK(unwinder->code.followed > followed);
	jit_bytes[0x103] = 0x10;
	unwinder_compare(unwinder, &space, 4000000000);
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	tear_down();
}

/* Code whose ways all end far away: prof does not follow them again for the next address, unless the code has changed. */
static void
jitted_code_without_a_return(void)
{
	enum { BRANCHES = 20, EACH = 10, EXITS = 0x400, EXIT = 5 };
	uint64_t followed, first;

	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0x90, sizeof jit_bytes);
	for (unsigned i = 0; i < BRANCHES; i++) {
		uint8_t *at = jit_bytes + 0x100 + i * EACH, *to = jit_bytes + EXITS + i * EXIT;

		memcpy(at, "\x83\x7d\xf8\x00\x0f\x84", 6);   /* cmp $0,-8(%rbp); je */
		memcpy(at + 6, &(int32_t){ (int32_t)(to - at) - EACH }, 4);
		memcpy(to, "\xe9\x00\x00\x10\x00", EXIT);
	}
	memcpy(jit_bytes + 0x100 + BRANCHES * EACH, "\xe9\x00\x00\x10\x00", EXIT);
	regs.r[RBP] = slot(8);
	words[8] = slot(12);
	words[9] = ret(ROOT);
	words[11] = 7;
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	first = unwinder->code.followed;
	CHECK(first > 3 * BRANCHES);
	for (unsigned i = 1; i < 4; i++) {
		followed = unwinder->code.followed;
		go(0x10100 + i * EACH, 0, WORDS);
		CHECK(walk.end == WALK_ROOT && walk.n == 2);
		CHECK(unwinder->code.followed - followed < first - BRANCHES);
	}
	memcpy(jit_bytes + EXITS + (BRANCHES - 1) * EXIT, "\x48\x8d\x65\x08\x5d\xc3", 6);   /* lea 8(%rbp),%rsp; pop %rbp; ret */
	unwinder_compare(unwinder, &space, 2000000000);
	words[9] = slot(14);
	words[10] = ret(ROOT);
	go(0x10100 + 4 * EACH, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	tear_down();
}

/* A stub that jumps to what it has found: it has no frame, if a call of just this stub left what is at sp. */
static void
jitted_code_that_jumps_on(void)
{
	for (unsigned other = 0; other < 2; other++) {
		set_up(MODE_AUTO, 512);
		space.read = read_jit;
		memset(jit_bytes, 0x90, sizeof jit_bytes);
		memcpy(jit_bytes + 0x100, "\x48\x8b\x06\x48\x85\xc0\x74\x02\xff\xe0\xe9\x00\x00\x10\x00", 15);   /* mov; test; je; jmp *%rax; jmp far away */
		memcpy(jit_bytes + 0x300, "\xe8\xfb\xfd\xff\xff\x48\x83\xc4\x18\xc3", 10);   /* call; add; ret */
		jit_bytes[0x302] = other ? 0xfc : 0xfd;   /* calls what lies 256 bytes before */
		words[0] = 0x10305;
		words[4] = ret(ROOT);
		go(0x10103, 0, WORDS);
		CHECK(other ? walk.end == WALK_NO_RULE && walk.n == 1 : walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 2);
		tear_down();
	}
}

/* prof reads pages before all of their code is there. */
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
	unwinder_compare(unwinder, &space, 1000000);
	go(0x10200, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	jit_reads = 0;
	unwinder_compare(unwinder, &space, 3000000);
	CHECK_U64(jit_reads, 0);
	jit_bytes[0x103] = 0x10;          /* with something new comes something else */
	memcpy(jit_bytes + 0x300, "\x48\x83\xc4\x10\xc3", 5);
	go(0x10300, 0, WORDS);
	unwinder_compare(unwinder, &space, 3000000);
	words[1] = 7;
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	tear_down();
}

/* Code that makes no frame, because a function before it has made one for all of it. The code after that function's jump removes
 * the frame. */
static void
jitted_code_in_a_frame_made_for_it(void)
{
	static const char around[] = "\x55\x53\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x18\xff\xe7"   /* pushes; sub; jmp *%rdi */
	                             "\x48\x83\xc4\x18\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5b\x5d\xc3";

	for (unsigned same = 0; same < 2; same++) {
		set_up(MODE_AUTO, 512);
		space.read = read_jit;
		memset(jit_bytes, 0xcc, sizeof jit_bytes);
		memcpy(jit_bytes, around, sizeof around - 1);
		jit_bytes[19] = same ? 0x18 : 0x20;      /* removes a larger one: it belongs to other code */
		memcpy(jit_bytes + 0x1000, "\xff\xd0\xff\xe1", 4);   /* call *%rax; jmp *%rcx */
		words[1] = 0x11002;               /* LEAF: cfa = rsp + 16 */
		words[2 + 8] = slot(20);          /* rbp */
		words[2 + 9] = ret(FRAMED);
		words[21] = ret(ROOT);
		for (unsigned times = 0; times < 2; times++) {   /* it is known the second time */
			go(ret(LEAF), 0, WORDS);
			CHECK(same ? walk.end == WALK_ROOT && walk.n == 4 && in(2) == FRAMED && walk.by_code == 1 : walk.end == WALK_NO_RULE && walk.n == 2);
		}
		CHECK_U64(unwinder->jumpers, same);
		words[2 + 9]++;                   /* behind no call, */
		words[16] = ret(PLAIN);           /* nor is what follows a root */
		words[2 + 8] = 0;
		go(ret(LEAF), 0, WORDS);
		CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
		tear_down();
	}
}

/* The same with less, as in Guile: the frame keeps no register except those of the code, so nobody knows the caller's fp. */
static void
jitted_code_in_a_small_frame(void)
{
	for (unsigned size = 16; size <= 24; size += 8) {
		set_up(MODE_AUTO, 512);
		space.read = read_jit;
		memset(jit_bytes, 0xcc, sizeof jit_bytes);
		memcpy(jit_bytes, "\x48\x83\xec\x18\xff\xe7\x48\x83\xc4\x18\xc3", 11);   /* sub; jmp *%rdi; add; ret */
		jit_bytes[3] = jit_bytes[9] = (uint8_t)size;
		memcpy(jit_bytes + 0x1000, "\xff\xd0\xff\xe1", 4);
		words[1] = 0x11002;
		words[2 + size / 8] = ret(FRAMED);
		regs.r[RBP] = slot(20);
		words[0] = slot(20);
		words[21] = ret(ROOT);
		go(ret(LEAF), 0, WORDS);
		CHECK(size == 24 ? walk.n == 3 && in(2) == FRAMED && walk.by_code == 1 : walk.n == 2 && walk.end == WALK_NO_RULE);
		tear_down();
	}
}

/* The function that made the frame is in a file, and the stack has a return address behind its call. */
static void
jitted_code_in_a_frame_made_by_a_file(void)
{
	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0xcc, sizeof jit_bytes);
	memcpy(jit_bytes + 0x1000, "\xff\xd0\xff\xe1", 4);
	words[1] = 0x11002;
	words[2 + 4] = slot(20);              /* CALLED: a record, two registers and 16 bytes */
	words[2 + 5] = ret(CALLS);
	words[2 + 5 + 4] = ret(ROOT);
	go(ret(LEAF), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(2) == CALLS);
	CHECK_U64(unwinder->jumpers, 1);
	words[2 + 5] = ret(STRIPPED);         /* which calls another */
	go(ret(LEAF), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
	words[2 + 5] = 7;
	words[2 + 6] = ret(CALLS);            /* somewhere else */
	go(ret(LEAF), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
	tear_down();
}

/* The process tells debuggers of its code, by one row, as qemu does. */
static void
jitted_code_that_is_described(void)
{
	enum { TOLD = 0x10100, TOLD_SIZE = 0x800, LIST = 0x11000, ITEM = 0x11020, IMAGE = 0x11040 };
	struct elfwrite w = elfwrite_new(true, false);
	struct ehwrite e = ehwrite_new(&w, 0);
	struct bytes file, list = { 0 };

	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	for (unsigned i = 0; i < sizeof jit_bytes; i += 2)
		memcpy(jit_bytes + i, "\xff\xe0", 2);   /* jmp *%rax */
	w.type = ET_EXEC;
	elfwrite_section_at(&w, ".text", SHT_NOBITS, SHF_EXECINSTR, TOLD, 0, NULL, TOLD_SIZE);
	e.debug = true;
	ehwrite_fde(&e, ehwrite_cie(&e, "", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5), TOLD, TOLD_SIZE, "\x0e\x40", 2);   /* cfa = rsp + 64 */
	ehwrite_finish(&e, &w, 0);
	file = elfwrite_finish(&w);
	bytes_set(&list, 0, 1, 8);
	bytes_set(&list, 16, ITEM, 8);
	bytes_set(&list, ITEM - LIST + 16, IMAGE, 8);
	bytes_set(&list, ITEM - LIST + 24, file.n, 8);
	bytes_put_at(&list, IMAGE - LIST, file.p, file.n);
	memcpy(jit_bytes + (LIST - 0x10000), list.p, list.n);
	jit->jit->registered.list[0] = (struct registered_list){ .addr = LIST, .word = 8, .size_at = 24 };
	jit->jit->registered.lists = 1;
	CHECK(jit_registered(jit, &space, 1) == REGISTERED_SAME);
	words[7] = ret(PLAIN);
	words[11] = ret(ROOT);
	go(TOLD + 0x300, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(1) == PLAIN && walk.by_cfi == 2);
	go(TOLD + 0x20, 0, WORDS);               /* where code may make that frame */
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[7] = ret(PLAIN) + 1;               /* behind no call */
	words[11] = 7;
	words[20] = ret(PLAIN);
	go(TOLD + 0x300, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	memcpy(jit_bytes + (TOLD + 0x400 - 0x10000), "\x48\x83\xc4\x08\xc3", 5);   /* add $8, %rsp; ret */
	words[1] = ret(ROOT);                    /* other code is there now */
	space_renew(&space);
	go(TOLD + 0x400, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	bytes_free(&list);
	bytes_free(&file);
	tear_down();
}

/* As PyPy's: a loop that only its exits leave, by an address in a register, to code that removes the frame. */
static void
jitted_code_leaves_by_an_address(void)
{
	static const uint8_t loop[] = "\x48\x85\xc0\x75\x05\xff\xd1\xeb\xf7\xcc"            /* test; jne exit; call; jmp loop */
	                              "\x6a\x07\x49\xbb\x08\x08\x01\0\0\0\0\0\x41\x53"        /* exit: push $7; mov $0x10808,%r11; push %r11 */
	                              "\x4d\x8d\x5b\xf8\x41\xff\xe3",                         /* lea -8(%r11),%r11; jmp *%r11 */
	                     leaves[] = "\x8f\x45\x20\x8f\x45\x10\x48\x83\xc4\x18\xc3";      /* pop 32(%rbp); pop 16(%rbp); add $24,%rsp; ret */

	set_up(MODE_AUTO, 512);
	space.read = read_jit;
	memset(jit_bytes, 0xcc, sizeof jit_bytes);
	memcpy(jit_bytes + 0x1100, loop, sizeof loop - 1);
	memcpy(jit_bytes + 0x800, leaves, sizeof leaves - 1);
	regs.r[RBP] = 0x7000;
	words[3] = 0x11107;
	words[7] = ret(ROOT);
	go(0x11100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 2);
	CHECK_U64(codes.code[walk.code[1]].vaddr, 0x11106);
	jit_bytes[0x110c + 3] = 0x90;            /* to no code */
	space_renew(&space);
	go(0x11100, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

int
main(void)
{
	RUN("unwind_jit", jitted_code_goes_by_fp);
	RUN("unwind_jit", parts_of_a_function);
	RUN("unwind_jit", jitted_code_is_read);
	RUN("unwind_jit", jitted_code_at_the_edge);
	RUN("unwind_jit", jitted_code_pushes_first);
	RUN("unwind_jit", jitted_code_behind_a_last_call);
	RUN("unwind_jit", jitted_code_behind_arguments);
	RUN("unwind_jit", jitted_code_has_a_record);
	RUN("unwind_jit", jitted_code_changes);
	RUN("unwind_jit", jitted_code_that_stays);
	RUN("unwind_jit", jitted_code_without_a_return);
	RUN("unwind_jit", jitted_code_that_jumps_on);
	RUN("unwind_jit", jitted_code_comes_later);
	RUN("unwind_jit", jitted_code_in_a_frame_made_for_it);
	RUN("unwind_jit", jitted_code_in_a_small_frame);
	RUN("unwind_jit", jitted_code_in_a_frame_made_by_a_file);
	RUN("unwind_jit", jitted_code_that_is_described);
	RUN("unwind_jit", jitted_code_leaves_by_an_address);
	return TEST_STATUS;
}

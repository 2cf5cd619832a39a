/* Code made at run time, with and without frame pointers, that calls back into C; named by a perf map.  Each of these
 * functions marks its frame as a C function would.  With 3 as its second argument, no instruction shows the way to the return, and the
 * program describes the code to debuggers instead (GDB's JIT interface). */
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../mark.h"

typedef unsigned made(unsigned depth, unsigned v);

struct writer {
	unsigned char *p;
};

/* ---- what debuggers are told ---- */

struct entry {
	struct entry *next, *prev;
	const void *file;
	uint64_t size;
};

struct {
	uint32_t version, action;
	struct entry *relevant, *first;
} __jit_debug_descriptor = { 1, 0, NULL, NULL };

static const char section_names[] = "\0.text\0.debug_frame\0.symtab\0.strtab";

struct image {
	Elf64_Ehdr head;
	Elf64_Shdr section[5];
	Elf64_Sym symbol[2];
	unsigned char frame[64];
	char names[sizeof section_names], name[32];
};

/* A frame of FRAME bytes, which begins behind the first instruction, of 7 bytes, and ends at END. */
static void
describe(const char *name, uint64_t lo, uint64_t size, uint32_t frame, uint16_t end)
{
	static const unsigned char cie[20] = { 16, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0 };
	struct image *i = calloc(1, sizeof *i);
	struct entry *e = calloc(1, sizeof *e);
	unsigned char *fde = i->frame + sizeof cie, *insns = fde + 24;
	uint32_t length = sizeof i->frame - sizeof cie - 4;

	memcpy(i->frame, cie, sizeof cie);
	memcpy(fde, &length, 4);
	memcpy(fde + 8, &lo, 8);
	memcpy(fde + 16, &size, 8);
	frame += 8;
	memcpy(insns, (unsigned char[]){ 0x47, 0x0e, frame & 0x7f | 0x80, frame >> 7, 0x03, (end - 7) & 255, (end - 7) >> 8, 0x0e, 8 }, 9);
	memcpy(i->names, section_names, sizeof section_names);
	snprintf(i->name, sizeof i->name, "%s", name);
	i->head = (Elf64_Ehdr){ .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_EXEC, .e_machine = EM_X86_64,
	                        .e_version = EV_CURRENT, .e_shoff = offsetof(struct image, section), .e_ehsize = sizeof i->head,
	                        .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 5, .e_shstrndx = 4 };
	i->section[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = lo, .sh_size = size };
	i->section[2] = (Elf64_Shdr){ .sh_name = 7, .sh_type = SHT_PROGBITS, .sh_offset = offsetof(struct image, frame), .sh_size = sizeof i->frame };
	i->section[3] = (Elf64_Shdr){ .sh_name = 20, .sh_type = SHT_SYMTAB, .sh_offset = offsetof(struct image, symbol), .sh_size = sizeof i->symbol,
	                              .sh_link = 4, .sh_info = 1, .sh_entsize = sizeof(Elf64_Sym) };
	i->section[4] = (Elf64_Shdr){ .sh_name = 28, .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, names),
	                              .sh_size = sizeof i->names + sizeof i->name };
	i->symbol[1] = (Elf64_Sym){ .st_name = sizeof i->names, .st_info = STB_GLOBAL << 4 | STT_FUNC, .st_shndx = 1, .st_value = lo, .st_size = size };
	*e = (struct entry){ __jit_debug_descriptor.first, NULL, i, sizeof *i };
	__jit_debug_descriptor.relevant = __jit_debug_descriptor.first = e;
	__jit_debug_descriptor.action = 1;
}

/* ---- code ---- */

static void
bytes(struct writer *w, const char *hex)
{
	for (unsigned v; sscanf(hex, "%2x", &v) == 1; hex += hex[2] ? 3 : 2)
		*w->p++ = (unsigned char)v;
}

static void
number(struct writer *w, uint64_t v, unsigned size)
{
	memcpy(w->p, &v, size);
	w->p += size;
}

/* mov [rsp + at], V */
static void
store(struct writer *w, unsigned at, uint64_t v)
{
	bytes(w, "48 b8");
	number(w, v, 8);
	bytes(w, "48 89 44 24");
	number(w, at, 1);
}

static void
seal(struct writer *w, uint64_t magic, unsigned at)
{
	bytes(w, "48 b8");                  /* mov rax, magic */
	number(w, magic, 8);
	bytes(w, "48 8d 4c 24");            /* lea rcx, [rsp + at] */
	number(w, at, 1);
	bytes(w, "48 31 c8 48 89 44 24");   /* xor rax, rcx; mov [rsp + at], rax */
	number(w, at, 1);
}

/* A function that keeps LOCALS more bytes on the stack, spins N times, calls NEXT(edi - 1, esi) and returns its result
 * plus one.  HIDDEN: its name, for debuggers alone. */
static made *
make(struct writer *w, int fp, unsigned locals, unsigned n, made *next, const char *hidden)
{
	enum { AT = 16 };
	unsigned frame = (64 + locals + 15) / 16 * 16 + (fp ? 0 : 8);
	union { void *data; made *code; } start = { w->p };

	if (fp)
		bytes(w, "55 48 89 e5");        /* push rbp; mov rbp, rsp */
	bytes(w, "48 81 ec");               /* sub rsp, frame */
	number(w, frame, 4);
	store(w, AT + 8, (uint64_t)(uintptr_t)start.data);
	bytes(w, "48 8b 84 24");            /* mov rax, [rsp + frame (+ 8)] */
	number(w, frame + (fp ? 8 : 0), 4);
	bytes(w, "48 89 44 24");
	number(w, AT + 16, 1);
	store(w, AT + 24, 0);
	store(w, AT + 32, n);
	seal(w, MARK_LIVE, AT);
	bytes(w, "b9");                     /* mov ecx, n */
	number(w, n, 4);
	bytes(w, "ff c9 75 fc");            /* 1: dec ecx; jnz 1b */
	bytes(w, "ff cf 48 b8");            /* dec edi; mov rax, next */
	number(w, (uint64_t)(uintptr_t)next, 8);
	bytes(w, "ff d0 ff c0 48 89 c2");   /* call rax; inc eax; mov rdx, rax */
	seal(w, MARK_LEFT, AT);
	bytes(w, "48 89 d0");               /* mov rax, rdx */
	if (hidden)
		bytes(w, "48 8d 0d 02 00 00 00 ff e1");   /* lea rcx, [rip + 2]; jmp rcx */
	if (fp)
		bytes(w, "c9 c3");              /* leave; ret */
	else {
		bytes(w, "48 81 c4");           /* add rsp, frame */
		number(w, frame, 4);
		bytes(w, "c3");
	}
	if (hidden)
		describe(hidden, (uint64_t)(uintptr_t)start.data, (uint64_t)(w->p - (unsigned char *)start.data), frame,
		         (uint16_t)(w->p - 1 - (unsigned char *)start.data));
	bytes(w, "cc cc cc cc");
	return start.code;
}

static made *first[8];
static unsigned firsts;

MARKED static unsigned
m_back(unsigned depth, unsigned v)
{
	MARK(m_back, depth);
	mark_work(100);
	if ((int)depth <= 0)
		return v;
	return first[(depth + v) % firsts](depth, v * 3);
}

MARKED static int
m_main(double seconds)
{
	MARK(m_main, 0);
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 20; i++)
			mark_sink += m_back(i, i);
	return 0;
}

/* Makes N functions, each calling the one before, the first calling m_back; FP: 0 none, 1 all, 2 some keep a frame pointer; 3: none,
 * and their returns are hidden. */
static void
fill(struct writer *w, FILE *names, unsigned n, int fp)
{
	for (unsigned i = 0; i < 4; i++) {
		made *f = m_back;

		for (unsigned k = 0; k <= i % n; k++) {
			int keeps = fp == 2 ? (int)(i + k) & 1 : fp == 1;
			unsigned char *lo = w->p;
			char name[32];

			snprintf(name, sizeof name, "m_jit%u_%u_%s", i, k, keeps ? "fp" : "sp");
			f = make(w, keeps, i * 40 + k * 8, 200, f, fp == 3 ? name : NULL);
			if (fp != 3)
				fprintf(names, "%llx %x %s\n", (unsigned long long)(uintptr_t)lo, (unsigned)(w->p - lo), name);
		}
		first[firsts++] = f;
	}
}

int
main(int argc, char **argv)
{
	struct writer w = { mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) };
	char path[64];
	FILE *names;
	int failed;

	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	if (w.p == MAP_FAILED || !(names = fopen(path, "w")))
		return 1;
	fill(&w, names, 3, argc > 2 ? atoi(argv[2]) : 1);
	fclose(names);
	failed = m_main(MARK_SECONDS(argc, argv));
	unlink(path);
	return failed;
}

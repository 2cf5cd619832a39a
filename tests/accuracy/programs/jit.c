/* Code made at run time, with and without frame pointers, that calls back into C; named by a perf map.  Each of these
 * functions marks its frame as a C function would. */
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
 * plus one. */
static made *
make(struct writer *w, int fp, unsigned locals, unsigned n, made *next)
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
	if (fp)
		bytes(w, "c9 c3");              /* leave; ret */
	else {
		bytes(w, "48 81 c4");           /* add rsp, frame */
		number(w, frame, 4);
		bytes(w, "c3");
	}
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

/* Makes N functions, each calling the one before, the first calling m_back; FP: 0 none, 1 all, 2 some keep a frame pointer. */
static void
fill(struct writer *w, FILE *names, unsigned n, int fp)
{
	for (unsigned i = 0; i < 4; i++) {
		made *f = m_back;

		for (unsigned k = 0; k <= i % n; k++) {
			int keeps = fp == 2 ? (int)(i + k) & 1 : fp;
			unsigned char *lo = w->p;

			f = make(w, keeps, i * 40 + k * 8, 200, f);
			fprintf(names, "%llx %x m_jit%u_%u_%s\n", (unsigned long long)(uintptr_t)lo, (unsigned)(w->p - lo), i, k,
			        keeps ? "fp" : "sp");
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

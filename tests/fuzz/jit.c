/* A process's perf map and jitdump change while prof reads them. Each sample keeps the name that the files gave to its address when
 * the sample came, whatever takes that place later. Input: a byte that says which files there are, then one byte for each thing
 * that happens. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "dumpwrite.h"
#include "tests/fuzz/harness/holes.h"
#include "sym/jit/jit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PLACES = 64, PLACE = 16, SAMPLES = 48, OPS = 512 };

static struct modules modules;

struct growing {
	int fd;                        /* the module's, or -1 */
	uint64_t end, bytes;           /* of the file, and those of them that were given */
	uint8_t late[256];             /* the second half of what was written last */
	size_t nlate;
};

static struct state {
	struct growing map, dump;
	bool certain;                  /* the input has told all in whole lines and records of one file */
	bool big;
	unsigned serial;               /* of pieces of code */
	uint32_t now[PLACES], next[PLACES];   /* what each place holds as of the file, 0: nothing; and with what is written by halves */
	struct module *module;
	struct {
		struct module *module;
		uint64_t addr;
		uint32_t name;
	} sample[SAMPLES];
	unsigned samples;
} s;

static void
append(struct growing *g, const void *bytes, size_t n)
{
	if (g->fd < 0)
		return;
	if (pwrite(g->fd, bytes, n, (off_t)g->end) != (ssize_t)n)
		abort();
	g->end += n;
	g->bytes += n;
}

static void
finish(struct growing *g)
{
	append(g, g->late, g->nlate);
	g->nlate = 0;
	memcpy(s.now, s.next, sizeof s.now);
}

/* Writes all of it, or where it comes by HALVES the second one next time. */
static void
write_on(struct growing *g, const void *bytes, size_t n, bool halves)
{
	size_t first = halves && n / 2 < sizeof g->late ? n / 2 : n;

	finish(g);
	append(g, bytes, first);
	g->nlate = n - first;
	memcpy(g->late, (const uint8_t *)bytes + first, g->nlate);
}

/* Code at PLACE: a new piece, or (dumps alone) the piece OLD of the same bytes, moved. */
static void
code(struct growing *g, uint8_t place, uint8_t places, uint32_t old, bool halves)
{
	uint64_t lo = (uint64_t)(1 + place % PLACES) * PLACE, n = 1 + places % 4;
	struct dump d = { .big = s.big };
	char line[64];
	uint32_t name = old ? old : ++s.serial;

	snprintf(line, sizeof line, "n%u", name);
	if (g == &s.dump && old)
		dump_move(&d, s.serial, lo, lo, n * PLACE, old);
	else if (g == &s.dump)
		dump_load(&d, s.serial, lo, n * PLACE, name, line);
	else
		d.n = (size_t)snprintf((char *)d.bytes, sizeof d.bytes, "%llx %llx %s\n", (unsigned long long)lo, (unsigned long long)n * PLACE, line);
	write_on(g, d.bytes, d.n, halves);
	for (uint64_t i = place % PLACES; i < place % PLACES + n && i < PLACES; i++)
		s.next[i] = name;
	if (!g->nlate)
		finish(g);
}

static void
sample(uint8_t place)
{
	uint64_t since = 0;
	struct module *next;
	struct symbol sym;
	const char *file;
	uint32_t line, begins;

	if (jit_replaced(s.module, &since) && (next = jit_next(&modules, s.module)))
		s.module = next;
	jit_ran(s.module, (uint64_t)(1 + place % PLACES) * PLACE + 5);
	if (place & 128 && s.samples > SAMPLES / 2)   /* asked for names already, as top does */
		jit_find(&modules, s.module, 0, &sym, &file, &line, &begins), s.certain = false;
	if (s.samples == SAMPLES)
		return;
	s.sample[s.samples].module = s.module;
	s.sample[s.samples].addr = (uint64_t)(1 + place % PLACES) * PLACE + 5;
	s.sample[s.samples++].name = s.now[place % PLACES];
}

/* Lines and a frame description for code that comes. */
static void
about(struct growing *g, uint8_t place, uint8_t n)
{
	uint64_t lo = (uint64_t)(1 + place % PLACES) * PLACE;
	struct dump d = { .big = s.big };
	size_t at = n & 1 ? dump_debug(&d, lo, n >> 4) : dump_record(&d, 4, s.serial);

	if (n & 1) {
		for (unsigned i = 0; i < n >> 4; i++)
			dump_entry(&d, lo + i * (n & 6), n + i, i & 1 ? "\xff" : n & 8 ? "a.js" : "");
	} else {
		dump_uint(&d, 16u + n, 8);
		dump_uint(&d, n >> 1, 8);
		dump_uint(&d, n & 2, 8);
		d.n += 16u + n;
	}
	dump_end(&d, at);
	write_on(g, d.bytes, d.n, n & 4);
	if (!g->nlate)
		finish(g);
}

/* The files as their process likes: bytes, holes, an end before what was read. */
static const uint8_t *
anything(struct growing *g, uint8_t how, const uint8_t *p, const uint8_t *end)
{
	size_t n = (size_t)(end - p) < how % 64u ? (size_t)(end - p) : how % 64u;

	s.certain = false;
	if (g->fd < 0)
		return p;
	finish(g);
	if (how & 64) {
		g->end = how & 128 ? 0 : g->end / 2;
		if (ftruncate(g->fd, (off_t)g->end))
			abort();
	}
	holes_append(g->fd, &g->end, p, n);
	g->bytes += n;
	return p + n;
}

static void
look(unsigned i)
{
	const char *file = NULL;
	uint32_t line = 0, begins = 0;
	struct symbol sym = { 0 };
	struct fde fde;
	bool found = jit_find(&modules, s.sample[i].module, s.sample[i].addr, &sym, &file, &line, &begins);
	char name[32];

	if (found && (!*sym.name || s.sample[i].addr < sym.lo || s.sample[i].addr >= sym.hi))
		abort();
	if (jit_frame(s.sample[i].module, s.sample[i].addr, &fde) && (s.sample[i].addr < fde.lo || s.sample[i].addr >= fde.hi))
		abort();
	if (!s.certain || !s.sample[i].name)
		return;
	snprintf(name, sizeof name, "n%u", s.sample[i].name);
	if (!found || strcmp(sym.name, name) != 0)
		abort();
}

/* Reading a hole needs no memory, except for the pages at its ends. */
static void
check_blocks(const struct growing *g, uint64_t ops)
{
	if (g->fd >= 0 && holes_blocks(g->fd) > (g->bytes / 4096 + 2 * ops + 8) * 4096)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *p = data, *end = data + size;
	uint8_t mode = size ? *p++ : 0;
	unsigned ops = 0;
	struct dump d;

	memset(&s, 0, sizeof s);
	if (!modules_init(&modules) || !(s.module = jit_module(&modules, 7, NULL)))
		abort();
	s.map.fd = mode % 3 != 1 ? holes_file(NULL, 0) : -1;
	s.dump.fd = mode % 3 != 0 ? holes_file(NULL, 0) : -1;
	s.certain = mode % 3 < 2;
	s.big = mode & 64;
	dump_begin(&d, s.big, mode & 32 ? 1 : 0);
	if (mode & 16)
		append(&s.dump, d.bytes, d.n);
	else
		write_on(&s.dump, d.bytes, d.n, mode & 8);
	jit_found(s.module, s.map.fd, s.dump.fd);
	while (end - p > 2 && ops++ < OPS) {
		uint8_t op = p[0], a = p[1], b = p[2];
		struct growing *g = s.map.fd < 0 || (s.dump.fd >= 0 && op & 8) ? &s.dump : &s.map;

		p += 3;
		switch (op & 7) {
		case 0:
		case 1:
			code(g, a, b, 0, op & 16);
			break;
		case 2:
			if (g == &s.dump && s.serial)
				code(g, a, b, 1 + op % s.serial, op & 16);
			break;
		case 3:
		case 4:
			sample(a);
			break;
		case 5:
			finish(g);
			break;
		case 6:
			if (g == &s.dump)
				about(g, a, b);
			break;
		default:
			p = anything(g, a, p, end);
		}
	}
	for (unsigned i = 0; i < s.samples; i++)
		look(i);
	check_blocks(&s.map, ops);
	check_blocks(&s.dump, ops);
	modules_free(&modules);
	if (mem_used())
		abort();
	return 0;
}

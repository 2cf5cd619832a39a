/* jit-PID.dump in memory, in either byte order. */
#ifndef DUMPWRITE_H
#define DUMPWRITE_H

#include <stdint.h>
#include <string.h>

struct dump {
	uint8_t bytes[8192];
	size_t n;
	bool big;
};

static void
dump_uint(struct dump *d, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		d->bytes[d->n++] = (uint8_t)(v >> 8 * (d->big ? size - 1 - i : i));
}

static void
dump_text(struct dump *d, const char *s)
{
	memcpy(d->bytes + d->n, s, strlen(s) + 1);
	d->n += strlen(s) + 1;
}

static void
dump_begin(struct dump *d, bool big, uint64_t flags)
{
	*d = (struct dump){ .big = big };
	dump_uint(d, 0x4A695444, 4);
	dump_uint(d, 1, 4);
	dump_uint(d, 40, 4);
	dump_uint(d, 62, 4);
	dump_uint(d, 0, 4);
	dump_uint(d, 1234, 4);
	dump_uint(d, 1000, 8);
	dump_uint(d, flags, 8);
}

/* Where the record begins, for dump_end. */
static size_t
dump_record(struct dump *d, uint32_t type, uint64_t time)
{
	size_t at = d->n;

	dump_uint(d, type, 4);
	dump_uint(d, 0, 4);
	dump_uint(d, time, 8);
	return at;
}

static void
dump_end(struct dump *d, size_t at)
{
	size_t n = d->n;

	d->n = at + 4;
	dump_uint(d, n - at, 4);
	d->n = n;
}

static void
dump_load(struct dump *d, uint64_t time, uint64_t lo, uint64_t size, uint64_t id, const char *name)
{
	size_t at = dump_record(d, 0, time);

	dump_uint(d, 1234, 4);
	dump_uint(d, 1235, 4);
	dump_uint(d, lo, 8);
	dump_uint(d, lo, 8);
	dump_uint(d, size, 8);
	dump_uint(d, id, 8);
	dump_text(d, name);
	dump_text(d, "code");
	dump_end(d, at);
}

static void
dump_move(struct dump *d, uint64_t time, uint64_t from, uint64_t to, uint64_t size, uint64_t id)
{
	size_t at = dump_record(d, 1, time);

	dump_uint(d, 1234, 4);
	dump_uint(d, 1235, 4);
	dump_uint(d, to, 8);
	dump_uint(d, from, 8);
	dump_uint(d, to, 8);
	dump_uint(d, size, 8);
	dump_uint(d, id, 8);
	dump_end(d, at);
}

static size_t
dump_debug(struct dump *d, uint64_t lo, uint64_t n)
{
	size_t at = dump_record(d, 2, 0);

	dump_uint(d, lo, 8);
	dump_uint(d, n, 8);
	return at;
}

static void
dump_entry(struct dump *d, uint64_t addr, uint32_t line, const char *file)
{
	dump_uint(d, addr, 8);
	dump_uint(d, line, 4);
	dump_uint(d, 0, 4);
	dump_text(d, file);
}

#endif

/* A probe's words, or an argument's, up to the first newline, and behind it a file's USDT notes, 32 or 64 bits by the first byte. */
#include "sample/events/probe.c"
#include "sample/events/probe_arg.c"
#include "sym/probe/usdt.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An argument, with registers and a stack that hold what points to it. */
static void
argument(const char *text, const char *usdt)
{
	static uint64_t reg[32];
	static const uint8_t stack[64];
	struct probe_moment m = { .reg = reg, .nreg = 32, .stack_size = sizeof stack, .stack = stack };
	char said[80];
	struct probe_arg a;

	if (probe_arg_parse(&a, text, usdt, NULL))
		return;
	if (a.depth > PROBE_ARG_DEPTH || (a.size != 1 && a.size != 2 && a.size != 4 && a.size != 8))
		abort();
	probe_arg_say(&a, &m, said, sizeof said);
}

static void
words(const uint8_t *data, size_t n)
{
	struct arena a = { 0 };
	struct probe p;
	char text[256];

	if (n >= sizeof text)
		return;
	memcpy(text, data, n);
	text[n] = 0;
	argument(text, NULL);
	argument(text, text);
	if (!probe_parse(&p, text, &a)) {
		if (!probe_is(text) || !*p.place || (!p.file) != (p.kind == KPROBE || p.kind == KRETPROBE))
			abort();
		if (strlen(p.place) + (p.file ? strlen(p.file) : 0) > n)
			abort();
	}
	arena_free(&a);
}

static void
notes(const uint8_t *data, size_t n, bool is64, bool big)
{
	struct usdt_notes u = { .notes = cur_of(data, n, big), .base = 0x1000, .word = is64 ? 8 : 4 };
	size_t rounds = 0;
	struct usdt d;

	while (usdt_next(&u, &d)) {
		if (++rounds > n / 12 || !*d.provider || !*d.name)
			abort();
		if ((const uint8_t *)d.args < data || (const uint8_t *)d.args + strlen(d.args) >= data + n)
			abort();
		argument("arg1", d.args);
		argument("x=+4(+0(arg3)):string", d.args);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size > 1 ? memchr(data + 1, '\n', size - 1) : NULL;

	if (!end)
		return 0;
	words(data + 1, (size_t)(end - data - 1));
	notes(end + 1, size - (size_t)(end + 1 - data), *data & 1, *data & 2);
	return 0;
}

/* Code of the machines whose instructions prof reads: the first byte says which machine. Each instruction must lie within the code,
 * and x86's quick decoder must say the same as the other one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/arch/arch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How often it is looked at what begins there, and how many bytes of it. */
enum { LOOKS = 8, NEAR = 64 };

static const struct arch *const all[] = { &arch_aarch64, &arch_riscv64, &arch_x86_64, &arch_i686, &arch_armv7 };

static void
check_quick(const uint8_t *code, uint64_t n)
{
	struct insn i, k;

	if (!x86_quick(code, n, &i))
		return;
	x86_decode(code, n, false, &k);
	if (i.op != k.op || i.len != k.len || i.of_fp != k.of_fp || i.local != k.local || i.reg != k.reg || i.off != k.off || i.ra_at != k.ra_at ||
	    i.target != k.target)
		abort();
}

/* From AT on: what passes over instructions, and what looks at functions as they begin. */
static void
look(const struct arch *a, const uint8_t *code, uint64_t n)
{
	struct branches b;
	uint32_t room;

	a->prologue(code, n);
	if (a->ends_here)
		a->ends_here(code, n);
	if (a->frame_size)
		a->frame_size(code, n, &room);
	if (a->called && a->called(code, n, 0, 1, n) > n)
		abort();
	if (a->push_before && a->push_before(code + n, n) > n)
		abort();
	for (unsigned calls = 0; a->skip && calls < 2; calls++)
		if (a->skip(code, n, 512, calls, &b) > n || b.n > sizeof b.to / sizeof *b.to)
			abort();
	for (unsigned at = 0; a->is_other && at < n; at += a->align)
		a->is_other(code, n, at);
}

static void
go_along(const struct arch *a, const uint8_t *code, uint64_t n, bool other)
{
	struct insn i;
	unsigned looks = 0;

	for (uint64_t at = 0; at < n; at += i.len) {
		(other ? a->decode_other : a->decode)(code + at, n - at, &i);
		if (i.len > n - at || i.len % a->align || (i.op != INSN_BAD && !i.len))
			abort();
		if (a == &arch_x86_64)
			check_quick(code + at, n - at);
		if (a->after_call(code + at, at) && i.op == INSN_BAD && n - at >= 4 && a == &arch_aarch64)
			abort();
		if (looks++ < LOOKS)
			look(a, code + at, n - at < NEAR ? n - at : NEAR);
		if (i.op == INSN_BAD)
			break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct arch *a = all[size ? (data[0] & 15) % 5 : 0];
	size_t n = size ? size - 1 : 0;
	uint8_t *code = malloc(n + !n);   /* of just that size, for ASan to see */
	struct insn none;

	if (!code)
		return 0;
	memcpy(code, data + (n > 0), n);
	go_along(a, code, n, a->decode_other && data[0] & 16);
	a->decode(NULL, 0, &none);
	if (none.op != INSN_BAD)
		abort();
	free(code);
	return 0;
}

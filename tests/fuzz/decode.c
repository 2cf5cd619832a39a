/* Code of machines whose instructions are read: the first byte says which.  Each instruction must lie in what there is. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/arch/arch.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct arch *a = size && data[0] & 1 ? &arch_riscv64 : &arch_aarch64;
	size_t n = size ? size - 1 : 0;
	uint8_t *code = malloc(n + !n);   /* of just that size, for ASan to see */
	struct insn i;

	if (!code)
		return 0;
	memcpy(code, data + (n > 0), n);
	for (size_t at = 0; at < n; at += i.len) {
		a->decode(code + at, n - at, &i);
		if (i.len > n - at || i.len % a->align || (i.op == INSN_BAD) != !i.len)
			abort();
		if (a->after_call(code + at, at) && i.op == INSN_BAD && n - at >= 4 && a == &arch_aarch64)
			abort();
		a->prologue(code + at, n - at);
		if (a->ends_here)
			a->ends_here(code + at, n - at);
		if (i.op == INSN_BAD)
			break;
	}
	free(code);
	return 0;
}

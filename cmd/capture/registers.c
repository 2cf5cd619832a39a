/* See registers.h. */
#include "registers.h"

#include "unwind/arch/arch.h"

/* The place of DWARF's register NUMBER among the sampled ones. */
static uint8_t
sampled(const struct arch *a, uint8_t number)
{
	uint8_t n = 0;

	while (a->dwarf[n] != number)
		n++;
	return n;
}

void
registers_describe(struct capture *c)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct arch *a = i ? arch_compat : arch_host;

		if (a)
			c->prstatus[i] = (struct prstatus){ a->prstatus, a->sample, sampled(a, a->sp), sampled(a, a->pc), sampled(a, a->call_arg) };
	}
}

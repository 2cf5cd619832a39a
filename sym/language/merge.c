/* See language.h: by addresses, so that it does not matter how the interpreter was compiled, or what its name is.  Only what leads
 * from one function of the language to the next is known by its name. */
#include "language.h"

uint32_t
language_merge(struct languages *l, const struct moment *m, const struct language_stack *s, bool interpreter, uint32_t *to, uint32_t max)
{
	uint32_t n = 0, j = 0, before = UINT32_MAX;

	for (uint32_t i = 0; i < m->n && n < max; i++) {
		uint64_t lo = m->sp[i], hi = m->sp[i + 1];
		uint32_t first;

		while (lo && j < s->n && s->frame[j].entry < lo)   /* in native frames that the walk does not have */
			j++;
		first = j;
		while (lo && j < s->n && s->frame[j].entry < hi)
			j++;
		if (j > first && s->handlers && !interpreter && before == i - 1 && n)
			n--;
		for (uint32_t k = first; k < j && n < max; k++)
			to[n++] = s->frame[k].code;
		if (n < max && (interpreter || (j == first && (!i || !languages_leads_on(l, m, m->code[i], j))))) {
			to[n++] = m->code[i];
			before = i;
		}
	}
	return n;
}

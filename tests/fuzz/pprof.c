/* pprof's files: prof can read one twice into the same profile, and the result is whole. */
#include "out/format/pprof/pprof_read.h"
#include "out/profile/profile_names.h"

#include <stdlib.h>

static void
check(const struct profile *p)
{
	struct run_reader reader;
	struct run run;

	for (uint32_t i = 0; i < p->nlocation; i++) {
		const struct location *l = &p->location[i];

		if (l->sites > NAME_MAX_INLINE || l->site + l->sites > p->nsite ||
		    (l->mapping != MAPPING_NONE && l->mapping >= p->nmapping))
			abort();
		for (uint32_t k = 0; k < l->sites; k++)
			if (p->site[l->site + k].function >= p->nfunction)
				abort();
	}
	for (uint32_t i = 0; i < p->nthread; i++) {
		uint64_t weight = 0, samples = 0;

		if (p->thread[i].event >= p->nevent)
			abort();
		for (runs_open(&reader, p, &p->thread[i]); runs_next(&reader, &run);) {
			if (run.node != NODE_NONE && run.node >= p->tree.n)
				abort();
			weight += run.weight;
			samples += run.samples;
		}
		if (weight != p->thread[i].weight || samples != p->thread[i].samples)
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile p;

	mem_cap((size_t)256 << 20);
	profile_init(&p);
	for (unsigned i = 0; i < 2; i++) {
		struct cursor c = cur_of(data, size, false);
		bool is = pprof_is(c);
		const char *why = pprof_read(&p, &c);

		if (c.pos < data || c.pos > data + size || (!why && !is && size))
			break;
		profile_name(&p, NULL, NULL);
		check(&p);
	}
	profile_free(&p);
	if (mem_used())
		abort();
	return 0;
}

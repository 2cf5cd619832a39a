/* JSON, and speedscope's files: prof skips a value exactly if it can read it, and can read a file twice into the same profile. */
#include "out/format/speedscope/speedscope_read.h"

#include <stdlib.h>

#include "lib/json.h"
#include "out/profile/profile_names.h"

/* A value read by its parts ends where it ends when it is skipped. */
static void
walk(struct cursor *c, struct sink *text)
{
	struct json_list list[70];
	unsigned depth = 0;

	do {
		char at = json_peek(c);

		if ((at == '[' || at == '{') && depth < 70)
			list[depth++] = json_open(c, at);
		else if (at == '"')
			json_string(c, text);
		else if (at == 't' || at == 'f' || at == 'n')
			json_skip(c);
		else
			json_number(c, 3);
		while (depth && !json_next(c, &list[depth - 1]) && !c->bad)
			depth--;
		if (depth && list[depth - 1].close == '}')
			json_key(c, text);
	} while (depth && !c->bad);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor skipped = cur_of(data, size, false), walked = skipped;
	struct profile p;
	struct sink text;

	mem_cap((size_t)256 << 20);
	sink_open(&text, -1);
	json_skip(&skipped);
	walk(&walked, &text);
	if (!walked.bad && (skipped.bad ? cur_left(&skipped) < cur_left(&walked) : skipped.pos != walked.pos))
		abort();
	sink_close(&text);
	profile_init(&p);
	for (unsigned i = 0; i < 2; i++) {
		struct cursor c = cur_of(data, size, false);

		speedscope_is(c);
		speedscope_read(&p, &c);
		if (c.pos < data || c.pos > data + size)
			abort();
		profile_name(&p, NULL, NULL);
		for (uint32_t t = 0; t < p.nthread; t++) {
			struct run_reader reader;
			struct run run;
			uint64_t weight = 0;

			for (runs_open(&reader, &p, &p.thread[t]); runs_next(&reader, &run);)
				weight += run.weight;
			if (weight != p.thread[t].weight)
				abort();
		}
	}
	profile_free(&p);
	if (mem_used())
		abort();
	return 0;
}

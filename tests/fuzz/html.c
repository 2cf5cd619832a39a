/* A page of prof's, and its data as they are once unpacked.  Reading the same twice into one profile ends well; no stack is deeper, and
 * no thread has more runs, than there are bytes; source lines keep their bounds. */
#include "out/format/html/html_read.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_runs(const struct profile *p, size_t size)
{
	uint64_t samples = 0;

	for (uint32_t t = 0; t < p->nthread; t++) {
		struct run_reader reader;
		struct run run;
		uint64_t n = 0, end = 0;

		for (runs_open(&reader, p, &p->thread[t]); runs_next(&reader, &run); n++) {
			if (run.start < end || (run.node != NODE_NONE && run.node >= p->tree.n))
				abort();
			end = run.start + run.span;
			samples += run.samples;
		}
		if (n > 2 * size)
			abort();
	}
	if (samples != p->samples)
		abort();
}

static void
check_sources(const struct source_texts *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct source_text_line *l = &t->line[i];
		size_t n;

		if (!l->line || l->len > SOURCE_LINE_MOST || source_texts_find(t, t->file[l->file].name, l->line, &n) != l->text)
			abort();
	}
	if (t->bytes > SOURCE_ALL_MOST)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor page = cur_of(data, size, false);
	struct profile p;

	mem_cap((size_t)256 << 20);
	profile_init(&p);
	html_is(page);
	html_read(&p, &page);
	if (page.pos < data || page.pos > data + size)
		abort();
	for (unsigned i = 0; i < 2; i++) {
		read_data(&p, cur_of(data, size, false));
		profile_name(&p, NULL, NULL);
		check_runs(&p, size);
		check_sources(&p.sources);
	}
	profile_free(&p);
	return 0;
}

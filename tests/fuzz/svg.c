/* A flame graph of prof's: prof reads it, writes it, and reads the same again. */
#include "out/format/svg/svg_read.c"

#include <stdlib.h>

#include "out/format/format.h"
#include "out/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
read_all(struct profile *p, const void *data, size_t size)
{
	struct cursor in = cur_of(data, size, false);
	bool well;

	profile_init(p);
	well = !svg_read(p, &in);
	if (in.pos < (const uint8_t *)data || in.pos > (const uint8_t *)data + size)
		abort();
	profile_name(p, NULL, NULL);
	return well;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile p, q;
	uint64_t sum = 0, again = 0;
	struct sink s;

	mem_cap((size_t)256 << 20);
	svg_is(cur_of(data, size, false));
	if (read_all(&p, data, size) && !p.dropped) {
		sink_open(&s, -1);
		format_svg.write(&s, &p);
		if (!s.err) {
			if (!svg_is(cur_of(s.buf, s.len, false)) || !read_all(&q, s.buf, s.len))
				abort();
			for (uint32_t i = 0; i < p.nthread; i++)
				sum += p.thread[i].weight;
			for (uint32_t i = 0; i < q.nthread; i++)
				again += q.thread[i].weight;
			if (sum != again && !q.dropped)
				abort();
			profile_free(&q);
		}
		sink_close(&s);
	}
	profile_free(&p);
	if (mem_used())
		abort();
	return 0;
}

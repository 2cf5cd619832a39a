/* perf script's text: prof reads it, writes it, and reads the same again. */
#include "out/format/script_read.c"

#include <stdlib.h>

#include "out/format/format.h"
#include "out/formats.h"
#include "out/profile/profile_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
read_all(struct profile *p, const void *data, size_t size)
{
	struct cursor in = cur_of(data, size, false);

	profile_init(p);
	if (script_read(p, &in))
		return false;
	profile_name(p, NULL, NULL);
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile p, q;
	struct sink s;

	script_is(cur_of(data, size, false));
	if (read_all(&p, data, size)) {
		sink_open(&s, -1);
		format_script.write(&s, &p);
		if (s.err || !read_all(&q, s.buf, s.len) || q.samples != p.samples || q.tree.n > p.tree.n)
			abort();
		profile_free(&q);
		sink_close(&s);
	}
	profile_free(&p);
	if (mem_used())
		abort();
	return 0;
}

/* See pages.h.  The parts, as out/format/embed puts them into the file, each end with a NUL. */
#include "pages.h"
#include "lib/codec/base64.h"
#include "lib/codec/deflate.h"
#include "lib/codec/xz.h"

#include <errno.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20 };

bool
pages_open(struct pages *p)
{
	struct cursor left;

	sink_open(&p->text, -1);
	left = xz(cur_of(pages_xz, pages_xz_size, false), &p->text, TEXT_MAX) ? (struct cursor){ 0 } :
	       cur_of(p->text.buf, p->text.len, false);
	for (unsigned i = 0; i < PAGE_PARTS; i++)
		p->part[i] = cur_str(&left);
	return !left.bad;
}

void
pages_close(struct pages *p)
{
	sink_close(&p->text);
}

void
pages_pack(const struct pages *p, struct sink *out, enum page_part first, enum page_part last)
{
	struct base64 text = { .to = out };
	struct deflater deflater;
	struct sink packed;
	const char *begin = p->part[first], *end = p->part[last];

	sink_open_to(&packed, base64_put, &text);
	if (deflate_open(&deflater, &packed, DEFLATE_GZIP)) {
		deflate_put(&deflater, begin, (size_t)(end - begin) + strlen(end));
		deflate_close(&deflater);
	} else
		sink_fail(out, ENOMEM);
	if (sink_close(&packed))
		sink_fail(out, ENOMEM);
	base64_end(&text);
}

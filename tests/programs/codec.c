/* codec gzip|zlib|raw compresses stdin to stdout; codec -d gzip|zlib|raw|xz|zstd SIZE decompresses. It uses lib/, so that tests can
 * compare lib/ with other tools. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/codec/deflate.h"
#include "lib/codec/inflate.h"
#include "lib/mem.h"
#include "lib/codec/xz.h"
#include "lib/codec/zstd.h"

static unsigned
wrap_of(const char *name)
{
	return !strcmp(name, "gzip") ? DEFLATE_GZIP : !strcmp(name, "zlib") ? DEFLATE_ZLIB : DEFLATE_RAW;
}

static int
compress(const char *name, struct sink *in, size_t piece)
{
	struct sink out, through;
	struct deflater d;

	sink_open(&out, 1);
	if (!deflate_open(&d, &out, wrap_of(name)))
		return 1;
	deflate_sink(&through, &d);
	for (size_t at = 0; at < in->len; at += piece)
		sink_put(&through, in->buf + at, in->len - at < piece ? in->len - at : piece);
	sink_close(&through);
	deflate_close(&d);
	return sink_close(&out);
}

static int
decompress(const char *name, struct cursor in, size_t size)
{
	struct sink out;
	const char *bad = NULL;
	char *buf;

	sink_open(&out, -1);
	if (!strcmp(name, "zstd")) {
		if (!(buf = malloc(size + 1)))
			return 1;
		if (!(bad = zstd(in, buf, size)))
			sink_put(&out, buf, size);
	} else if (!strcmp(name, "xz"))
		bad = xz(in, &out, size);
	else
		bad = inflate_sink(&in, wrap_of(name), &out, size);
	if (bad)
		fprintf(stderr, "%s\n", bad);
	return bad || fwrite(out.buf, 1, out.len, stdout) != out.len;
}

int
main(int argc, char **argv)
{
	static char part[65536];
	struct sink in;
	size_t n;

	sink_open(&in, -1);
	while ((n = fread(part, 1, sizeof part, stdin)))
		sink_put(&in, part, n);
	if (argc == 4 && !strcmp(argv[1], "-d"))
		return decompress(argv[2], cur_of(in.buf, in.len, false), strtoul(argv[3], NULL, 10));
	return argc == 2 ? compress(argv[1], &in, 777) : 2;
}

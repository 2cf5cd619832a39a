/* See packed_module.h.  CONFIG_MODULE_COMPRESS_XZ, _ZSTD and _GZIP of Linux give the suffix. */
#include "packed_module.h"

#include <string.h>

#include "lib/codec/inflate.h"
#include "lib/codec/xz.h"
#include "lib/codec/zstd.h"
#include "lib/filemap.h"
#include "lib/work.h"

enum { PACKED_MOST = 16 << 20, MODULE_MOST = 64 << 20, EXPANDS_USUAL = 16 };

static const char *
by_xz(struct cursor in, struct sink *out)
{
	return xz(in, out, MODULE_MOST);
}

static const char *
by_gzip(struct cursor in, struct sink *out)
{
	return inflate_sink(&in, INFLATE_GZIP, out, MODULE_MOST);
}

static void
put(void *out, const uint8_t *bytes, size_t n)
{
	struct sink *s = out;

	if (s->len <= MODULE_MOST)
		sink_put(s, bytes, n);
	else
		work_stop("it is too large");
}

static const char *
by_zstd(struct cursor in, struct sink *out)
{
	struct zstd_stream *s = zstd_stream_new();
	const char *bad = s ? zstd_stream_feed(s, in, put, out) : "out of memory";

	if (s)
		zstd_stream_free(s);
	return bad ? bad : out->len > MODULE_MOST ? "it is too large" : NULL;
}

static const struct packing {
	const char *suffix, *magic;
	const char *(*unpack)(struct cursor, struct sink *);
} packings[] = { { ".ko.xz", "\375" "7zXZ", by_xz }, { ".ko.zst", "\050\265\057\375", by_zstd }, { ".ko.gz", "\037\213", by_gzip } };

static const struct packing *
packing_of(const char *path, const uint8_t *head, size_t n)
{
	size_t len = strlen(path);

	for (unsigned i = 0; i < sizeof packings / sizeof *packings; i++) {
		const struct packing *p = &packings[i];
		size_t suffix = strlen(p->suffix), magic = strlen(p->magic);

		if (len > suffix && !strcmp(path + len - suffix, p->suffix) && (!head || (n >= magic && !memcmp(head, p->magic, magic))))
			return p;
	}
	return NULL;
}

bool
packed_module_is(const char *path, const uint8_t *head, size_t n)
{
	return packing_of(path, head, n);
}

static struct module *
unpack(struct modules *ms, const struct packing *p, struct cursor in, const char *path, uint64_t *unpacked)
{
	struct module *m = NULL;
	struct work work = { 0 };
	const char *bad;
	struct sink out;
	void *bytes;

	sink_open(&out, -1);
	work_begin(&work);
	work_allow((uint64_t)cur_left(&in) * EXPANDS_USUAL);
	bad = p->unpack(in, &out);
	work_end();
	*unpacked += cur_left(&in) + out.len;
	if (!bad && !out.err && out.len && (bytes = arena_alloc(&ms->arena, out.len))) {
		memcpy(bytes, out.buf, out.len);
		m = module_bytes(ms, path, bytes, out.len);
	}
	sink_close(&out);
	return m;
}

struct module *
packed_module(struct modules *ms, int fd, const char *path, uint64_t *unpacked)
{
	struct filemap map = { 0 };
	struct module *m = NULL;
	const struct packing *p;

	if (*unpacked < PACKED_ALL && !filemap_open(&map, fd) && map.size <= PACKED_MOST && (p = packing_of(path, map.data, map.size)))
		m = unpack(ms, p, cur_of(map.data, map.size, false), path, unpacked);
	filemap_close(&map);
	return m;
}

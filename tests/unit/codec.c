/* The decompressors read one text as gzip, zlib, zstd and xz pack it (tests/live/codecs.sh has more texts): whole, cut off
 * anywhere, and with any byte changed. The compressor's output goes through the decompressor. */
#include "lib/codec/crc.h"
#include "lib/codec/deflate.h"
#include "lib/codec/inflate.h"
#include "lib/mem.h"
#include "lib/codec/xz.h"
#include "lib/codec/zstd.h"

#include <stdlib.h>

#include "test.h"

static char text[8192];
static size_t text_len;

static void
make_text(void)
{
	text_len = 0;
	for (unsigned i = 0; i < 120; i++)
		text_len += (size_t)snprintf(text + text_len, sizeof text - text_len, "%u main;loop;inner_%u %u\n", i, i % 7,
		                             (unsigned)(i * UINT64_C(2654435761) % 9973));
}

struct packed {
	uint8_t bytes[8192];
	size_t n;
};

static void
load(struct packed *p, const char *path, size_t skip)
{
	FILE *f = fopen(path, "rb");

	p->n = 0;
	CHECK(f != NULL);
	if (!f)
		return;
	p->n = fread(p->bytes, 1, sizeof p->bytes, f);
	CHECK(p->n > skip && p->n < sizeof p->bytes);
	memmove(p->bytes, p->bytes + skip, p->n -= skip);
	fclose(f);
}

enum codec { RAW, ZLIB, GZIP, XZ, ZSTD };

struct taken { uint8_t *out; size_t n; };

static void
take_piece(void *taken, const uint8_t *bytes, size_t n)
{
	struct taken *t = taken;

	if (t->n + n <= text_len)
		memcpy(t->out + t->n, bytes, n);
	t->n += n;
}

/* The same in pieces of STEP bytes. */
static const char *
stream(struct cursor in, uint8_t *out, size_t step)
{
	struct zstd_stream *z = zstd_stream_new();
	struct taken t = { out, 0 };
	const char *bad = z ? NULL : "is out of memory";

	while (!bad && cur_left(&in))
		bad = zstd_stream_feed(z, cur_sub(&in, cur_left(&in) < step ? cur_left(&in) : step), take_piece, &t);
	zstd_stream_free(z);
	return bad ? bad : t.n == text_len ? NULL : "is too short";
}

/* NULL where P's first N bytes, in a block of just that size, give the text. */
static const char *
unpack(enum codec codec, const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n + !n), *out = malloc(text_len);
	const char *bad = "is out of memory";
	struct cursor in;
	struct sink s;

	if (copy && out) {
		memcpy(copy, bytes, n);
		in = cur_of(copy, n, false);
		sink_open(&s, -1);
		if (codec == ZSTD)
			bad = n % 3 ? zstd(in, out, text_len) : stream(in, out, n % 7 * 100 + 1);
		else if (codec == XZ)
			bad = xz(in, &s, text_len);
		else
			bad = inflate(&in, (enum inflate_wrap)codec, out, text_len);
		if (codec == XZ && !bad) {
			bad = s.len == text_len ? NULL : "is too short";
			memcpy(out, s.buf, s.len < text_len ? s.len : text_len);
		}
		if (!bad && memcmp(out, text, text_len))
			bad = "is another text";
		sink_close(&s);
	}
	free(copy);
	free(out);
	return bad;
}

static const struct made { const char *path; enum codec codec; size_t skip; bool checked; } made[] = {
	{ "tests/fuzz/corpus/inflate/raw-text", RAW, 0, false },
	{ "tests/fuzz/corpus/inflate/fixed-text", RAW, 0, false },
	{ "tests/fuzz/corpus/inflate/zlib-text", ZLIB, 0, true },
	{ "tests/fuzz/corpus/inflate/gzip-text", GZIP, 0, true },
	{ "tests/fuzz/corpus/zstd/text-1", ZSTD, 2, false },
	{ "tests/fuzz/corpus/zstd/text-19", ZSTD, 2, false },
	{ "tests/fuzz/corpus/xz/text6", XZ, 0, true },
};

static void
whole(void)
{
	struct packed p;

	for (unsigned i = 0; i < sizeof made / sizeof *made; i++) {
		const char *bad;

		load(&p, made[i].path, made[i].skip);
		bad = unpack(made[i].codec, p.bytes, p.n);
		CHECK_STR(bad ? bad : "good", "good");
	}
}

/* Of xz the index behind the last block may be missing. */
static void
cut_off(void)
{
	struct packed p;

	for (unsigned i = 0; i < sizeof made / sizeof *made; i++) {
		load(&p, made[i].path, made[i].skip);
		for (size_t n = 0; n < p.n - (made[i].codec == XZ ? 28 : 0); n++) {
			const char *bad = unpack(made[i].codec, p.bytes, n);

			if (!bad)
				CHECK_U64(n, p.n);
			else if (made[i].codec != ZSTD && made[i].codec != XZ && n >= 4)   /* more than magic numbers */
				CHECK_STR(strstr(bad, "early") ? "early" : bad, "early");
		}
	}
}

/* A checksum detects any changed byte, except those for time and system in gzip's header. */
static void
bent(void)
{
	struct packed p;

	for (unsigned i = 0; i < sizeof made / sizeof *made; i++) {
		unsigned unnoticed = 0;

		load(&p, made[i].path, made[i].skip);
		for (size_t n = 0; n < p.n; n++)
			for (unsigned bit = 0; bit < 8; bit += 3) {
				p.bytes[n] ^= (uint8_t)(1u << bit);
				unnoticed += !unpack(made[i].codec, p.bytes, p.n);
				p.bytes[n] ^= (uint8_t)(1u << bit);
			}
		CHECK(!made[i].checked || unnoticed <= 28 * 3);
	}
}

/* A text that is compressed in pieces, and repeated until the window slides, comes back unchanged. */
static void
round_trip(void)
{
	static const size_t pieces[] = { 1, 7, 4096, 100000 };
	enum { SIZE = 300000 };
	char *in = malloc(SIZE);
	struct sink packed, out;
	struct deflater d;

	if (!in)
		return;
	for (unsigned kind = 0; kind < 5; kind++) {
		size_t piece = pieces[kind % 4];
		struct cursor c;
		uint32_t v = 1;

		for (size_t i = 0; i < SIZE; i++) {
			v = v * 1103515245 + 12345;
			in[i] = kind == 0 ? 'x' : kind == 1 ? (char)(v >> 16) : kind == 2 ? text[i % text_len] :
			        kind == 3 ? (char)(i / 1000 % 2 ? v >> 16 : i >> 3) : (char)(v >> 16 & v >> 20 & 7);
		}
		sink_open(&packed, -1);
		sink_open(&out, -1);
		CHECK(deflate_open(&d, &packed, DEFLATE_GZIP));
		for (size_t at = 0; at < SIZE; at += piece)
			deflate_put(&d, in + at, SIZE - at < piece ? SIZE - at : piece);
		deflate_close(&d);
		c = cur_of(packed.buf, packed.len, false);
		CHECK(!inflate_sink(&c, INFLATE_GZIP, &out, SIZE));
		CHECK(out.len == SIZE && !memcmp(out.buf, in, SIZE));
		c = cur_of(packed.buf, packed.len, false);
		CHECK_STR(inflate_sink(&c, INFLATE_GZIP, &out, SIZE - 1), "is larger than is allowed");
		CHECK(packed.len < SIZE + 200 && (kind != 0 || packed.len < 500) && (kind != 2 || packed.len < 8000));
		sink_close(&packed);
		sink_close(&out);
	}
	free(in);
	CHECK_U64(mem_used(), 0);
}

static void
checksums(void)
{
	CHECK_U64(crc32_add(0, "123456789", 9), 0xcbf43926);
	CHECK_U64(crc64_add(0, "123456789", 9), 0x995dc9bbdf1939fa);
	CHECK_U64(adler32_add(1, "Wikipedia", 9), 0x11e60398);
	CHECK_U64(crc32_add(crc32_add(0, "1234", 4), "56789", 5), 0xcbf43926);
}

static void
in_pieces(void)
{
	static const char *const paths[] = { "tests/fuzz/corpus/zstd/text-1", "tests/fuzz/corpus/zstd/text-19" };
	uint8_t bytes[1 << 16], *out = malloc(text_len);

	for (unsigned i = 0; i < 2; i++) {
		FILE *f = fopen(paths[i], "rb");
		size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;

		if (f)
			fclose(f);
		for (size_t step = 1; step < n; step = step * 3 + 1) {
			const char *bad = n > 2 && out ? stream(cur_of(bytes + 2, n - 2, false), out, step) : "no file";

			CHECK(!bad && !memcmp(out, text, text_len));
		}
	}
	free(out);
}

static void
no_memory(void)
{
	uint8_t out[1];
	struct deflater d;
	struct sink s;

	sink_open(&s, -1);
	mem_cap(mem_used());
	CHECK(!deflate_open(&d, &s, DEFLATE_RAW));
	CHECK(zstd(cur_of("x", 1, false), out, 1) != NULL);
	CHECK(xz(cur_of("x", 1, false), &s, 1) != NULL);
	mem_cap(SIZE_MAX);
	sink_close(&s);
}

int
main(void)
{
	make_text();
	RUN("codec", whole);
	RUN("codec", cut_off);
	RUN("codec", bent);
	RUN("codec", round_trip);
	RUN("codec", checksums);
	RUN("codec", in_pieces);
	RUN("codec", no_memory);
	return TEST_STATUS;
}

/* See pprof_put.h. */
#include "pprof_put.h"

#include <errno.h>
#include <string.h>

#include "pprof_fields.h"

void
pprof_varint(struct sink *s, uint64_t v)
{
	uint8_t byte[10];
	unsigned n = 0;

	for (; v > 0x7f; v >>= 7)
		byte[n++] = (uint8_t)(v | 0x80);
	byte[n++] = (uint8_t)v;
	sink_put(s, byte, n);
}

void
pprof_number(struct sink *s, unsigned field, uint64_t v)
{
	if (v) {
		pprof_varint(s, field << 3 | WIRE_VARINT);
		pprof_varint(s, v);
	}
}

void
pprof_bytes(struct sink *s, unsigned field, const struct sink *bytes)
{
	pprof_varint(s, field << 3 | WIRE_BYTES);
	pprof_varint(s, bytes->len);
	sink_put(s, bytes->buf, bytes->len);
	sink_fail(s, bytes->err);
}

struct string {
	const char *text, *suffix;
};

static uint32_t
string_hash(const char *text, const char *suffix)
{
	return hash_str(text) + 31 * hash_str(suffix);
}

uint32_t
pprof_string(struct strings *t, const char *text, const char *suffix)
{
	uint32_t hash = string_hash(text, suffix), slot, i;

	for (slot = index_first(&t->index, hash); (i = index_at(&t->index, slot)) != INDEX_NONE;
	     slot = index_next(&t->index, slot))
		if (strcmp(t->string[i].text, text) == 0 && strcmp(t->string[i].suffix, suffix) == 0)
			return i;
	if (!vec_room(&t->string, &t->cap, (uint64_t)t->n + 1, sizeof *t->string) ||
	    !index_add(&t->index, hash, t->n)) {
		t->full = true;
		return 0;
	}
	t->string[t->n] = (struct string){ text, suffix };
	return t->n++;
}

/* Protobuf's strings must be UTF-8. */
static void
put_text(struct sink *s, const char *text)
{
	for (unsigned n; *text; text += n) {
		unsigned good = 0;

		for (; text[good] && (n = utf8_len(text + good)); good += n)
			;
		sink_put(s, text, good);
		n = good;
		if (text[n]) {
			sink_str(s, "\xef\xbf\xbd");
			n++;
		}
	}
}

void
pprof_strings(const struct strings *t, struct sink *out)
{
	struct sink text;

	sink_open(&text, -1);
	for (uint32_t i = 0; i < t->n; i++) {
		text.len = 0;
		put_text(&text, t->string[i].text);
		sink_str(&text, t->string[i].suffix);
		pprof_bytes(out, PROFILE_STRING, &text);
	}
	if (t->full)
		sink_fail(out, ENOMEM);
	sink_fail(out, sink_close(&text));
}

void
pprof_strings_free(struct strings *t)
{
	vec_free(&t->string, &t->cap, sizeof *t->string);
	index_free(&t->index);
}

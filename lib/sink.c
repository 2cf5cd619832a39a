/* See sink.h.  JSON strings: RFC 8259 section 7; UTF-8: RFC 3629 section 4. */
#include "sink.h"
#include "copy.h"
#include "mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 64 << 10 };

void
sink_open(struct sink *s, int fd)
{
	*s = (struct sink){ .fd = fd };
	if (!vec_room(&s->buf, &s->cap, BUFFER, 1))
		s->err = ENOMEM;
}

void
sink_open_to(struct sink *s, void (*drain)(void *ctx, const void *bytes, size_t n), void *ctx)
{
	sink_open(s, -1);
	s->drain = drain;
	s->ctx = ctx;
}

int
sink_flush(struct sink *s)
{
	size_t done = 0;

	if (s->drain && !s->err) {
		s->drain(s->ctx, s->buf, s->len);
		done = s->len;
	}
	while (s->fd >= 0 && !s->err && done < s->len) {
		ssize_t n = write(s->fd, s->buf + done, s->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			s->err = n ? errno : EIO;
	}
	if (s->fd >= 0 || s->drain) {
		s->flushed += done;
		s->len = 0;
	}
	return s->err;
}

int
sink_close(struct sink *s)
{
	sink_flush(s);
	vec_free(&s->buf, &s->cap, 1);
	return s->err;
}

uint64_t
sink_total(const struct sink *s)
{
	return s->flushed + s->len;
}

void
sink_fail(struct sink *s, int err)
{
	if (!s->err)
		s->err = err;
}

/* Room for N more bytes in the buffer; N is at most BUFFER. */
static bool
room(struct sink *s, size_t n)
{
	if (!s->err && n > s->cap - s->len) {
		if (s->fd >= 0 || s->drain)
			sink_flush(s);
		else if (!vec_room(&s->buf, &s->cap, s->len + n, 1))
			s->err = ENOMEM;
	}
	return !s->err;
}

void
sink_put(struct sink *s, const void *bytes, size_t n)
{
	const char *p = bytes;

	if (!s->err && n <= s->cap - s->len) {   /* mostly */
		copy_few(s->buf + s->len, p, n);
		s->len += n;
		return;
	}
	while (n) {
		size_t part = n < BUFFER ? n : BUFFER;

		if (!room(s, part))
			return;
		memcpy(s->buf + s->len, p, part);
		s->len += part;
		p += part;
		n -= part;
	}
}

void
sink_str(struct sink *s, const char *str)
{
	sink_put(s, str, strlen(str));
}

void
sink_char(struct sink *s, char c)
{
	if (room(s, 1))
		s->buf[s->len++] = c;
}

void
sink_u64(struct sink *s, uint64_t v)
{
	char d[20], *p = d + sizeof d;

	for (; v > UINT32_MAX; v /= 10)
		*--p = (char)('0' + v % 10);
	for (uint32_t w = (uint32_t)v; w || p == d + sizeof d; w /= 10)   /* narrow divisions are much quicker */
		*--p = (char)('0' + w % 10);
	sink_put(s, p, (size_t)(d + sizeof d - p));
}

void
sink_hex(struct sink *s, uint64_t v)
{
	char d[16], *p = d + sizeof d;

	do
		*--p = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	sink_put(s, p, (size_t)(d + sizeof d - p));
}

void
sink_decimal(struct sink *s, uint64_t v, unsigned places)
{
	uint64_t unit = 1;
	char frac[20];

	for (unsigned i = 0; i < places; i++)
		unit *= 10;
	sink_u64(s, v / unit);
	if (!(v %= unit))
		return;
	for (unsigned i = places; i--; v = v <= UINT32_MAX ? (uint32_t)v / 10 : v / 10)
		frac[i] = (char)('0' + (v <= UINT32_MAX ? (uint32_t)v % 10 : v % 10));
	while (frac[places - 1] == '0')
		places--;
	sink_char(s, '.');
	sink_put(s, frac, places);
}

void
sink_fmt(struct sink *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n > 0)
		sink_put(s, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

unsigned
utf8_len(const char *str)
{
	const unsigned char *p = (const unsigned char *)str;
	unsigned n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;

	for (unsigned i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

void
sink_json_part(struct sink *s, const char *p)
{
	static const char replacement[] = "\xef\xbf\xbd";

	while (*p) {
		unsigned char c = (unsigned char)*p;
		unsigned n = utf8_len(p);

		if (n == 1 && (c < 0x20 || c == 0x7f))
			sink_fmt(s, "\\u%04x", c);
		else if (c == '"' || c == '\\') {
			sink_char(s, '\\');
			sink_char(s, *p);
		} else
			sink_put(s, n ? p : replacement, n ? n : 3);
		p += n ? n : 1;
	}
}

void
sink_json(struct sink *s, const char *p)
{
	sink_char(s, '"');
	sink_json_part(s, p);
	sink_char(s, '"');
}

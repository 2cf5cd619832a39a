/* Rust's names: legacy ones (an Itanium nested name that ends in a hash), and the choice between the two kinds.  Identifiers
 * beyond ASCII are punycode, RFC 3492. */
#include "demangle.h"
#include "rust.h"

#include <string.h>

#include "lib/text.h"

enum { PUNY_MAX = 128 };

void
text_utf8(struct text *t, uint32_t c)
{
	char b[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (n == 1)
		b[0] = (char)c;
	else {
		for (size_t i = n; --i; c >>= 6)
			b[i] = (char)(0x80 | (c & 0x3f));
		b[0] = (char)((0xf00 >> n & 0xff) | c);
	}
	text_put(t, b, n);
}

/* RFC 3492 section 6.2; the whole name or nothing. */
static unsigned
decode(const struct ident *id, uint32_t *to)
{
	uint32_t n = 0x80, i = 0, bias = 72, count = 0;

	if (id->n > PUNY_MAX)
		return 0;
	for (; count < id->n; count++)
		to[count] = (unsigned char)id->s[count];
	for (const char *p = id->puny, *end = p + id->puny_n; p < end;) {
		uint32_t from = i, w = 1, delta, k;

		for (k = 36;; k += 36) {
			uint32_t d, t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias, step;

			if (p == end)
				return 0;
			d = (uint32_t)(*p >= 'a' && *p <= 'z' ? *p - 'a' : *p >= '0' && *p <= '9' ? *p - '0' + 26 : 99);
			p++;
			if (d > 35 || __builtin_mul_overflow(d, w, &step) || __builtin_add_overflow(i, step, &i))
				return 0;
			if (d < t)
				break;
			if (__builtin_mul_overflow(w, 36 - t, &w))
				return 0;
		}
		if (++count > PUNY_MAX)
			return 0;
		delta = (i - from) / (from ? 2 : 700);
		delta += delta / count;
		for (k = 0; delta > 455; k += 36)
			delta /= 35;
		bias = k + 36 * delta / (delta + 38);
		if (__builtin_add_overflow(n, i / count, &n) || n > 0x10ffff || (n >= 0xd800 && n < 0xe000))
			return 0;
		i %= count;
		memmove(to + i + 1, to + i, (count - 1 - i) * sizeof *to);
		to[i++] = n;
	}
	return count;
}

bool
rust_punycode(struct text *out, const struct ident *id)
{
	uint32_t decoded[PUNY_MAX + 1];
	unsigned n = decode(id, decoded);

	for (unsigned i = 0; i < n; i++)
		text_utf8(out, decoded[i]);
	return n;
}

/* The length of an escape such as $LT$ at S, of N bytes, or 0; *C is what it stands for. */
static uint32_t
escape(const char *s, uint32_t n, char *c)
{
	static const char names[] = "SP@BP*RF&LT<GT>LP(RP)";
	const char *end = memchr(s + 1, '$', n - 1), *p = s + 2;
	uint32_t len = end ? (uint32_t)(end - s) - 1 : 0;
	uint64_t v;

	if (len == 1 && s[1] == 'C')
		*c = ',';
	else if (len == 2 && s[1] != 'u') {
		const char *at = names;

		while (*at && (at[0] != s[1] || at[1] != s[2]))
			at += 3;
		if (!*at)
			return 0;
		*c = at[2];
	} else if (len >= 2 && len <= 4 && s[1] == 'u' && text_hex(&p, &v) && p == end && v >= 0x20 && v < 0x7f)
		*c = (char)v;
	else
		return 0;
	return len + 2;
}

static void
legacy_ident(struct text *out, const char *s, uint32_t n)
{
	uint32_t i = n > 1 && s[0] == '_' && s[1] == '$', len;
	char c;

	while (i < n) {
		if (s[i] == '$') {
			if (!(len = escape(s + i, n - i, &c))) {
				text_put(out, s + i, n - i);
				return;
			}
			text_char(out, c);
			i += len;
		} else if (s[i] == '.' && i + 1 < n && s[i + 1] == '.') {
			text_str(out, "::");
			i += 2;
		} else
			text_char(out, s[i++]);
	}
}

/* Whether S, of N bytes, is a hash: h and 16 hex digits that look random. */
static bool
is_hash(const char *s, uint32_t n)
{
	unsigned seen = 0;

	if (n != 17 || *s != 'h')
		return false;
	for (uint32_t i = 1; i < n; i++) {
		if (!(s[i] >= '0' && s[i] <= '9') && !(s[i] >= 'a' && s[i] <= 'f'))
			return false;
		seen |= 1u << (s[i] <= '9' ? s[i] - '0' : s[i] - 'a' + 10);
	}
	return __builtin_popcount(seen) >= 5;
}

/* After _ZN: names, the hash, E, and perhaps a suffix from a dot on. */
static bool
legacy(struct text *out, const char *s, bool verbose)
{
	const char *p = s, *end = s + strnlen(s, TEXT_MAX);

	for (bool first = true;; first = false) {
		uint64_t n;
		bool last;

		if (!text_dec(&p, &n) || !n || n >= (uint64_t)(end - p))
			return false;
		s = p;
		p += n;
		last = p[0] == 'E' && (!p[1] || p[1] == '.');
		if (last && (first || !is_hash(s, (uint32_t)n)))
			return false;
		if (!last || verbose) {
			text_str(out, first ? "" : "::");
			legacy_ident(out, s, (uint32_t)n);
		}
		if (last)
			return true;
	}
}

/* Removes what stands in the brackets behind a name; brackets that begin a path (<T as Trait>::f) stay. */
static void
drop_generics(struct text *t)
{
	unsigned depth = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		char ch = t->s[i], before = i ? t->s[i - 1] : 0;
		bool named = before == '_' || (before >= '0' && before <= '9') || ((before | 32) >= 'a' && (before | 32) <= 'z');

		if (ch == '>' && depth && before != '-')
			depth--;
		if (!depth)
			t->s[n++] = ch;
		if (ch == '<' && (depth || named))
			depth++;
	}
	t->n = n;
}

bool
rust_demangle(struct text *out, const char *s, unsigned flags)
{
	if (s[0] == '_' && s[1] == 'R')
		return rust_v0(out, s + 2, flags);
	if (strncmp(s, "_ZN", 3) != 0 || !legacy(out, s + 3, flags & DEMANGLE_VERBOSE))
		return false;
	if (flags & DEMANGLE_SHORT && !out->full)
		drop_generics(out);
	return true;
}

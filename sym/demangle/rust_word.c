/* See rust_v0.h: numbers, identifiers, references back and lifetimes. */
#include "rust_v0.h"

#include <string.h>

void
rust_fail(struct rust *r)
{
	r->bad = true;
	r->p = r->n;
}

char
rust_peek(const struct rust *r)
{
	return r->p < r->n ? r->s[r->p] : 0;
}

char
rust_next(struct rust *r)
{
	char c = rust_peek(r);

	if (c)
		r->p++;
	else
		rust_fail(r);
	return c;
}

bool
rust_eat(struct rust *r, char c)
{
	bool is = rust_peek(r) == c;

	r->p += is;
	return is;
}

bool
rust_enter(struct rust *r)
{
	if (r->bad || r->out->full || r->depth == DEMANGLE_DEPTH || !r->budget) {
		rust_fail(r);
		return false;
	}
	r->depth++;
	r->budget--;
	return true;
}

void
rust_put(struct rust *r, const char *s)
{
	if (!r->quiet && !r->bad)
		text_str(r->out, s);
}

void
rust_put_num(struct rust *r, uint64_t v)
{
	if (!r->quiet && !r->bad)
		text_num(r->out, v);
}

void
rust_put_hex(struct rust *r, uint64_t v)
{
	char d[17], *p = d + 16;

	*p = 0;
	do
		*--p = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	rust_put(r, p);
}

uint64_t
rust_base62(struct rust *r)
{
	uint64_t v = 0;

	if (rust_eat(r, '_'))
		return 0;
	while (!rust_eat(r, '_')) {
		char c = rust_next(r);
		uint64_t d = (uint64_t)(c >= '0' && c <= '9'   ? c - '0'
		                        : c >= 'a' && c <= 'z' ? c - 'a' + 10
		                        : c >= 'A' && c <= 'Z' ? c - 'A' + 36
		                                               : 62);

		if (r->bad || d == 62 || __builtin_mul_overflow(v, 62, &v) || __builtin_add_overflow(v, d, &v)) {
			rust_fail(r);
			return 0;
		}
	}
	if (v == UINT64_MAX)
		rust_fail(r);
	return v + 1;
}

uint64_t
rust_tagged62(struct rust *r, char tag)
{
	uint64_t v = rust_eat(r, tag) ? rust_base62(r) : UINT64_MAX;

	return v + 1;
}

struct ident
rust_identifier(struct rust *r)
{
	struct ident id = { 0 };
	bool puny = rust_eat(r, 'u');
	uint32_t n = 0;

	if (!(rust_peek(r) >= '0' && rust_peek(r) <= '9'))
		rust_fail(r);
	if (!rust_eat(r, '0'))
		while (rust_peek(r) >= '0' && rust_peek(r) <= '9' && n < 1u << 20)
			n = n * 10 + (uint32_t)(r->s[r->p++] - '0');
	rust_eat(r, '_');   /* it stands there if the name begins with a character that could continue the number */
	if (r->bad || n > r->n - r->p) {
		rust_fail(r);
		return id;
	}
	id.s = r->s + r->p;
	id.n = n;
	r->p += n;
	if (puny) {
		id.puny_n = n;
		while (id.puny_n && id.s[id.puny_n - 1] != '_')
			id.puny_n--;
		id.puny = id.s + id.puny_n;
		id.n = id.puny_n ? id.puny_n - 1 : 0;
		id.puny_n = n - id.puny_n;
		if (!id.puny_n)
			rust_fail(r);
	}
	return id;
}

void
rust_put_ident(struct rust *r, const struct ident *id)
{
	if (r->quiet || r->bad)
		return;
	if (!id->puny) {
		text_put(r->out, id->s, id->n);
		return;
	}
	if (rust_punycode(r->out, id))
		return;
	text_str(r->out, "punycode{");
	if (id->n) {
		text_put(r->out, id->s, id->n);
		text_char(r->out, '-');
	}
	text_put(r->out, id->puny, id->puny_n);
	text_char(r->out, '}');
}

uint32_t
rust_follow(struct rust *r)
{
	uint32_t at = r->p - 1;
	uint64_t to = rust_base62(r);
	uint32_t back = r->p;

	if (r->bad || to >= at)
		rust_fail(r);
	else
		r->p = (uint32_t)to;
	return back;
}

void
rust_come_back(struct rust *r, uint32_t p)
{
	r->p = r->bad ? r->n : p;
}

void
rust_lifetime(struct rust *r, uint64_t index)
{
	uint64_t depth = r->lifetimes - index;
	char name[2] = { (char)('a' + depth % 26), 0 };

	rust_put(r, "'");
	if (!index)
		rust_put(r, "_");
	else if (index > r->lifetimes)
		rust_fail(r);
	else if (depth < 26)
		rust_put(r, name);
	else {
		rust_put(r, "_");
		rust_put_num(r, depth);
	}
}

uint64_t
rust_binder(struct rust *r)
{
	uint64_t n = rust_tagged62(r, 'G');

	if (!n)
		return 0;
	if (n > r->n || r->lifetimes > UINT32_MAX) {
		rust_fail(r);
		return 0;
	}
	rust_put(r, "for<");
	for (uint64_t i = 0; i < n && !r->out->full; i++) {
		rust_put(r, i ? ", " : "");
		r->lifetimes++;
		rust_lifetime(r, 1);
	}
	rust_put(r, "> ");
	return n;
}

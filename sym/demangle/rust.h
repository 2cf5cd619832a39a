/* What the two kinds of Rust names share. */
#ifndef SYM_DEMANGLE_RUST_H
#define SYM_DEMANGLE_RUST_H

#include "text_out.h"

/* A name as it stands, or with PUNY the part of it that is ASCII, and the rest in punycode. */
struct ident {
	const char *s, *puny;
	uint32_t n, puny_n;
};

void text_utf8(struct text *, uint32_t c);
/* Appends an identifier in punycode; false if it is invalid. */
bool rust_punycode(struct text *, const struct ident *);
/* What comes after _R. */
bool rust_v0(struct text *, const char *s, unsigned flags);

#endif

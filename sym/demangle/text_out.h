/* What the demanglers share: the text they write, which is bounded. */
#ifndef SYM_DEMANGLE_TEXT_OUT_H
#define SYM_DEMANGLE_TEXT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_MAX = 64 << 10, DEMANGLE_DEPTH = 512 };

struct text {
	char *s;       /* a vector; the last byte of its capacity is never text */
	uint32_t cap, n;
	bool full;     /* too large, or no memory: later text is not in it */
};

void text_put(struct text *, const char *, size_t n);
void text_str(struct text *, const char *);
void text_char(struct text *, char);
void text_num(struct text *, uint64_t);

/* Appends what stands for the suffixes of a compiler's copies: " [clone .part.0] [clone .cold]" for .part.0.cold.  False if they
 * are something else. */
bool text_clones(struct text *, const char *suffixes);

static inline char
text_last(const struct text *t)
{
	return t->n ? t->s[t->n - 1] : 0;
}

/* Each appends MANGLED's demangled form (FLAGS: demangle.h), or returns false and leaves anything. */
bool cxx_demangle(struct text *, const char *mangled, unsigned flags);
bool rust_demangle(struct text *, const char *mangled, unsigned flags);
bool dlang_demangle(struct text *, const char *mangled, unsigned flags);
bool ocaml_demangle(struct text *, const char *mangled, unsigned flags);
bool fortran_demangle(struct text *, const char *mangled, unsigned flags);

#endif

/* Rust's v0 names: what rust_word.c (its words), rust_v0.c (paths and types) and rust_const.c share. Each function reads on
 * in the name, and prints.  If the name is invalid, it sets BAD, and then nothing is left to read. */
#ifndef SYM_DEMANGLE_RUST_V0_H
#define SYM_DEMANGLE_RUST_V0_H

#include "demangle.h"
#include "rust.h"

enum { RUST_BUDGET = 1 << 17 };

struct rust {
	const char *s;        /* what backward references count from */
	uint32_t n, p;        /* its length, and where we are */
	struct text *out;
	uint64_t lifetimes;   /* bound so far by for<...> */
	uint32_t budget;
	unsigned depth;
	bool bad, verbose, quiet;   /* quiet: parsed, not printed */
	bool brief;                 /* DEMANGLE_SHORT */
};

void rust_fail(struct rust *);
char rust_peek(const struct rust *);
char rust_next(struct rust *);
bool rust_eat(struct rust *, char c);
/* Goes one step deeper; after each return of true the caller must do r->depth--. */
bool rust_enter(struct rust *);
void rust_put(struct rust *, const char *s);
void rust_put_num(struct rust *, uint64_t v);
void rust_put_hex(struct rust *, uint64_t v);
/* "_" is 0, "0_" is 1, in base 62. */
uint64_t rust_base62(struct rust *);
/* A base-62 number with a tag before it; 0 if the tag is not there. */
uint64_t rust_tagged62(struct rust *, char tag);
struct ident rust_identifier(struct rust *);
void rust_put_ident(struct rust *, const struct ident *id);
/* After a B: goes on at the place that it refers to.  The caller must give the result to rust_come_back. */
uint32_t rust_follow(struct rust *);
void rust_come_back(struct rust *, uint32_t p);
/* Prints a lifetime: 'a is the outermost bound one; INDEX 0 means no lifetime. */
void rust_lifetime(struct rust *, uint64_t index);
/* Prints for<'a, 'b>, if there is one.  The caller must subtract the result from r->lifetimes. */
uint64_t rust_binder(struct rust *);
/* Prints items up to the E, with commas; returns how many. */
unsigned rust_items(struct rust *, void (*item)(struct rust *));
void rust_type(struct rust *);
/* The name of the type that TAG is, or NULL. */
const char *rust_basic(char tag);
/* With OPEN, it leaves out the ">" of generic arguments, and returns true if it did. */
bool rust_path(struct rust *, bool in_value, bool open);
/* IN_VALUE: it is a part of another value, and needs no braces around it. */
void rust_constant(struct rust *, bool in_value);

#endif

/* Names as a developer wrote them: C++ (Itanium ABI), Rust, D, OCaml and Fortran's modules, from what
 * the linker sees. */
#ifndef SYM_DEMANGLE_DEMANGLE_H
#define SYM_DEMANGLE_DEMANGLE_H

#include "lib/mem.h"

enum {
	DEMANGLE_VERBOSE = 1,   /* Rust's crate hashes and constants' types, std::string in full: c++filt's default */
	DEMANGLE_SHORT = 2,     /* no template arguments, return types, constraints: std::vector<>::push_back(int const&) */
};

/* Demangles MANGLED, also NAME@plt, into the arena.  Returns MANGLED itself if it is not a mangled name, is malformed, or would become too
 * large.  Takes about linear time. */
const char *demangle(struct arena *, const char *mangled, unsigned flags);

#endif

/* Names as a developer wrote them: C++ (Itanium ABI) and Rust, from what the linker sees. */
#ifndef SYM_DEMANGLE_DEMANGLE_H
#define SYM_DEMANGLE_DEMANGLE_H

#include "lib/mem.h"

enum {
	DEMANGLE_VERBOSE = 1,   /* Rust's crate hashes and constants' types, std::string in full: c++filt's default */
	DEMANGLE_SHORT = 2,     /* no template arguments, return types, constraints: std::vector<>::push_back(int const&) */
};

/* MANGLED demangled, living in the arena; MANGLED itself where it is no mangled name, is malformed or would
 * come out too large.  In linear time, more or less. */
const char *demangle(struct arena *, const char *mangled, unsigned flags);

#endif

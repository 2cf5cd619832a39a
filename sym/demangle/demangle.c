/* See demangle.h.  Tells which kind of mangled name it is.  Also the text that the demanglers write. */
#include "demangle.h"
#include "text_out.h"

#include <string.h>

static const char stub[] = "@plt";

void
text_put(struct text *t, const char *s, size_t n)
{
	if (t->full || n > TEXT_MAX - t->n) {
		t->full = true;
		return;
	}
	if (t->n + n >= t->cap && !vec_room(&t->s, &t->cap, t->cap ? 4 * (t->n + n) : 1024 + n, 1)) {
		t->full = true;
		return;
	}
	memcpy(t->s + t->n, s, n);
	t->n += (uint32_t)n;
}

void
text_str(struct text *t, const char *s)
{
	text_put(t, s, strlen(s));
}

void
text_char(struct text *t, char c)
{
	if (t->n + 1 < t->cap && t->n < TEXT_MAX && !t->full)
		t->s[t->n++] = c;
	else
		text_put(t, &c, 1);
}

void
text_num(struct text *t, uint64_t v)
{
	char d[20], *p = d + sizeof d;

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	text_put(t, p, (size_t)(d + sizeof d - p));
}

bool
text_clones(struct text *t, const char *s)
{
	while (*s) {
		size_t n = 1 + strspn(s + 1, "abcdefghijklmnopqrstuvwxyz_");

		if (*s != '.' || (n == 1 && !strspn(s + 1, "0123456789")))
			return false;
		while (s[n] == '.' || (n == 1 && *s == '.')) {
			size_t digits = strspn(s + n + (n > 1), "0123456789");

			if (!digits)
				break;
			n += digits + (n > 1);
		}
		text_str(t, " [clone ");
		text_put(t, s, n);
		text_char(t, ']');
		s += n;
	}
	return true;
}

/* The linker's stub for a function is called NAME@plt. */
static size_t
stub_suffix(const char *name)
{
	size_t n = strlen(name), suffix = sizeof stub - 1;

	return n > suffix && !strcmp(name + n - suffix, stub) ? suffix : 0;
}

static bool (*const kinds[])(struct text *, const char *, unsigned) = {
	rust_demangle, cxx_demangle, dlang_demangle, fortran_demangle, ocaml_demangle,
};

const char *
demangle(struct arena *a, const char *mangled, unsigned flags)
{
	const char *name = mangled, *function = mangled;
	struct text t = { 0 };
	size_t suffix;
	bool known = false;

	if (*mangled != '_' && *mangled != 'c')
		return mangled;
	if ((suffix = stub_suffix(mangled)) && !(function = arena_str(a, mangled, strlen(mangled) - suffix)))
		return mangled;
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds && !(known = kinds[i](&t, function, flags)); i++) {
		t.n = 0;
		t.full = false;
	}
	if (known) {
		text_put(&t, stub, suffix);
		if (!t.full && t.n > suffix && !(name = arena_str(a, t.s, t.n)))
			name = mangled;
	}
	vec_free(&t.s, &t.cap, 1);
	return name;
}

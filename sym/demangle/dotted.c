/* See text_out.h.  Names whose parts are joined by letters where the language has a dot or colons: OCaml's, as perf prints them, and those of
 * Fortran's modules (gfortran), as gdb does. */
#include "text_out.h"

#include <string.h>

static bool
is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static unsigned
hex(char c)
{
	return c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

/* Whether the name ends as those of OCaml's functions with dots do: not as a file's, or as a clone of a C function's. */
static bool
ends_like_ocaml(const char *s)
{
	const char *last = strrchr(s, '.'), *end = s + strlen(s);

	if (!last)
		return false;
	while (end > last && end[-1] >= '0' && end[-1] <= '9')
		end--;
	return (*end && end[-1] == '_') || !strcmp(last, ".entry");
}

/* camlStdlib__Map__update_344, or with dots since OCaml 5.1; $27 is a character that the linker would not take. */
bool
ocaml_demangle(struct text *t, const char *s, unsigned flags)
{
	(void)flags;
	if (strncmp(s, "caml", 4) != 0 || s[4] < 'A' || s[4] > 'Z' || (!strstr(s, "__") && !ends_like_ocaml(s)))
		return false;
	for (s += 4; *s; s++) {
		if (s[0] == '_' && s[1] == '_') {
			text_char(t, '.');
			s++;
		} else if (*s == '$' && hex(s[1]) < 16 && hex(s[2]) < 16) {
			unsigned c = hex(s[1]) << 4 | hex(s[2]);

			if (c <= ' ' || c > 126)
				return false;
			text_char(t, (char)c);
			s += 2;
		} else {
			text_char(t, *s);
		}
	}
	return true;
}

/* __MODULE_MOD_PROCEDURE: all else is in small letters. */
bool
fortran_demangle(struct text *t, const char *s, unsigned flags)
{
	static const char between[] = "_MOD_";
	const char *mod = strstr(s, between), *name, *end;

	(void)flags;
	if (strncmp(s, "__", 2) != 0 || !mod || mod <= s + 2)
		return false;
	for (const char *p = s + 2; p < mod; p++)
		if (!is_lower(*p) && *p != '.')
			return false;
	for (end = name = mod + sizeof between - 1; is_lower(*end); end++)
		;
	if (end == name || (*end && *end != '.'))
		return false;
	text_put(t, s + 2, (size_t)(mod - s - 2));
	text_str(t, "::");
	text_put(t, name, (size_t)(end - name));
	return !*end || text_clones(t, end);
}

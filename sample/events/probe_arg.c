/* See probe_arg.h.  Documentation/trace/uprobetracer.rst for perf's words; for USDT notes: systemtap's wiki, "User Space Probe
 * Implementation": SIZE@OPERAND in the assembler's spelling, the size negative where the value has a sign. */
#include "probe_arg.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/text.h"
#include "perf.h"

enum { TEXT_MOST = 64 };

/* Takes the word at *P off: letters, digits, underscores. */
static size_t
word(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* The place of the word S among LIST's, or -1. */
static int
place_in(const char *list, const char *s, size_t n)
{
	for (int i = 0; *list; i++) {
		size_t len = strcspn(list, " ");

		if (len == n && !strncmp(list, s, n))
			return i;
		list += len + (list[len] == ' ');
	}
	return -1;
}

static int
register_of(const char *s, size_t n)
{
	int i = place_in(perf_reg_words.names, s, n);

	/* x86 has names for parts of registers: rdi, edi, dil; r8d. */
	if (i < 0 && perf_reg_words.parts && n > 2 && (*s == 'r' || *s == 'e'))
		i = place_in(perf_reg_words.names, s + 1, n - 1);
	if (i < 0 && perf_reg_words.parts && n > 2 && strchr("dwbl", s[n - 1]))
		i = place_in(perf_reg_words.names, s, n - 1);
	if (i < 0 && perf_reg_words.parts && n == 2 && s[1] == 'l')   /* al to dl */
		i = place_in(perf_reg_words.names, (char[]){ s[0], 'x', 0 }, 2);
	return i;
}

static bool
set_register(struct probe_arg *a, int i)
{
	a->reg = (uint8_t)i;
	return i >= 0;
}

/* A register by DWARF's number. */
static bool
take_numbered(struct probe_arg *a, const char **p)
{
	const char *list = perf_reg_words.dwarf ? perf_reg_words.dwarf : perf_reg_words.names;
	uint64_t n;

	*p += 2;
	if (!text_dec(p, &n))
		return false;
	for (; n && *list; n--) {
		list += strcspn(list, " ");
		list += *list == ' ';
	}
	return *list && set_register(a, register_of(list, strcspn(list, " ")));
}

/* "$arg1", "$retval", "%di", "%#5": where it lies. */
static bool
take_base(struct probe_arg *a, const char **p)
{
	const char *list = perf_reg_words.args;
	bool dollar = **p == '$';
	const char *s = *p + 1;
	size_t n;

	if (s[-1] == '%' && *s == '#')
		return take_numbered(a, p);
	if ((!dollar && **p != '%') || !(n = word(s)))
		return false;
	*p += 1 + n;
	if (!dollar)
		return set_register(a, register_of(s, n));
	if (n == 6 && !strncmp(s, "retval", n))
		return set_register(a, register_of(perf_reg_words.value, strlen(perf_reg_words.value)));
	if (n != 4 || strncmp(s, "arg", 3) || s[3] < '1')
		return false;
	for (int i = s[3] - '1'; i && *list; i--) {
		list += strcspn(list, " ");
		list += *list == ' ';
	}
	return *list && set_register(a, register_of(list, strcspn(list, " ")));
}

static bool
take_type(struct probe_arg *a, const char *type)
{
	static const char letters[] = "usx";
	const char *at;
	uint64_t bits;

	if (!strcmp(type, "string")) {
		a->kind = ARG_TEXT;
		return a->depth != 0;
	}
	at = *type ? strchr(letters, *type) : NULL;
	type += at != NULL;
	if (!at || !text_dec(&type, &bits) || *type || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
		return false;
	a->kind = (int)(at - letters) == 0 ? ARG_UNSIGNED : (int)(at - letters) == 1 ? ARG_SIGNED : ARG_HEX;
	a->size = (uint8_t)(bits / 8);
	return true;
}

/* A number with its sign, also in hexadecimal. */
static bool
take_number(const char **p, int64_t *v)
{
	bool minus = **p == '-';
	uint64_t u;

	*p += minus || **p == '+';
	if (**p == '0' && ((*p)[1] | 32) == 'x' ? (*p += 2, !text_hex(p, &u)) : !text_dec(p, &u))
		return false;
	*v = (int64_t)(minus ? 0 - u : u);
	return true;
}

/* ---- USDT ---- */

static bool
add_offset(struct probe_arg *a, int64_t off)
{
	a->off[a->depth++] = off;
	return true;
}

/* "%edi", "$5", "-8(%rbp)"; "x0", "[sp, 24]", "5"; "8(sp)"; "#5". */
static bool
take_operand(struct probe_arg *a, const char *p)
{
	bool bracket = *p == '[', memory = false;
	int64_t off = 0;
	size_t n;

	p += bracket || *p == '$' || *p == '#';
	if (!bracket && (isdigit((unsigned char)*p) || *p == '-' || *p == '+')) {
		if (!take_number(&p, &off))
			return false;
		if (*p != '(') {
			a->constant = true;
			a->off[0] = off;
			return !*p || *p == ' ';
		}
		p++;
		memory = true;
	} else if (!bracket && *p == '(') {
		p++;
		memory = true;
	}
	p += *p == '%';
	n = word(p);
	if (!set_register(a, register_of(p, n)))
		return false;
	p += n;
	if (bracket && *p == ',') {
		p += 1 + strspn(p + 1, " #");
		if (!take_number(&p, &off))
			return false;
	}
	if (bracket ? *p != ']' : memory ? *p != ')' : *p && *p != ' ')   /* with an index, or of a symbol */
		return false;
	return bracket || memory ? add_offset(a, off) : true;
}

/* Argument NUMBER (from 1) of a note. */
static bool
take_usdt(struct probe_arg *a, const char *usdt, unsigned number)
{
	const char *p = usdt;
	int64_t size;

	for (; number > 1; number--) {   /* a blank may stand within brackets */
		if (!(p = strchr(p, '@')))
			return false;
		p += strcspn(p, "[ ");
		p += *p == '[' ? strcspn(p, "]") : 0;
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	if (!*p)
		return false;
	if (!take_number(&p, &size) || *p++ != '@')
		return false;
	a->kind = size < 0 ? ARG_SIGNED : ARG_UNSIGNED;
	size = size < 0 ? -size : size;
	a->size = (uint8_t)(size == 1 || size == 2 || size == 4 ? size : 8);
	return size <= 8 && take_operand(a, p);
}

/* ---- perf's words ---- */

static bool
take_fetch(struct probe_arg *a, const char **p, const char *usdt)
{
	unsigned open = 0;
	int64_t off[PROBE_ARG_DEPTH];

	for (; **p == '+' || **p == '-'; open++)
		if (open == PROBE_ARG_DEPTH || !take_number(p, &off[open]) || *(*p)++ != '(')
			return false;
	if (usdt && !strncmp(*p, "arg", 3) && (*p)[3] >= '1' && (*p)[3] <= '9') {
		unsigned number = (unsigned)((*p)[3] - '0');

		*p += 4;
		if (**p >= '0' && **p <= '9')
			number = number * 10 + (unsigned)(*(*p)++ - '0');
		if (!take_usdt(a, usdt, number))
			return false;
		if (a->constant && open)
			return false;
	} else if (!take_base(a, p)) {
		return false;
	}
	if (a->depth + open > PROBE_ARG_DEPTH)
		return false;
	for (unsigned i = open; i--;)   /* prof reads the innermost first */
		a->off[a->depth++] = off[i];
	if (open) {   /* the size was that of the pointer */
		a->size = sizeof(long);
		a->kind = ARG_HEX;
	}
	while (open && **p == ')') {
		++*p;
		open--;
	}
	return !open;
}

const char *
probe_arg_fetch(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals ? equals + 1 : text;
}

bool
probe_arg_is_variable(const char *text)
{
	const char *p = probe_arg_fetch(text);

	return isalpha((unsigned char)*p) || *p == '_';
}

const char *
probe_arg_parse(struct probe_arg *a, const char *text, const char *usdt, const char *found)
{
	static const char wrong[] = "write an argument as %REGISTER, $arg1 to $arg6, $retval, +8(%sp) or as a variable (x, p->x), at a USDT probe as arg1; "
	                            "NAME= may stand before it, and :u32, :s64, :x64 or :string behind it";
	const char *p = found ? found : probe_arg_fetch(text), *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : strcspn(text, ":");

	*a = (struct probe_arg){ .kind = ARG_HEX, .size = sizeof(long) };
	snprintf(a->name, sizeof a->name, "%.*s", (int)(n < sizeof a->name ? n : sizeof a->name - 1), text);
	if (!take_fetch(a, &p, usdt))
		return found ? "prof has no sample of the register that it is in" : wrong;
	if (!*p)
		return NULL;
	return *p == ':' && take_type(a, p + 1) ? NULL : wrong;
}

bool
probe_arg_on_stack(const struct probe_arg *a)
{
	return a->depth && a->reg == register_of("sp", 2);
}

/* ---- what a sample says ---- */

/* x86-64's functions that call none may keep variables below sp, in so many bytes.  The kernel copies the stack from sp on, and by the
 * time that prof could read the process's memory, other functions and signals have used these bytes. */
enum { RED_ZONE = 128 };

static size_t
read_memory(const struct probe_moment *m, uint64_t addr, void *to, size_t n)
{
	int reg = register_of("sp", 2);
	bool known = reg >= 0 && (unsigned)reg < m->nreg;
	uint64_t sp = known ? m->reg[reg] : 0, at = addr - sp;

	if (known && sp - addr - 1 < RED_ZONE)
		return 0;
	if (known && at < m->stack_size && m->stack_size - at >= n) {
		memcpy(to, m->stack + at, n);
		return n;
	}
	return m->read ? m->read(m->ctx, addr, to, n) : 0;
}

static uint64_t
little(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static void
say_number(const struct probe_arg *a, uint64_t v, char *words, size_t size)
{
	unsigned shift = 64 - 8u * a->size;

	v = v << shift >> shift;
	if (a->kind == ARG_SIGNED)
		snprintf(words, size, "%s=%lld", a->name, (long long)(v << shift) >> shift);
	else
		snprintf(words, size, a->kind == ARG_HEX ? "%s=0x%llx" : "%s=%llu", a->name, (unsigned long long)v);
}

static void
say_text(const struct probe_arg *a, const struct probe_moment *m, uint64_t addr, char *words, size_t size)
{
	char text[TEXT_MOST + 1] = "";
	size_t n = read_memory(m, addr, text, TEXT_MOST), part = TEXT_MOST;

	while (!n && part > 1)   /* near the end of the memory that is there */
		n = read_memory(m, addr, text, part /= 2);
	text[n] = 0;
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
	snprintf(words, size, n ? "%s=\"%s\"" : "%s=?", a->name, text);
}

/* Its value; of a text the address.  False if prof does not know it. */
static bool
find(const struct probe_arg *a, const struct probe_moment *m, uint64_t *v)
{
	uint8_t bytes[8];

	if (!a->constant && (!m->reg || a->reg >= m->nreg))
		return false;
	*v = a->constant ? (uint64_t)a->off[0] : m->reg[a->reg];
	for (unsigned i = 0; i < a->depth; i++) {
		bool last = i + 1 == a->depth;
		unsigned n = last ? a->size : sizeof(long);

		*v += (uint64_t)a->off[i];
		if (last && a->kind == ARG_TEXT)
			return true;
		if (read_memory(m, *v, bytes, n) < n)
			return false;
		*v = little(bytes, n);
	}
	return true;
}

bool
probe_arg_value(const struct probe_arg *a, const struct probe_moment *m, uint64_t *v)
{
	if (a->kind == ARG_TEXT || !find(a, m, v))
		return false;
	*v = *v << (64 - 8u * a->size) >> (64 - 8u * a->size);
	return true;
}

void
probe_arg_say(const struct probe_arg *a, const struct probe_moment *m, char *words, size_t size)
{
	uint64_t v;

	if (!find(a, m, &v))
		snprintf(words, size, "%s=?", a->name);
	else if (a->kind == ARG_TEXT)
		say_text(a, m, v, words, size);
	else
		say_number(a, v, words, size);
}

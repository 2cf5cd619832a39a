/* See trace_format.h.  Documentation/trace/events.rst, "Event formats": a line for each field, as in
 *     field:__data_loc char[] filename;	offset:8;	size:4;	signed:0; */
#include "trace_format.h"

#include <stdio.h>
#include <string.h>

#include "lib/text.h"

/* KEY and a number after it, before the line's end. */
static bool
number(const char *line, const char *end, const char *key, uint32_t most, uint32_t *v)
{
	size_t n = strlen(key);
	uint64_t value;

	for (; line + n < end; line++)
		if (!strncmp(line, key, n)) {
			line += n;
			if (!text_dec(&line, &value) || value > most)
				return false;
			*v = (uint32_t)value;
			return true;
		}
	return false;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool
has(const char *from, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (; from + n <= end; from++)
		if (!strncmp(from, word, n))
			return true;
	return false;
}

static bool
is_one_of(const char *words, const char *type, size_t n)
{
	for (size_t k; *words; words += k + (words[k] == ' '))
		if ((k = strcspn(words, " ")) == n && !strncmp(words, type, n))
			return true;
	return false;
}

/* The arguments of a system call have the size of a register, and the kernel calls them all unsigned.  Only the type in C tells how
 * many bytes count, and whether they have a sign. */
static void
narrow(const char *type, const char *end, struct trace_field *f)
{
	static const char ints[] = "int pid_t clockid_t timer_t mqd_t key_t key_serial_t rwf_t __s32", longs[] = "long loff_t off_t ssize_t";
	static const char unsigned_int[] = "unsigned int", unsigneds[] = "u32 __u32 umode_t uid_t gid_t mode_t qid_t";
	size_t n;
	bool is_int;

	if (!strncmp(type, "const ", 6))
		type += 6;
	while (end > type && end[-1] == ' ')
		end--;
	n = (size_t)(end - type);
	is_int = is_one_of(ints, type, n);
	if (f->size == 8 && (is_int || (n == sizeof unsigned_int - 1 && !strncmp(type, unsigned_int, n)) || is_one_of(unsigneds, type, n)))
		f->size = 4;
	f->is_signed |= is_int || is_one_of(longs, type, n);
}

/* Takes the field's name, which is the declaration's last word, and what its type says, which ends at BEHIND. */
static bool
declared(const char *from, const char *end, struct trace_field *f, const char **behind)
{
	bool array = end > from && end[-1] == ']', far = has(from, end, "__data_loc") || has(from, end, "__rel_loc");
	const char *last = end, *begin;

	if (array)
		while (last > from && *last != '[')
			last--;
	for (begin = last; begin > from && is_letter(begin[-1]); begin--)
		;
	if (begin == from || begin == last || (*begin >= '0' && *begin <= '9') || (size_t)(last - begin) >= sizeof f->name)
		return false;
	memcpy(f->name, begin, (size_t)(last - begin));
	f->name[last - begin] = 0;
	*behind = begin;
	array |= has(from, begin, "[");
	if (far)
		f->kind = has(from, end, "__rel_loc") || !has(from, end, "char") ? TRACE_BYTES : TRACE_FAR_TEXT;
	else if (array)
		f->kind = has(from, begin, "char") ? TRACE_TEXT : TRACE_BYTES;
	else
		f->kind = has(from, begin, "*") ? TRACE_POINTER : TRACE_NUMBER;
	return true;
}

bool
trace_format_next(const char **text, struct trace_field *f)
{
	const char *line, *end, *semicolon, *behind;
	uint32_t is_signed = 0;

	while (**text) {
		line = *text + strspn(*text, " \t");
		end = line + strcspn(line, "\n");
		*text = end + (*end == '\n');
		*f = (struct trace_field){ 0 };
		if (strncmp(line, "field:", 6))
			continue;
		semicolon = memchr(line, ';', (size_t)(end - line));
		if (!semicolon || !declared(line + 6, semicolon, f, &behind) || !number(semicolon, end, "offset:", UINT16_MAX, &f->offset) ||
		    !number(semicolon, end, "size:", UINT16_MAX, &f->size))
			continue;
		number(semicolon, end, "signed:", 1, &is_signed);
		f->is_signed = is_signed;
		if (f->kind == TRACE_NUMBER && f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
			f->kind = TRACE_BYTES;
		if (f->kind == TRACE_NUMBER)
			narrow(line + 6, behind, f);
		return true;
	}
	return false;
}

bool
trace_format_find(const char *text, const char *name, struct trace_field *f)
{
	while (trace_format_next(&text, f))
		if (!strcmp(f->name, name))
			return f->size != 0;
	return false;
}

static uint64_t
value_of(struct cursor *c, uint32_t size)
{
	return size == 1 ? cur_u8(c) : size == 2 ? cur_u16(c) : size == 4 ? cur_u32(c) : cur_u64(c);
}

bool
trace_field_number(const struct trace_field *f, struct cursor record, uint64_t *v)
{
	uint64_t sign = f->is_signed && f->size < 8 ? UINT64_C(1) << (8 * f->size - 1) : 0;

	cur_take(&record, f->offset);
	record = cur_sub(&record, f->size);
	*v = (value_of(&record, f->size) ^ sign) - sign;
	return f->kind == TRACE_NUMBER && !record.bad;
}

/* A text ends with its first NUL, or with its bytes. */
static void
put_text(const char *name, struct cursor c, char *words, size_t size)
{
	size_t n = cur_left(&c);
	const char *s = (const char *)cur_take(&c, n);

	snprintf(words, size, "%s=%.*s", name, s ? (int)strnlen(s, n < 200 ? n : 200) : 0, s ? s : "");
}

void
trace_field_say(const struct trace_field *f, struct cursor record, char *words, size_t size)
{
	struct cursor c = record;
	uint64_t v;

	cur_take(&c, f->offset);
	c = cur_sub(&c, f->size);
	if (c.bad) {
		snprintf(words, size, "%s=?", f->name);
		return;
	}
	switch (f->kind) {
	case TRACE_TEXT:
		put_text(f->name, c, words, size);
		return;
	case TRACE_FAR_TEXT:
		v = cur_u32(&c);
		c = record;
		cur_take(&c, v & 0xffff);
		put_text(f->name, cur_sub(&c, v >> 16), words, size);
		return;
	case TRACE_BYTES:
		snprintf(words, size, "%s=[%u byte%s]", f->name, f->size, plural(f->size));
		return;
	case TRACE_POINTER:
		v = value_of(&c, f->size == 4 ? 4 : 8);
		snprintf(words, size, "%s=0x%llx", f->name, (unsigned long long)v);
		return;
	case TRACE_NUMBER:
		trace_field_number(f, record, &v);
		snprintf(words, size, f->is_signed ? "%s=%lld" : "%s=%llu", f->name, (unsigned long long)v);
	}
}

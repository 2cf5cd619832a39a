/* Regular expressions: the bytes as they come, which must end and stay in bounds; and an expression made of the same bytes, in a
 * grammar that the C library's regcomp also knows, which must find the same in a text. */
#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/regex.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
as_it_comes(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	char *pattern = calloc(1, size + 1), *text;
	const char *why;
	struct regex *re;

	memcpy(pattern, data, size);
	text = pattern + strcspn(pattern, "\n");
	if (*text)
		*text++ = 0;
	if ((re = regex_new(&arena, pattern, &why)))
		regex_find(re, text);
	arena_free(&arena);
	free(pattern);
}

/* A pattern of both dialects, of at most 40 characters. */
static void
make(char *to, const uint8_t **data, const uint8_t *end)
{
	static const char *const word[] = { "a", "b", "c", ".", "[ab]", "[^a]", "(", ")", "|", "*", "+", "?", "{2}", "{1,2}", "{0,1}" };
	unsigned depth = 0, n = 0;
	bool atom = false;   /* what stands before can be repeated, or a group or alternative end here */

	if (*data < end && *(*data)++ & 1)
		to[n++] = '^';
	while (n < 30 && *data < end && **data != 255) {
		const char *w = word[*(*data)++ % 15];

		if (!atom && strchr(")|*+?{", *w))
			continue;
		if (*w == ')' && !depth)
			continue;
		depth += (*w == '(') - (*w == ')');
		atom = *w != '(' && *w != '|' && !strchr("*+?{", *w);
		memcpy(to + n, w, strlen(w));
		n += (unsigned)strlen(w);
		if (strchr("*+?{", *w))   /* one repetition is enough; what follows may end a group */
			to[n++] = 'b', atom = true;
	}
	if (!atom)
		to[n++] = 'a';
	for (; depth; depth--)
		to[n++] = ')';
	if (*data < end && *(*data)++ & 1)
		to[n++] = '$';
	to[n] = 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	char pattern[128], text[33];
	struct arena arena = { 0 };
	const char *why;
	struct regex *re;
	regex_t other;
	unsigned n = 0;

	as_it_comes(data, size);
	make(pattern, &data, end);
	while (data < end && n < sizeof text - 1)
		text[n++] = (char)('a' + *data++ % 4);
	text[n] = 0;
	re = regex_new(&arena, pattern, &why);
	if (!re || regcomp(&other, pattern, REG_EXTENDED | REG_NOSUB))
		abort();
	if (regex_find(re, text) != (regexec(&other, text, 0, NULL, 0) == 0))
		abort();
	regfree(&other);
	arena_free(&arena);
	return 0;
}

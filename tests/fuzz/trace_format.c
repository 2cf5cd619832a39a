/* A tracepoint's format file, and after its first NUL byte a record; prof puts each field of it into words. */
#include "sample/events/trace_format.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), words[64];
	struct trace_field f;
	const char *p = text;
	size_t n;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	n = strlen(text);
	while (trace_format_next(&p, &f)) {
		uint8_t *record = malloc(size - n + 1);   /* as long as it is, so that one byte more is seen */
		size_t bytes = size > n ? size - n - 1 : 0;

		if (!record)
			break;
		memcpy(record, data + size - bytes, bytes);
		if (!(record = realloc(record, bytes ? bytes : 1)))
			break;
		memset(words, 'x', sizeof words);
		trace_field_say(&f, cur_of(record, bytes, false), words, sizeof words);
		if (!memchr(words, 0, sizeof words) || !*f.name || strncmp(words, f.name, strlen(f.name)))
			abort();
		free(record);
	}
	free(text);
	return 0;
}

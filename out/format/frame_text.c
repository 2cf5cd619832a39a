/* See frame_text.h. */
#include "frame_text.h"

#include <stdio.h>
#include <string.h>

bool
frame_text_is_mark(const char *s, const char *end)
{
	static const char *const marks[] = { "[truncated]", "[elided]", "[kernel]", "[unknown]", "[run queue]", "[throttled]", "[waiting]",
	                                     "[waiting since before]", "[running]", "[interrupt]", "[waits for the GIL]", "[jit]" };

	for (unsigned i = 0; s < end && *s == '[' && i < sizeof marks / sizeof *marks; i++)
		if ((size_t)(end - s) == strlen(marks[i]) && memcmp(s, marks[i], (size_t)(end - s)) == 0)
			return true;
	return false;
}

struct function
frame_text_function(char *text, char *module, size_t cap)
{
	struct function f = { .name = text, .module = "", .kind = FUNCTION_USER };
	size_t n = strlen(text);
	const char *plus;

	if (frame_text_is_mark(text, text + n)) {
		f.kind = FUNCTION_MARK;
		return f;
	}
	if (n > 4 && text[n - 4] == '_' && text[n - 3] == '[' && text[n - 1] == ']') {
		f.kind = text[n - 2] == 'k'   ? FUNCTION_KERNEL
		         : text[n - 2] == 'i' ? FUNCTION_INLINED
		         : text[n - 2] == 'j' ? FUNCTION_JIT
		                              : FUNCTION_USER;
		if (f.kind != FUNCTION_USER)
			text[n -= 4] = 0;
	}
	plus = *text == '[' ? strstr(text, "+0x") : NULL;
	if (plus || (*text == '[' && text[n - 1] == ']')) {
		snprintf(module, cap, "%.*s", (int)((plus ? plus : text + n - 1) - text - 1), text + 1);
		f.module = module;
	} else if (f.kind == FUNCTION_KERNEL)
		f.module = "[kernel]";
	return f;
}

#include "lib/screen.c"

#include <stdlib.h>

#include "lib/mem.h"
#include "test.h"

/* What TEXT becomes, written in pieces of STEP bytes. */
static const char *
shown(const char *text, unsigned width, bool ascii, size_t step)
{
	static char out[512];
	struct screen screen;
	struct sink to, sink;

	sink_open(&to, -1);
	screen_open(&screen, &sink, &to, width, ascii);
	for (size_t n = strlen(text), k; n; n -= k, text += k) {
		k = n < step ? n : step;
		sink_put(&sink, text, k);
		sink_flush(&sink);
	}
	sink_close(&sink);
	snprintf(out, sizeof out, "%.*s", (int)to.len, to.buf);
	sink_close(&to);
	return out;
}

static void
lines_end_at_the_last_column(void)
{
	CHECK_STR(shown("abcdef\nab\n\nabcdefgh", 4, false, 100), "abcd\nab\n\nabcd");
	CHECK_STR(shown("abcdef\n", 0, false, 100), "abcdef\n");
	CHECK_STR(shown("\u00e9\u00e9\u00e9\u00e9\n", 3, false, 100), "\u00e9\u00e9\u00e9\n");
	CHECK_STR(shown("a\u6f22\u6f22\n", 4, false, 100), "a\u6f22\n");   /* two columns each */
}

static void
colours_take_no_column_and_are_kept(void)
{
	CHECK_STR(shown("\033[1mabcdef\033[0mgh\n", 4, false, 100), "\033[1mabcd\033[0m\n");
	CHECK_STR(shown("\033[1mab\033[0m\n", 2, true, 100), "\033[1mab\033[0m\n");
}

static void
ascii_alone(void)
{
	CHECK_STR(shown("\u251c\u2500 f \u2026 \u2588\u258f\n", 0, true, 100), "|- f ~ # \n");
	CHECK_STR(shown("gr\u00f6\u00dfer \u6f22\n", 0, true, 100), "gr??er ??\n");
}

static void
characters_may_come_in_pieces(void)
{
	for (size_t step = 1; step < 8; step++) {
		CHECK_STR(shown("\033[31m\u2588\u6f22\u00e9x\033[0m\n", 4, false, step), "\033[31m\u2588\u6f22\u00e9\033[0m\n");
		CHECK_STR(shown("\u2588\u00e9\n", 9, true, step), "#?\n");
	}
}

static void
what_is_no_character_goes_by(void)
{
	CHECK_STR(shown("a\x80z\n", 9, false, 1), "a\x80z\n");
	shown("\xe2\x88", 9, false, 1);
	shown("\xf0\x9f\x98", 1, true, 2);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("screen", lines_end_at_the_last_column);
	RUN("screen", colours_take_no_column_and_are_kept);
	RUN("screen", ascii_alone);
	RUN("screen", characters_may_come_in_pieces);
	RUN("screen", what_is_no_character_goes_by);
	return TEST_STATUS;
}

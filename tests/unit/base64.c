#include "test.h"

#include "lib/codec/base64.c"

/* RFC 4648, section 10, and bytes of all bits. */
static const struct {
	const char *bytes, *text;
} vectors[] = {
	{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" },
	{ "foobar", "Zm9vYmFy" }, { "\xff\xef\xbe\xfb\xf0", "/++++/A=" },
};

/* In pieces of STEP bytes. */
static void
check_steps(size_t step)
{
	for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		const char *bytes = vectors[i].bytes;
		struct sink s;
		struct base64 b = { .to = &s };

		sink_open(&s, -1);
		for (size_t left = strlen(bytes), n; left; left -= n, bytes += n) {
			n = left < step ? left : step;
			base64_put(&b, bytes, n);
		}
		base64_end(&b);
		sink_char(&s, 0);
		CHECK_STR(s.buf, vectors[i].text);
		sink_close(&s);
	}
}

static void
known_texts(void)
{
	check_steps(SIZE_MAX);
}

static void
pieces_of_any_size_give_the_same(void)
{
	check_steps(1);
	check_steps(2);
	check_steps(4);
}

int
main(void)
{
	RUN("base64", known_texts);
	RUN("base64", pieces_of_any_size_give_the_same);
	return TEST_STATUS;
}

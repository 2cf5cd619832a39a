/* Where V8's versions keep what they do not tell. */
#include "sym/language/v8_image.c"
#include "test.h"

static void
code_of_versions_that_do_not_tell_all(void)
{
	static const struct { uint8_t major; int32_t data, start, size; } versions[] = {
		{ 11, 16, 40, 56 },   /* Node.js 20 */
		{ 11, 8, 32, 44 },    /* 21: no relocations in front of it */
		{ 12, 0, 40, 56 },
	};

	for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++) {
		struct v8_image v = { .major = versions[i].major };

		v.at[V8_CODE_DATA] = versions[i].data;
		add_compiled(&v);
		CHECK_U64(v.at[V8_CODE_START], versions[i].start);
		CHECK_U64(v.at[V8_CODE_SIZE], versions[i].size);
	}
}

int
main(void)
{
	RUN("v8_image", code_of_versions_that_do_not_tell_all);
	return TEST_STATUS;
}

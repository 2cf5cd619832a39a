#include "sym/language/python_lines.c"
#include "test.h"

/* What CPython makes of this function, which begins in line 1:
 *
 *     def f(x):
 *         y = x + 1
 *
 *         for i in range(3):
 *             y += i
 *         if y:
 *             return (y,
 *                     x)
 *         return None
 */
static const uint8_t lnotab[] = { 0, 1, 8, 2, 12, 1, 10, 1, 4, 1, 2, 1, 2, 255, 4, 2 };
static const uint8_t linetable[] = { 8, 1, 12, 2, 10, 1, 4, 1, 2, 1, 2, 1, 4, 255, 4, 2 };
static const uint8_t locations[] = { 128, 0, 216, 8, 9, 136, 65, 137, 5, 128, 65, 228, 13, 18, 144, 49, 139, 88, 242, 0, 1, 5, 15, 136, 1, 216,
	                             8, 9, 136, 81, 137, 6, 137, 1, 240, 3, 1, 5, 15, 225, 7, 8, 216, 16, 17, 216, 16, 17, 240, 3, 1, 16, 19,
	                             240, 0, 1, 9, 19, 224, 11, 15 };

static uint32_t
line(const void *table, size_t n, uint8_t form, uint32_t at)
{
	return python_line(&(struct language_function){ .lines = table, .nlines = (uint32_t)n, .line = 1, .form = form }, at);
}

/* Each of the ranges' first and last instruction. */
static void
check(const void *table, size_t n, uint8_t form, const uint32_t range[][3], size_t ranges)
{
	for (size_t i = 0; i < ranges; i++) {
		CHECK_U64(line(table, n, form, range[i][0]), range[i][2]);
		CHECK_U64(line(table, n, form, range[i][1] - 2), range[i][2]);
	}
}

static void
of_3_8(void)
{
	static const uint32_t range[][3] = { { 0, 8, 2 }, { 8, 20, 4 }, { 20, 30, 5 }, { 30, 34, 6 }, { 34, 36, 7 }, { 36, 38, 8 }, { 38, 42, 7 }, { 42, 46, 9 } };

	check(lnotab, sizeof lnotab, PYTHON_LNOTAB, range, 8);
}

static void
of_3_10(void)
{
	static const uint32_t range[][3] = { { 0, 8, 2 }, { 8, 20, 4 }, { 20, 30, 5 }, { 30, 34, 6 }, { 34, 36, 7 }, { 36, 38, 8 }, { 38, 42, 7 }, { 42, 46, 9 } };
	static const uint8_t without[] = { 2, 128, 2, 1 };

	check(linetable, sizeof linetable, PYTHON_LINETABLE, range, 8);
	CHECK_U64(line(without, sizeof without, PYTHON_LINETABLE, 0), 0);
	CHECK_U64(line(without, sizeof without, PYTHON_LINETABLE, 2), 2);
}

static void
of_3_11(void)
{
	static const uint32_t range[][3] = { { 0, 2, 1 }, { 2, 12, 2 }, { 12, 40, 4 }, { 40, 52, 5 }, { 52, 54, 4 }, { 54, 58, 6 }, { 58, 60, 7 }, { 60, 62, 8 }, { 62, 66, 7 }, { 66, 68, 9 } };

	check(locations, sizeof locations, PYTHON_LOCATIONS, range, 10);
	CHECK_U64(line("\xf8", 1, PYTHON_LOCATIONS, 0), 0);   /* an instruction without a line */
}

static void
broken_ones(void)
{
	static const uint8_t long_number[] = { 0xf0, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f };

	for (uint8_t form = 0; form < 4; form++) {
		CHECK_U64(line(NULL, 0, form, 10), form == PYTHON_LNOTAB);
		line(long_number, sizeof long_number, form, 0);
		line("\xff", 1, form, UINT32_MAX);
	}
}

int
main(void)
{
	RUN("python_lines", of_3_8);
	RUN("python_lines", of_3_10);
	RUN("python_lines", of_3_11);
	RUN("python_lines", broken_ones);
	return TEST_STATUS;
}

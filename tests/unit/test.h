/* A unit test is a program: main() runs its tests, each prints one line that tests/run counts:
 * "ok FILE/NAME", "not ok FILE/NAME: why" or "skip FILE/NAME: why". */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

#include <stdio.h>
#include <string.h>

static const char *test_name_;
static int test_bad_, test_failed_;

#define CHECK(cond) \
	do { \
		if (!(cond) && !test_bad_++) \
			printf("not ok %s: %s:%d: %s\n", test_name_, __FILE__, __LINE__, #cond); \
	} while (0)

#define CHECK_U64(got, want) \
	do { \
		unsigned long long got_ = (unsigned long long)(got), want_ = (unsigned long long)(want); \
		if (got_ != want_ && !test_bad_++) \
			printf("not ok %s: %s:%d: %s is %#llx, not %#llx\n", test_name_, __FILE__, __LINE__, #got, got_, want_); \
	} while (0)

#define CHECK_STR(got, want) \
	do { \
		const char *got_ = (got), *want_ = (want); \
		if ((!got_ || strcmp(got_, want_)) && !test_bad_++) \
			printf("not ok %s: %s:%d: %s is \"%s\", not \"%s\"\n", test_name_, __FILE__, __LINE__, #got, \
			       got_ ? got_ : "(null)", want_); \
	} while (0)

#define RUN(file, fn) \
	do { \
		test_name_ = file "/" #fn; \
		test_bad_ = 0; \
		fn(); \
		if (!test_bad_) \
			printf("ok %s\n", test_name_); \
		test_failed_ |= test_bad_; \
		fflush(stdout); \
	} while (0)

#define TEST_STATUS (test_failed_ != 0)

#endif

/* Buckets and percentiles. */
#include "test.h"
#include "lib/histogram.c"

static void
each_number_has_its_bucket(void)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		CHECK_U64(histogram_bucket(histogram_low(i)), i);
	for (unsigned i = 1; i < HISTOGRAM_BUCKETS; i++)
		CHECK_U64(histogram_bucket(histogram_low(i) - 1), i - 1);
	CHECK_U64(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	for (unsigned i = 2 * HISTOGRAM_PART; i + 1 < HISTOGRAM_BUCKETS; i++)
		CHECK(histogram_low(i + 1) - histogram_low(i) <= histogram_low(i) / HISTOGRAM_PART);
}

static void
shares_are_within_a_bucket(void)
{
	static struct histogram h;
	static const unsigned parts[] = { 1, 5000, 9000, 9900, 9990, 10000 };

	for (uint64_t v = 1; v <= 100000; v++) {
		h.bucket[histogram_bucket(v)]++;
		h.count++;
		h.most = v;
	}
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
		uint64_t want = 10 * parts[i], got = histogram_share(&h, parts[i]);

		CHECK(got >= want - want / 32 - 1 && got <= want + want / 32 + 1);
	}
	CHECK_U64(histogram_share(&h, 10000), 98304 + 1024);   /* the middle of the last one */
}

static void
few_numbers_have_shares_too(void)
{
	struct histogram h = { .count = 1, .most = 7 }, none = { 0 };

	h.bucket[7] = 1;
	CHECK_U64(histogram_share(&h, 5000), 7);
	CHECK_U64(histogram_share(&h, 9990), 7);
	CHECK_U64(histogram_share(&none, 9990), 0);
}

int
main(void)
{
	RUN("histogram", each_number_has_its_bucket);
	RUN("histogram", shares_are_within_a_bucket);
	RUN("histogram", few_numbers_have_shares_too);
	return TEST_STATUS;
}

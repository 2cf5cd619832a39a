/* See histogram.h. */
#include "histogram.h"

unsigned
histogram_bucket(uint64_t v)
{
	unsigned shift = 0;

	while (v >> shift >= 2 * HISTOGRAM_PART)
		shift++;
	shift = shift * HISTOGRAM_PART + (unsigned)(v >> shift);
	return shift < HISTOGRAM_BUCKETS ? shift : HISTOGRAM_BUCKETS - 1;
}

uint64_t
histogram_low(unsigned i)
{
	unsigned shift = i < 2 * HISTOGRAM_PART ? 0 : i / HISTOGRAM_PART - 1;

	return (uint64_t)(i - shift * HISTOGRAM_PART) << shift;
}

void
histogram_add(struct histogram *to, const struct histogram *from)
{
	to->count += from->count;
	to->total += from->total;
	to->most = from->most > to->most ? from->most : to->most;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

uint64_t
histogram_share(const struct histogram *h, unsigned parts)
{
	uint64_t all = 0, seen = 0, rank, v;
	unsigned i = 0;

	for (unsigned k = 0; k < HISTOGRAM_BUCKETS; k++)
		all += h->bucket[k];
	rank = all / 10000 * parts + (all % 10000 * parts + 9999) / 10000;
	for (; i + 1 < HISTOGRAM_BUCKETS && seen + h->bucket[i] < rank; i++)
		seen += h->bucket[i];
	v = (histogram_low(i) + histogram_low(i + 1)) / 2;   /* its middle */
	return v < h->most && i + 1 < HISTOGRAM_BUCKETS ? v : h->most;
}

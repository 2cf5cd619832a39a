/* Histograms of numbers over many magnitudes: below 64 each has a bucket, above it a bucket is 1/32 of its value wide. */
#ifndef LIB_HISTOGRAM_H
#define LIB_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_PART = 32, HISTOGRAM_BUCKETS = 1184 };

struct histogram {
	uint64_t count, total, most;
	uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* The bucket of V; the last one takes all that is larger. */
unsigned histogram_bucket(uint64_t v);
/* The smallest number of bucket I. */
uint64_t histogram_low(unsigned i);
void histogram_add(struct histogram *to, const struct histogram *from);
/* The number that a share of PARTS in 10,000 of all do not exceed, within a bucket's width. */
uint64_t histogram_share(const struct histogram *, unsigned parts);

#endif

/* One record of a recording: bytes of either byte order, in the shape that its event gives them, to the values of record.h. */
#ifndef SAMPLE_PERFDATA_RECORDED_H
#define SAMPLE_PERFDATA_RECORDED_H

#include "header.h"
#include "sample/events/record.h"

/* The words of a sample, in this machine's byte order; the next sample uses this memory again. */
struct recorded_words {
	uint64_t *word;
	uint32_t n, cap;
};

/* The record's event, and its time; false if it has no time: then it belongs to the time of what comes before it. */
uint32_t recorded_event(const struct header *, struct cursor bytes);
/* How long a record really is: see record_size. */
uint64_t recorded_size(const struct header *, struct cursor bytes);
bool recorded_time(const struct header *, struct cursor bytes, uint64_t *time);
/* NULL if all is well, else what is wrong, in words.  Pointers go into BYTES and WORDS. */
const char *recorded_parse(const struct header *, struct cursor bytes, struct record *, uint32_t *event, struct recorded_words *);

#endif

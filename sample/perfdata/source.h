/* The bytes of a recording, piece by piece: from a file, in which prof can go forward and back, or from a pipe. */
#ifndef SAMPLE_PERFDATA_SOURCE_H
#define SAMPLE_PERFDATA_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source {
	int fd;
	bool seeks;
	uint64_t size;             /* of a file that seeks */
	uint64_t at;               /* where BYTES + POS lies in it */
	uint8_t *bytes;
	uint32_t cap, pos, n;      /* of BYTES: [pos, n) are still to be taken */
	int err;                   /* errno of the read that failed, or 0 */
};

void source_open(struct source *, int fd);
void source_free(struct source *);
/* The next N bytes, which stay where they are until the next call; NULL where there are fewer. */
const uint8_t *source_peek(struct source *, uint32_t n);
/* Goes N bytes on. */
bool source_skip(struct source *, uint64_t n);
/* Goes to that place, if it is a file that seeks. */
bool source_go(struct source *, uint64_t at);

#endif

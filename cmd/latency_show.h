/* Writes what prof latency measured: a table with histograms, or JSON. */
#ifndef CMD_LATENCY_SHOW_H
#define CMD_LATENCY_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "out/report/durations.h"

struct latency_shown {
	const struct durations *d;
	uint32_t n;
	uint64_t top;              /* histograms */
	bool json;
	const char *output;        /* a file; or, if it is NULL, FD */
	int fd;
	unsigned columns;          /* of the terminal, which latency_show finds out; 0: no terminal */
};

/* False after an error message. */
bool latency_show(struct latency_shown *);

#endif

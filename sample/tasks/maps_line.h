/* Lines of /proc/PID/maps. */
#ifndef SAMPLE_TASKS_MAPS_LINE_H
#define SAMPLE_TASKS_MAPS_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct maps_line {
	uint64_t lo, hi, off;
	uint32_t maj, min;
	uint64_t ino;
	bool exec;
	char *path;            /* inside the line; "" for memory without a name */
};

/* False if the line is not one of maps.  It changes the line: it undoes the escapes in the path. */
bool maps_line_parse(struct maps_line *, char *line);

#endif

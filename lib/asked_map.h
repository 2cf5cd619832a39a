/* Maps of files that another process reads: prof asks for a piece when somebody touches it. */
#ifndef LIB_ASKED_MAP_H
#define LIB_ASKED_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asked_map {
	struct asked_map *next;
	uint8_t *base;
	size_t size, room;   /* ROOM: in whole pages, and one of zeros behind them, so that a string ends */
	int fd;
};

/* SIZE bytes of FD, which must stay open; zeros where there is no answer.  System calls cannot read them.  Stays registered by
 * address until it is closed. */
bool asked_map_open(struct asked_map *, int fd, size_t size);
void asked_map_close(struct asked_map *);
/* Gives back the bytes of all maps: they come again when somebody touches them. */
void asked_map_trim(void);

#endif

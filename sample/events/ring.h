/* The kernel's rings of records, one a CPU, read in the order of time across all of them. */
#ifndef SAMPLE_EVENTS_RING_H
#define SAMPLE_EVENTS_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cursor.h"

struct perf_event_mmap_page;

struct ring {
	struct perf_event_mmap_page *page;   /* the kernel's head, prof's tail */
	const uint8_t *data;
	uint64_t size;       /* of DATA: a power of two */
	uint64_t head;       /* where this round ends */
	uint64_t tail;       /* the next record */
	uint64_t told;       /* the tail as the kernel knows it */
	uint64_t seen[2];    /* up to where rings_ahead has looked, for mappings and for others */
	uint64_t time;       /* of the next record; RING_EMPTY: none in this round */
	bool tells;          /* it has records of what processes execute and map */
	uint64_t full_at;    /* where its head was when it last had no room for such a record, or 0; and when that was, ns */
	uint64_t full_until;
	bool peeked;         /* TIME and LENGTH are those of the record at TAIL, not of the one before it */
	uint32_t length;     /* of the next record */
	/* Records that prof copied out of the ring, because it was filling up: those before position KEPT, if that is behind the
	 * tail. */
	uint8_t *aside;
	uint64_t aside_size, kept;
	int fd;              /* of the event that owns it: for poll and for redirecting others into it */
	int32_t cpu;
};

#define RING_EMPTY UINT64_MAX

struct rings {
	struct ring *ring;
	uint32_t n, cap;
	uint32_t at;         /* the ring being read */
	uint64_t until;      /* the time of the next record in another ring */
	uint64_t limit;      /* records after this time wait for the next round */
	uint32_t samples;    /* so many, the first ones, hold samples; 0: all do */
	uint64_t fullest;    /* percent in use of the fullest of these when this round began */
	bool relieves;       /* the reader may have to wait for a CPU: prof relieves rings while it is busy */
	bool scarce;         /* in this round some ring got more samples than it has room for itself */
	uint32_t read;       /* records */
	size_t asides;       /* bytes that prof may keep beside rings */
	struct ring *held;   /* a record of this ring is in use, at its place in the ring */
	void *copy;          /* the copy of the ring that the record lay in, while prof still works on it there, or NULL; and its size */
	size_t copy_size;
	uint64_t lost_until; /* up to this time a ring may have lost a record of what processes execute and map, as far as is known; or 0 */
	uint64_t broken;     /* times prof gave up a ring to its head because a record's length made no sense */
	_Alignas(8) uint8_t scratch[1 << 16];   /* a record that wraps is put together here */
	_Alignas(8) uint8_t ahead[4096 + 256];  /* a copy of a mapping's record: a path, and what else it has */
};

/* Maps the ring of event FD, of BYTES (a power of two and of pages); the descriptor becomes the ring's.  False with errno. */
bool rings_add(struct rings *, int fd, int32_t cpu, size_t bytes);
/* Takes a ring that is already mapped: its page, and the BYTES behind that.  The ring owns MAPPING and the descriptor from
 * now on. */
bool rings_take(struct rings *, void *mapping, int fd, int32_t cpu, size_t bytes);
/* Leaves only the first N. */
void rings_drop(struct rings *, uint32_t n);
void rings_close(struct rings *);

/* Copies records out of rings that fill up, if RELIEVES. Call it where the reader may have to wait. */
void rings_relieve(struct rings *);
/* Copies records out of all rings, in a signal handler that interrupts the work on a record.  That record stays where it is.  Gives
 * SCARCE. */
bool rings_save(struct rings *);
/* Begins a round: what is in the rings now, up to time LIMIT. */
void rings_start(struct rings *, uint64_t limit);
/* The next record in time, alive until the next call; false at the end of the round. */
bool rings_next(struct rings *, struct cursor *record);
/* The next record of that TYPE, PERF_RECORD_MMAP2 or another one, in a ring without samples, that neither this nor rings_next has given
 * yet: a copy, alive until the next call.  Rings and rounds stay as they are.  False if there is none now. */
bool rings_ahead(struct rings *, uint32_t type, struct cursor *record);

#endif

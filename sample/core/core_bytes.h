/* The bytes of a core file.  prof reads a pipe once, from its beginning to its end: what prof does not keep then is gone. */
#ifndef SAMPLE_CORE_CORE_BYTES_H
#define SAMPLE_CORE_CORE_BYTES_H

#include "lib/cursor.h"
#include "lib/mem.h"

enum { CORE_HEAD_MOST = 64 << 20 };

/* [LO, HI) of the file. */
struct core_piece {
	uint64_t lo, hi;
	uint8_t *bytes;
};

struct core_bytes {
	int fd;
	bool piped, ended;
	uint64_t size;             /* of a file; UINT64_MAX: not known */
	uint64_t at;               /* how far prof has read a pipe */
	uint8_t *head;             /* its beginning */
	uint32_t nhead, cap_head;
	struct core_piece *piece;  /* the pieces that prof kept of a pipe, in order */
	uint32_t npiece, cap_piece;
	struct arena arena;
	uint64_t kept;             /* bytes in them */
	uint8_t *buffer;           /* core_bytes_some's */
	uint32_t cap_buffer;
};

void core_bytes_open(struct core_bytes *, int fd);
void core_bytes_close(struct core_bytes *);
/* The N bytes at OFF, or as many as there are.  A pipe has them only at its beginning, together with all before.  Valid until
 * the next question. */
struct cursor core_bytes_some(struct core_bytes *, uint64_t off, uint64_t n);
/* Keeps [LO, HI) of a pipe, if prof has not read it yet, as long as no more than MOST bytes are kept in all.  False if the pipe
 * ends before HI. */
bool core_bytes_keep(struct core_bytes *, uint64_t lo, uint64_t hi, uint64_t most);
/* Reads to the pipe's end. */
void core_bytes_drain(struct core_bytes *);
/* Copies up to N bytes at OFF; how many there are. */
size_t core_bytes_read(const struct core_bytes *, uint64_t off, void *to, size_t n);

#endif

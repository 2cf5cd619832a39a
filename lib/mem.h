/* Memory: arenas for what lives as long as its owner, vectors for what grows.
 * All of it counts against one cap; at the cap an allocation gives NULL, and the caller goes on with
 * what it has.  Nothing outside lib/ calls malloc or free. */
#ifndef LIB_MEM_H
#define LIB_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena {
	struct arena_chunk *chunk;   /* all zero is an empty arena */
};

/* The cap on all memory from here on, in bytes, and what is in use. */
void mem_cap(size_t bytes);
size_t mem_used(void);
/* Keeps so many BYTES free in the process's address space, for the last work; 0 ends that. */
void mem_reserve(size_t bytes);
/* Keeps up to so many BYTES of very large vectors that end for others, beside what is in use. */
void mem_spare(size_t bytes);
/* A lower cap for a time, SIZE_MAX for none (see work.h); and whether memory reached it since. */
void mem_bound(size_t bytes);
bool mem_bounded(void);

/* N zeroed bytes, aligned for any type, that live until arena_free; NULL at the cap. */
void *arena_alloc(struct arena *, size_t n);
/* A copy of the N bytes at S with a NUL behind; NULL at the cap. */
char *arena_str(struct arena *, const char *s, size_t n);
void arena_free(struct arena *);

/* Makes room for NEED items of SIZE bytes at *(T **)VEC; *CAP is the capacity in items.  The vector grows by half at least (a
 * large one by an eighth), and new items are zero.  False at the cap; then nothing has changed. */
bool vec_room(void *vec, uint32_t *cap, uint64_t need, size_t size);
/* Gives the vector back; *VEC becomes NULL and *CAP 0. */
void vec_free(void *vec, uint32_t *cap, size_t size);

#endif

/* A core file: the threads of a process that has died, what it had mapped, and its memory (System V gABI, ch. 5; core(5)). */
#ifndef SAMPLE_CORE_CORE_H
#define SAMPLE_CORE_CORE_H

#include "core_bytes.h"
#include "lib/mem.h"

enum { CORE_WORDS = 40 };

struct core_thread {
	int32_t tid;
	uint8_t nword;
	uint64_t word[CORE_WORDS]; /* NT_PRSTATUS's registers, in its order */
};

/* A part of a file that was mapped. */
struct core_map {
	uint64_t lo, hi, off;      /* OFF: in the file */
	const char *path;
};

struct core {
	struct arena arena;
	struct core_bytes bytes;
	bool is64, cut;            /* CUT: the file ends before what it says it has */
	uint16_t machine;          /* e_machine */
	int32_t pid;
	char comm[16], args[80];
	int32_t signal, code;      /* 0: not known */
	bool faulted;              /* FAULT is the address that the thread could not reach */
	uint64_t fault;
	uint64_t vdso, entry, execfn;   /* from its auxiliary vector: where these are, or 0 */
	struct core_thread *thread;/* the first one had the signal */
	uint32_t nthread, cap_thread;
	struct core_map *map;      /* sorted by address */
	uint32_t nmap, cap_map;
	uint8_t *stack;            /* core_stack's */
	uint32_t cap_stack;
	struct core_load {         /* sorted by address */
		uint64_t lo, hi, off, size;   /* SIZE bytes of it at OFF in the file */
		bool exec;
	} *load;
	uint32_t nload, cap_load;
	struct core_load *note;    /* where notes are */
	uint32_t nnote, cap_note;
};

/* Takes the core file behind FD, which may be a pipe: then prof keeps only what unwinding needs.  SP says where a thread's
 * stack pointer is, NULL for none (machines that are not known).  NULL if all is well, else what is wrong, in words. */
const char *core_open(struct core *, int fd, uint64_t (*sp)(const struct core *, const struct core_thread *));
void core_close(struct core *);
/* Does what foreign_read does, with the core's memory. */
size_t core_read(const struct core *, uint64_t addr, void *to, size_t n);
/* The thread's stack from SP on, at most MOST bytes of it, *N of them; valid until the next question.  NULL for none. */
const uint8_t *core_stack(struct core *, uint64_t sp, uint64_t most, uint64_t *n);
/* What is loaded at ADDR, or NULL; and the mapped file. */
const struct core_load *core_load_at(const struct core *, uint64_t addr);
const struct core_map *core_map_at(const struct core *, uint64_t addr);

#endif

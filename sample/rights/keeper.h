/* The keeper: a small process that keeps prof's rights, joined by a socket, while prof itself gives them up and reads what
 * others wrote.  It opens files for reading and events, hands the descriptors over, and reads no more of a file than
 * tells whether it is a program.  Without one, all of this is done by whoever asks. */
#ifndef SAMPLE_KEEPER_H
#define SAMPLE_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ask;
struct opener;
struct rings;

/* What the caller of keeper_start keeps to itself: answers ASK_CALLER with a descriptor in *FD (or -1) and up to SIZE
 * bytes of text; the text's length, or -1. */
struct keeper_also {
	long (*serve)(void *ctx, const struct ask *, int *fd, char *text, size_t size);
	void *ctx;
};

/* Forks the keeper off.  It knows the opener as of now.  From here on prof asks it; false with errno where there is none. */
bool keeper_start(struct opener *, const struct keeper_also *);
/* Ends the keeper, and waits for that: whoever would inherit it may not. */
void keeper_end(void);
/* Rings that fill up while prof waits for answers, or NULL for none. */
void keeper_rings(struct rings *);
/* Whether prof asks a keeper. */
bool keeper_on(void);

/* Descriptors, or -1 with errno. */
int keeper_file(int root, const char *path, bool link);
int keeper_event(uint32_t event, int32_t tid, int32_t cpu, uint32_t stack_size, bool user_chain);
/* Asks for one that keeper_event will be called for, after those that were asked for before; false where there are enough. */
bool keeper_ahead(uint32_t event, int32_t tid, int32_t cpu, uint32_t stack_size, bool user_chain);
int keeper_helper(void);
/* Up to N bytes of PID's memory; how many. */
size_t keeper_read(int32_t pid, uint64_t addr, void *to, size_t n);
/* As kbpf_names. */
size_t keeper_says(const char *addrs, char *text, size_t size);
/* As foreign_asleep. */
long keeper_asleep(int32_t pid, int32_t tid, char *text, size_t n);
void keeper_cgroup(void);
/* ns of CPU. */
uint64_t keeper_cpu(void);
/* ASK_CALLER: the text's length, or -1. */
long keeper_ask(uint32_t number, const char *path, int *fd, char *text, size_t size);

/* For the keeper and its helpers: whether PID is of those whom the capture may see.  Everybody is, to prof itself. */
bool keeper_may(int32_t pid);

#endif

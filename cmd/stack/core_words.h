/* What a core file says of a process's end, in words. */
#ifndef CMD_STACK_CORE_WORDS_H
#define CMD_STACK_CORE_WORDS_H

#include <stdint.h>

struct core;
struct sink;

/* "core of process 4711 (server): SIGSEGV at 0x10 (no memory there) in thread 4713". */
void core_words(struct sink *, const struct core *);
/* "SIGSEGV", or "". */
const char *core_signal(int32_t number);

#endif

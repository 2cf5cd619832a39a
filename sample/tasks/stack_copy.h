/* The stack of another thread, copied while it is stopped or sleeps. */
#ifndef SAMPLE_TASKS_STACK_COPY_H
#define SAMPLE_TASKS_STACK_COPY_H

#include <stddef.h>
#include <stdint.h>

/* Copies up to MOST bytes from SP on, up to the stack's end, or as far as it comes until END (ns; UINT64_MAX: no bound). */
size_t stack_copy(int32_t tid, uint64_t sp, uint8_t *to, size_t most, uint64_t end);

#endif

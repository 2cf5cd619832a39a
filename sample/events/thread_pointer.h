/* Where in the kernel's struct task_struct a thread's pointer to its own variables (TLS) is: on x86-64, its fs base. */
#ifndef SAMPLE_EVENTS_THREAD_POINTER_H
#define SAMPLE_EVENTS_THREAD_POINTER_H

#include <stdint.h>

/* Bytes; 0: not known.  The kernel keeps the pointer there from the thread's first instruction on. */
int16_t thread_pointer_at(void);

#endif

/* Names of the kernel's functions, for somebody who has misspelt one. */
#ifndef SAMPLE_EVENTS_KERNEL_FUNCTION_H
#define SAMPLE_EVENTS_KERNEL_FUNCTION_H

#include <stddef.h>

/* The function that is nearest to NAME ("+8" may follow) into NEAR; empty: there is none, or NAME is one. */
void kernel_function_near(const char *name, char *near, size_t size);

#endif

/* Numbers in text. */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a number at *P, and moves *P past it; false if there is no number, or if it does not fit. */
bool text_hex(const char **p, uint64_t *v);
bool text_dec(const char **p, uint64_t *v);
/* A decimal number with a fraction, times ten to the PLACES; it drops finer digits. */
bool text_decimal(const char **p, unsigned places, uint64_t *v);

#endif

/* Numbers in text, and the nouns behind them. */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a number at *P, and moves *P past it; false if there is no number, or if it does not fit. */
bool text_hex(const char **p, uint64_t *v);
bool text_dec(const char **p, uint64_t *v);
/* A decimal number with a fraction, times ten to the PLACES; it drops finer digits. */
bool text_decimal(const char **p, unsigned places, uint64_t *v);

/* What a noun ends with behind the number N. */
static inline const char *
plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif

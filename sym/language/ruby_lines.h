/* Lines of a Ruby function. */
#ifndef SYM_LANGUAGE_RUBY_LINES_H
#define SYM_LANGUAGE_RUBY_LINES_H

#include "language.h"

/* Bytes of the table of instructions of a function of SIZE words; 0: it is too long. */
uint32_t ruby_lines_positions(uint32_t size);
/* Turns that table, and N entries with a line each, into a list of places and lines for ruby_line.  TO has room for N.  Returns its
 * length in bytes. */
uint32_t ruby_lines(const uint8_t *positions, uint32_t size, const uint8_t *entries, uint32_t n, uint8_t *to);
/* The line of the instruction at word AT; 0: none. */
uint32_t ruby_line(const struct language_function *, uint32_t at);

enum { RUBY_LINES_ENTRY = 12, RUBY_LINES_ITEM = 8 };

#endif

/* Line tables of code objects. */
#ifndef SYM_LANGUAGE_PYTHON_LINES_H
#define SYM_LANGUAGE_PYTHON_LINES_H

#include "language.h"

enum { PYTHON_LNOTAB, PYTHON_LINETABLE, PYTHON_LOCATIONS };   /* 3.8, 3.10, 3.11 */

/* The line of the instruction at byte AT; 0: none. */
uint32_t python_line(const struct language_function *, uint32_t at);

#endif

/* Which functions of V8 only lead from one JavaScript function to the next. */
#ifndef SYM_LANGUAGE_V8_GLUE_H
#define SYM_LANGUAGE_V8_GLUE_H

#include "language.h"

bool v8_glue(const char *symbol);
bool v8_glue_nameless(const struct module *);

#endif

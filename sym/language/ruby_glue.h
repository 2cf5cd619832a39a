/* Functions of the interpreter that only lead from one Ruby function to the next. */
#ifndef SYM_LANGUAGE_RUBY_GLUE_H
#define SYM_LANGUAGE_RUBY_GLUE_H

#include "sym/module/module.h"

bool ruby_glue(const char *symbol);
/* Whether the module is an interpreter's file: what has no name there is no part of the user's program. */
bool ruby_glue_nameless(const struct module *);

#endif

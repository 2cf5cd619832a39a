/* Functions of the interpreter that only lead from one Python function to the next. */
#ifndef SYM_LANGUAGE_PYTHON_GLUE_H
#define SYM_LANGUAGE_PYTHON_GLUE_H

#include "sym/module/module.h"

bool python_glue(const char *symbol);
/* Whether the module is an interpreter's file: there, what has no name is no part of the user's program. */
bool python_glue_nameless(const struct module *);

#endif

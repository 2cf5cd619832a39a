/* Functions of the interpreter that only lead from one PHP function to the next. */
#ifndef SYM_LANGUAGE_PHP_GLUE_H
#define SYM_LANGUAGE_PHP_GLUE_H

#include "sym/module/module.h"

bool php_glue(const char *symbol);
bool php_glue_nameless(const struct module *);

#endif

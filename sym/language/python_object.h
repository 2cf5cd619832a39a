/* Objects of a Python process: texts, and attributes of instances. */
#ifndef SYM_LANGUAGE_PYTHON_OBJECT_H
#define SYM_LANGUAGE_PYTHON_OBJECT_H

#include "look.h"
#include "python_image.h"

enum { PYTHON_TEXT_MOST = 1000 };

/* A str object as UTF-8; false if it is none, is empty, or is longer than a quarter of PYTHON_TEXT_MOST. */
bool python_object_text(const struct python_image *, struct look *, uint64_t addr, char to[PYTHON_TEXT_MOST]);
/* The attribute of that name of an instance of a class; 0 if it has none, or the version is not one whose instances prof knows. */
uint64_t python_object_attribute(const struct python_image *, struct look *, uint64_t addr, const char *name);
/* The value of that name in a dict, if it is among the first 64; 0 if not. */
uint64_t python_object_in_dict(const struct python_image *, struct look *, uint64_t dict, const char *name);

#endif

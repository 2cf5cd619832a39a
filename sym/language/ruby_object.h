/* Objects of a Ruby process: strings, arrays, classes, and the names of identifiers. */
#ifndef SYM_LANGUAGE_RUBY_OBJECT_H
#define SYM_LANGUAGE_RUBY_OBJECT_H

#include "look.h"
#include "ruby_image.h"

enum { RUBY_TEXT_MOST = 1000, RUBY_TRIES_MOST = 8 };

/* Kinds of objects, and of those that only the interpreter uses. */
enum { RUBY_CLASS = 2, RUBY_MODULE = 3, RUBY_STRING = 5, RUBY_ARRAY = 7, RUBY_HASH = 8, RUBY_INTERNAL = 26, RUBY_KINDS = 31 };
enum { RUBY_SVAR = 2, RUBY_METHOD = 6, RUBY_ISEQ = 7 };

/* Identifiers of a process. */
struct ruby_ids {
	const struct ruby_image *image;
	uint64_t bias;
	uint64_t symbols;          /* their table, or 0; */
	unsigned tries;            /* how often prof has looked for it */
	uint64_t classpath, attached;   /* instance variables of classes, once known */
};

/* The kind of the object at ADDR, of internal objects RUBY_KINDS + 1 and more; 0 if there is none. */
unsigned ruby_kind(struct look *, uint64_t addr);
#define RUBY_OF_INTERNAL(kind) (RUBY_KINDS + 1 + (kind))
/* A string's bytes; false if it is none, is empty or too long. */
bool ruby_text(const struct ruby_image *, struct look *, uint64_t addr, char to[RUBY_TEXT_MOST]);
/* Element I of an array; 0 if it has none. */
uint64_t ruby_element(const struct ruby_image *, struct look *, uint64_t addr, uint64_t i);
/* The name of an identifier. */
bool ruby_id_text(struct ruby_ids *, struct look *, uint64_t id, char to[RUBY_TEXT_MOST]);
/* "Class#" for a class, "Class." for the methods of the class itself; false if it has no name. */
bool ruby_class_text(struct ruby_ids *, struct look *, uint64_t addr, char to[RUBY_TEXT_MOST]);

#endif

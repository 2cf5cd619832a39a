/* Functions of a Ruby process: its own (iseqs), and those in C that it calls (method entries).  prof reads each once, and looks at it
 * again now and then. */
#ifndef SYM_LANGUAGE_RUBY_CODE_H
#define SYM_LANGUAGE_RUBY_CODE_H

#include "lib/index.h"
#include "languages.h"
#include "ruby_object.h"

struct ruby_code {
	uint64_t addr;
	uint64_t seen[4];          /* words by which prof recognizes it */
	uint64_t words, size;      /* its instructions, and how many words they are; 0: it is in C */
	uint64_t looked;           /* ns: when prof looked at all of it last, */
	uint64_t same;             /* and the moment at which its body was still the same */
	uint32_t code;             /* of place 0 */
	uint32_t tries;            /* how often prof has not found a method's class, */
	uint64_t tried;            /* and when last, ns */
};

struct ruby_codes {
	struct languages *languages;
	struct ruby_ids ids;
	struct ruby_code *code;
	uint32_t n, cap;
	struct index index;
	uint32_t grants;           /* functions for which prof may read more than a sample may */
};

void ruby_codes_free(struct ruby_codes *);
/* The function at ADDR, an iseq or a method entry; NULL if there is none.  EP is the frame's environment, by which prof finds the class
 * of a function that it does not know yet. */
const struct ruby_code *ruby_code_at(struct ruby_codes *, struct look *, uint64_t addr, uint64_t ep);

#endif

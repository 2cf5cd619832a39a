/* Functions of a V8 process (SharedFunctionInfo).  prof reads each once, and looks at it again now and then.  A room keeps those that
 * were met lately, of all processes. */
#ifndef SYM_LANGUAGE_V8_CODE_H
#define SYM_LANGUAGE_V8_CODE_H

#include "languages.h"
#include "v8_lines.h"

enum { V8_FUNCTIONS = 2048, V8_NAME = 0, V8_SCRIPT = 1 };

/* Which function an object of V8's is. */
struct v8_function {
	const void *process;
	uint64_t addr;
	uint64_t seen[2];          /* its name and its script, by which prof recognizes it (V8_NAME, V8_SCRIPT) */
	uint64_t looked;           /* ns */
	uint32_t code;             /* of place 0 */
	bool native;               /* V8's own: it has no script, and maybe no name (CODE_UNKNOWN) */
};

struct v8_codes {
	struct languages *languages;
	struct v8_lines lines;
	struct v8_function function[V8_FUNCTIONS];
	char name[V8_TEXT_MOST], file[V8_TEXT_MOST], whole[2 * V8_TEXT_MOST];
};

/* The function of SHARED in a process; NULL if there is none. */
const struct v8_function *v8_function_at(struct v8_codes *, const struct v8_image *, struct look *, const void *process, uint64_t shared);
/* The line of a place in SCRIPT's source; 0: not known.  A large source may need several samples: then *AGAIN. */
uint32_t v8_code_line(struct v8_codes *, const struct v8_image *, struct look *, const void *process, uint64_t script, uint32_t at, bool *again);

#endif

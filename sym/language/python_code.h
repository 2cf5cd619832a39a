/* Code objects of a Python process: prof reads each once, and looks at it again now and then. */
#ifndef SYM_LANGUAGE_PYTHON_CODE_H
#define SYM_LANGUAGE_PYTHON_CODE_H

#include "lib/index.h"
#include "lib/sort.h"
#include "languages.h"
#include "look.h"
#include "python_image.h"

struct python_code {
	uint64_t addr;             /* of the object; of the body of a module: 1 behind the module's dict */
	uint64_t globals;          /* of the frame that ran it last */
	uint64_t bytes, size;      /* its instructions */
	uint64_t seen[4];          /* pointers in it, by which prof recognizes it */
	uint64_t looked;           /* ns: when prof looked at them last */
	uint32_t code;             /* of place 0; CODE_UNKNOWN: there is no code object */
};

struct python_codes {
	const struct python_image *image;
	struct languages *languages;
	uint64_t type;             /* of code objects, once known */
	struct python_code *code;
	uint32_t n, cap;
	struct index index;
	struct item *by_bytes;     /* of the objects that were known when the list was made */
	uint32_t sorted, cap_by_bytes;
};

void python_codes_free(struct python_codes *);
/* The code object at ADDR, of a frame with these GLOBALS; NULL if there is none. */
const struct python_code *python_code_at(struct python_codes *, struct look *, uint64_t addr, uint64_t globals);
/* The body of the module whose dict is at GLOBALS, by its __file__, without places: Python frees its code when it has run.  Its code is
 * CODE_UNKNOWN if the file is not a source; NULL: prof cannot read the dict. */
const struct python_code *python_code_body(struct python_codes *, struct look *, uint64_t globals);

/* The code that the evaluator runs, by the registers, and the place in it; NULL: they point to no known instructions, or to those
 * of two codes. */
const struct python_code *python_code_by_registers(struct python_codes *, const struct moment *, uint32_t *place);

#endif

/* V8 (Node.js) in a file: where the members of its objects are, and the numbers of its types.  The file tells them itself, by variables
 * that V8 has for debuggers: v8dbg_*. */
#ifndef SYM_LANGUAGE_V8_IMAGE_H
#define SYM_LANGUAGE_V8_IMAGE_H

#include "language.h"

/* Types of objects, and offsets of members from an object's address.  BYTES: a function's bytecode. */
enum v8_constant {
	V8_TAGGED_SIZE, V8_SMI_SHIFT, V8_FUNCTION_REGISTER, V8_CONTEXT_REGISTER,
	V8_TYPE_FUNCTION, V8_TYPE_FUNCTION_LAST, V8_TYPE_SHARED, V8_TYPE_SCRIPT, V8_TYPE_SCOPE, V8_TYPE_BYTES, V8_TYPE_ODDBALL,
	V8_FUNCTION_SHARED, V8_SHARED_NAME, V8_SHARED_SCRIPT, V8_SCRIPT_NAME, V8_SCRIPT_SOURCE, V8_SCRIPT_ENDS,
	V8_SCOPE_FIRST, V8_BYTES_DATA,
	V8_NEEDED,
	/* Those that not all versions have, or tell.  Where the instructions begin: in the object in front of them, and in the code
	 * (0: that is this object); DATA: what the code was made from.  VECTOR: what V8 has seen a function do. */
	V8_OFFSET_REGISTER = V8_NEEDED, V8_BYTES_WRAPPER, V8_TYPE_VECTOR, V8_TYPE_WEAK_LIST, V8_TYPE_WEAK_ARRAY,
	V8_TYPE_CODE, V8_STREAM_START, V8_CODE_START, V8_CODE_SIZE, V8_CODE_DATA, V8_DEOPT_SHARED, V8_DEOPT_LITERALS, V8_DEOPT_INLINED,
	V8_CONSTANTS
};

struct v8_image {
	struct modules *modules;
	int32_t at[V8_CONSTANTS];
	uint8_t major;             /* V8's version */
	uint8_t function, context; /* the registers that have them when a function is called: DWARF's numbers */
	uint8_t root;              /* the register of V8's own data, */
	uint8_t offset;            /* and that of a function's bytecode while it is interpreted: where it stands */
	uint8_t size[3][256];      /* of each bytecode, with operands of 1, 2 and 4 bytes; 0: not known */
};

/* NULL if M is not V8, or of a version that prof does not know. */
void *v8_image_find(struct modules *, struct module *m);

#endif

/* CPython in a file: the place of its state, and the offsets of its structs' members. */
#ifndef SYM_LANGUAGE_PYTHON_IMAGE_H
#define SYM_LANGUAGE_PYTHON_IMAGE_H

#include "language.h"

/* Offsets; T: PyThreadState, F: a frame, CO: a code object.  3.8 to 3.10 have frame objects; in 3.11 and 3.12 a struct on the C
 * stack (CFRAME) leads to the frame. */
enum python_member {
	PY_HEAD, PY_INTERPRETER_NEXT, PY_THREADS, PY_T_NEXT, PY_T_NATIVE_ID, PY_T_ID, PY_T_FRAME, PY_CFRAME_FRAME, PY_CFRAME_PREVIOUS,
	PY_F_PREVIOUS, PY_F_CODE, PY_F_INSTR, PY_F_OWNER, PY_CO_FILE, PY_CO_NAME, PY_CO_TABLE, PY_CO_LINE, PY_CO_CODE,
	PY_TYPE, PY_TYPE_NAME, PY_SIZE, PY_BYTES, PY_STR_LENGTH, PY_STR_STATE, PY_STR_ASCII,
	PY_F_LOCALS, PY_TYPE_KEYS, PY_I_GIL, PY_GIL_STATE, PY_GIL_LOCKED, PY_GIL_HOLDER,
	PY_MEMBERS
};

struct python_image {
	uint64_t runtime, runtime_size;  /* _PyRuntime, as linked */
	uint64_t eval_lo, eval_hi;       /* _PyEval_EvalFrameDefault */
	uint32_t at[PY_MEMBERS];
	uint32_t globals, locals;        /* of a frame */
	uint8_t minor;                   /* of version 3 */
	bool free_threaded;
	bool handlers;                   /* each instruction is a function that jumps to the next one */
};

/* NULL if M is not CPython, or of a version that prof does not know. */
void *python_image_find(struct modules *, struct module *m);

#endif

/* A function's instructions: objdump disassembles them if there is one, else they are bytes. */
#ifndef CMD_ANNOTATE_ANNOTATE_CODE_H
#define CMD_ANNOTATE_ANNOTATE_CODE_H

#include "out/report/annotate.h"
#include "sym/module/module.h"

struct code_reading {
	struct annotation *a;
	struct modules *modules;
	struct module *const *module;   /* one for each of the profile's mappings, or NULL */
	struct arena *arena;
	const char *objdump;       /* the disassembler; NULL: those on PATH */
};

/* Fills A's instructions, for all its places.  *ASIDE becomes a remark about them, or NULL. False at the memory cap. */
bool code_read(struct code_reading *, const char **aside);

#endif

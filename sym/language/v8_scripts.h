/* Functions of a V8 process by what they run.  V8 keeps a list of all scripts, and each script a list of its functions: so prof finds a
 * function without the object that ran it, which the collector may have moved. */
#ifndef SYM_LANGUAGE_V8_SCRIPTS_H
#define SYM_LANGUAGE_V8_SCRIPTS_H

#include "languages.h"
#include "v8_table.h"

enum { V8_SCRIPT_PROCESSES = 16, V8_SCRIPT_FUNCTIONS = 1 << 14, V8_SCRIPT_READS = 1 << 12 /* of a search */ };

/* A room's. */
struct v8_scripts {
	struct v8_script_list {
		const void *process;
		uint64_t at;               /* the word that points to the list of scripts; 0: not known */
		uint64_t next;             /* ns: when prof may search again */
		uint32_t vain;             /* searches that found nothing, since one that did */
	} list[V8_SCRIPT_PROCESSES];
	/* Functions that a search has met, by what they run. */
	struct v8_script_function {
		const void *process;
		uint64_t runs, shared;
	} function[V8_SCRIPT_FUNCTIONS];
	struct v8_table table;
};

/* The function that runs that bytecode or CODE, as far as it is known now; 0: none.  ROOT: what V8's own register has, 0: not known. */
uint64_t v8_scripts_function(struct v8_scripts *, const struct v8_image *, struct languages *, struct look *, const void *process, uint64_t root,
                             uint64_t bytes, uint64_t code);

#endif

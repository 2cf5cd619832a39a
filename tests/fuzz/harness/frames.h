/* What must hold of a language's frames, whatever the process's memory says: each is a known code with a name, and they go outwards. */
#ifndef FUZZ_FRAMES_H
#define FUZZ_FRAMES_H

#include <stdlib.h>

#include "sym/language/languages.h"

static void
check_frames(const struct modules *modules, const struct codes *codes, const struct language_stack *to)
{
	for (uint32_t i = 0; i < to->n; i++) {
		const struct code *c = &codes->code[to->frame[i].code];
		const struct language_function *f;
		uint32_t line = 0;

		if (to->frame[i].code >= codes->n || (i && to->frame[i].entry < to->frame[i - 1].entry))
			abort();
		if (modules->module[c->module]->kind != MODULE_LANGUAGE)
			continue;
		f = language_function(modules->module[c->module], c->vaddr, &line);
		if (!f || !*f->name)
			abort();
	}
}

#endif

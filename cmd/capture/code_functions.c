/* See sites.h. */
#include "code_functions.h"

static enum function_kind
kind_of(enum name_kind kind)
{
	switch (kind) {
	case NAME_KERNEL:
		return FUNCTION_KERNEL;
	case NAME_JIT:
		return FUNCTION_JIT;
	case NAME_MARK:
		return FUNCTION_MARK;
	case NAME_INLINED:
		return FUNCTION_INLINED;
	case NAME_USER:
		break;
	}
	return FUNCTION_USER;
}

/* Names stay where they are: most often it is the one that was asked for last. */
static uint32_t
function_number(struct profile *p, const struct function *f)
{
	const struct function *last = &p->again;

	if (!p->again_number || f->name != last->name || f->module != last->module || f->file != last->file || f->line != last->line ||
	    f->kind != last->kind) {
		p->again = *f;
		p->again_number = profile_function(p, f) + 1;
	}
	return p->again_number - 1;
}

unsigned
sites_of(struct names *names, const struct code *code, struct profile *p, struct site *site, unsigned max)
{
	struct name name[NAME_MAX_INLINE];
	unsigned n = name_code(names, code, name, max < NAME_MAX_INLINE ? max : NAME_MAX_INLINE);

	for (unsigned i = 0; i < n; i++) {
		const struct function f = { name[i].function, name[i].module, p->lines ? name[i].file : name[i].declared,
			                    p->lines ? name[i].line : name[i].begins, kind_of(name[i].kind) };

		site[i] = (struct site){ function_number(p, &f), name[i].line };
	}
	return n;
}

/* See code_functions.h. */
#include "code_functions.h"
#include "out/profile/profile_names.h"

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
	case NAME_LANGUAGE:
		break;
	}
	return FUNCTION_USER;
}

/* Names do not move, and most often it is the name of the last question. */
static uint32_t
function_number(struct code_functions *c, const struct function *f)
{
	const struct function *last = &c->last;

	if (!c->number || f->name != last->name || f->module != last->module || f->file != last->file || f->line != last->line ||
	    f->kind != last->kind) {
		c->last = *f;
		c->number = profile_function(c->profile, f) + 1;
	}
	return c->number - 1;
}

unsigned
code_functions(struct code_functions *c, const struct code *code, struct site *site, unsigned max)
{
	const struct profile *p = c->profile;
	struct name name[NAME_MAX_INLINE];
	unsigned n = name_code(c->names, code, name, max < NAME_MAX_INLINE ? max : NAME_MAX_INLINE);

	for (unsigned i = 0; i < n; i++) {
		const struct function f = { name[i].function, name[i].module, p->lines ? name[i].file : name[i].declared,
			                    p->lines ? name[i].line : name[i].begins, kind_of(name[i].kind) };

		site[i] = (struct site){ function_number(c, &f), name[i].line };
	}
	return n;
}

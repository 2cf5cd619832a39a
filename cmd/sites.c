/* See sites.h. */
#include "sites.h"

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

unsigned
sites_of(struct names *names, const struct code *code, struct profile *p, struct site *site, unsigned max)
{
	struct name name[NAME_MAX_INLINE];
	unsigned n = name_code(names, code, name, max < NAME_MAX_INLINE ? max : NAME_MAX_INLINE);

	for (unsigned i = 0; i < n; i++) {
		const struct function f = { name[i].function, name[i].module, p->lines ? name[i].file : name[i].declared,
			                    p->lines ? name[i].line : name[i].begins, kind_of(name[i].kind) };

		site[i] = (struct site){ profile_function(p, &f), name[i].line };
	}
	return n;
}

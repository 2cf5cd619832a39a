/* See examination.h. */
#include "examination.h"

struct finding *
examination_add(struct examination *e, const char *group, const char *key)
{
	struct finding *f = &e->finding[e->n < FINDINGS_MAX - 1 ? e->n++ : e->n];

	*f = (struct finding){ .group = group, .key = key };
	return f;
}

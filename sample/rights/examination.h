/* What an examination found: what works, what does not and why, and facts. */
#ifndef SAMPLE_RIGHTS_EXAMINATION_H
#define SAMPLE_RIGHTS_EXAMINATION_H

#include <stdbool.h>
#include <stdint.h>

enum { FINDINGS_MAX = 64 };

enum finding_kind { FINDING_WORKS, FINDING_REFUSED, FINDING_FACT };

struct finding {
	const char *group, *key;   /* KEY: the name in --json; FACTS have no group (NULL) */
	enum finding_kind kind;
	bool number;               /* the fact is a number */
	char text[256];            /* a fact; or what blocks it; or how well it works, or "" */
	char mend[256];            /* "": there is none, or nothing needs it */
};

struct examination {
	int32_t pid;               /* the process that it is about; 0: the user's own commands */
	struct finding finding[FINDINGS_MAX];
	unsigned n;
	bool user, kernel, system, stop;   /* what can be sampled: its user side, its kernel's, all; what can be stopped and read */
};

/* Adds a finding: it works, until the caller says otherwise. */
struct finding *examination_add(struct examination *, const char *group, const char *key);

#endif

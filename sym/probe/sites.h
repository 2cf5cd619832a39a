/* The places of code that a probe's words mean, in one file: a function by its name, with an offset, by a glob; a line of
 * source; a USDT probe. */
#ifndef SYM_PROBE_SITES_H
#define SYM_PROBE_SITES_H

#include "sym/module/module.h"

struct call_frame;

enum { SITES_MAX = 4096, SITE_NAME = 120 };

struct site {
	uint64_t off;              /* of its first instruction, in the file */
	uint64_t semaphore;        /* the offset in the file of a counter that the kernel raises while the probe is on; 0: none */
	char name[SITE_NAME];      /* as it is shown; cut where it is longer */
	bool within;               /* it is not a function's first instruction, or prof does not know: there is no probe at its return */
	char args[SITE_NAME];      /* of a USDT probe: where its arguments lie; empty if there are none or they do not fit; else the variable */
};

struct sites {
	struct site *site;         /* a vector */
	uint32_t n, cap;
	uint32_t left_out;         /* beyond SITES_MAX */
	bool thumb, go;            /* the file has code on which no probe at a return is possible */
	char wrong[400];           /* why there is none */
	/* Where the instruction that holds VADDR begins, if the function begins at BEGIN (0: not known): a probe within an instruction would
	 * change what the program does.  NULL: nobody knows. */
	uint64_t (*instruction)(struct modules *, struct module *, uint64_t begin, uint64_t vaddr);
};

/* Adds what PLACE means: "func", "func+8", "f*", "file.c:12", "0x1234" (as linked).  If there is nothing, it returns false,
 * with WRONG in words. */
bool sites_code(struct sites *, struct modules *, struct module *, const char *place);
/* Adds the USDT probes that PROVIDER:NAME means (either may be a glob; provider "" is any). */
bool sites_usdt(struct sites *, struct module *, const char *provider, const char *name);
/* Finds VARIABLE at each place of code: ARGS is then where it lies, as variable.h writes it.  A place at a function's first
 * instruction moves behind the function's beginning if the variable is not there before. */
bool sites_variable(struct sites *, const struct call_frame *, const char *variable);
void sites_free(struct sites *);

#endif

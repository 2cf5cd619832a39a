/* How perf's recordings are to be read: what the command line says, and what prof opened before it gave up its rights. */
#ifndef CMD_CAPTURE_RECORDING_HOW_H
#define CMD_CAPTURE_RECORDING_HOW_H

#include "cmd/options/search_dirs.h"

struct collector;

struct recording_how {
	struct search_dirs dirs;
	const char *kallsyms;      /* --kallsyms, or NULL: it is KALLSYMS_FD then, or -1 */
	int kallsyms_fd, own_fd;   /* OWN_FD: /proc/kallsyms, or -1 */
	const struct modules *places;   /* where prof looks for files */
	const char *cache;         /* perf's, ~/.debug; or NULL */
	/* The kernel's names of this build-id, in hexadecimal, as perf keeps them; or -1. */
	int (*kept)(const struct recording_how *, const char *id);
	bool asked;                /* the keeper does that */
	bool outermost, mangled, brief, raw, lines;
	/* Takes what prof has read, with its modules, instead of the profile; or NULL.  False once it has said what is wrong. */
	bool (*use)(void *ctx, struct collector *);
	void *ctx;
};

#endif

/* A probe as the user writes it: its kind, its file, and the place in it. */
#ifndef SAMPLE_EVENTS_PROBE_H
#define SAMPLE_EVENTS_PROBE_H

#include "lib/mem.h"

enum probe_kind { PROBE_NONE, UPROBE, URETPROBE, KPROBE, KRETPROBE, USDT };

struct probe {
	enum probe_kind kind;
	const char *text;          /* all of it */
	const char *file;          /* as its process calls it; or a name without a slash; NULL: the kernel */
	const char *place;         /* function, function+8, file.c:12, 0x1234; of USDT: the probe's name */
	const char *provider;      /* of USDT; "" is any */
};

/* Whether TEXT begins as a probe does. */
bool probe_is(const char *text);
/* Reads it; strings go to the arena.  NULL, or what is wrong in words. */
const char *probe_parse(struct probe *, const char *text, struct arena *);
bool probe_returns(const struct probe *);   /* the probe is at a function's return */

#endif

/* What a command wants of its probes. */
#ifndef SAMPLE_PROBES_PROBE_WANTS_H
#define SAMPLE_PROBES_PROBE_WANTS_H

#include <stdbool.h>
#include <stdint.h>

struct module;
struct modules;

struct probe_wants {
	int32_t pid;               /* and COMMAND, as in probe_file.h */
	const char *command;
	bool returns;              /* probes at returns, too */
	const char *variable;      /* the place of this variable at each site, as sites.h tells it; or NULL */
	/* Tells what the user should know, though the sites were found; or NULL. */
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	bool (*frame)(struct modules *, struct module *, uint64_t pc, uint64_t *reg, int64_t *off);   /* for variables: see location.h */
	uint64_t (*instruction)(struct modules *, struct module *, uint64_t begin, uint64_t vaddr);   /* see sites.h */
};

#endif

/* What a perf.data file says of itself: its events, the machine, build-ids of files. */
#ifndef SAMPLE_PERFDATA_HEADER_H
#define SAMPLE_PERFDATA_HEADER_H

#include "lib/cursor.h"
#include "lib/index.h"
#include "lib/mem.h"
#include "source.h"

/* One of the file's events. */
struct recorded_event {
	const char *name;          /* NULL: not given */
	uint32_t type;
	uint64_t config, period;   /* PERIOD: in Hz where FREQ is set */
	uint64_t sample_type, read_format, branch_type, regs_user;
	bool freq, id_all;         /* other records end with what SAMPLE_TYPE says of the thread and the time */
};

struct recorded_build {
	const char *path;
	uint8_t id[20], len;
	bool kernel;               /* of the kernel, or of a kernel module */
};

struct header {
	struct arena arena;
	bool big;                  /* its byte order */
	bool pipe;                 /* events and the rest come as records among the data */
	uint64_t data, data_size;
	struct recorded_event *event;
	uint32_t events, events_cap;
	struct event_id { uint64_t id; uint32_t event; } *id;
	uint32_t ids, ids_cap;
	struct index by_id;
	struct recorded_build *build;
	uint32_t builds, builds_cap;
	struct index by_path;
	const char *host, *release, *version, *machine, *cpu, *command;   /* NULL: not known */
};

enum { HEADER_MAGIC = 8 };

/* Whether these bytes begin a perf.data file. */
bool header_is(const uint8_t *magic);
/* Reads what stands before the data, and the sections about the data behind it; the source then stands at the data.  NULL if
 * all is well, else what is wrong, in words. */
const char *header_read(struct header *, struct source *);
void header_free(struct header *);
/* Takes in a record among the data (of pipes). */
void header_attr(struct header *, struct cursor);
void header_update(struct header *, struct cursor);
void header_feature(struct header *, struct cursor);
void header_build(struct header *, struct cursor, uint16_t misc);
/* The event with that id; the first event if no event has it. */
uint32_t header_event(const struct header *, uint64_t id);
/* The build-id of a mapped file, or NULL. */
const struct recorded_build *header_build_of(const struct header *, const char *path);
/* The build-id of the kernel, which may stand there by its name in brackets, or by the path of the vmlinux that perf found; or NULL. */
const struct recorded_build *header_build_kernel(const struct header *);

#endif

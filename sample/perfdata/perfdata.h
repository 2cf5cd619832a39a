/* A recording of perf's: what the kernel's rings held, read as a session reads them. */
#ifndef SAMPLE_PERFDATA_PERFDATA_H
#define SAMPLE_PERFDATA_PERFDATA_H

#include "header.h"
#include "sample/events/sample.h"
#include "sample/tasks/process.h"

/* What prof found on the way. */
struct perfdata_counts {
	uint64_t samples, lost, throttled;
	uint64_t late;             /* records that came behind newer ones of theirs */
	uint64_t bad;              /* records that prof cannot read */
	const char *cut;           /* why prof did not read all of it, or NULL */
	uint64_t at;               /* where that is */
};

/* Code of the kernel, as the recording says: its own, or a kernel module's. */
struct kernel_map {
	uint64_t lo, hi;
	const char *path;          /* of a kernel module's file, or its name in brackets; NULL: the kernel's own */
	uint8_t build_id[20], build_id_len;
};

struct perfdata;

/* Reads what stands before the data; SOURCE and MODULES live on.  NULL, and why in words, if it is no recording. */
struct perfdata *perfdata_open(struct source *, struct modules *, const char **why);
const struct header *perfdata_header(const struct perfdata *);
struct processes *perfdata_processes(struct perfdata *);
/* Who gets the samples, in the order of time.  BEGIN comes before the kernel's first record: by then prof knows what the header
 * says. */
struct perfdata_taker {
	void (*begin)(void *ctx);
	void (*sample)(void *ctx, const struct sample *);
	void *ctx;
};
/* Reads some more; false at the end. */
bool perfdata_read(struct perfdata *, const struct perfdata_taker *);
/* MASK: the registers that samples should have, as in arch.sample of its machine; COMPAT: the same for its 32-bit tasks, or
 * 0. */
void perfdata_registers(struct perfdata *, uint64_t mask, uint64_t compat);
/* Where the kernel's code began, by the address of its symbol NAME; 0: the recording does not say. */
uint64_t perfdata_kernel_text(const struct perfdata *, const char **name);
/* What the kernel's code consists of, as far as prof has read. */
const struct kernel_map *perfdata_kernel_maps(const struct perfdata *, uint32_t *n);
void perfdata_counts(const struct perfdata *, struct perfdata_counts *);
/* How far prof has read: in parts of 1000, or -1 if nobody knows the end. */
int perfdata_done(const struct perfdata *);
void perfdata_free(struct perfdata *);

#endif

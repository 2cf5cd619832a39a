/* The names of the kernel that was recorded: where they come from, and how far its code had moved. */
#ifndef CMD_CAPTURE_RECORDED_KERNEL_H
#define CMD_CAPTURE_RECORDED_KERNEL_H

#include "cmd/capture/recording_how.h"
#include "sample/perfdata/perfdata.h"
#include "sample/perfdata/recorded_files.h"
#include "sym/kernel/kernel_file.h"
#include "sym/module/code.h"
#include "sym/name.h"

struct recorded_kernel {
	const struct recording_how *how;
	const struct recorded_files *files;
	const struct perfdata *data;
	struct modules *modules;
	struct names *names;
	struct kernel_file *file;  /* of NAMES */
	uint32_t file_cap;
	uint64_t lo, hi;           /* the kernel's own code, if it has moved */
	uint64_t moved;            /* how far above its names */
	uint64_t unpacked;         /* bytes of compressed modules */
	bool own;                  /* the names are those of the kernel that runs now */
};

/* Finds the names; all but FILE and what stands behind it is set.  HERE: the kernel that runs now was recorded.  False if there
 * are none. */
bool recorded_kernel_find(struct recorded_kernel *, bool here);
/* Reads the files of those kernel modules that have codes; call it when all samples are read. */
void recorded_kernel_modules(struct recorded_kernel *, const struct codes *);
void recorded_kernel_free(struct recorded_kernel *);

/* The address by which NAMES know the code that was at ADDR. */
static inline uint64_t
recorded_kernel_addr(const struct recorded_kernel *k, uint64_t addr)
{
	return addr - (addr >= k->lo && addr < k->hi ? k->moved : 0);
}

#endif

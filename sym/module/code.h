/* Addresses of code, interned: (module, address as linked) <-> a small number; stacks consist of these.  A return address
 * becomes the address of the call's last byte (one less), so that it lies in the caller. */
#ifndef SYM_MODULE_CODE_H
#define SYM_MODULE_CODE_H

#include "lib/tags.h"
#include "module.h"

/* The first codes are prof's own markers; their module is MODULE_MARK. */
enum {
	CODE_TRUNCATED,   /* the stack goes on, but could not be followed */
	CODE_ELIDED,      /* frames left out in the middle of a deep stack */
	CODE_KERNEL,      /* in the kernel, which hides its names or addresses */
	CODE_UNKNOWN,     /* an address in no known map */
	CODE_WAITING,     /* off the CPU; nothing else is known */
	CODE_BEFORE,      /* since before the capture */
	CODE_RUN_QUEUE,   /* the thread could have run, but had no CPU */
	CODE_THROTTLED,   /* the thread could have run, but its cgroup was throttled */
	CODE_RUNNING,     /* on a CPU; nothing else is known */
	CODE_WOKEN,       /* stands between the stack that waits and the one that woke it (innermost frame first) */
	CODE_INTERRUPT,   /* an interrupt woke it, not a thread */
	CODE_LOCK,        /* it waits for the lock that lets one thread at a time interpret */
	CODE_JIT,         /* code that a process made, which keeps nothing that tells its frames; the native frames beneath are certain */
	CODE_MARKS
};
#define CODE_WOKEN_NAME "--"

/* Every byte counts: there is one for each address that was sampled. */
struct __attribute__((packed, aligned(4))) code {
	uint64_t vaddr;
	uint32_t module;
};

struct codes {
	struct code *code;
	uint32_t n, cap;
	struct tags tags;
};

bool codes_init(struct codes *);
void codes_free(struct codes *);
/* Says that no more codes come: gives back the memory that only code_intern needs. */
void codes_settle(struct codes *);
/* The number of (MODULE, VADDR); CODE_UNKNOWN at the memory cap. */
uint32_t code_intern(struct codes *, uint32_t module, uint64_t vaddr);

#endif

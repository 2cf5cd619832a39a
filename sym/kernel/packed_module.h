/* Kernel modules whose files are compressed, as most distributions install them. */
#ifndef SYM_KERNEL_PACKED_MODULE_H
#define SYM_KERNEL_PACKED_MODULE_H

#include "sym/module/module.h"

/* Whether PATH is the name of such a file, and (unless HEAD is NULL) whether these N bytes can begin it. */
bool packed_module_is(const char *path, const uint8_t *head, size_t n);
/* What FD unpacks to; NULL if it is no such file, is broken, or would become too large.  UNPACKED: bytes of all of them, of which prof
 * takes no more than PACKED_ALL. */
struct module *packed_module(struct modules *, int fd, const char *path, uint64_t *unpacked);
enum { PACKED_ALL = 256 << 20 };

#endif

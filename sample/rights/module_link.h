/* Kernel modules of another kernel that this one takes as well: RHEL's weak-updates are links to them. */
#ifndef SAMPLE_RIGHTS_MODULE_LINK_H
#define SAMPLE_RIGHTS_MODULE_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* Where the link TEXT at PATH leads, into TO.  False unless both are packed modules below /lib/modules, by their names alone: the
 * caller opens TO as it would if the asker had named it, and follows no other link there. */
bool module_link(const char *path, const char *text, char *to, size_t size);

#endif

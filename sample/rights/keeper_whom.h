/* Which processes the keeper may open: those of the capture.  Which roots their files lie below. */
#ifndef SAMPLE_RIGHTS_KEEPER_WHOM_H
#define SAMPLE_RIGHTS_KEEPER_WHOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct modules;
struct opener;

/* Takes the processes of the capture as they are now.  The modules' roots are those that the command line names. */
void whom_choose(const struct opener *, const struct modules *);
/* Whether prof serves a caller who has fewer rights than it has. */
bool whom_lent(void);
/* Looks at process or thread PID: a descriptor of its directory in /proc, which stays open here, where it is of the capture; else -1
 * with errno. */
int whom_look(int32_t pid);
/* Whether the descriptor of whom_look still means the same process, and that process belongs to the capture: then all that
 * was done by its number was done to it.  Else errno is ESRCH. */
bool whom_still(int dir);
/* Both at once. */
bool whom_may(int32_t pid);

/* FD is the root of such a process, and is given away. */
void whom_root(int fd);
/* Whether FD is such a root, or a directory that the command line names; or, -1, whether prof's own root is one. */
bool whom_is_root(int fd);
bool whom_is_named(int fd);     /* the command line's alone */
/* Sets the ids of the targets' user; if the targets have several users, it leaves the ids as they are (nobody's). */
void whom_user(uid_t *, gid_t *);

#endif

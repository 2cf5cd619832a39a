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
/* Looks at process or thread PID.  If it belongs to the capture, returns a descriptor of its directory in /proc, which stays
 * open here; else -1 with errno. */
int whom_look(int32_t pid);
/* Whether the descriptor of whom_look still means the same process, and that process belongs to the capture: then all that the
 * keeper did by its number, it did to this process.  Else errno is ESRCH. */
bool whom_still(int dir);
/* Does the work of whom_look and whom_still at once. */
bool whom_may(int32_t pid);

/* Notes that FD is the root of such a process, and that prof gets it. */
void whom_root(int fd);
/* Whether FD is such a root, or a directory that the command line names; or, -1, whether prof's own root is one. */
bool whom_is_root(int fd);
bool whom_is_named(int fd);     /* only those of the command line */
/* Sets the ids of the targets' user; if the targets have several users, it leaves the ids as they are (nobody's). */
void whom_user(uid_t *, gid_t *);

#endif

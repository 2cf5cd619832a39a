/* Finds the /proc that has prof's own process numbers. */
#ifndef SAMPLE_TASKS_PROC_MOUNT_H
#define SAMPLE_TASKS_PROC_MOUNT_H

/* From now on prof reads about other processes below DIR, if that is a /proc of prof's own pid namespace.  NULL or what is
 * wrong. */
const char *proc_mount_use(const char *dir);
/* If /proc shows another pid namespace than prof's (after nsenter -p), another /proc takes its place, for prof alone.  NULL if
 * all is well, else what is wrong. */
const char *proc_mount_adapt(void);

#endif

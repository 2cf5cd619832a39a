/* Finds the /proc that has prof's own process numbers. */
#ifndef SAMPLE_TASKS_PROC_MOUNT_H
#define SAMPLE_TASKS_PROC_MOUNT_H

/* Reads of other processes below DIR from now on, if it is a /proc of prof's own pid namespace.  NULL or what is wrong. */
const char *proc_mount_use(const char *dir);
/* Where /proc is of another pid namespace than prof (nsenter -p leaves it so), another one takes its place, for prof alone.
 * NULL if all is well, else what is wrong. */
const char *proc_mount_adapt(void);

#endif

/* Asks Java's virtual machines for the names of the code that they have compiled: each writes /tmp/perf-PID.map, which prof reads as it
 * reads other such files.  A process of its own does it, forked before prof gives up its rights; it knows the targets from then on, and
 * nobody can tell it of others. */
#ifndef SAMPLE_RIGHTS_JVM_ATTACH_H
#define SAMPLE_RIGHTS_JVM_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

struct jvm_attach {
	int32_t pid;               /* 0: there is none */
	int socket;
};

enum jvm_answer {
	JVM_WROTE,
	JVM_NONE,                  /* the process is no such machine, or has ended */
	JVM_NOT_YOURS,             /* it is another user's, or hides from prof */
	JVM_DEAF,                  /* it may not be asked, or does not catch the signal that asks it to listen, which would end it */
	JVM_SILENT,                /* it did not open its socket, or did not answer in time */
	JVM_REFUSED,               /* it does not know the command: it is older than 17 */
	JVM_KERNEL,                /* the kernel is older than 5.6 */
	JVM_ANSWERS
};

/* How many processes gave which answer the last time. */
struct jvm_answers {
	uint32_t n[JVM_ANSWERS];
};

/* Begins; the targets are these processes and their descendants.  COMMAND: asks now and then from now on, because a command may end before
 * prof does.  False with errno. */
bool jvm_attach_start(struct jvm_attach *, const int32_t *pid, unsigned n, bool command);
/* Asks all that still live, and waits for what they say; false if that took too long, or somebody killed the process that asks. */
bool jvm_attach_end(struct jvm_attach *, struct jvm_answers *);

#endif

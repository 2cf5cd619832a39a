/* Rights given up for good by the process that reads what others wrote. */
#ifndef SAMPLE_RIGHTS_SANDBOX_H
#define SAMPLE_RIGHTS_SANDBOX_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

/* What holds. */
enum {
	LAYER_RIGHTS = 1,          /* no capabilities, and the caller's ids */
	LAYER_NO_NEW = 2,          /* nor can any be gained by executing something */
	LAYER_CALLS = 4,           /* a filter lets only those system calls through that remain */
	LAYER_FILES = 8,           /* Landlock: no file can be opened */
	LAYERS_ALL = 15,
};

/* Gives up the layers in WANTED as far as the kernel can; which hold.  There is no way back. */
unsigned sandbox_enter(unsigned wanted);
/* Which would hold here, tried by a child. */
unsigned sandbox_try(void);
/* The layers in words, into BUF, which it returns. */
const char *sandbox_words(unsigned layers, char *buf, size_t n);
/* What LAYERS lack that no capture does without, in words, or NULL: that is all but Landlock, which old kernels have not. */
const char *sandbox_lacks(unsigned layers);
/* Closes what prof inherited, but for what messages go to and what KEEP tells. */
void sandbox_close(bool (*keep)(void *ctx, int fd), void *ctx);
/* How many system calls the filter has refused, and the number of the last. */
unsigned sandbox_refused(int *last);

/* Root becomes UID, of no group but GID, as far as its user namespace has these; false where it stays what it was.  By the system calls alone: libc's functions
 * would bring along what tells other threads, of which there are none. */
bool sandbox_become(uint32_t uid, uint32_t gid);

/* Started set-user-id or with capabilities of its file: prof serves a caller who has fewer rights than it has. */
bool sandbox_lent(void);
/* Such a prof goes on with the caller's ids, and of its rights with those that profiling takes. */
void sandbox_borrow(void);
/* And does without these, where it reads files that its caller names. */
void sandbox_give_back(void);

#endif

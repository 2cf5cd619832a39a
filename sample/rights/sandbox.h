/* The process that reads what others wrote gives up its rights for good. */
#ifndef SAMPLE_RIGHTS_SANDBOX_H
#define SAMPLE_RIGHTS_SANDBOX_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

/* What holds. */
enum {
	LAYER_RIGHTS = 1,          /* no capabilities, and the caller's ids */
	LAYER_NO_NEW = 2,          /* and no program that it executes gains any */
	LAYER_CALLS = 4,           /* a filter lets only the system calls through that prof still needs */
	LAYER_FILES = 8,           /* Landlock: the process can open no file */
	LAYERS_ALL = 15,
};

/* Takes on the layers in WANTED as far as the kernel can; returns which hold.  There is no way back. */
unsigned sandbox_enter(unsigned wanted);
/* Which layers would hold here; a child tries them. */
unsigned sandbox_try(void);
/* The layers in words, into BUF, which it returns. */
const char *sandbox_words(unsigned layers, char *buf, size_t n);
/* Says which layer is missing in LAYERS although every capture needs it; NULL if none is.  Only Landlock may be missing,
 * because old kernels do not have it. */
const char *sandbox_lacks(unsigned layers);
/* Closes the descriptors that prof inherited, except the one for messages and those that KEEP accepts. */
void sandbox_close(bool (*keep)(void *ctx, int fd), void *ctx);
/* How many system calls the filter has refused, and the number of the last. */
unsigned sandbox_refused(int *last);

/* Makes root become UID with the one group GID, as far as its user namespace has these ids.  False if it stays root.  It uses
 * the raw system calls: libc's functions would also tell other threads, and prof has none. */
bool sandbox_become(uint32_t uid, uint32_t gid);
/* Gives up all capabilities, which root may have, too. */
bool sandbox_disarm(void);

/* Whether prof was started set-user-id, or with capabilities of its file: then its caller has fewer rights than prof. */
bool sandbox_lent(void);
/* Makes such a prof take the caller's ids, and keep only the rights that profiling needs. */
void sandbox_borrow(void);
/* Gives up these rights, too, before prof reads files that its caller names. */
void sandbox_give_back(void);

#endif

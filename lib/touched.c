/* See touched.h. */
#include "touched.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

enum { FILLS_MOST = 2 };

static bool (*fill_of[FILLS_MOST])(uintptr_t);

static void
on_sigsegv(int sig, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	int err = errno;

	(void)context;
	for (unsigned i = 0; i < FILLS_MOST && fill_of[i]; i++)
		if (fill_of[i](at)) {
			errno = err;
			return;
		}
	signal(sig, SIG_DFL);
}

bool
touched_zeros(uintptr_t at)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	work_stop("needs more memory to read than is free");
	return mmap((void *)(at & ~(page - 1)), page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* The function that fills pages may touch others that somebody else fills. */
bool
touched_fill(bool (*fill)(uintptr_t at))
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO | SA_NODEFER };
	unsigned i = 0;

	while (i < FILLS_MOST && fill_of[i] && fill_of[i] != fill)
		i++;
	if (i == FILLS_MOST)
		return false;
	fill_of[i] = fill;
	sa.sa_sigaction = on_sigsegv;
	return !sigaction(SIGSEGV, &sa, NULL);
}

/* See thread_registers.h.  PTRACE_GETREGSET, ptrace(2). */
#include "thread_registers.h"

#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "sample/events/capture.h"
#include "sample/events/perf.h"
#include "sample/events/open_event.h"

/* Bytes of NT_PRSTATUS that a 64-bit task has at least. */
enum { COMPAT_LESS = 128 };
/* aarch64's scalable vectors: two words are before their length in bytes. */
enum { SVE = 0x405, SVE_LENGTH = 4, GRANULE = 8 };

static bool
get(int32_t tid, uintptr_t which, struct iovec *io)
{
	return ptrace(PTRACE_GETREGSET, tid, (void *)which, io) >= 0;
}

/* The length of its vectors, in units of 8 bytes; 0: it has none. */
static uint64_t
vector_length(int32_t tid)
{
	uint16_t header[8] = { 0 };
	struct iovec io = { header, sizeof header };

	return get(tid, SVE, &io) ? header[SVE_LENGTH] / GRANULE : 0;
}

unsigned
thread_registers(int32_t tid, const struct prstatus *with, uint64_t *to, bool *compat, uint64_t *pointer)
{
	union { unsigned long host[64]; uint32_t compat[128]; } all;
	struct iovec io = { &all, sizeof all };
	const struct prstatus *p;
	unsigned n = 0;

	memset(&all, 0, sizeof all);
	if (!get(tid, NT_PRSTATUS, &io))
		return 0;
	*compat = sizeof(void *) == 8 && io.iov_len < COMPAT_LESS;
	p = with + *compat;
	*pointer = perf_pointer_at && !*compat ? all.host[perf_pointer_at] : 0;
	for (unsigned bit = 0; bit < 64; bit++)
		if (p->mask >> bit & 1) {
			unsigned at = p->at ? p->at[n] : bit;

			to[n++] = bit >= REGS_EXTENDED ? vector_length(tid) : *compat ? all.compat[at] : all.host[at];
		}
	return n;
}

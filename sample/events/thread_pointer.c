/* See thread_pointer.h.  A BPF program copies prof's own task_struct, and prof looks for its own pointer there.  The kernel's types
 * (/sys/kernel/btf/vmlinux) tell the same in 5 MB. */
#include "thread_pointer.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/bpf.h"
#include "perf.h"

enum { TASK_MOST = 1 << 14, SLEEPABLE = 1 << 4 };

int16_t
thread_pointer_at(void)
{
	static const struct bpf_insn code[] = {
		BPF_ASK(BPF_FUNC_get_current_task),
		BPF_COPY(3, 0),
		BPF_VALUE(1, 0, 0),
		BPF_SET(2, TASK_MOST),
		BPF_ASK(BPF_FUNC_probe_read_kernel),
		BPF_LEAVE,
	};
	const uint64_t own = (uint64_t)(uintptr_t)pthread_self(), *word;
	int copy = perf_sp_at ? bpf_map(BPF_MAP_TYPE_ARRAY, TASK_MOST, 1, BPF_F_MMAPABLE) : -1, program = -1;
	void *p = MAP_FAILED;
	int16_t at = 0;

	if (copy >= 0) {
		program = bpf_program(BPF_PROG_TYPE_SYSCALL, code, sizeof code / sizeof *code, &copy, SLEEPABLE, "prof_thread");
		p = mmap(NULL, TASK_MOST, PROT_READ, MAP_SHARED, copy, 0);
		close(copy);
	}
	if (program >= 0 && p != MAP_FAILED && bpf_run(program)) {
		word = p;
		for (unsigned i = 1; i < TASK_MOST / 8 && !at; i++)
			at = word[i] == own ? (int16_t)(8 * i) : 0;
	}
	if (program >= 0)
		close(program);
	if (p != MAP_FAILED)
		munmap(p, TASK_MOST);
	return at;
}

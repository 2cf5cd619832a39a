/* `traced SECONDS`: calls getppid all the time; a BPF program at its tracepoint takes about 100 us each time. It exits with 77 if
 * it may not load such a program. */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int
counts_to(int32_t n)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 0, .imm = 1 },
		{ .code = BPF_JMP | BPF_JLT | BPF_K, .dst_reg = 0, .imm = n, .off = -2 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	a.insns = (uintptr_t)code;
	a.insn_cnt = sizeof code / sizeof *code;
	a.license = (uintptr_t)"GPL";
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof a);
}

int
main(int argc, char **argv)
{
	clock_t end = argc > 1 ? (clock_t)(strtod(argv[1], NULL) * CLOCKS_PER_SEC) : CLOCKS_PER_SEC;
	struct perf_event_attr a = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof a, .sample_period = 1 };
	FILE *f = fopen("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", "r");
	int program = counts_to(100000), event;

	if (!f || fscanf(f, "%llu", &a.config) != 1 || program < 0)
		return 77;
	event = (int)syscall(SYS_perf_event_open, &a, -1, 0, -1, 0);
	if (event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, program))
		return 77;
	while (clock() < end)
		syscall(SYS_getppid);
	return 0;
}

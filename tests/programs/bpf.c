/* bpf SECONDS: loads a BPF program called spinner and has the kernel run it.  77: not allowed here. */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long
bpf(int what, union bpf_attr *attr)
{
	return syscall(SYS_bpf, what, attr, sizeof *attr);
}

int
main(int argc, char **argv)
{
	enum { LENGTH = 2000 };
	static struct bpf_insn insn[LENGTH];
	static char packet[64];
	union bpf_attr load = { 0 }, run = { 0 };
	time_t until = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	long fd;

	insn[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 1 };
	for (int i = 1; i < LENGTH - 1; i++)
		insn[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MUL | BPF_K, .dst_reg = 0, .imm = 3 };
	insn[LENGTH - 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	load.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	load.insns = (uintptr_t)insn;
	load.insn_cnt = LENGTH;
	load.license = (uintptr_t)"GPL";
	memcpy(load.prog_name, "spinner", 8);
	if ((fd = bpf(BPF_PROG_LOAD, &load)) < 0)
		return 77;
	run.test.prog_fd = (uint32_t)fd;
	run.test.repeat = 50000;
	run.test.data_in = (uintptr_t)packet;
	run.test.data_size_in = sizeof packet;
	while (time(NULL) <= until)
		if (bpf(BPF_PROG_TEST_RUN, &run) < 0)
			return 77;
	return 0;
}

/* See bpf.h. */
#include "bpf.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All of it: the kernel refuses what is not zero beyond what it reads, which an initializer need not see to. */
static union bpf_attr
nothing(void)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	return a;
}

static int
call(int what, union bpf_attr *a)
{
	return (int)syscall(SYS_bpf, what, a, sizeof *a);
}

static uint64_t
address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

int
bpf_map(uint32_t type, uint32_t size, uint32_t n, uint32_t flags)
{
	union bpf_attr a = nothing();

	a.map_type = type;
	a.key_size = 4;
	a.value_size = size;
	a.max_entries = n;
	a.map_flags = flags;
	return call(BPF_MAP_CREATE, &a);
}

static bool
access_map(int what, int map, uint32_t key, const void *value)
{
	union bpf_attr a = nothing();

	a.map_fd = (uint32_t)map;
	a.key = address(&key);
	a.value = address(value);
	return !call(what, &a);
}

bool
bpf_map_set(int map, uint32_t key, const void *value)
{
	return access_map(BPF_MAP_UPDATE_ELEM, map, key, value);
}

bool
bpf_map_get(int map, uint32_t key, void *value)
{
	return access_map(BPF_MAP_LOOKUP_ELEM, map, key, value);
}

bool
bpf_map_freeze(int map)
{
	union bpf_attr a = nothing();

	a.map_fd = (uint32_t)map;
	return !call(BPF_MAP_FREEZE, &a);
}

int
bpf_program(uint32_t type, const struct bpf_insn *code, uint32_t n, const int *map, uint32_t flags, const char *name)
{
	union bpf_attr a = nothing();

	a.prog_type = type;
	a.insn_cnt = n;
	a.insns = address(code);
	a.license = address("Dual MIT/GPL");
	a.prog_flags = flags;
	a.fd_array = address(map);
	strncpy(a.prog_name, name, sizeof a.prog_name - 1);
	return call(BPF_PROG_LOAD, &a);
}

bool
bpf_run(int program)
{
	union bpf_attr a = nothing();

	a.test.prog_fd = (uint32_t)program;
	return !call(BPF_PROG_TEST_RUN, &a);
}

/* If a program has gone before prof can ask what it is, it was not one of these. */
bool
bpf_traces(void)
{
	uint32_t info[2] = { BPF_PROG_TYPE_UNSPEC };   /* of struct bpf_prog_info: type and id */
	union bpf_attr a = nothing();

	while (info[0] != BPF_PROG_TYPE_KPROBE && info[0] != BPF_PROG_TYPE_TRACEPOINT) {
		if (call(BPF_PROG_GET_NEXT_ID, &a))
			return errno != ENOENT;
		a.prog_id = info[1] = a.next_id;
		a.next_id = 0;
		a.info.bpf_fd = (uint32_t)call(BPF_PROG_GET_FD_BY_ID, &a);
		a.info.info_len = sizeof info;
		a.info.info = address(info);
		call(BPF_OBJ_GET_INFO_BY_FD, &a);
		close((int)a.info.bpf_fd);
		a.start_id = info[1];
		a.info.info = 0;
	}
	return true;
}

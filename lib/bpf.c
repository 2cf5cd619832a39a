/* See bpf.h. */
#include "bpf.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Instructions and labels; the number of the type of functions. */
enum { PROGRAM_MOST = 512, FUNCTION = 3 };

/* Functions of a program, in order, and all of one type: see function_type. */
struct functions {
	struct { uint32_t at, type; } function[BPF_FUNCTIONS_MOST];
	uint32_t n;
};

/* All bytes are zero: the kernel refuses others beyond what it reads, and an initializer need not clear those. */
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
	return bpf_map_keyed(type, 4, size, n, flags);
}

int
bpf_map_keyed(uint32_t type, uint32_t key, uint32_t size, uint32_t n, uint32_t flags)
{
	union bpf_attr a = nothing();

	a.map_type = type;
	a.key_size = key;
	a.value_size = size;
	a.max_entries = n;
	a.map_flags = flags;
	return call(BPF_MAP_CREATE, &a);
}

static bool
access_map(int what, int map, const void *key, const void *value)
{
	union bpf_attr a = nothing();

	a.map_fd = (uint32_t)map;
	a.key = address(key);
	a.value = address(value);
	return !call(what, &a);
}

bool
bpf_map_put(int map, const void *key, const void *value)
{
	return access_map(BPF_MAP_UPDATE_ELEM, map, key, value);
}

bool
bpf_map_read(int map, const void *key, void *value)
{
	return access_map(BPF_MAP_LOOKUP_ELEM, map, key, value);
}

bool
bpf_map_next(int map, const void *key, void *next)
{
	return access_map(BPF_MAP_GET_NEXT_KEY, map, key, next);
}

bool
bpf_map_set(int map, uint32_t key, const void *value)
{
	return bpf_map_put(map, &key, value);
}

bool
bpf_map_get(int map, uint32_t key, void *value)
{
	return bpf_map_read(map, &key, value);
}

bool
bpf_map_freeze(int map)
{
	union bpf_attr a = nothing();

	a.map_fd = (uint32_t)map;
	return !call(BPF_MAP_FREEZE, &a);
}

static bool
is_function(const struct bpf_insn *i)
{
	return i->code == (BPF_LD | BPF_DW | BPF_IMM) && i->src_reg == BPF_PSEUDO_FUNC;
}

/* Leaves out the labels of FROM, and gives jumps the distances to them; returns how many instructions there are. */
static uint32_t
place_labels(struct bpf_insn *to, const struct bpf_insn *from, uint32_t n, struct functions *f)
{
	static const struct bpf_insn label = BPF_LABEL(0);
	uint32_t at[BPF_LABELS_MOST] = { 0 }, used = 0, begins = 0;

	for (uint32_t i = 0; i < n; i++)
		if (is_function(&from[i]))
			begins |= UINT32_C(1) << from[i].imm % BPF_LABELS_MOST;
	f->function[0].at = 0;
	f->function[0].type = FUNCTION;
	f->n = 1;
	for (uint32_t i = 0; i < n; i++) {
		if (from[i].code != label.code) {
			to[used++] = from[i];
			continue;
		}
		assert((uint32_t)from[i].imm < BPF_LABELS_MOST);
		at[from[i].imm] = used;
		if (begins >> from[i].imm & 1) {
			assert(f->n < BPF_FUNCTIONS_MOST);
			f->function[f->n].at = used;
			f->function[f->n++].type = FUNCTION;
		}
	}
	for (uint32_t i = 0; i < used; i++)
		if (BPF_CLASS(to[i].code) == BPF_JMP && to[i].off >= BPF_LABELS && to[i].off < BPF_LABELS + BPF_LABELS_MOST)
			to[i].off = (int16_t)(at[to[i].off - BPF_LABELS] - i - 1);
		else if (is_function(&to[i]))
			to[i].imm = (int32_t)(at[to[i].imm % BPF_LABELS_MOST] - i - 1);
	return used;
}

/* A type of functions: programs of more than one function must tell it (bpf/btf.rst).  A descriptor, or -1. */
static int
function_type(void)
{
	enum { INT = 1 << 24, FUNC = 12 << 24, FUNC_PROTO = 13 << 24, SIGNED = 1 << 24 };
	static const struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t size, types, types_size, strings, strings_size;
		uint32_t integer[4], proto[3], function[3];
		char names[8];
	} types = {
		0xeb9f, 1, 0, 24, 0, 40, 40, 8,
		{ 1, INT, 8, SIGNED | 64 }, { 0, FUNC_PROTO, 1 }, { 3, FUNC, 2 }, "\0l\0f",
	};
	union bpf_attr a = nothing();

	a.btf = address(&types);
	a.btf_size = sizeof types;
	return call(BPF_BTF_LOAD, &a);
}

int
bpf_program(uint32_t type, const struct bpf_insn *from, uint32_t n, const int *map, uint32_t flags, const char *name)
{
	struct functions functions;
	union bpf_attr a = nothing();
	struct bpf_insn code[PROGRAM_MOST];
	int types = -1, program;

	assert(n <= PROGRAM_MOST);
	a.prog_type = type;
	a.insn_cnt = place_labels(code, from, n, &functions);
	a.insns = address(code);
	a.license = address("Dual MIT/GPL");
	a.prog_flags = flags;
	a.fd_array = address(map);
	strncpy(a.prog_name, name, sizeof a.prog_name - 1);
	if (functions.n > 1) {
		if ((types = function_type()) < 0)
			return -1;
		a.prog_btf_fd = (uint32_t)types;
		a.func_info = address(functions.function);
		a.func_info_rec_size = sizeof *functions.function;
		a.func_info_cnt = functions.n;
	}
	program = call(BPF_PROG_LOAD, &a);
	if (types >= 0)
		close(types);
	return program;
}

int
bpf_program_for(uint32_t type, uint32_t attach, const struct bpf_insn *code, uint32_t n, const int *map, const char *name)
{
	union bpf_attr a = nothing();

	a.prog_type = type;
	a.expected_attach_type = attach;
	a.insn_cnt = n;
	a.insns = address(code);
	a.license = address("Dual MIT/GPL");
	a.fd_array = address(map);
	strncpy(a.prog_name, name, sizeof a.prog_name - 1);
	return call(BPF_PROG_LOAD, &a);
}

int
bpf_link_event(int program, int event, uint64_t cookie)
{
	union bpf_attr a = nothing();

	a.link_create.prog_fd = (uint32_t)program;
	a.link_create.target_fd = (uint32_t)event;
	a.link_create.attach_type = BPF_PERF_EVENT;
	a.link_create.perf_event.bpf_cookie = cookie;
	return call(BPF_LINK_CREATE, &a);
}

int
bpf_link_places(int program, const char *path, const uint64_t *off, const uint64_t *semaphore, const uint64_t *cookie, uint32_t n, bool returns,
                int32_t pid)
{
	struct {   /* as union bpf_attr has it since Linux 6.6, in link_create.uprobe_multi */
		uint32_t program, target, attach, flags;
		uint64_t path, off, semaphore, cookie;
		uint32_t n, how, pid, pad;
	} a;

	memset(&a, 0, sizeof a);
	a.program = (uint32_t)program;
	a.attach = BPF_FOR_PLACES;
	a.path = address(path);
	a.off = address(off);
	a.semaphore = address(semaphore);
	a.cookie = address(cookie);
	a.n = n;
	a.how = returns;
	a.pid = (uint32_t)pid;
	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, &a, sizeof a);
}

uint64_t
bpf_missed(int program)
{
	uint64_t info[29];   /* struct bpf_prog_info as far as recursion_misses, its 27th word */
	union bpf_attr a = nothing();

	memset(info, 0, sizeof info);
	a.info.bpf_fd = (uint32_t)program;
	a.info.info_len = sizeof info;
	a.info.info = address(info);
	return call(BPF_OBJ_GET_INFO_BY_FD, &a) ? 0 : info[26];
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

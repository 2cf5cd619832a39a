/* bpf(2): arrays and programs.  Functions return descriptors, or -1 with errno. */
#ifndef LIB_BPF_H
#define LIB_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An array of N values of SIZE bytes: TYPE and FLAGS are <linux/bpf.h>'s. */
int bpf_map(uint32_t type, uint32_t size, uint32_t n, uint32_t flags);
/* Copies VALUE to the map's value number KEY, or the other way round. */
bool bpf_map_set(int map, uint32_t key, const void *value);
bool bpf_map_get(int map, uint32_t key, void *value);
/* A map of another kind than an array: keys of KEY bytes; functions take keys and values by pointer. */
int bpf_map_keyed(uint32_t type, uint32_t key, uint32_t size, uint32_t n, uint32_t flags);
bool bpf_map_put(int map, const void *key, const void *value);
bool bpf_map_read(int map, const void *key, void *value);
/* The key after KEY (NULL: the first) into NEXT, which may be KEY; false at the end. */
bool bpf_map_next(int map, const void *key, void *next);
/* From now on only programs can change the map's values. */
bool bpf_map_freeze(int map);
/* Loads a program of N instructions, in which numbers stand for maps, under a name that the kernel shows.  Jumps may tell labels
 * (BPF_TO) instead of distances, and labels may begin functions. */
int bpf_program(uint32_t type, const struct bpf_insn *, uint32_t n, const int *map, uint32_t flags, const char *name);
/* Loads a program, like bpf_program, that must know what it will be attached to. */
int bpf_program_for(uint32_t type, uint32_t attach, const struct bpf_insn *, uint32_t n, const int *map, const char *name);
bool bpf_run(int program);
/* Attaches the program to a perf event, which tells it COOKIE (Linux 5.15): a descriptor, or -1 with errno. */
int bpf_link_event(int program, int event, uint64_t cookie);
/* Attaches the program to N places of the file at PATH (Linux 6.6), or to returns from there; in process PID alone, unless
 * PID is 0.  SEMAPHORE may be NULL. */
int bpf_link_places(int program, const char *path, const uint64_t *off, const uint64_t *semaphore, const uint64_t *cookie, uint32_t n, bool returns,
                    int32_t pid);
/* How often a program could not run because one ran already on that CPU. */
uint64_t bpf_missed(int program);
/* The type of a program for bpf_link_places; not all headers have it. */
enum { BPF_FOR_PLACES = 48 };
/* Whether programs run at probes or tracepoints; also true if the kernel does not tell. */
bool bpf_traces(void);

/* The address of byte OFF of an array's first value; the array itself.  Each is two instructions. */
#define BPF_VALUE(reg, map, off) \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (reg), .src_reg = BPF_PSEUDO_MAP_IDX_VALUE, .imm = (map) }, { .imm = (off) }
#define BPF_MAP(reg, map) { .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (reg), .src_reg = BPF_PSEUDO_MAP_IDX, .imm = (map) }, { 0 }
#define BPF_DO(op, reg, value) { .code = BPF_ALU64 | (op) | BPF_K, .dst_reg = (reg), .imm = (value) }
#define BPF_DO_REG(op, reg, with) { .code = BPF_ALU64 | (op) | BPF_X, .dst_reg = (reg), .src_reg = (with) }
#define BPF_SET(reg, value) BPF_DO(BPF_MOV, reg, value)
#define BPF_COPY(reg, from) BPF_DO_REG(BPF_MOV, reg, from)
#define BPF_LOAD(reg, from, at) { .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (reg), .src_reg = (from), .off = (at) }
#define BPF_STORE(to, at, reg) { .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (reg), .off = (at) }
#define BPF_STORE_W(to, at, reg) { .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = (to), .src_reg = (reg), .off = (at) }
#define BPF_IF(op, reg, value, skip) { .code = BPF_JMP | (op) | BPF_K, .dst_reg = (reg), .imm = (value), .off = (skip) }
#define BPF_IF_REG(op, reg, with, skip) { .code = BPF_JMP | (op) | BPF_X, .dst_reg = (reg), .src_reg = (with), .off = (skip) }
#define BPF_PUT(to, at, value) { .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = (to), .off = (at), .imm = (value) }
#define BPF_GO(to) BPF_IF(BPF_JA, 0, 0, to)
/* The place to which jumps of that number, from 0 on, go: it must be behind or before an instruction. */
#define BPF_LABEL(number) { .code = 0xff, .imm = (number) }
#define BPF_TO(number) (BPF_LABELS + (number))
/* A function that begins at a label; functions stand behind all else. */
#define BPF_FUNCTION(reg, number) { .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (reg), .src_reg = BPF_PSEUDO_FUNC, .imm = (number) }, { 0 }
enum { BPF_LABELS = 1 << 14, BPF_LABELS_MOST = 32, BPF_FUNCTIONS_MOST = 4 };
#define BPF_ASK(helper) { .code = BPF_JMP | BPF_CALL, .imm = (helper) }
#define BPF_LEAVE { .code = BPF_JMP | BPF_EXIT }

#endif

/* bpf(2): arrays and programs.  Descriptors, or -1 with errno. */
#ifndef LIB_BPF_H
#define LIB_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An array of N values of SIZE bytes: TYPE and FLAGS are <linux/bpf.h>'s. */
int bpf_map(uint32_t type, uint32_t size, uint32_t n, uint32_t flags);
/* Its value number KEY is copied from, or to, VALUE. */
bool bpf_map_set(int map, uint32_t key, const void *value);
bool bpf_map_get(int map, uint32_t key, void *value);
/* The map's values cannot be changed any more but by programs. */
bool bpf_map_freeze(int map);
/* Of N instructions, which tell maps by number; what the kernel calls it. */
int bpf_program(uint32_t type, const struct bpf_insn *, uint32_t n, const int *map, uint32_t flags, const char *name);
bool bpf_run(int program);
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
#define BPF_ASK(helper) { .code = BPF_JMP | BPF_CALL, .imm = (helper) }
#define BPF_LEAVE { .code = BPF_JMP | BPF_EXIT }

#endif

/* Arguments at a probe, in perf's words: %di, $arg2, $retval, +8(%sp), name=+0(+16($arg1)):string; and those of USDT probes. */
#ifndef SAMPLE_EVENTS_PROBE_ARG_H
#define SAMPLE_EVENTS_PROBE_ARG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBE_ARG_DEPTH = 4 };

struct probe_arg {
	char name[32];
	bool constant;             /* it is OFF[0] */
	bool kernel;               /* it is at a probe of the kernel: in registers as the kernel has them; prof copies no stack */
	uint8_t reg;               /* among those that are sampled */
	uint8_t depth;             /* how many times prof reads memory: at what it found, plus OFF; the first one last */
	int64_t off[PROBE_ARG_DEPTH];
	uint8_t size;              /* bytes: 1, 2, 4, 8 */
	enum { ARG_UNSIGNED, ARG_SIGNED, ARG_HEX, ARG_TEXT } kind;
};

/* What a sample holds, and a function for memory that it does not. */
struct probe_moment {
	const uint64_t *reg;
	unsigned nreg;
	uint64_t stack_size;
	const uint8_t *stack;      /* from sp on */
	size_t (*read)(void *ctx, uint64_t addr, void *to, size_t n);
	void *ctx;
};

/* Whether TEXT means a variable of the program (p->x, NAME=p->x:u32); a USDT probe's arguments are none: see sym/probe/variable.h. */
bool probe_arg_is_variable(const char *text);
/* The part of TEXT behind NAME=. */
const char *probe_arg_fetch(const char *text);
/* NULL, or what is wrong in words.  FOUND: of a variable, where it lies; else NULL.  USDT: the note's text that says where arg1 and so on lie; else NULL. */
const char *probe_arg_parse(struct probe_arg *, const char *text, const char *usdt, const char *found);
/* Whether it lies in memory at sp. */
bool probe_arg_on_stack(const struct probe_arg *);
/* The argument's value, in as many bytes as it has; false if prof does not know it, or it is text. */
bool probe_arg_value(const struct probe_arg *, const struct probe_moment *, uint64_t *);
/* "name=value". */
void probe_arg_say(const struct probe_arg *, const struct probe_moment *, char *words, size_t size);

#endif

/* See outermost.h. */
#include "outermost.h"

#include <string.h>

#include "entry.h"
#include "verify.h"

enum {
	REACH = 1 << 20,            /* a program's strings are no further from their pointers */
	CLONE3 = 435,               /* a system call, where machines have a call_number */
	CLONE_BYTES = 40,           /* the bytes of its wrappers around it, at most */
	WORDS_MAX = 1 << 20,        /* of a command */
	AUX_MAX = 64,               /* the auxiliary vector's types */
	LAST_MAX = 64,              /* words of a frame if only a root comes after it */
};

bool
outermost_just_made(struct job *j, const struct frame *f)
{
	const struct arch *a = j->u->code.arch;
	struct entry *e = verify_known(j, f) && j->full.known >> a->result & 1 && !j->full.r[a->result]
	                ? entry_probe(j->u, j->space, f->pc - a->syscall_len) : NULL;
	struct insn i;
	uint64_t vaddr;
	struct module *m;

	if (!e || e == &j->u->spare)
		return false;
	m = entry_module(j->u, e, &vaddr);
	code_decode(&j->u->code, m, vaddr, &i);
	return i.op == INSN_SYSCALL && i.len == a->syscall_len;
}

/* Whether the instructions before F made a system call, and F's stack is not the caller's, as vfork's is. */
static bool
on_new_stack(struct job *j, const struct frame *f)
{
	const struct arch *a = j->u->code.arch;
	struct entry *e = entry_probe(j->u, j->space, f->pc - CLONE_BYTES);
	const uint8_t *p;
	bool entered = false;
	struct cursor code;
	struct insn i;
	uint64_t vaddr;
	struct module *m;

	if (!e || e == &j->u->spare)
		return false;
	m = entry_module(j->u, e, &vaddr);
	code = code_bytes(&j->u->code, m, vaddr);
	if (!(p = cur_take(&code, CLONE_BYTES)))
		return false;
	for (unsigned at = 0; at < CLONE_BYTES; at += a->align) {
		if (!memcmp(p + at, a->same_stack, a->align))
			return false;
		a->decode(p + at, CLONE_BYTES - at, &i);
		entered |= i.op == INSN_SYSCALL;
	}
	return entered;
}

/* A new thread may still have its maker's return address in the register: clone with a stack as its second argument made it,
 * or clone3. */
bool
outermost_thread(struct job *j, const struct frame *f)
{
	const struct arch *a = j->u->code.arch;
	uint64_t number;

	if (a->call_number == NO_REG)
		return false;
	number = j->full.r[a->call_number];
	if (number == a->clone && !j->full.r[a->result] && j->full.r[a->result + 1] == f->sp)
		return verify_known(j, f) && on_new_stack(j, f);   /* also true some instructions later */
	return number == CLONE3 && outermost_just_made(j, f);
}

/* Skips pointers to strings further up, in their order, and the 0 behind them. */
static bool
skip_strings(const struct memory *m, uint64_t *at, uint64_t *n)
{
	uint64_t last = *at, string;

	for (*n = 0; memory_word(m, *at, &string); ++*n) {
		*at += m->word;
		if (!string)
			return true;
		if (string <= last || string - *at > REACH)
			break;
		last = string;
	}
	return false;
}

bool
outermost_program(struct job *j, const struct frame *f)
{
	const struct memory *m = &j->memory;
	uint64_t argc, n, at = f->sp + m->word, aux;
	struct entry *e;

	if (!memory_word(m, f->sp, &argc) || !argc || argc > WORDS_MAX || !skip_strings(m, &at, &n) || n != argc ||
	    !skip_strings(m, &at, &n) || !memory_word(m, at, &aux) || !aux || aux > AUX_MAX)
		return false;
	if ((e = entry_probe(j->u, j->space, f->pc - 1)))
		entry_rule(j->u, e);
	return !e || e->rule.kind != RULE_ROOT;   /* else the entry point's code has called */
}

enum step
outermost_last(struct job *j, struct frame *f)
{
	const struct arch *a = j->u->code.arch;
	uint64_t at = f->sp, ra;
	struct entry *e;

	for (unsigned n = 0; a->ra == a->pc && n < LAST_MAX && memory_word(&j->memory, at, &ra); n++) {
		at += a->word;
		if (!verify_caller(j, ra))
			continue;
		e = entry_probe(j->u, j->space, ra - 1);
		entry_rule(j->u, e);
		if (e->rule.kind != RULE_ROOT || e->rule.flags & RULE_BY_HAND)   /* a pointer to a function looks like that */
			break;
		j->by = BY_CODE;
		*f = (struct frame){ .pc = ra, .sp = at, .jumped = f->jumped };
		return STEP_OK;
	}
	return STEP_NONE;
}

/* See collector.h. */
#include "collector.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample/events/event.h"
#include "sample/events/growth_event.h"
#include "sample/events/probe_arg.h"
#include "sample/tasks/container.h"
#include "sample/tasks/foreign.h"

/* Whether /proc/kallsyms tells addresses, by its first lines (x86's variables of CPUs begin at 0): reading all of it can
 * wait until a name is asked for. */
static bool
kallsyms_readable(int fd)
{
	char head[1024];
	ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);
	bool address = true;

	for (ssize_t i = 0; i < n; i++) {
		if (address && !strchr("0 ", head[i]))
			return true;
		address = head[i] == '\n' || (address && head[i] == '0');
	}
	return false;
}

bool
collector_init(struct collector *c, enum walk_mode mode, uint32_t max_stack, bool ip_only)
{
	struct map all = { .lo = 0, .hi = UINT64_MAX, .exec = true };

	memset(c, 0, sizeof *c);
	c->ip_only = ip_only;
	c->arch = arch_host;
	c->compat = arch_compat;
	profile_init(&c->profile);
	space_init(&c->kernel);
	if (!modules_init(&c->modules) || !codes_init(&c->codes) || !space_add(&c->kernel, &all))
		return false;
	space_bind(&c->kernel.map[0], c->modules.kernel);
	c->names = (struct names){ .modules = &c->modules, .arena = &c->modules.arena, .kallsyms_fd = foreign_kallsyms(),
	                           .kernel_read = foreign_read, .kernel_says = foreign_says };
	c->functions = (struct code_functions){ .names = &c->names, .profile = &c->profile };
	c->kernel_named = kallsyms_readable(c->names.kallsyms_fd);
	c->languages = languages_new(&c->modules, &c->codes);
	c->unwinder = unwinder_new(arch_host, &c->modules, &c->codes, mode, max_stack);
	return c->unwinder != NULL;
}

void
collector_free(struct collector *c)
{
	unwinder_free(c->unwinder);
	space_free(&c->kernel);
	names_free(&c->names);
	codes_free(&c->codes);
	modules_free(&c->modules);
	profile_free(&c->profile);
	vec_free(&c->mapping, &c->mapping_cap, sizeof *c->mapping);
	if (c->names.kallsyms_fd >= 0)
		close(c->names.kallsyms_fd);
}

/* The task's own name, or its process's container; prof reads that from the cgroup once.  A process that has ended already has the
 * container of its parent. */
const char *
collector_root(struct collector *c, const struct task *t)
{
	struct process *p = t->process;
	const struct module *word;
	char name[160];

	if (!c->by_container)
		return t->comm;
	if (!p->container.own) {
		p->container.own = true;
		container_of(p->pid, name, sizeof name);
		if ((*name != '?' || !p->container.name) && (word = module_word(&c->modules, name)))
			p->container.name = word->path;
	}
	return p->container.name ? p->container.name : "?";
}

uint32_t
collector_thread(struct collector *c, const struct task *t, uint32_t event)
{
	return profile_thread(&c->profile, c->by_name ? 0 : t->pid, c->by_name ? 0 : t->tid, collector_root(c, t), event);
}

static uint32_t
word_code(struct collector *c, const char *name)
{
	const struct module *word = module_word(&c->modules, name);

	return word ? code_intern(&c->codes, word->id, 0) : CODE_UNKNOWN;
}

/* The task's name, as the outermost frame. */
uint32_t
collector_comm(struct collector *c, const struct task *t)
{
	return word_code(c, t->comm);
}

static uint32_t
kernel_codes(struct collector *c, const struct sample *s, uint32_t n)
{
	if (!c->kernel_named || (s->kernel && !s->nkchain)) {
		c->kernel_hidden |= !c->kernel_named;
		c->stack[n++] = CODE_KERNEL;
		return n;
	}
	for (uint32_t i = 0; i < s->nkchain && i < 200; i++)
		c->stack[n++] = unwind_code(c->unwinder, &c->kernel, s->kchain[i] - (i > 0));
	return n;
}

/* The return address that is in a register, if the sample has that register; or 0. */
static uint64_t
link_of(const struct sample *s, const struct arch *arch)
{
	unsigned n = 0;

	for (uint64_t bits = s->regs && arch ? arch->sample : 0; bits && n < s->nregs; bits &= bits - 1, n++)
		if (arch->dwarf[n] == arch->ra)
			return s->lacks >> n & 1 ? 0 : s->regs[n];
	return 0;
}

bool
collector_walk(struct collector *c, const struct sample *s)
{
	const struct arch *arch = s->regs32 ? c->compat : c->arch;
	struct regs regs = { .known = 0 };
	struct stack stack = { .size = s->stack_size, .bytes = s->stack, .beyond = s->rest, .tid = s->task->tid };
	unsigned n = 0;

	if (s->unsure && (s->regs || s->nuchain || s->sp_only)) {
		unwind_not(&c->walk, WALK_UNSURE);
		return true;
	}
	if (!s->sp_only && (!s->regs || (s->lacks && !s->stack && s->nuchain))) {
		if (!s->nuchain)
			return false;
		if (arch)
			unwinder_set(c->unwinder, arch);
		unwind_chain(c->unwinder, &s->task->process->maps.space, s->uchain, s->nuchain, link_of(s, arch), &c->walk);
		return true;
	}
	if (!arch) {
		c->other_machine++;
		return false;
	}
	if (s->sp_only) {
		regs.r[arch->sp] = s->sp;
		regs.r[arch->pc] = s->ip;
		regs.known = (uint64_t)1 << arch->sp | (uint64_t)1 << arch->pc;
	}
	for (uint64_t bits = s->regs ? arch->sample : 0; bits && n < s->nregs; bits &= bits - 1, n++) {
		regs.r[arch->dwarf[n]] = s->regs[n];
		regs.known |= (uint64_t)!(s->lacks >> n & 1) << arch->dwarf[n];
	}
	stack.lo = regs.r[arch->sp];
	unwinder_set(c->unwinder, arch);
	unwinder_compare(c->unwinder, &s->task->process->maps.space, s->time);
	unwind(c->unwinder, &s->task->process->maps.space, &regs, &stack, s->uchain, s->nuchain, &c->walk);
	if (s->deep)
		deep_learn(s->deep, &(struct piece){ stack.lo, stack.size, stack.bytes }, &s->rest, c->walk.stack, c->walk.stacks, c->walk.sp, c->walk.n,
		           c->walk.end == WALK_STACK_SHORT);
	return true;
}

static void
count_walk(struct collector *c, struct stack_use *use)
{
	const struct walk *w = &c->walk;

	c->walks[w->end]++;
	c->elided += w->elided;
	c->gaps += w->gap;
	c->by_cfi += w->by_cfi;
	c->by_fp += w->by_fp;
	c->by_chain += w->by_chain;
	c->by_code += w->by_code;
	c->by_libunwind += w->by_libunwind;
	c->code_left = unwinder_left(c->unwinder);
	use->walks++;
	use->cut += w->end == WALK_STACK_SHORT;
	use->used = w->used > use->used ? w->used : use->used;
	use->cut_in_fp += w->end == WALK_STACK_SHORT && w->fp_at_cut;
}

/* Puts the walk's codes into TO: if an interpreter ran, the functions that it ran stand in its place. */
static uint32_t
walk_codes(struct collector *c, const struct sample *s, uint32_t *to)
{
	const struct walk *w = &c->walk;
	struct moment m = { .space = &s->task->process->maps.space, .tid = s->task->tid, .time = s->time, .reg = s->regs,
	                    .number = c->arch ? c->arch->dwarf : NULL, .nreg = s->regs && c->arch ? s->nregs : 0, .code = w->code, .sp = w->sp, .n = w->n,
	                    .whole = w->end == WALK_ROOT && !w->elided, .waits = s->sp_only || collector_is_wait(c, s), .arg = s->arg, .kernel = s->kernel, .still = s->still };
	const struct language_stack *stack;

	m.stack.lo = (s->regs || s->sp_only) && !s->regs32 ? w->sp[0] : 0;
	m.stack.size = m.stack.lo ? s->stack_size : 0;
	m.stack.bytes = s->stack;
	m.rest = s->rest;
	m.pointer = s->thread.pointer;
	m.at = s->thread.at;
	stack = w->n && c->languages && m.stack.size ? languages_frames(c->languages, &m) : NULL;
	c->late = stack && stack->late && (stack->n || stack->at);   /* also if no function could be read yet */
	if (c->late)
		c->chain = (struct deep_chain){ (uint64_t)s->task->tid, stack->at, stack->then, stack->back };
	if (!stack || !stack->n) {
		memcpy(to, w->code, w->n * sizeof *to);
		return w->n;
	}
	if (s->deep && stack->tls)
		deep_chains(s->deep, s->task->process->pid, s->task->tid, stack->tls);
	else if (s->deep && stack->at)
		deep_chain(s->deep, s->task->tid, stack->at, stack->then, stack->back);
	for (uint32_t i = 0; s->deep && i < stack->nothers; i++)
		deep_chain_guess(s->deep, stack->other[i].tid, stack->other[i].at, stack->then, stack->back);
	c->language_stacks += !s->again;
	c->language_doubtful += !s->again && stack->doubtful;
	c->doubted = !s->again && stack->doubtful ? stack->of : c->doubted;
	c->language_late += !s->again && stack->late;
	c->lock = stack->lock;
	c->called = stack->thread;
	return language_merge(c->languages, &m, stack, c->interpreter, to, STACK_MAX);
}

static uint32_t
user_codes(struct collector *c, const struct sample *s, uint32_t n)
{
	if (c->ip_only || s->ip_only) {
		if (!s->kernel)
			c->stack[n++] = s->unsure ? CODE_UNKNOWN : unwind_code(c->unwinder, &s->task->process->maps.space, s->ip);
		return n;
	}
	if (!collector_walk(c, s))
		return n;
	if (!s->again)
		count_walk(c, collector_is_wait(c, s) ? &c->wait_use : &c->use);
	n += walk_codes(c, s, c->stack + n);
	if (c->walk.end != WALK_ROOT)
		c->stack[n++] = CODE_TRUNCATED;
	return n;
}

static size_t
read_now(void *ctx, uint64_t addr, void *to, size_t n)
{
	struct space *space = ctx;

	return space->read ? space->read(space, addr, to, n) : 0;
}

static struct probe_moment
moment_of(const struct sample *s)
{
	return (struct probe_moment){ .reg = s->regs, .nreg = s->regs ? s->nregs : 0, .stack = s->stack, .stack_size = s->stack_size,
	                              .read = read_now, .ctx = &s->task->process->maps.space };
}

uint64_t
collector_weight(const struct sample *s)
{
	struct probe_moment m;
	uint64_t v;

	if (!s->of || (!s->of->weigh && !s->of->growth))
		return s->count;
	m = moment_of(s);
	if (s->of->growth)
		return growth_event_bytes(s->of->growth, s->raw, &m, s->regs32, &s->task->process->maps.brk);
	return probe_arg_value(s->of->weigh, &m, &v) ? v : 0;
}

uint64_t
collector_address(const struct sample *s)
{
	struct probe_moment m = moment_of(s);
	uint64_t v;

	return probe_arg_value(s->of->allocates ? s->of->allocates : s->of->frees, &m, &v) ? v : 0;
}

struct slow_sample
collector_slow(const struct sample *s)
{
	struct cursor c = s->raw;
	struct slow_sample slow = { .site = (uint32_t)cur_u64(&c) };

	slow.ns = cur_u64(&c);
	return slow;
}

/* What happened, as the innermost frame: which tracepoint of a glob, and the field that --leaf names. */
static uint32_t
leaf_code(struct collector *c, const struct sample *s)
{
	char words[256];
	uint32_t n = 0;

	if (!s->of)
		return 0;
	if (s->of->leaf.size) {
		trace_field_say(&s->of->leaf, s->raw, words, sizeof words);
		c->stack[n++] = word_code(c, words);
	}
	if (s->of->arg) {
		struct probe_moment m = moment_of(s);

		if (s->of->arg->kernel) {
			m.reg = s->kernel_regs;
			m.nreg = s->kernel_regs ? s->nkernel_regs : 0;
			m.stack_size = 0;
		}
		probe_arg_say(s->of->arg, &m, words, sizeof words);
		c->stack[n++] = word_code(c, words);
	}
	if (s->of->growth) {
		struct probe_moment m = moment_of(s);

		c->stack[n++] = word_code(c, growth_event_way(s->of->growth, s->raw, &m, s->regs32));
	}
	if (s->of->slow)
		c->stack[n++] = word_code(c, c->slowest.name(c->slowest.ctx, collector_slow(s).site));
	if (s->of->entry)
		c->stack[n++] = word_code(c, s->of->name);
	return n;
}

uint32_t
collector_stack(struct collector *c, const struct sample *s)
{
	uint32_t n = leaf_code(c, s);

	c->lock = LOCK_NOT_KNOWN;
	c->called = NULL;
	c->late = false;
	if ((s->kernel || s->nkchain) && !(s->of && (s->of->growth || s->of->slow)))
		n = kernel_codes(c, s, n);
	n = user_codes(c, s, n);
	c->frames += s->again ? 0 : n;
	if (c->lock == LOCK_WANTED && collector_is_wait(c, s)) {
		memmove(c->stack + 1, c->stack, n * sizeof *c->stack);
		c->stack[0] = CODE_LOCK;
		n++;
	}
	return n;
}

uint64_t
collector_walked(const struct collector *c)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < WALK_ENDS; i++)
		n += c->walks[i];
	return n;
}

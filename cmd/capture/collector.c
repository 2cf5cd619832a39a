/* See collector.h. */
#include "collector.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	profile_init(&c->profile);
	space_init(&c->kernel);
	if (!modules_init(&c->modules) || !codes_init(&c->codes) || !space_add(&c->kernel, &all))
		return false;
	space_bind(&c->kernel.map[0], c->modules.kernel);
	c->names = (struct names){ .modules = &c->modules, .arena = &c->modules.arena, .kallsyms_fd = foreign_kallsyms(),
	                           .kernel_read = foreign_read, .kernel_says = foreign_says };
	c->functions = (struct code_functions){ .names = &c->names, .profile = &c->profile };
	c->kernel_named = kallsyms_readable(c->names.kallsyms_fd);
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

/* The name of its processes in the profile: their container; prof reads it from the cgroup once.  A process that has ended
 * already has the container of its parent. */
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

/* Its name, as the outermost frame. */
uint32_t
collector_comm(struct collector *c, const struct task *t)
{
	const struct module *word = module_word(&c->modules, t->comm);

	return word ? code_intern(&c->codes, word->id, 0) : CODE_UNKNOWN;
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

static bool
walk_user(struct collector *c, const struct sample *s)
{
	const struct arch *arch = s->regs32 ? arch_compat : arch_host;
	struct regs regs = { .known = 0 };
	struct stack stack = { .size = s->stack_size, .bytes = s->stack, .beyond = { s->rest.lo, s->rest.size, s->rest.bytes } };
	unsigned n = 0;

	if (!arch) {
		c->other_machine++;
		return false;
	}
	if (s->sp_only) {
		regs.r[arch->sp] = s->sp;
		regs.r[arch->pc] = s->ip;
		regs.known = (uint64_t)1 << arch->sp | (uint64_t)1 << arch->pc;
	} else if (!s->regs) {
		if (!s->nuchain)
			return false;
		unwind_chain(c->unwinder, &s->task->process->maps.space, s->uchain, s->nuchain, &c->walk);
		return true;
	}
	for (uint64_t bits = s->regs ? arch->sample : 0; bits && n < s->nregs; bits &= bits - 1, n++) {
		regs.r[arch->dwarf[n]] = s->regs[n];
		regs.known |= (uint64_t)1 << arch->dwarf[n];
	}
	stack.lo = regs.r[arch->sp];
	unwinder_set(c->unwinder, arch);
	unwinder_compare(c->unwinder, &s->task->process->maps.space, s->time);
	unwind(c->unwinder, &s->task->process->maps.space, &regs, &stack, s->uchain, s->nuchain, &c->walk);
	if (s->deep)
		deep_learn(s->deep, stack.lo, &s->rest, c->walk.used, c->walk.end == WALK_STACK_SHORT);
	return true;
}

static void
count_walk(struct collector *c, struct stack_use *use)
{
	const struct walk *w = &c->walk;

	c->walks[w->end]++;
	c->elided += w->elided;
	c->by_cfi += w->by_cfi;
	c->by_fp += w->by_fp;
	c->by_chain += w->by_chain;
	c->by_code += w->by_code;
	c->by_libunwind += w->by_libunwind;
	use->walks++;
	use->cut += w->end == WALK_STACK_SHORT;
	use->used = w->used > use->used ? w->used : use->used;
	use->cut_in_fp += w->end == WALK_STACK_SHORT && w->fp_at_cut;
}

static uint32_t
user_codes(struct collector *c, const struct sample *s, uint32_t n)
{
	if (c->ip_only) {
		if (!s->kernel)
			c->stack[n++] = unwind_code(c->unwinder, &s->task->process->maps.space, s->ip);
		return n;
	}
	if (!walk_user(c, s))
		return n;
	count_walk(c, collector_is_wait(c, s) ? &c->wait_use : &c->use);
	memcpy(c->stack + n, c->walk.code, c->walk.n * sizeof *c->stack);
	n += c->walk.n;
	if (c->walk.end != WALK_ROOT)
		c->stack[n++] = CODE_TRUNCATED;
	return n;
}

uint32_t
collector_stack(struct collector *c, const struct sample *s)
{
	uint32_t n = 0;

	if (s->kernel || s->nkchain)
		n = kernel_codes(c, s, n);
	n = user_codes(c, s, n);
	c->frames += n;
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

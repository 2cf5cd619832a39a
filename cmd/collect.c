/* See collect.h. */
#include "collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/file.h"
#include "../out/raw.h"
#include "../sample/foreign.h"
#include "../sym/sort.h"
#include "sites.h"

enum { LINES_AHEAD = 2000 };   /* of /proc/kallsyms: a millisecond */

/* Whether /proc/kallsyms tells addresses, by its first line: reading all of it can wait until a name is asked for. */
static bool
kallsyms_readable(int fd)
{
	char head[64];
	ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);

	for (ssize_t i = 0; i < n && head[i] != ' '; i++)
		if (head[i] != '0')
			return true;
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
	c->names = (struct names){ .modules = &c->modules, .arena = &c->modules.arena, .kallsyms_fd = foreign_kallsyms() };
	c->kernel_named = kallsyms_readable(c->names.kallsyms_fd);
	c->unwinder = unwinder_new(arch_host, &c->modules, &c->codes, mode, max_stack);
	return c->unwinder != NULL;
}

void
collector_free(struct collector *c)
{
	if (c->unwinder)
		unwinder_free(c->unwinder);
	space_free(&c->kernel);
	codes_free(&c->codes);
	modules_free(&c->modules);
	profile_free(&c->profile);
	vec_free(&c->mapping, &c->mapping_cap, sizeof *c->mapping);
	if (c->names.kallsyms_fd >= 0)
		close(c->names.kallsyms_fd);
}

/* The profile's thread of a sample: kept in the task for the first event, which is nearly always the only one. */
static uint32_t
thread_of(struct collector *c, const struct sample *s)
{
	struct task *t = s->task;
	uint32_t thread;

	if (s->event == 0 && t->slot)
		return t->slot - 1;
	thread = profile_thread(&c->profile, t->pid, t->tid, t->comm, s->event);
	if (s->event == 0)
		t->slot = thread + 1;
	return thread;
}

static uint32_t
kernel_codes(struct collector *c, const struct sample *s, uint32_t n)
{
	if (!c->kernel_named || (s->kernel && !s->nkchain)) {
		c->kernel_hidden |= !c->kernel_named;
		c->stack[n++] = CODE_KERNEL;
		return n;
	}
	c->kernel_seen |= s->nkchain != 0;
	for (uint32_t i = 0; i < s->nkchain && i < 200; i++)
		c->stack[n++] = unwind_code(c->unwinder, &c->kernel, s->kchain[i] - (i > 0));
	return n;
}

static bool
walk_user(struct collector *c, const struct sample *s)
{
	struct regs regs = { .known = 0 };
	struct stack stack = { .size = s->stack_size, .bytes = s->stack };
	unsigned n = 0;

	if (s->regs32) {
		c->other_machine++;
		return false;
	}
	if (!s->regs) {
		if (!s->nuchain)
			return false;
		unwind_chain(c->unwinder, &s->task->process->space, s->uchain, s->nuchain, &c->walk);
		return true;
	}
	for (uint64_t bits = arch_host->sample; bits; bits &= bits - 1, n++) {
		regs.r[arch_host->dwarf[n]] = s->regs[n];
		regs.known |= (uint64_t)1 << arch_host->dwarf[n];
	}
	stack.lo = regs.r[arch_host->sp];
	unwinder_compare(c->unwinder, &s->task->process->space, s->time);
	unwind(c->unwinder, &s->task->process->space, &regs, &stack, s->uchain, s->nuchain, &c->walk);
	return true;
}

static void
count_walk(struct collector *c)
{
	const struct walk *w = &c->walk;

	c->walks[w->end]++;
	c->elided += w->elided;
	c->by_cfi += w->by_cfi;
	c->by_fp += w->by_fp;
	c->by_chain += w->by_chain;
	c->by_code += w->by_code;
	c->need.walks++;
	c->need.cut += w->end == WALK_STACK_SHORT;
	c->need.used = w->used > c->need.used ? w->used : c->need.used;
	c->need.cut_in_fp += w->end == WALK_STACK_SHORT && w->fp_at_cut;
}

static uint32_t
user_codes(struct collector *c, const struct sample *s, uint32_t n)
{
	if (c->ip_only) {
		if (!s->kernel)
			c->stack[n++] = unwind_code(c->unwinder, &s->task->process->space, s->ip);
		return n;
	}
	if (!walk_user(c, s))
		return n;
	count_walk(c);
	memcpy(c->stack + n, c->walk.code, c->walk.n * sizeof *c->stack);
	n += c->walk.n;
	if (c->walk.end != WALK_ROOT)
		c->stack[n++] = CODE_TRUNCATED;
	return n;
}

void
collect_sample(void *collector, const struct sample *s)
{
	struct collector *c = collector;
	uint32_t thread, n = 0;

	if (s->time < c->skip_until)
		return;
	if ((thread = thread_of(c, s)) == UINT32_MAX) {
		c->profile.dropped++;
		return;
	}
	if (s->kernel || s->nkchain)
		n = kernel_codes(c, s, n);
	n = user_codes(c, s, n);
	c->frames += n;
	for (uint64_t i = 0; i < s->count; i++)
		profile_add(&c->profile, thread, s->time, 1, c->stack, n);
}

/* The profile's number for the file that MODULE is. */
static uint32_t
mapping_of(struct collector *c, const struct module *m)
{
	char id[2 * sizeof m->elf.build_id + 1];
	unsigned n = 0;

	if (m->kind < MODULE_FILE || m->kind == MODULE_JIT || !vec_room(&c->mapping, &c->mapping_cap, m->id + 1, sizeof *c->mapping))
		return MAPPING_NONE;
	if (!c->mapping[m->id]) {
		for (; n < m->elf.build_id_len; n++)
			snprintf(id + n * 2, 3, "%02x", m->elf.build_id[n]);
		id[n * 2] = 0;
		c->mapping[m->id] = profile_mapping(&c->profile, m->path, id) + 1;
	}
	return c->mapping[m->id] - 1;
}

static unsigned
name_one(void *ctx, uint32_t number, struct location *where, struct site *site, unsigned max)
{
	struct collector *c = ctx;
	const struct code *code = &c->codes.code[number];

	where->address = code->vaddr;
	where->mapping = mapping_of(c, c->modules.module[code->module]);
	if (c->raw && raw_function(&c->profile, where, &site->function))
		return 1;
	return sites_of(&c->names, code, &c->profile, site, max);
}

/* In the order of addresses, so that each piece of debug information is read once.  Without memory for that in any order. */
static void
name_in_order(struct collector *c)
{
	const struct tree *raw = &c->profile.raw;
	const struct code *code = c->codes.code;
	struct item *item = NULL;
	uint32_t cap = 0, n = c->codes.n;

	if (vec_room(&item, &cap, n, sizeof *item)) {
		for (uint32_t i = 0; i < n; i++)
			item[i] = (struct item){ code[i].vaddr, i, 0 };
		for (uint32_t i = 0; i < raw->n; i++)
			item[raw->node[i].frame].b = 1;   /* it is in a stack */
		sort_items(item, n);
		for (uint32_t i = 0; i < n; i++)
			item[i].key = code[item[i].a].module;
		sort_items(item, n);
		for (uint32_t i = 0; i < n; i++)
			if (item[i].b)
				profile_locate(&c->profile, item[i].a, name_one, c);
	}
	vec_free(&item, &cap, sizeof *item);
}

bool
collect_ahead(struct collector *c)
{
	return c->kernel_seen && names_ahead(&c->names, LINES_AHEAD);
}

void
collect_names(struct collector *c)
{
	name_in_order(c);
	profile_name(&c->profile, name_one, c);
}

uint64_t
collect_walked(const struct collector *c)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < WALK_ENDS; i++)
		n += c->walks[i];
	return n;
}

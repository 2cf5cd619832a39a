/* See collect.h. */
#include "collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "out/profile/raw_address.h"
#include "sample/tasks/container.h"
#include "sample/tasks/foreign.h"
#include "lib/sort.h"
#include "code_functions.h"

/* What is read ahead in one piece: the kernel's names, a millisecond on a slow machine; files, whose debug information takes
 * some nanoseconds for each of their bytes. */
enum { LINES_AHEAD = 100, FILE_BYTE = 15, NAMES_AHEAD = 4096 };

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

/* Whether it is no sample of what runs, but of where a wait begins. */
static bool
is_wait(const struct collector *c, const struct sample *s)
{
	return c->wait_event && s->event >= c->wait_event;
}

/* What its processes are known as in the profile: their containers, read off the cgroups once; of a process that is over
 * already its parent's. */
const char *
collect_root(struct collector *c, const struct task *t)
{
	struct process *p = t->process;
	const struct module *word;
	char name[160];

	if (!c->by_container)
		return t->comm;
	if (!p->contained) {
		p->contained = true;
		container_of(p->pid, name, sizeof name);
		if ((*name != '?' || !p->container) && (word = module_word(&c->modules, name)))
			p->container = word->path;
	}
	return p->container ? p->container : "?";
}

/* Its name, as the outermost frame. */
uint32_t
collect_comm(struct collector *c, const struct task *t)
{
	const struct module *word = module_word(&c->modules, t->comm);

	return word ? code_intern(&c->codes, word->id, 0) : CODE_UNKNOWN;
}

/* The profile's thread of a sample: kept in the task for the first event, which is nearly always the only one. */
static uint32_t
thread_of(struct collector *c, const struct sample *s)
{
	struct task *t = s->task;
	uint32_t thread;

	if (s->event == 0 && t->slot)
		return t->slot - 1;
	if (is_wait(c, s))
		return collect_wait_thread(c, t);
	thread = profile_thread(&c->profile, t->pid, t->tid, collect_root(c, t), s->event);
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
		unwind_chain(c->unwinder, &s->task->process->space, s->uchain, s->nuchain, &c->walk);
		return true;
	}
	for (uint64_t bits = s->regs ? arch->sample : 0; bits && n < s->nregs; bits &= bits - 1, n++) {
		regs.r[arch->dwarf[n]] = s->regs[n];
		regs.known |= (uint64_t)1 << arch->dwarf[n];
	}
	stack.lo = regs.r[arch->sp];
	unwinder_set(c->unwinder, arch);
	unwinder_compare(c->unwinder, &s->task->process->space, s->time);
	unwind(c->unwinder, &s->task->process->space, &regs, &stack, s->uchain, s->nuchain, &c->walk);
	if (s->deep)
		deep_learn(s->deep, stack.lo, &s->rest, c->walk.used, c->walk.end == WALK_STACK_SHORT);
	return true;
}

static void
count_walk(struct collector *c, struct need *need)
{
	const struct walk *w = &c->walk;

	c->walks[w->end]++;
	c->elided += w->elided;
	c->by_cfi += w->by_cfi;
	c->by_fp += w->by_fp;
	c->by_chain += w->by_chain;
	c->by_code += w->by_code;
	c->by_libunwind += w->by_libunwind;
	need->walks++;
	need->cut += w->end == WALK_STACK_SHORT;
	need->used = w->used > need->used ? w->used : need->used;
	need->cut_in_fp += w->end == WALK_STACK_SHORT && w->fp_at_cut;
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
	count_walk(c, is_wait(c, s) ? &c->wait_need : &c->need);
	memcpy(c->stack + n, c->walk.code, c->walk.n * sizeof *c->stack);
	n += c->walk.n;
	if (c->walk.end != WALK_ROOT)
		c->stack[n++] = CODE_TRUNCATED;
	return n;
}

uint32_t
collect_stack(struct collector *c, const struct sample *s)
{
	uint32_t n = 0;

	if (s->kernel || s->nkchain)
		n = kernel_codes(c, s, n);
	n = user_codes(c, s, n);
	c->frames += n;
	return n;
}

void
collect_sample(void *collector, const struct sample *s)
{
	struct collector *c = collector;
	uint32_t thread, n;

	if (s->time < c->skip_until && !is_wait(c, s))
		return;
	if (s->wakes) {
		collect_waker(c, s);
		return;
	}
	if ((thread = thread_of(c, s)) == UINT32_MAX) {
		c->profile.dropped++;
		return;
	}
	n = collect_stack(c, s);
	if (c->by_container)
		c->stack[n++] = collect_comm(c, s->task);
	if (is_wait(c, s)) {
		s->task->wait_node = profile_stack(&c->profile, thread, c->stack, n);
		s->task->waker_node = 0;
	}
	if (c->wall && !s->event)
		collect_ran(c, s->task, thread, s->time, s->ran, profile_stack(&c->profile, thread, c->stack, n));
	for (uint64_t i = 0; !c->wall && i < s->count; i++)
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

/* Says which codes of a module come next, of ORDER from I on up to N; up to which one.  What was read of the last is forgotten. */
static uint32_t
ask_ahead(struct collector *c, const uint32_t *order, uint32_t i, uint32_t n)
{
	const struct code *code = c->codes.code;
	uint32_t module = code[order[i]].module, k = 0;
	uint64_t vaddr[NAMES_AHEAD];

	if (i && code[order[i - 1]].module != module)
		names_rest(&c->names);
	for (; i < n && code[order[i]].module == module && k < NAMES_AHEAD; i++)
		vaddr[k++] = code[order[i]].vaddr;
	if (!c->raw || module == c->modules.kernel->id)
		name_ahead(&c->names, module, vaddr, k);
	return i;
}

/* The codes that are in stacks, by module and address, into ORDER; how many: 0 at the memory cap. */
static uint32_t
put_in_order(const struct collector *c, uint32_t **order, uint32_t *cap)
{
	const struct tree *raw = &c->profile.raw;
	const struct code *code = c->codes.code;
	struct item *item = NULL;
	uint32_t items = 0, n = 0;

	if (!vec_room(&item, &items, c->codes.n, sizeof *item))
		return 0;
	for (uint32_t i = 0; i < raw->n; i++)
		item[raw->node[i].frame].b = 1;
	for (uint32_t i = 0; i < c->codes.n; i++)
		if (item[i].b)
			item[n++] = (struct item){ code[i].vaddr, i, 0 };
	sort_items(item, n);
	for (uint32_t i = 0; i < n; i++)
		item[i].key = code[item[i].a].module;
	sort_items(item, n);
	n = vec_room(order, cap, n, sizeof **order) ? n : 0;
	for (uint32_t i = 0; i < n; i++)
		(*order)[i] = item[i].a;
	vec_free(&item, &items, sizeof *item);
	return n;
}

/* In the order of addresses, so that each piece of debug information is read once.  False where there is no memory for that. */
static bool
name_in_order(struct collector *c)
{
	uint32_t *order = NULL, cap = 0, n = put_in_order(c, &order, &cap), asked = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (i == asked)
			asked = ask_ahead(c, order, i, n);
		profile_locate(&c->profile, order[i], name_one, c);
	}
	vec_free(&order, &cap, sizeof *order);
	return n;
}

bool
collect_ahead(struct collector *c, uint64_t patience)
{
	struct name name;

	for (; !c->raw && c->ahead < c->codes.n; c->ahead++) {
		const struct code *code = &c->codes.code[c->ahead];
		const struct module *m = c->modules.module[code->module];

		if (m->kind == MODULE_KERNEL && names_ahead(&c->names, code->vaddr, LINES_AHEAD))
			return true;
		if (m->kind == MODULE_FILE && !m->bad && !m->lines_asked && m->size * FILE_BYTE <= patience) {
			name_code(&c->names, code, &name, 1);
			return true;
		}
	}
	return false;
}

/* What is not needed any more goes before the next comes: here is the peak of memory. */
void
collect_names(struct collector *c)
{
	bool all;

	unwinder_free(c->unwinder);
	c->unwinder = NULL;
	filemap_trim(0);
	codes_settle(&c->codes);
	profile_settle(&c->profile);
	all = name_in_order(c);
	names_rest(&c->names);
	if (all)
		codes_free(&c->codes);
	profile_name(&c->profile, all ? NULL : name_one, c);
}

uint64_t
collect_walked(const struct collector *c)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < WALK_ENDS; i++)
		n += c->walks[i];
	return n;
}

/* See naming.h. */
#include "naming.h"

#include <stdio.h>
#include <string.h>

#include "lib/filemap.h"
#include "lib/sort.h"
#include "out/profile/profile_names.h"
#include "out/profile/raw_address.h"

/* How much prof reads ahead in one piece: of the kernel's names, a millisecond on a slow machine; of files, whose debug
 * information takes some nanoseconds for each byte. */
enum { LINES_AHEAD = 100, FILE_BYTE = 15 };

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
	if (c->raw && raw_address_function(&c->profile, where, &site->function))
		return 1;
	return code_functions(&c->functions, code, site, max);
}

/* Says which codes of a module come next, in ORDER from I up to N; returns where they end.  Forgets what it read of the last ones. */
static uint32_t
ask_ahead(struct collector *c, const uint32_t *order, uint32_t i, uint32_t n)
{
	const struct code *code = c->codes.code;
	uint32_t module = code[order[i]].module, k = 0;

	if (i && code[order[i - 1]].module != module)
		names_rest(&c->names);
	for (; i < n && code[order[i]].module == module && k < NAMES_AHEAD; i++)
		c->next[k++] = code[order[i]].vaddr;
	if (!c->raw || module == c->modules.kernel->id)
		name_ahead(&c->names, module, c->next, k);
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

/* Goes in the order of addresses, so that it reads each piece of debug information once.  False where there is no memory for that. */
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
naming_ahead(struct collector *c, uint64_t patience)
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

/* Frees what it no longer needs before it goes on, because memory has its peak here. */
void
naming_finish(struct collector *c)
{
	bool all;

	unwinder_free(c->unwinder);
	c->unwinder = NULL;
	filemap_trim(0);
	codes_settle(&c->codes);
	profile_settle(&c->profile);
	all = name_in_order(c);
	names_rest(&c->names);
	if (all) {
		profile_turn(&c->profile, CODE_WOKEN_NAME);
		codes_free(&c->codes);
	}
	profile_name(&c->profile, all ? NULL : name_one, c);
}

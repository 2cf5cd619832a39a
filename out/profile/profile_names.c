/* See profile_names.h. */
#include "profile_names.h"

#include <string.h>

static uint32_t
hash_function(const struct function *f)
{
	return hash_str(f->name) ^ hash_u64(hash_str(f->module) + ((uint64_t)f->line << 32) + f->kind);
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
function_is(const struct function *a, const struct function *b)
{
	return a->kind == b->kind && a->line == b->line && same_text(a->name, b->name) &&
	       same_text(a->module, b->module) && same_text(a->file, b->file);
}

/* A copy of S that lasts; or the last function's copy if that is the same, as for most modules and files. */
static const char *
keep(struct profile *p, const char *s, const char *last)
{
	return !s || same_text(s, last) ? (s ? last : NULL) : arena_str(&p->arena, s, strlen(s));
}

uint32_t
profile_new_function(struct profile *p, const struct function *given)
{
	const struct function none = { .module = "" };
	const struct function *last = p->nfunction ? &p->function[p->nfunction - 1] : &none;
	struct function f = *given;

	f.name = keep(p, given->name, last->name);
	f.module = keep(p, given->module, last->module);
	f.file = keep(p, given->file, last->file);
	if (!f.name || !f.module || (given->file && !f.file) ||
	    !vec_room(&p->function, &p->function_cap, (uint64_t)p->nfunction + 1, sizeof f))
		return UINT32_MAX;
	p->function[p->nfunction] = f;
	return p->nfunction++;
}

/* Functions that came without a search are put into the index now. */
static bool
index_functions(struct profile *p)
{
	while (p->functions.used < p->nfunction)
		if (!index_add(&p->functions, hash_function(&p->function[p->functions.used]), p->functions.used))
			return false;
	return true;
}

uint32_t
profile_function(struct profile *p, const struct function *given)
{
	struct function f = *given;
	uint32_t hash, slot, i;

	if (!f.name || !*f.name)
		f.name = "[unknown]";
	if (!f.module)
		f.module = "";
	if (!index_functions(p))
		return UINT32_MAX;
	hash = hash_function(&f);
	for (slot = index_first(&p->functions, hash); (i = index_at(&p->functions, slot)) != INDEX_NONE;
	     slot = index_next(&p->functions, slot))
		if (function_is(&p->function[i], &f))
			return i;
	return profile_new_function(p, &f);
}

uint32_t
profile_mapping(struct profile *p, const char *file, const char *build_id)
{
	struct mapping m = { arena_str(&p->arena, file, strlen(file)), arena_str(&p->arena, build_id, strlen(build_id)) };

	if (!m.file || !m.build_id || !vec_room(&p->mapping, &p->mapping_cap, (uint64_t)p->nmapping + 1, sizeof m))
		return MAPPING_NONE;
	p->mapping[p->nmapping] = m;
	return p->nmapping++;
}

void
profile_note(struct profile *p, const char *key, const char *value)
{
	struct note n = { arena_str(&p->arena, key, strlen(key)), arena_str(&p->arena, value, strlen(value)) };

	if (n.key && n.value && p->nnote < sizeof p->note / sizeof *p->note)
		p->note[p->nnote++] = n;
}

/* The most that a location has room for. */
enum { SITE_MAX = (1 << 25) - 1, SITES_MAX = (1 << 7) - 1 };

/* Makes CODE stand for WHERE and the N sites behind the profile's last one. */
static bool
set_location(struct profile *p, uint32_t code, const struct location *where, unsigned n)
{
	if (p->nsite > SITE_MAX || !vec_room(&p->location, &p->location_cap, (uint64_t)code + 1, sizeof *p->location))
		return false;
	if (p->nlocation <= code)
		p->nlocation = code + 1;
	p->location[code] = (struct location){ where->address, where->mapping, p->nsite & SITE_MAX, n & SITES_MAX };
	p->nsite += n;
	return true;
}

void
profile_relocate(struct profile *p, uint32_t code, const struct site *site, unsigned n)
{
	const struct location where = p->location[code];

	if (n > NAME_MAX_INLINE || !vec_room(&p->site, &p->site_cap, (uint64_t)p->nsite + n, sizeof *p->site))
		return;
	memcpy(p->site + p->nsite, site, n * sizeof *site);
	set_location(p, code, &where, n);
}

static uint32_t
hash_location(uint64_t address, uint32_t mapping, const struct site *site, unsigned n)
{
	return hash_u64(address ^ (uint64_t)mapping << 40) ^ hash_bytes(site, n * sizeof *site);
}

uint32_t
profile_new_location(struct profile *p, const struct location *where, const struct site *site, unsigned n)
{
	uint32_t code = p->nlocation;

	if (n > NAME_MAX_INLINE || !vec_room(&p->site, &p->site_cap, (uint64_t)p->nsite + n, sizeof *p->site))
		return UINT32_MAX;
	memcpy(p->site + p->nsite, site, n * sizeof *site);
	return set_location(p, code, where, n) ? code : UINT32_MAX;
}

bool
profile_plain(struct profile *p, uint32_t n)
{
	const struct location nowhere = { .mapping = MAPPING_NONE };
	bool good = true;

	p->plain = n;
	if (p->placeless)
		return true;
	for (uint32_t i = 0; good && i < n; i++)
		good = profile_new_location(p, &nowhere, &(struct site){ i, 0 }, 1) == i;
	return good;
}

uint32_t
profile_location(struct profile *p, const struct location *where, const struct site *site, unsigned n)
{
	uint32_t hash = hash_location(where->address, where->mapping, site, n), code, slot, i;

	for (slot = index_first(&p->locations, hash); (i = index_at(&p->locations, slot)) != INDEX_NONE;
	     slot = index_next(&p->locations, slot)) {
		const struct location *l = &p->location[i];

		if (l->address == where->address && l->mapping == where->mapping && l->sites == n &&
		    memcmp(p->site + l->site, site, n * sizeof *site) == 0)
			return i;
	}
	code = profile_new_location(p, where, site, n);
	return code != UINT32_MAX && index_add(&p->locations, hash, code) ? code : UINT32_MAX;
}

const struct location *
profile_locate(struct profile *p, uint32_t code, unsigned (*name)(void *, uint32_t, struct location *, struct site *, unsigned),
               void *ctx)
{
	struct location where = { .mapping = MAPPING_NONE };
	unsigned n;

	if (code < p->nlocation && p->location[code].sites)
		return &p->location[code];
	if (!name || !vec_room(&p->site, &p->site_cap, (uint64_t)p->nsite + NAME_MAX_INLINE, sizeof *p->site))
		return NULL;
	n = name(ctx, code, &where, p->site + p->nsite, NAME_MAX_INLINE);
	return set_location(p, code, &where, n < NAME_MAX_INLINE ? n : NAME_MAX_INLINE) ? &p->location[code] : NULL;
}

/* The node of a location's functions under NODE.  Without room for all the stack is shorter. */
static uint32_t
name_node(struct profile *p, uint32_t node, const struct location *l)
{
	for (uint32_t i = 0; l && i < l->sites; i++) {
		uint32_t f = p->site[l->site + i].function;
		uint32_t inner = f < p->nfunction ? tree_node(&p->tree, node, f) : NODE_NONE;

		if (inner != NODE_NONE)
			node = inner;
	}
	return node;
}

/* The code of CODE's functions in the opposite order; CODE itself if there is no memory for it. */
static uint32_t
turned_code(struct profile *p, uint32_t code)
{
	const struct location where = p->location[code];
	struct site site[NAME_MAX_INLINE];
	uint32_t turned;

	if (where.sites > NAME_MAX_INLINE)
		return code;
	for (unsigned i = 0; i < where.sites; i++)
		site[where.sites - 1 - i] = p->site[where.site + i];
	turned = profile_location(p, &where, site, where.sites);
	return turned == UINT32_MAX ? code : turned;
}

void
profile_turn(struct profile *p, const char *mark)
{
	uint32_t of = 0;
	bool *below = NULL;
	uint32_t cap = 0;

	while (of < p->nfunction && strcmp(p->function[of].name, mark) != 0)
		of++;
	if (of == p->nfunction || !vec_room(&below, &cap, p->raw.n, sizeof *below))
		return;
	for (uint32_t i = 0; i < p->raw.n; i++) {
		struct node *node = &p->raw.node[i];
		const struct location *l = node->frame < p->nlocation ? &p->location[node->frame] : NULL;
		bool turned = node->parent != NODE_NONE && below[node->parent];

		below[i] = turned || (l && l->sites == 1 && strcmp(p->function[p->site[l->site].function].name, mark) == 0);
		if (turned && l && l->sites > 1)
			node->frame = turned_code(p, node->frame);
	}
	vec_free(&below, &cap, sizeof *below);
}

/* Whether each code stands for one function, and no two for the same: then both trees have the same form. */
static bool
one_to_one(const struct profile *p)
{
	bool *taken = NULL, good;
	uint32_t cap = 0, i, f;

	good = p->nlocation && p->location[0].sites == 1 && vec_room(&taken, &cap, p->nfunction, sizeof *taken);
	for (i = 0; good && i < p->nlocation; i++) {
		f = p->site[p->location[i].site].function;
		good = p->location[i].sites == 1 && f < p->nfunction && !taken[f];
		if (good)
			taken[f] = true;
	}
	for (i = 0; good && i < p->raw.n; i++)
		good = p->raw.node[i].frame < p->nlocation;
	vec_free(&taken, &cap, sizeof *taken);
	return good;
}

/* Each code is the function of that number: both trees are the same. */
static bool
same_tree(struct profile *p)
{
	if (!p->plain || p->nlocation)
		return false;
	for (uint32_t i = 0; i < p->raw.n; i++)
		p->named[i] = i;
	p->tree.node = p->raw.node;
	p->tree.n = p->raw.n;
	return p->tree_is_raw = true;
}

/* As name_node for all nodes, of such a profile: no node has to be searched for. */
static bool
copy_tree(struct profile *p)
{
	if (same_tree(p))
		return true;
	if (!one_to_one(p) || !vec_room(&p->tree.node, &p->tree.cap, p->raw.n, sizeof *p->tree.node))
		return false;
	for (uint32_t i = 0; i < p->raw.n; i++) {
		struct node n = p->raw.node[i];

		p->tree.node[i] = (struct node){ n.parent, p->site[p->location[n.frame].site].function };
		p->named[i] = i;
	}
	p->tree.n = p->raw.n;
	return true;
}

void
profile_name(struct profile *p, unsigned (*name)(void *ctx, uint32_t code, struct location *where, struct site *site,
                                                 unsigned max), void *ctx)
{
	profile_settle(p);   /* both trees' tables at once would be the peak of memory */
	if (p->tree_is_raw)
		profile_drop_tree(p);
	p->tree.n = p->tree.ndepth = 0;
	p->nnamed = 0;
	if (!vec_room(&p->named, &p->named_cap, p->raw.n, sizeof *p->named))
		return;
	for (uint32_t i = 0, n = copy_tree(p) ? 0 : p->raw.n; i < n; i++) {
		struct node raw = p->raw.node[i];
		uint32_t parent = raw.parent == NODE_NONE ? NODE_NONE : p->named[raw.parent];

		p->named[i] = name_node(p, parent, profile_locate(p, raw.frame, name, ctx));
	}
	p->nnamed = p->raw.n;
	tree_settle(&p->tree);
}

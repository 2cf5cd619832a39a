/* See profile.h: threads and samples while the capture runs, functions and the tree of them at its end. */
#include "timeline.h"

#include <string.h>

void
profile_init(struct profile *p)
{
	*p = (struct profile){ .unit = UNIT_SAMPLES, .command = "" };
}

void
profile_free(struct profile *p)
{
	for (uint32_t i = 0; i < p->nthread; i++) {
		struct timeline *t = p->thread[i].timeline;

		vec_free(&t->stack, &t->room, sizeof *t->stack);
	}
	tree_free(&p->raw);
	tree_free(&p->tree);
	vec_free(&p->named, &p->named_cap, sizeof *p->named);
	vec_free(&p->delta, &p->delta_cap, sizeof *p->delta);
	vec_free(&p->function, &p->function_cap, sizeof *p->function);
	vec_free(&p->location, &p->location_cap, sizeof *p->location);
	vec_free(&p->site, &p->site_cap, sizeof *p->site);
	vec_free(&p->mapping, &p->mapping_cap, sizeof *p->mapping);
	vec_free(&p->thread, &p->thread_cap, sizeof *p->thread);
	index_free(&p->functions);
	index_free(&p->locations);
	index_free(&p->threads);
	arena_free(&p->arena);
	profile_init(p);
}

static uint32_t
hash_thread(const struct thread *t)
{
	return hash_u64(((uint64_t)(uint32_t)t->pid << 32 | (uint32_t)t->tid) ^ (uint64_t)t->event << 27) ^ hash_str(t->comm);
}

static uint32_t
thread_again(const void *ctx, uint32_t item)
{
	return hash_thread((const struct thread *)ctx + item);
}

static bool
thread_is(const struct thread *a, const struct thread *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->event == b->event && strcmp(a->comm, b->comm) == 0;
}

static uint32_t
add_thread(struct profile *p, struct thread t, uint32_t hash)
{
	t.timeline = arena_alloc(&p->arena, sizeof *t.timeline);
	t.comm = arena_str(&p->arena, t.comm, strlen(t.comm));
	if (!t.timeline || !t.comm || !vec_room(&p->thread, &p->thread_cap, (uint64_t)p->nthread + 1, sizeof t) ||
	    !index_add(&p->threads, hash, p->nthread, thread_again, p->thread))
		return UINT32_MAX;
	p->thread[p->nthread] = t;
	return p->last_thread = p->nthread++;
}

uint32_t
profile_thread(struct profile *p, int32_t pid, int32_t tid, const char *comm, uint32_t event)
{
	struct thread t = { .pid = pid, .tid = tid, .comm = comm, .event = event };
	uint32_t hash, slot, i;

	if (p->last_thread < p->nthread && thread_is(&p->thread[p->last_thread], &t))
		return p->last_thread;
	hash = hash_thread(&t);
	for (slot = index_first(&p->threads, hash); (i = index_at(&p->threads, slot)) != INDEX_NONE;
	     slot = index_next(&p->threads, slot))
		if (thread_is(&p->thread[i], &t))
			return p->last_thread = i;
	return add_thread(p, t, hash);
}

/* Looking up a stack's nodes one after another waits for memory at each.  Where each was found last time is known by its
 * stack alone, so that these nodes can be fetched all at once. */
enum { HINTS_LOG = 14, AHEAD = 48 };

/* The places among the hints of the stacks that CODE's first K, K + 1, … codes are; returns how many. */
static uint32_t
look_ahead(const struct profile *p, const uint32_t *code, uint32_t n, uint32_t k, uint16_t *place)
{
	uint64_t hash = 0;
	uint32_t i;

	for (i = 0; i < n && i < k + AHEAD; i++) {
		hash = (hash ^ code[n - 1 - i]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
		if (i >= k) {
			place[i - k] = (uint16_t)(hash & ((1u << HINTS_LOG) - 1));
			__builtin_prefetch(p->hint + place[i - k]);
		}
	}
	n = i > k ? i - k : 0;
	for (i = 0; p->raw.n && i < n; i++)
		__builtin_prefetch(p->raw.node + p->hint[place[i]]);
	return n;
}

static uint32_t
find_node(struct profile *p, uint32_t parent, uint32_t code, uint32_t *hint)
{
	const struct node *node = p->raw.node;

	if (*hint < p->raw.n && node[*hint].parent == parent && node[*hint].frame == code)
		return *hint;
	return *hint = tree_node(&p->raw, parent, code);
}

/* The node of a stack: only what differs from the thread's last stack, at its inner end, is looked up. */
static bool
stack_node(struct profile *p, struct timeline *t, const uint32_t *code, uint32_t n, uint32_t *node)
{
	uint32_t room = t->room / 2, k = 0, first, ahead, none = 0;
	uint16_t place[AHEAD];

	if (!p->hint && !(p->hint = arena_alloc(&p->arena, sizeof *p->hint << HINTS_LOG)))
		return false;
	if (n > room) {
		if (vec_room(&t->stack, &t->room, (uint64_t)n * 2 + 32, sizeof *t->stack))
			room = t->room / 2;
		t->depth = 0;   /* the nodes' half begins elsewhere now */
	}
	for (uint32_t most = n < t->depth ? n : t->depth; k < most && t->stack[k] == code[n - 1 - k]; k++)
		;
	*node = k ? t->stack[room + k - 1] : NODE_NONE;
	first = k;
	ahead = look_ahead(p, code, n, k, place);
	for (; k < n; k++) {
		*node = find_node(p, *node, code[n - 1 - k], k - first < ahead ? &p->hint[place[k - first]] : &none);
		if (*node == NODE_NONE)
			break;
		if (k < room) {
			t->stack[k] = code[n - 1 - k];
			t->stack[room + k] = *node;
		}
	}
	t->depth = k < room ? k : room;
	return k == n;
}

void
profile_add_run(struct profile *p, uint32_t thread, const struct run *run, const uint32_t *code, uint32_t ncode)
{
	struct thread *t = thread < p->nthread ? &p->thread[thread] : NULL;
	uint64_t period = t && t->event < p->nevent ? p->event[t->event].period_ns : 0;
	struct run r = *run;

	if (!t || !r.samples || !stack_node(p, t->timeline, code, ncode, &r.node) || !timeline_add(t->timeline, &p->arena, &r, period)) {
		p->dropped++;
		return;
	}
	t->weight += r.weight;
	t->samples += r.samples;
	p->samples += r.samples;
}

void
profile_add(struct profile *p, uint32_t thread, uint64_t time, uint64_t weight, const uint32_t *code, uint32_t ncode)
{
	struct run run = { .start = time > p->start ? time - p->start : 0, .weight = weight, .samples = 1 };

	profile_add_run(p, thread, &run, code, ncode);
}

uint32_t
profile_event(struct profile *p, const struct event_info *e)
{
	const char *name;

	for (uint32_t i = 0; i < p->nevent; i++)
		if (p->event[i].period_ns == e->period_ns && p->event[i].waiting == e->waiting &&
		    strcmp(p->event[i].name, e->name) == 0)
			return i;
	if (p->nevent == sizeof p->event / sizeof *p->event || !(name = arena_str(&p->arena, e->name, strlen(e->name))))
		return UINT32_MAX;
	p->event[p->nevent] = (struct event_info){ name, e->period_ns, e->waiting };
	return p->nevent++;
}

static uint32_t
hash_function(const struct function *f)
{
	return hash_str(f->name) ^ hash_u64(hash_str(f->module) + ((uint64_t)f->line << 32) + f->kind);
}

static uint32_t
function_again(const void *ctx, uint32_t item)
{
	return hash_function((const struct function *)ctx + item);
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

/* A copy of S that lasts; the last function's own where it is the same, as modules and files mostly are. */
static const char *
keep(struct profile *p, const char *s, const char *last)
{
	return !s || same_text(s, last) ? (s ? last : NULL) : arena_str(&p->arena, s, strlen(s));
}

static uint32_t
add_function(struct profile *p, const struct function *given, uint32_t hash)
{
	const struct function none = { .module = "" };
	const struct function *last = p->nfunction ? &p->function[p->nfunction - 1] : &none;
	struct function f = *given;

	f.name = keep(p, given->name, last->name);
	f.module = keep(p, given->module, last->module);
	f.file = keep(p, given->file, last->file);
	if (!f.name || !f.module || (given->file && !f.file) ||
	    !vec_room(&p->function, &p->function_cap, (uint64_t)p->nfunction + 1, sizeof f) ||
	    !index_add(&p->functions, hash, p->nfunction, function_again, p->function))
		return UINT32_MAX;
	p->function[p->nfunction] = f;
	return p->nfunction++;
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
	hash = hash_function(&f);
	for (slot = index_first(&p->functions, hash); (i = index_at(&p->functions, slot)) != INDEX_NONE;
	     slot = index_next(&p->functions, slot))
		if (function_is(&p->function[i], &f))
			return i;
	return add_function(p, &f, hash);
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

/* Makes CODE stand for WHERE and the N sites that lie behind those the profile has. */
static bool
set_location(struct profile *p, uint32_t code, const struct location *where, unsigned n)
{
	if (!vec_room(&p->location, &p->location_cap, (uint64_t)code + 1, sizeof *p->location))
		return false;
	if (p->nlocation <= code)
		p->nlocation = code + 1;
	p->location[code] = *where;
	p->location[code].site = p->nsite;
	p->location[code].sites = (uint16_t)n;
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

static uint32_t
location_again(const void *ctx, uint32_t code)
{
	const struct profile *p = ctx;
	const struct location *l = &p->location[code];

	return hash_location(l->address, l->mapping, p->site + l->site, l->sites);
}

uint32_t
profile_location(struct profile *p, const struct location *where, const struct site *site, unsigned n)
{
	uint32_t hash = hash_location(where->address, where->mapping, site, n), code = p->nlocation, slot, i;

	for (slot = index_first(&p->locations, hash); (i = index_at(&p->locations, slot)) != INDEX_NONE;
	     slot = index_next(&p->locations, slot)) {
		const struct location *l = &p->location[i];

		if (l->address == where->address && l->mapping == where->mapping && l->sites == n &&
		    memcmp(p->site + l->site, site, n * sizeof *site) == 0)
			return i;
	}
	if (n > NAME_MAX_INLINE || !vec_room(&p->site, &p->site_cap, (uint64_t)p->nsite + n, sizeof *p->site))
		return UINT32_MAX;
	memcpy(p->site + p->nsite, site, n * sizeof *site);
	if (!set_location(p, code, where, n) || !index_add(&p->locations, hash, code, location_again, p))
		return UINT32_MAX;
	return code;
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

/* The node of a location's functions under NODE.  What finds no room leaves the stack shorter. */
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

void
profile_name(struct profile *p, unsigned (*name)(void *ctx, uint32_t code, struct location *where, struct site *site,
                                                 unsigned max), void *ctx)
{
	tree_drop_table(&p->raw);   /* both trees' tables at once would be the peak of memory */
	p->tree.n = p->tree.ndepth = 0;
	p->nnamed = 0;
	if (!vec_room(&p->named, &p->named_cap, p->raw.n, sizeof *p->named))
		return;
	for (uint32_t i = 0; i < p->raw.n; i++) {
		struct node raw = p->raw.node[i];
		uint32_t parent = raw.parent == NODE_NONE ? NODE_NONE : p->named[raw.parent];

		p->named[i] = name_node(p, parent, profile_locate(p, raw.frame, name, ctx));
	}
	p->nnamed = p->raw.n;
	tree_settle(&p->tree);
}

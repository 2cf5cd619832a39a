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
	vec_free(&p->function, &p->function_cap, sizeof *p->function);
	vec_free(&p->thread, &p->thread_cap, sizeof *p->thread);
	index_free(&p->functions);
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

/* The node of a stack: only what differs from the thread's last stack, at its inner end, is looked up. */
static bool
stack_node(struct profile *p, struct timeline *t, const uint32_t *code, uint32_t n, uint32_t *node)
{
	uint32_t room = t->room / 2, k = 0;

	if (n > room) {
		if (vec_room(&t->stack, &t->room, (uint64_t)n * 2 + 32, sizeof *t->stack))
			room = t->room / 2;
		t->depth = 0;   /* the nodes' half begins elsewhere now */
	}
	for (uint32_t most = n < t->depth ? n : t->depth; k < most && t->stack[k] == code[n - 1 - k]; k++)
		;
	*node = k ? t->stack[room + k - 1] : NODE_NONE;
	for (; k < n; k++) {
		*node = tree_node(&p->raw, *node, code[n - 1 - k]);
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
profile_add(struct profile *p, uint32_t thread, uint64_t time, uint64_t weight, const uint32_t *code, uint32_t ncode)
{
	struct thread *t = thread < p->nthread ? &p->thread[thread] : NULL;
	uint64_t period = t && t->event < p->nevent ? p->event[t->event].period_ns : 0;
	uint64_t at = time > p->start ? (time - p->start) / 1000 : 0;
	uint32_t node;

	if (!t || !stack_node(p, t->timeline, code, ncode, &node) ||
	    !timeline_add(t->timeline, &p->arena, at, weight, period, node)) {
		p->dropped++;
		return;
	}
	t->weight += weight;
	t->samples++;
	p->samples++;
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

/* What the codes seen so far are called: COUNT functions from FIRST on in `function`. */
struct naming {
	struct answer {
		uint32_t code, first, count;
	} *answer;
	uint32_t *function;
	uint32_t n, cap, nfunction, function_cap;
	struct index index;
};

static uint32_t
answer_again(const void *ctx, uint32_t item)
{
	return hash_u64(((const struct answer *)ctx)[item].code);
}

/* Asks about CODE, once.  INDEX_NONE at the memory cap. */
static uint32_t
ask(struct naming *k, uint32_t code, unsigned (*name)(void *, uint32_t, uint32_t *, unsigned), void *ctx)
{
	uint32_t hash = hash_u64(code), slot, i, n;

	for (slot = index_first(&k->index, hash); (i = index_at(&k->index, slot)) != INDEX_NONE;
	     slot = index_next(&k->index, slot))
		if (k->answer[i].code == code)
			return i;
	if (!vec_room(&k->answer, &k->cap, (uint64_t)k->n + 1, sizeof *k->answer) ||
	    !vec_room(&k->function, &k->function_cap, (uint64_t)k->nfunction + NAME_MAX_INLINE, sizeof *k->function) ||
	    !index_add(&k->index, hash, k->n, answer_again, k->answer))
		return INDEX_NONE;
	n = name(ctx, code, k->function + k->nfunction, NAME_MAX_INLINE);
	k->answer[k->n] = (struct answer){ code, k->nfunction, n < NAME_MAX_INLINE ? n : NAME_MAX_INLINE };
	k->nfunction += k->answer[k->n].count;
	return k->n++;
}

/* The node of CODE's functions under NODE.  What finds no room leaves the stack shorter. */
static uint32_t
name_node(struct profile *p, struct naming *k, uint32_t node, uint32_t answer)
{
	for (uint32_t i = 0; answer != INDEX_NONE && i < k->answer[answer].count; i++) {
		uint32_t f = k->function[k->answer[answer].first + i];
		uint32_t inner = f < p->nfunction ? tree_node(&p->tree, node, f) : NODE_NONE;

		if (inner != NODE_NONE)
			node = inner;
	}
	return node;
}

void
profile_name(struct profile *p, unsigned (*name)(void *ctx, uint32_t code, uint32_t *function, unsigned max), void *ctx)
{
	struct naming k = { 0 };

	tree_drop_table(&p->raw);   /* both trees' tables at once would be the peak of memory */
	p->tree.n = p->tree.ndepth = 0;
	p->nnamed = 0;
	if (!vec_room(&p->named, &p->named_cap, p->raw.n, sizeof *p->named))
		return;
	for (uint32_t i = 0; i < p->raw.n; i++) {
		struct node raw = p->raw.node[i];
		uint32_t parent = raw.parent == NODE_NONE ? NODE_NONE : p->named[raw.parent];

		p->named[i] = name_node(p, &k, parent, ask(&k, raw.frame, name, ctx));
	}
	p->nnamed = p->raw.n;
	tree_settle(&p->tree);
	vec_free(&k.answer, &k.cap, sizeof *k.answer);
	vec_free(&k.function, &k.function_cap, sizeof *k.function);
	index_free(&k.index);
}

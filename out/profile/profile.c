/* See profile.h: threads and samples, while the capture runs. */
#include "profile.h"

#include <string.h>

void
profile_init(struct profile *p)
{
	*p = (struct profile){ .unit = UNIT_SAMPLES, .command = "" };
}

/* For how many threads prof keeps the last stack: those that ran last, as most threads of a long capture have ended. */
enum { LASTS = 256 };

void
profile_settle(struct profile *p)
{
	tree_drop_table(&p->raw);
	for (uint32_t i = 0; p->last && i < LASTS; i++) {
		vec_free(&p->last[i].stack, &p->last[i].room, sizeof *p->last[i].stack);
		p->last[i].depth = 0;
	}
}

void
profile_drop_tree(struct profile *p)
{
	if (p->tree_is_raw)
		p->tree.node = NULL;
	p->tree_is_raw = false;
	tree_free(&p->tree);
}

void
profile_free(struct profile *p)
{
	profile_settle(p);
	profile_drop_tree(p);
	tree_free(&p->raw);
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
	index_free(&p->comms);
	source_texts_free(&p->sources);
	arena_free(&p->arena);
	profile_init(p);
}

static uint32_t
hash_thread(const struct thread *t)
{
	return hash_u64(((uint64_t)(uint32_t)t->pid << 32 | (uint32_t)t->tid) ^ (uint64_t)t->event << 27) ^ hash_str(t->comm);
}

static bool
thread_is(const struct thread *a, const struct thread *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->event == b->event && strcmp(a->comm, b->comm) == 0;
}

/* A copy of a new thread's name that lasts: threads with the same name share it.  NULL at the memory cap. */
static const char *
keep_comm(struct profile *p, const char *comm)
{
	uint32_t hash = hash_str(comm), slot, i;

	for (slot = index_first(&p->comms, hash); (i = index_at(&p->comms, slot)) != INDEX_NONE; slot = index_next(&p->comms, slot))
		if (i < p->nthread && !strcmp(p->thread[i].comm, comm))
			return p->thread[i].comm;
	return index_add(&p->comms, hash, p->nthread) ? arena_str(&p->arena, comm, strlen(comm)) : NULL;
}

static uint32_t
add_thread(struct profile *p, struct thread t, uint32_t hash)
{
	t.timeline = arena_alloc(&p->arena, sizeof *t.timeline);
	if (!t.timeline || !vec_room(&p->thread, &p->thread_cap, (uint64_t)p->nthread + 1, sizeof t) || !(t.comm = keep_comm(p, t.comm)) ||
	    !index_add(&p->threads, hash, p->nthread))
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

void
profile_call(struct profile *p, uint32_t thread, const char *name)
{
	struct thread *t = &p->thread[thread];

	if (*name && !p->untimed && (!t->name || strcmp(t->name, name)))
		t->name = arena_str(&p->arena, name, strlen(name));
}

/* To look up a stack's nodes one after another waits for memory at each.  The stack alone tells where each node was found
 * last time, so prof can fetch these nodes all at once. */
enum { HINTS_LOG = 16, AHEAD = 48 };

/* The places among the hints of the stacks that consist of CODE's first K, K + 1, … codes; returns how many. */
static uint32_t
look_ahead(const struct profile *p, const uint32_t *code, uint32_t n, uint32_t k, uint16_t *place)
{
	uint64_t hash = 0;
	uint32_t i;

	if (k < n && code[n - 1 - k] >= p->raw.fresh)
		return 0;   /* all that follow are new nodes */
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

/* The last stack of THREAD; empty where another thread's stood in its place. */
static struct last_stack *
last_stack(struct profile *p, uint32_t thread)
{
	struct last_stack *t = &p->last[thread % LASTS];

	if (t->thread != thread)
		t->depth = 0;
	t->thread = thread;
	return t;
}

/* The node of a stack: it looks up only the inner end, which differs from the thread's last stack. */
static bool
stack_node(struct profile *p, uint32_t thread, const uint32_t *code, uint32_t n, uint32_t *node)
{
	uint32_t room, k = 0, first, ahead, none = 0;
	uint16_t place[AHEAD];
	struct last_stack *t;

	if ((!p->hint && !(p->hint = arena_alloc(&p->arena, sizeof *p->hint << HINTS_LOG))) ||
	    (!p->last && !(p->last = arena_alloc(&p->arena, LASTS * sizeof *p->last))))
		return false;
	t = last_stack(p, thread);
	room = t->room / 2;
	if (n > room) {
		if (vec_room(&t->stack, &t->room, (uint64_t)n * 2 + 32, sizeof *t->stack))
			room = t->room / 2;
		t->depth = 0;   /* the nodes now begin at another place */
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

static bool
add_run(struct profile *p, struct thread *t, const struct run *r)
{
	uint64_t period = t->event < p->nevent ? p->event[t->event].period_ns : 0;
	struct run at = *r;

	if (p->untimed)
		at.start = at.span = 0;
	if (!timeline_add(t->timeline, &p->arena, &at, period))
		return false;
	t->weight += r->weight;
	t->samples += r->samples;
	p->samples += r->samples;
	return true;
}

void
profile_add_run(struct profile *p, uint32_t thread, const struct run *run, const uint32_t *code, uint32_t ncode)
{
	struct thread *t = thread < p->nthread ? &p->thread[thread] : NULL;
	struct run r = *run;

	if (!t || !r.samples || !stack_node(p, thread, code, ncode, &r.node) || !add_run(p, t, &r))
		p->dropped += r.samples ? r.samples : 1;
}

void
profile_add_known_run(struct profile *p, uint32_t thread, const struct run *run)
{
	if (thread >= p->nthread || !run->samples || !add_run(p, &p->thread[thread], run))
		p->dropped += run->samples ? run->samples : 1;
}

uint32_t
profile_stack(struct profile *p, uint32_t thread, const uint32_t *code, uint32_t ncode)
{
	uint32_t node = NODE_NONE;

	if (thread >= p->nthread || !stack_node(p, thread, code, ncode, &node))
		return NODE_NONE;
	return node;
}

void
profile_add_node(struct profile *p, uint32_t thread, uint64_t time, uint64_t weight, uint32_t node)
{
	struct run run = { .start = time > p->start ? time - p->start : 0, .weight = weight, .samples = 1, .node = node };

	if (thread >= p->nthread || !add_run(p, &p->thread[thread], &run))
		p->dropped++;
}

void
profile_add(struct profile *p, uint32_t thread, uint64_t time, uint64_t weight, const uint32_t *code, uint32_t ncode)
{
	struct run run = { .start = time > p->start ? time - p->start : 0, .weight = weight, .samples = 1 };

	profile_add_run(p, thread, &run, code, ncode);
}

bool
event_in_bytes(const struct event_info *e)
{
	const char *last = strrchr(e->name, ' ');

	return !e->period_ns && !strcmp(last ? last + 1 : e->name, "bytes");
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
	if (e->waiting && e->period_ns == 1000)
		p->unit = UNIT_MICROSECONDS;
	return p->nevent++;
}

void
runs_open(struct run_reader *r, const struct profile *p, const struct thread *t)
{
	uint64_t period = t->event < p->nevent ? p->event[t->event].period_ns : 0;

	timeline_open(r, t->timeline, period, p->named, p->nnamed);
}

const char *
profile_language(const char *module)
{
	static const char *const languages[][2] = { { "[python]", "Python" }, { "[ruby]", "Ruby" }, { "[javascript]", "JavaScript" },
	                                              { "[php]", "PHP" } };

	for (unsigned i = 0; i < sizeof languages / sizeof *languages; i++)
		if (!strcmp(module, languages[i][0]))
			return languages[i][1];
	return NULL;
}

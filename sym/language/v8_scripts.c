/* See v8_scripts.h.  src/roots/roots.h of V8 10 to 14: a register leads to the roots of V8's objects, of which one is the only list that begins
 * with a script.  What the lists have are weak pointers: the two lowest bits are set. */
#include "v8_scripts.h"

#include "lib/clock.h"
#include "lib/index.h"

enum { ROOTS = 4096 /* from the register on */, LIST_LENGTH = 16, LIST_FIRST = 24, ARRAY_LENGTH = 8, ARRAY_FIRST = 16, FUNCTIONS = 88 /* of a script */,
       RUNS = 8 /* of a function */, LENGTH_MOST = 1 << 20, FUNCTIONS_MOST = 1 << 16 /* of a search */, COST = 4096 /* us */ };
enum { SHARE = 32, VAIN_MOST = 4 };   /* searches cost no more than that part of a CPU, and half as much after each in vain */
#define LOOK_AGAIN UINT64_C(100000000)   /* ns: if the list was not found */

static bool
is_weak(uint64_t v)
{
	return v % 8 == 3 && v > UINT32_MAX;
}

static uint64_t
weak_member(struct look *l, uint64_t object, int32_t offset, uint32_t type)
{
	uint64_t v;

	return v8_member(l, object, offset, &v) && is_weak(v) && v8_type(l, v - 2) == type ? v - 2 : 0;
}

static bool
is_list(const struct v8_image *v, struct look *l, uint64_t object)
{
	return v8_is_object(object) && v8_type(l, object) == (uint32_t)v->at[V8_TYPE_WEAK_LIST] && weak_member(l, object, LIST_FIRST, (uint32_t)v->at[V8_TYPE_SCRIPT]);
}

static uint64_t
find_list(struct v8_table *t, const struct v8_image *v, struct look *l, uint64_t root)
{
	if (root % 8 || root > UINT64_MAX - ROOTS - V8_TABLE || !look_copy(l, root + ROOTS, t->bytes, V8_TABLE))
		return 0;
	for (size_t i = 0; i < V8_TABLE; i += 8)
		if (is_list(v, l, look_u64(t->bytes + i)))
			return root + ROOTS + i;
	return 0;
}

static struct v8_script_function *
place_of(struct v8_scripts *p, const void *process, uint64_t runs)
{
	return &p->function[hash_u64(runs ^ (uintptr_t)process) % V8_SCRIPT_FUNCTIONS];
}

static uint64_t
known(struct v8_scripts *p, const void *process, uint64_t runs)
{
	const struct v8_script_function *f = place_of(p, process, runs);

	return f->process == process && f->runs == runs ? f->shared : 0;
}

/* Notes what a script's functions run; LEFT: how many more prof may look at. */
static void
read_script(struct v8_scripts *p, const struct v8_image *v, struct look *l, const void *process, uint64_t script, uint32_t *left)
{
	uint64_t functions, n, shared, runs;
	size_t part = 0;

	if (!v8_member(l, script, FUNCTIONS, &functions) || v8_type(l, functions) != (uint32_t)v->at[V8_TYPE_WEAK_ARRAY] ||
	    !v8_member(l, functions, ARRAY_LENGTH, &n) || (n >>= 32) > LENGTH_MOST)
		return;
	for (uint64_t i = 0; i < n && *left; i++, --*left) {
		size_t at = (size_t)(i * 8 % V8_TABLE);

		if (!at) {
			part = (size_t)((n - i) * 8 < V8_TABLE ? (n - i) * 8 : V8_TABLE);
			if (!look_copy(l, functions - 1 + ARRAY_FIRST + i * 8, p->table.bytes, part))
				return;
		}
		shared = look_u64(p->table.bytes + at);
		if (is_weak(shared) && v8_member(l, shared - 2, RUNS, &runs) && v8_is_object(runs))
			*place_of(p, process, runs) = (struct v8_script_function){ process, runs, shared - 2 };
	}
}

/* The newest scripts first: there may be too many. */
static uint64_t
search(struct v8_scripts *p, const struct v8_image *v, struct look *l, const struct v8_script_list *of, uint64_t bytes, uint64_t code)
{
	uint64_t list, n, script, found;
	uint32_t left = FUNCTIONS_MOST;

	if (!look_now(l, of->at, &list) || !is_list(v, l, list) || !v8_member(l, list, LIST_LENGTH, &n) || (n >>= 32) > LENGTH_MOST)
		return 0;
	for (uint64_t i = n; i-- && left && l->reads; left -= left > 0)
		if ((script = weak_member(l, list, (int32_t)(LIST_FIRST + 8 * i), (uint32_t)v->at[V8_TYPE_SCRIPT])))
			read_script(p, v, l, of->process, script, &left);
	found = known(p, of->process, bytes);
	return found || !code ? found : known(p, of->process, code);
}

uint64_t
v8_scripts_function(struct v8_scripts *p, const struct v8_image *v, struct languages *languages, struct look *l, const void *process, uint64_t root,
                    uint64_t bytes, uint64_t code)
{
	struct v8_script_list *list = &p->list[hash_u64((uintptr_t)process) % V8_SCRIPT_PROCESSES];
	uint64_t found, begun = clock_now();
	uint32_t reads = l->reads;

	if ((found = known(p, process, bytes)) || (code && (found = known(p, process, code))))
		return found;
	if (list->process != process)
		*list = (struct v8_script_list){ .process = process };
	if (begun < list->next || !v->at[V8_TYPE_WEAK_LIST] || !v->at[V8_TYPE_WEAK_ARRAY] || (!list->at && !root) ||
	    !languages_may_search(languages, languages_allowance(languages), l->moment->time, COST))
		return 0;
	l->reads = V8_SCRIPT_READS;
	if (!list->at && !(list->at = find_list(&p->table, v, l, root)))
		list->next = begun + LOOK_AGAIN;
	else
		found = search(p, v, l, list, bytes, code);
	l->reads = reads;
	list->vain = found || !list->at ? 0 : list->vain + (list->vain < VAIN_MOST);
	if (list->at)
		list->next = clock_now() + ((clock_now() - begun) * SHARE << list->vain);
	return found;
}

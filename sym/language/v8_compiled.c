/* See v8_compiled.h.  src/objects/code.h of V8 10 to 14: in front of the instructions lies an object, which is the code (10) or leads to
 * it.  The code says where its instructions begin and how many bytes they are, so prof finds them from any address in them. */
#include "v8_compiled.h"

#include "lib/index.h"

enum {
	STEP = 32 /* where instructions may begin */, SLOT = 512, NEAR = 8 /* slots */, FARTHEST = 1 << 16, SEARCH_COST = 4, CODE_OF = 8, WRAPPED = 8,
	FIRST_ELEMENT = 16,
};
#define LOOK_AGAIN UINT64_C(100000000)   /* ns */
#define GOOD UINT64_C(5000000000)

/* The code whose instructions begin at LO. */
static bool
begins(const struct v8_image *v, struct look *l, uint64_t lo, uint64_t *code, uint32_t *size)
{
	uint64_t head = lo - (uint64_t)v->at[V8_STREAM_START] + 1, start = lo, n;

	*code = head;
	if (v->at[V8_CODE_START] && (!v8_member(l, head, CODE_OF, code) || !v8_member(l, *code, v->at[V8_CODE_START], &start)))
		return false;
	if (start != lo || v8_type(l, *code) != (uint32_t)v->at[V8_TYPE_CODE] || !v8_member(l, *code, v->at[V8_CODE_SIZE], &n))
		return false;
	*size = (uint32_t)n;
	return true;
}

static uint64_t
function_of(const struct v8_image *v, struct look *l, uint64_t data)
{
	uint64_t shared;

	if (!v8_member(l, data, FIRST_ELEMENT + 8 * v->at[V8_DEOPT_SHARED], &shared))
		return 0;
	if (v8_type(l, shared) != (uint32_t)v->at[V8_TYPE_SHARED] && !v8_member(l, shared, WRAPPED, &shared))
		return 0;
	return v8_type(l, shared) == (uint32_t)v->at[V8_TYPE_SHARED] ? shared : 0;
}

/* Whether it is still the code that it was. */
static bool
is_still(const struct v8_image *v, struct look *l, const struct v8_compiled *c)
{
	uint64_t code, data;
	uint32_t size;

	return begins(v, l, c->lo, &code, &size) && code == c->code && size == c->hi - c->lo && v8_member(l, code, v->at[V8_CODE_DATA], &data) &&
	       data == (c->shared ? c->data : c->bytes);
}

static bool
find(const struct v8_image *v, struct look *l, uint64_t pc, struct v8_compiled *c)
{
	uint32_t size;
	uint64_t data, map;

	for (uint64_t lo = pc & ~(uint64_t)(STEP - 1); pc - lo < FARTHEST; lo -= STEP) {
		if (!look_word(l, lo - (uint64_t)v->at[V8_STREAM_START], &map))
			return false;
		if (!v8_is_object(map) || !begins(v, l, lo, &c->code, &size))
			continue;
		if (pc - lo >= size || !v8_member(l, c->code, v->at[V8_CODE_DATA], &data))
			return false;
		c->lo = lo;
		c->hi = lo + size;
		if (v8_type(l, data) == (uint32_t)v->at[V8_TYPE_BYTES])
			c->bytes = data;
		else
			c->shared = function_of(v, l, data);
		if (v8_member(l, c->code, v->at[V8_CODE_DATA] + 8, &c->positions) && c->shared)
			c->data = data;
		return c->bytes || c->shared;
	}
	return false;
}

static bool
holds(const struct v8_compiled *c, const void *process, uint64_t pc)
{
	return c->process == process && (c->hi ? pc - c->lo < c->hi - c->lo : pc == c->lo);
}

static struct v8_compiled *
place_of(struct v8_compiled_codes *p, const void *process, uint64_t slot)
{
	return &p->compiled[hash_u64(slot ^ (uintptr_t)process) % V8_COMPILED];
}

/* What is known of code that holds PC, from near it in the same code; or NULL. */
static const struct v8_compiled *
find_near(struct v8_compiled_codes *p, const void *process, uint64_t pc, uint64_t time)
{
	for (uint64_t i = 0; i < 2 * NEAR; i++) {
		const struct v8_compiled *c = place_of(p, process, pc / SLOT - NEAR + i + (i >= NEAR));

		if (c->hi && holds(c, process, pc) && time - c->looked < LOOK_AGAIN)
			return c;
	}
	return NULL;
}

const struct v8_compiled *
v8_compiled_at(struct v8_compiled_codes *p, const struct v8_image *v, struct languages *languages, struct look *l, const void *process, uint64_t pc)
{
	struct v8_compiled *c = place_of(p, process, pc / SLOT), now = { .process = process };
	const struct v8_compiled *near;
	uint64_t time = l->moment->time;
	bool known = holds(c, process, pc);

	if (known && time - c->looked < LOOK_AGAIN)
		return c->hi ? c : NULL;
	if ((near = find_near(p, process, pc, time))) {
		*c = *near;
		return c;
	}
	if (!v->at[V8_TYPE_CODE] || !languages_may_search(languages, languages_allowance(languages), time, SEARCH_COST))
		return NULL;
	now.looked = time;
	if (known && c->hi && is_still(v, l, c))
		c->looked = time;
	else if (find(v, l, pc, &now))
		*c = now;
	else if (!known || !c->hi || time - c->looked > GOOD)
		*c = (struct v8_compiled){ .process = process, .lo = pc, .looked = time };
	return c->hi ? c : NULL;
}

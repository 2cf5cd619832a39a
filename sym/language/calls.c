/* See calls.h.  As for Python, what was not copied at the moment of the sample is sure only if it stays (lasting.h), or if a register
 * points to the code of the innermost function. */
#include "calls.h"

bool
calls_begin(struct calls *c, const struct language *language, struct languages *languages, const struct moment *m, struct language_stack *to, uint32_t reads)
{
	*c = (struct calls){ .language = language, .languages = languages, .moment = m, .to = to,
	                     .room = languages_room(languages, CALLS_ROOM, sizeof *c->room) };
	if (!c->room)
		return false;
	c->look = looks_of(&c->room->looks, m->space);
	look_begin(c->look, m, reads);
	return true;
}

void
calls_find(struct calls *c, const struct module *module, uint64_t lo, uint64_t hi)
{
	const struct moment *m = c->moment;

	if (c->counted)
		return;
	c->counted = true;
	for (uint32_t i = 0; i < m->n && c->natives < CALLS_MOST; i++) {
		const struct code *of = languages_native(c->languages, m->code[i]);

		if (m->sp[i] && of->module == module->id && of->vaddr >= lo && of->vaddr < hi)
			c->room->native[c->natives++] = i;
	}
}

bool
calls_innermost(const struct calls *c)
{
	return c->natives && !c->room->native[0];
}

/* ---- frames ---- */

void
calls_push(struct calls *c, uint64_t addr, uint32_t code)
{
	if (c->to->n < LANGUAGE_FRAMES && code != CODE_UNKNOWN) {
		c->room->addr[c->to->n] = addr;
		c->room->group[c->to->n] = c->groups;
		c->to->frame[c->to->n++] = (struct language_frame){ 0, code };
	}
}

bool
calls_push_doubt(struct calls *c, uint64_t addr)
{
	if (!c->all_copied)
		return false;
	calls_push(c, addr, languages_doubt(c->languages, c->language));
	c->to->doubtful++;
	c->to->late = true;
	return true;
}

void
calls_framed(struct calls *c, bool entry)
{
	c->groups += entry;
	c->copied = c->all_copied ? c->to->n : c->copied;
}

/* ---- what is sure ---- */

/* Which call runs a group, paired from the outermost one if the walk reached it, else from the innermost one; NATIVES if there is none.
 * The innermost entry may have just begun, without a call: BEGUN is 1. */
static uint32_t
call_of(const struct calls *c, uint32_t group)
{
	uint32_t begun = !c->broken && c->groups > c->natives && c->moment->whole ? c->groups - c->natives : 0;
	uint32_t left = !c->broken && c->natives > c->groups ? c->natives - c->groups : 0;

	group = group < begun ? 0 : group - begun + left;
	return group < c->natives ? group : c->natives;
}

static void
put(struct calls *c, uint32_t *n, uint32_t native, uint32_t code)
{
	if (*n < LANGUAGE_FRAMES)
		c->room->frame[(*n)++] = (struct language_frame){ c->moment->sp[native], code };
}

static void
hand_over(struct calls *c, uint32_t n)
{
	c->to->n = n;
	__builtin_memcpy(c->to->frame, c->room->frame, n * sizeof *c->to->frame);
}

/* Whether the innermost native function is on the way from one function of the language to the next. */
static bool
is_on_the_way(const struct calls *c)
{
	return c->natives && c->room->native[0] && c->moment->sp[0] && languages_leads_on(c->languages, c->moment, c->moment->code[0], true);
}

/* Puts the group without a call in the place of the innermost native function, if that is on the way to the call.  Returns how many frames
 * the group has. */
static uint32_t
put_begun(struct calls *c, uint32_t *n, uint32_t inner)
{
	bool here = is_on_the_way(c);
	uint32_t i = 0;

	if (c->broken || c->groups <= c->natives || !c->moment->whole)
		return 0;
	for (; i < inner && !c->room->group[i]; i++)
		if (here)
			put(c, n, 0, c->to->frame[i].code);
	return i;
}

/* Goes along the calls: first the INNER frames that are sure, then the OUTER ones. */
void
calls_settle(struct calls *c, bool (*sure)(const void *), const void *context)
{
	uint32_t n = 0, frames = c->to->n, i = 0, first;
	uint32_t outer = c->broken ? 0 : lasting_frames(c->chain, c->languages, c->room->addr, c->to->frame, frames, c->moment->time);
	uint32_t differ = c->groups > c->natives ? c->groups - c->natives : c->natives - c->groups;
	bool fit = !c->broken && (differ <= 1 || (!c->moment->whole && c->natives < c->groups));
	uint32_t inner = fit || (c->broken && !is_on_the_way(c)) ? c->copied : 0;   /* else the innermost entry may have no call yet */
	bool doubt, met = false;

	if (fit && !differ && !inner && frames && calls_innermost(c) && sure(context))
		inner = 1;
	outer = c->moment->whole ? outer : 0;   /* else nothing tells which calls these are */
	outer = inner + outer > frames ? frames - inner : outer;
	doubt = inner + outer < frames || !fit;
	c->to->doubtful += doubt && c->natives;
	first = frames - outer;
	i = put_begun(c, &n, inner);
	for (uint32_t k = 0; k < c->natives; k++) {
		for (; i < inner && call_of(c, c->room->group[i]) <= k; i++)
			put(c, &n, c->room->native[k], c->to->frame[i].code);
		if (i < inner)
			continue;
		i = i < first ? first : i;
		if (doubt && !met)
			put(c, &n, c->room->native[k], languages_doubt(c->languages, c->language));
		for (; i < frames && call_of(c, c->room->group[i]) <= k; i++) {
			put(c, &n, c->room->native[k], c->to->frame[i].code);
			met = true;
		}
	}
	hand_over(c, n);
}

void
calls_doubt(struct calls *c)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < c->natives; k++)
		put(c, &n, c->room->native[k], languages_doubt(c->languages, c->language));
	c->to->late = true;
	c->to->doubtful += n;
	hand_over(c, n);
}

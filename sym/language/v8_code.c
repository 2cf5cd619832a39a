/* See v8_code.h. */
#include "v8_code.h"

#include <stdio.h>
#include <string.h>

#include "lib/index.h"

enum { PIECES = 64 /* of source, for one function */, PIECE_COST = 4, LINE_OFFSET = -32 /* from the ends of lines */ };
#define LOOK_AGAIN UINT64_C(100000000)   /* ns */

uint32_t
v8_code_line(struct v8_codes *p, const struct v8_image *v, struct look *l, const void *process, uint64_t script, uint32_t at, bool *again)
{
	uint32_t pieces = PIECES, line;
	uint64_t source, first;

	if (!v8_member(l, script, v->at[V8_SCRIPT_SOURCE], &source) || !v8_member(l, script, v->at[V8_SCRIPT_ENDS] + LINE_OFFSET, &first) ||
	    !languages_may_search(p->languages, languages_allowance(p->languages), l->moment->time, PIECE_COST))
		return 0;
	line = v8_line(&p->lines, l, process, source, at, &pieces);
	if (pieces < PIECES)
		languages_may_search(p->languages, languages_allowance(p->languages), l->moment->time, (PIECES - pieces) * PIECE_COST);
	*again = !line && !pieces;
	return line && v8_is_number(first) ? line + (uint32_t)(first >> 32) : line;
}

/* file.js:function.  A module of Node.js's own has no file, but a name. */
static void
put_name(struct v8_codes *p)
{
	const char *slash = strncmp(p->file, "node:", 5) ? strrchr(p->file, '/') : NULL;

	if (strncmp(p->file, "file://", 7) == 0)
		memmove(p->file, p->file + 7, strlen(p->file + 7) + 1);
	slash = slash ? strrchr(p->file, '/') : NULL;
	snprintf(p->whole, sizeof p->whole, "%s:%s", slash ? slash + 1 : *p->file ? p->file : "<eval>", *p->name ? p->name : "(anonymous)");
}

/* What can be nothing is V8's undefined then. */
static bool
text_or_none(struct look *l, const struct v8_image *v, uint64_t string, char to[V8_TEXT_MOST])
{
	return v8_type(l, string) == (uint32_t)v->at[V8_TYPE_ODDBALL] || v8_text(l, string, to);
}

/* The name in *SCOPE, and of a script its file; false if these cannot be read now. */
static bool
read_names(struct v8_codes *p, const struct v8_image *v, struct look *l, const struct v8_function *f, struct v8_scope *scope)
{
	uint64_t file;

	*p->name = *p->file = 0;
	scope->name = v8_is_number(f->seen[V8_NAME]) ? 0 : f->seen[V8_NAME];
	if (v8_type(l, f->seen[V8_NAME]) == (uint32_t)v->at[V8_TYPE_SCOPE] && !v8_scope(v, l, f->seen[V8_NAME], scope))
		return false;
	if (scope->name && !text_or_none(l, v, scope->name, p->name))
		return false;
	return f->native || (v8_member(l, f->seen[V8_SCRIPT], v->at[V8_SCRIPT_NAME], &file) && text_or_none(l, v, file, p->file));
}

static bool
learn(struct v8_codes *p, const struct v8_image *v, struct look *l, struct v8_function *f)
{
	struct language_function found = { .lines = "" };
	struct v8_scope scope = { 0 };
	uint32_t type = v8_type(l, f->seen[V8_SCRIPT]);
	bool again = false;

	f->native = type == (uint32_t)v->at[V8_TYPE_ODDBALL];
	if ((!f->native && type != (uint32_t)v->at[V8_TYPE_SCRIPT]) || !read_names(p, v, l, f, &scope))
		return false;
	if (!f->native)
		found.line = v8_code_line(p, v, l, f->process, f->seen[V8_SCRIPT], scope.start, &again);
	put_name(p);
	found.name = f->native ? p->name : p->whole;
	found.file = *p->file ? p->file : NULL;
	f->code = *found.name && !again ? languages_code(p->languages, &language_v8, &found, 0) : CODE_UNKNOWN;
	return f->native || f->code != CODE_UNKNOWN;
}

const struct v8_function *
v8_function_at(struct v8_codes *p, const struct v8_image *v, struct look *l, const void *process, uint64_t shared)
{
	struct v8_function *f = &p->function[hash_u64(shared ^ (uintptr_t)process) % V8_FUNCTIONS];
	bool known = f->process == process && f->addr == shared && f->code != CODE_UNKNOWN;
	uint64_t seen[2];

	if (known && l->moment->time - f->looked < LOOK_AGAIN)
		return f;
	if (v8_type(l, shared) != (uint32_t)v->at[V8_TYPE_SHARED] || !v8_member(l, shared, v->at[V8_SHARED_NAME], &seen[0]) ||
	    !v8_member(l, shared, v->at[V8_SHARED_SCRIPT], &seen[1]))
		return NULL;
	if (known && !memcmp(seen, f->seen, sizeof seen)) {
		f->looked = l->moment->time;
		return f;
	}
	*f = (struct v8_function){ .process = process, .addr = shared, .seen = { seen[0], seen[1] }, .looked = l->moment->time, .code = CODE_UNKNOWN };
	return learn(p, v, l, f) ? f : NULL;
}

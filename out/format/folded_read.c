/* Folded stacks, prof's own and those of other tools: `root;outermost;…;innermost COUNT` a line.
 *
 * The file does not say what the root is.  It is the comm, perf's comm-PID or comm-PID/TID; but if some line has a root that
 * no thread can have as its name (15 characters), it is a function.  If each line has a word in brackets behind the root, and
 * not always the same word, that word is the event.  To find out both, the reader looks at all lines before it reads them. */
#include "folded_read.h"

#include <string.h>

#include "frame_text.h"
#include "lib/text.h"
#include "lib/sink.h"
#include "out/profile/profile_names.h"

enum { NAME_LONGEST = (1 << 24) - 1 };
enum { BATCH_LINES = 32, BATCH_FRAMES = 96 };   /* the last line may pass the second */
enum { COMM_CHARS = 15, FRAMES_MAX = 1 << 20, DEPTH_MAX = 4096, LOOK_MAX = 64 << 10 };
#define COUNT_MAX (INT64_MAX / 4)

struct line {
	const char *text, *end;   /* the stack */
	uint64_t count;
};

/* Where a frame's text is, in the bytes that are read, or the mark; of billions of bytes, there may be millions of frames. */
struct seen {
	uint64_t at : 40, n : 24;
};
#define AT_MARK (((uint64_t)1 << 40) - 1)

/* A frame that is not looked up yet. */
struct frame {
	const char *text;
	uint32_t n, hash;
};

/* A line whose frames are not looked up yet: the first KEPT are those of the line before, N follow. */
struct pending {
	uint64_t count;
	uint32_t thread, kept, n;
};

struct reading {
	struct profile *p;
	bool comms, pids, tids, events;
	bool alone;                /* the profile holds nothing else, so that another text is another function: its code is its number */
	bool waits;                /* one of the events is off-cpu, so that counts are microseconds */
	uint32_t event;            /* where there is one */
	const char *begin;         /* of the bytes */
	struct seen *seen;         /* the distinct frames so far */
	uint32_t nseen, seen_cap;
	uint32_t *code_of, code_of_cap;   /* what each stands for, unless ALONE */
	struct index index;
	char *text;                /* a frame, ending in NUL */
	uint32_t text_cap;
	struct line last;          /* the line before, and where each of its frames ends */
	uint32_t *ends, ends_cap, nends;
	struct pending line[BATCH_LINES];
	struct frame *frame;
	uint32_t lines, frames, frame_cap;
	uint32_t *code, code_cap, ncode;   /* of the last line that was looked up: its frames, outermost first */
	uint32_t *stack, stack_cap;
	uint64_t sum;
};

static const char elided_mark[] = "[elided]";
static const char no_count[] = "the line does not end with a count";

/* The next line that holds a stack.  False at the end; or if something is wrong: then *WHY tells what, and the cursor stands
 * at it. */
static bool
next_line(struct cursor *c, struct line *line, const char **why)
{
	while (cur_left(c)) {
		const char *s = (const char *)c->pos, *nl = memchr(s, '\n', cur_left(c));
		const char *end = nl ? nl : (const char *)c->end, *next = nl ? nl + 1 : end, *digit;

		while (end > s && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
			end--;
		for (digit = end; digit > s && digit[-1] >= '0' && digit[-1] <= '9'; digit--)
			;
		line->text = s;
		line->end = digit;
		line->count = 0;
		for (; digit < end && !*why; digit++)
			if (__builtin_mul_overflow(line->count, 10, &line->count) ||
			    __builtin_add_overflow(line->count, (uint64_t)(*digit - '0'), &line->count))
				*why = "the count is too large";
		if (line->end > s && line->end < end && (line->end[-1] == ' ' || line->end[-1] == '\t'))
			line->end--;
		else if (end > s && *s != '#')
			*why = line->end > s && line->end < end && line->end[-1] == '.'
			               ? "the count has decimals; some tools write them for other units, so multiply the counts first"
			               : no_count;
		else
			line->end = s;   /* empty, or a comment */
		if (*why)
			return false;
		c->pos = (const uint8_t *)next;
		if (line->end > s && line->count)
			return true;
	}
	return false;
}

/* The frame at S ends at the next semicolon. */
static const char *
frame_end(const char *s, const char *end)
{
	const char *semicolon = memchr(s, ';', (size_t)(end - s));

	return semicolon ? semicolon : end;
}

static unsigned
characters(const char *s, const char *end)
{
	unsigned n = 0;

	for (unsigned step; s < end && n <= COMM_CHARS; s += step ? step : 1, n++)
		step = utf8_len(s);   /* within the line: its end is no part of a character */
	return n;
}

/* Takes a number above 0 off the end of [S, *END), with the character before it, which must be MARK. */
static bool
take_number(const char *s, const char **end, char mark, int32_t *number)
{
	const char *digit = *end, *p;
	uint64_t v;

	while (digit > s && digit[-1] >= '0' && digit[-1] <= '9')
		digit--;
	p = digit;
	if (digit == *end || *end - digit > 10 || digit <= s || digit[-1] != mark || !text_dec(&p, &v) || !v || v > INT32_MAX)
		return false;
	*number = (int32_t)v;
	*end = digit - 1;
	return true;
}

static bool
ends_in(const char *s, const char *end, const char *tail)
{
	size_t n = strlen(tail);

	return (size_t)(end - s) >= n && memcmp(end - n, tail, n) == 0;
}

static bool
holds(const char *s, const char *end, const char *part)
{
	size_t n = strlen(part);

	for (; (size_t)(end - s) >= n; s++)
		if (memcmp(s, part, n) == 0)
			return true;
	return false;
}

static bool
is_event(const char *s, const char *end)
{
	return end - s > 2 && *s == '[' && end[-1] == ']' && !frame_text_is_mark(s, end) && !holds(s, end, "+0x") &&
	       !holds(s, end, ".so") && !holds(s, end, "[vdso]");
}

/* Whether a thread can have that name. */
static bool
is_comm(const char *s, const char *end)
{
	return s < end && characters(s, end) <= COMM_CHARS && !holds(s, end, "::") && !ends_in(s, end, "_[k]") &&
	       !ends_in(s, end, "_[i]") && !ends_in(s, end, "_[j]");
}

/* Looks at all lines.  NULL, or what is wrong with one of them. */
static const char *
look(struct reading *r, struct cursor *c)
{
	struct line line, first = { 0 };
	bool several = false, some = false;
	const char *why = NULL;

	r->comms = r->pids = r->tids = r->events = true;
	while (next_line(c, &line, &why)) {
		const char *root = frame_end(line.text, line.end), *pid_end = root, *comm = root, *event, *event_end;
		int32_t number;

		if (take_number(line.text, &pid_end, '/', &number))
			some = true;
		else
			r->tids = false;
		if (take_number(line.text, &pid_end, '-', &number))
			comm = pid_end;
		else
			r->pids = false;
		r->comms &= is_comm(line.text, comm);
		event = root < line.end ? root + 1 : root;
		event_end = frame_end(event, line.end);
		if (!is_event(event, event_end))
			r->events = false;
		else if (event_end - event == 9 && !memcmp(event, "[off-cpu]", 9))
			r->waits = several = true;
		else if (!first.text)
			first = (struct line){ event, event_end, 0 };
		else if (event_end - event != first.end - first.text || memcmp(event, first.text, (size_t)(event_end - event)) != 0)
			several = true;
	}
	r->events &= several && r->comms;
	r->pids &= r->comms && some == r->tids;
	r->tids &= r->pids;
	return why;
}

/* The N bytes at S as a string, in R's own room, or NULL. */
static char *
string(struct reading *r, const char *s, size_t n)
{
	if (!vec_room(&r->text, &r->text_cap, (uint64_t)n + 1, 1))
		return NULL;
	memcpy(r->text, s, n);
	r->text[n] = 0;
	return r->text;
}

static bool
is_seen(const struct reading *r, uint32_t i, const char *s, uint32_t n)
{
	const struct seen *seen = &r->seen[i];

	return seen->n == n && memcmp(seen->at == AT_MARK ? elided_mark : r->begin + seen->at, s, n) == 0;
}

/* A new function for the frame of N bytes at S, and its code; UINT32_MAX at the memory cap. */
static uint32_t
new_code(struct reading *r, const char *s, uint32_t n)
{
	const struct location where = { .mapping = MAPPING_NONE };
	struct site site = { 0, 0 };
	char module[256], *text = string(r, s, n);
	struct function f;

	if (!text)
		return UINT32_MAX;
	f = frame_text_function(text, module, sizeof module);
	if (r->alone)
		return profile_new_function(r->p, &f);
	site.function = profile_function(r->p, &f);
	if (site.function == UINT32_MAX || !vec_room(&r->code_of, &r->code_of_cap, (uint64_t)r->nseen + 1, sizeof *r->code_of))
		return UINT32_MAX;
	return r->code_of[r->nseen] = profile_new_location(r->p, &where, &site, 1);
}

/* The code of the frame of N bytes at S; UINT32_MAX at the memory cap. */
static uint32_t
frame_code(struct reading *r, const char *s, uint32_t n, uint32_t hash)
{
	uint32_t slot, i, code;

	for (slot = index_first(&r->index, hash); (i = index_at(&r->index, slot)) != INDEX_NONE;
	     slot = index_next(&r->index, slot))
		if (is_seen(r, i, s, n))
			return r->alone ? i : r->code_of[i];
	code = new_code(r, s, n);
	if (code == UINT32_MAX || !vec_room(&r->seen, &r->seen_cap, (uint64_t)r->nseen + 1, sizeof *r->seen) ||
	    !index_add(&r->index, hash, r->nseen))
		return UINT32_MAX;
	r->seen[r->nseen++] = (struct seen){ (s == elided_mark ? AT_MARK : (uint64_t)(s - r->begin)) & AT_MARK, n & NAME_LONGEST };
	return code;
}

/* Lines are mostly sorted: the first frames that this line and the one before have in common stay. */
static void
keep_common(struct reading *r, const char *text, const char *end)
{
	size_t most = (size_t)(end - text), last = r->last.text ? (size_t)(r->last.end - r->last.text) : 0, same = 0;

	most = most < last ? most : last;
	while (same < most && text[same] == r->last.text[same])
		same++;
	while (r->nends && r->ends[r->nends - 1] >= same)   /* the semicolon must be the same, too */
		r->nends--;
	r->last.text = text;
	r->last.end = end;
}

/* The frames from TEXT on, for the next line. */
static const char *
read_frames(struct reading *r, const char *text, const char *end)
{
	struct pending *line = &r->line[r->lines];
	const char *s, *to;
	uint32_t hash;

	if ((uint64_t)(end - text) > UINT32_MAX)
		return "the line is too long";
	keep_common(r, text, end);
	line->kept = r->nends;
	for (s = r->nends ? text + r->ends[r->nends - 1] + 1 : text; s < end; s = to + 1) {
		to = frame_end(s, end);
		if (to == s)
			continue;
		if (r->nends == FRAMES_MAX)
			return "too many frames";
		if (to - s > NAME_LONGEST)
			return "a name is too long";
		if (!vec_room(&r->frame, &r->frame_cap, (uint64_t)r->frames + 1, sizeof *r->frame) ||
		    !vec_room(&r->ends, &r->ends_cap, (uint64_t)r->nends + 1, sizeof *r->ends))
			return "out of memory";
		hash = hash_bytes(s, (size_t)(to - s));
		index_ahead(&r->index, hash);
		r->frame[r->frames++] = (struct frame){ s, (uint32_t)(to - s), hash };
		r->ends[r->nends++] = (uint32_t)(to - text);
	}
	line->n = r->nends - line->kept;
	return NULL;
}

/* Adds a sample of what is in CODE, leaf first.  Of a stack that is too deep it keeps both ends. */
static const char *
add_stack(struct reading *r, uint32_t thread, uint64_t count)
{
	uint32_t n = r->ncode < DEPTH_MAX ? r->ncode : DEPTH_MAX, elided = UINT32_MAX;

	if (r->ncode > n && (elided = frame_code(r, elided_mark, 8, hash_bytes(elided_mark, 8))) == UINT32_MAX)
		return "out of memory";
	if (!vec_room(&r->stack, &r->stack_cap, n, sizeof *r->stack))
		return "out of memory";
	for (uint32_t i = 0; i < n; i++)
		r->stack[i] = i < n / 2 ? r->code[r->ncode - 1 - i] : r->code[n - 1 - i];
	if (r->ncode > n)
		r->stack[n / 2] = elided;
	profile_add_run(r->p, thread, &(struct run){ .weight = count, .samples = count }, r->stack, n);
	return NULL;
}

/* Looks up the frames of the lines so far, whose places in the index are on their way from memory, and adds the lines. */
static const char *
add_lines(struct reading *r)
{
	const struct frame *f = r->frame;
	const char *why = NULL;

	for (uint32_t i = 0; i < r->lines && !why; i++) {
		const struct pending *line = &r->line[i];

		if (!vec_room(&r->code, &r->code_cap, (uint64_t)line->kept + line->n, sizeof *r->code))
			return "out of memory";
		r->ncode = line->kept + line->n;
		for (uint32_t k = line->kept; k < r->ncode; k++, f++)
			if ((r->code[k] = frame_code(r, f->text, f->n, f->hash)) == UINT32_MAX)
				return "out of memory";
		why = add_stack(r, line->thread, line->count);
	}
	r->lines = r->frames = 0;
	return why;
}

static const char *
read_line(struct reading *r, const struct line *line)
{
	const char *s = line->text, *why, *root = "";
	int32_t pid = 0, tid = 0;
	uint32_t event = r->event, thread;

	if (memchr(s, 0, (size_t)(line->end - s)))
		return "this is not a line of text";
	if (__builtin_add_overflow(r->sum, line->count, &r->sum) || r->sum > COUNT_MAX)
		return "the sum of the counts is too large";
	if (r->comms) {
		const char *end = frame_end(s, line->end), *comm = end;

		if (r->tids)
			take_number(s, &comm, '/', &tid);
		if (r->pids)
			take_number(s, &comm, '-', &pid);
		root = s;
		s = end < line->end ? end + 1 : end;
		if (r->events) {
			end = frame_end(s, line->end);
			if (end - s < 2)   /* it was there a moment ago */
				return "a line has no event";
			if (!string(r, s + 1, (size_t)(end - s) - 2))
				return "out of memory";
			event = profile_event(r->p, &(struct event_info){ r->text, r->waits ? 1000 : 0, r->waits && !strcmp(r->text, "off-cpu") });
			if (event == UINT32_MAX)
				return "the file has more than 16 events";
			s = end < line->end ? end + 1 : end;
		}
		root = string(r, root, (size_t)(comm - root));
	}
	thread = root ? profile_thread(r->p, pid, r->tids ? tid : pid, root, event) : UINT32_MAX;
	if (thread == UINT32_MAX)
		return "out of memory";
	if ((why = read_frames(r, s, line->end)))
		return why;
	if (!r->comms && !r->nends)
		return "a line has no name";
	r->line[r->lines].thread = thread;
	r->line[r->lines++].count = line->count;
	return r->lines == BATCH_LINES || r->frames >= BATCH_FRAMES ? add_lines(r) : NULL;
}

bool
folded_is(struct cursor c)
{
	size_t n = cur_left(&c) < LOOK_MAX ? cur_left(&c) : LOOK_MAX;
	const char *why = NULL;
	bool bracket = n && *c.pos == '[';
	struct line line;

	if (!n || memchr(c.pos, 0, n) || *c.pos == '{')
		return false;
	if (!next_line(&c, &line, &why))
		return !bracket && why && why != no_count;   /* counts that are refused are counts */
	return !bracket || memchr(line.text, ']', (size_t)(line.end - line.text));   /* a mark, as of a thread without a name */
}

const char *
folded_read(struct profile *p, struct cursor *c)
{
	struct reading r = { .p = p, .alone = !p->nfunction && !p->nlocation, .begin = (const char *)c->pos };
	struct cursor all = *c;
	struct line line;
	const char *why = look(&r, c), *wrong = NULL;

	if (why)
		return why;
	*c = all;
	if (!r.events && (r.event = profile_event(p, &(struct event_info){ .name = "samples" })) == UINT32_MAX)
		why = "the file has more than 16 events";
	r.pids &= !p->nthread || p->by_process || p->by_thread;   /* beside others they are part of the name */
	p->by_process |= r.pids && !r.tids;
	p->by_thread |= r.tids && r.pids;
	p->timeless = true;
	while (!why) {
		const uint8_t *begin = c->pos;

		if (!next_line(c, &line, &wrong))
			break;
		if ((why = read_line(&r, &line)))
			c->pos = begin;
	}
	if (!why)
		why = add_lines(&r);
	vec_free(&r.seen, &r.seen_cap, sizeof *r.seen);
	index_free(&r.index);
	if (r.alone && !profile_plain(p, r.nseen))
		why = why ? why : "out of memory";
	vec_free(&r.code_of, &r.code_of_cap, sizeof *r.code_of);
	vec_free(&r.text, &r.text_cap, 1);
	vec_free(&r.frame, &r.frame_cap, sizeof *r.frame);
	vec_free(&r.code, &r.code_cap, sizeof *r.code);
	vec_free(&r.ends, &r.ends_cap, sizeof *r.ends);
	vec_free(&r.stack, &r.stack_cap, sizeof *r.stack);
	return why;
}

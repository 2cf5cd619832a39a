/* Reads perf script's text: prof's own (see script.c) and perf's, whose first line of a sample is
 *
 *     comm  TID|PID/TID  [CPU]  SECONDS.FRACTION:  PERIOD EVENT:  ...
 *
 * where CPU, period and event may be missing, and a frame may follow at once.  Below it frames, as there, each perhaps
 * with "  file:line" on a line of its own.  Inlined functions stand before the one that they are inlined into, at one
 * address.  The text of a frame with what is inlined there is parsed once; after that it is found by its bytes. */
#include "../lib/sink.h"
#include "script.h"

#include <string.h>

/* A piece of the text. */
struct text {
	const char *s;
	size_t n;
};

struct seen {
	struct text text;
	uint32_t code;
};

struct frame {
	uint64_t address;
	struct text name, file;    /* of a symbol; and the file that it lies in */
	bool inlined;
};

/* The first line of a sample. */
struct head {
	struct text comm, event;
	int32_t pid, tid;
	uint64_t time, period;     /* ns; period 0: none is given */
	struct text rest;
};

struct reading {
	struct profile *p;
	struct cursor *in;
	struct seen *seen;
	uint32_t nseen, seen_cap;
	struct index index;
	uint32_t *code;            /* of the sample at hand, innermost first */
	uint32_t ncode, code_cap;
	struct text file;          /* the last one's, and its mapping */
	uint32_t mapping;
	uint32_t mappings;         /* where this text's begin among the profile's */
	struct head head;          /* the sample's */
	bool any, open, begun;     /* a sample was there; one is being read; one was added */
	uint64_t first;            /* where the profile's start is on this text's clock */
	struct sink name, module;  /* to end texts with a NUL */
};

enum { FRAMES_MAX = 1 << 16 };

/* What a line may mean is looked for among so many of its words. */
enum { WORDS_MAX = 64 };

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct text
trim(struct text t)
{
	for (; t.n && is_blank(*t.s); t.s++)
		t.n--;
	while (t.n && (is_blank(t.s[t.n - 1]) || t.s[t.n - 1] == '\r'))
		t.n--;
	return t;
}

/* As far as it is a C string. */
static struct text
plain(struct text t)
{
	t.n = t.n ? strnlen(t.s, t.n) : 0;
	return t;
}

static struct text
until(const struct text *from, const char *end)
{
	return (struct text){ from->s, (size_t)(end - from->s) };
}

static struct text
from(const struct text *t, const char *begin)
{
	return (struct text){ begin, t->n - (size_t)(begin - t->s) };
}

static bool
is(struct text t, const char *s)
{
	return t.n == strlen(s) && memcmp(t.s, s, t.n) == 0;
}

static bool
begins(struct text t, const char *s)
{
	return t.n >= strlen(s) && memcmp(t.s, s, strlen(s)) == 0;
}

/* The next line without its end; false where there is none. */
static bool
next_line(struct cursor *in, struct text *line)
{
	const uint8_t *end;

	if (!cur_left(in))
		return false;
	line->s = (const char *)in->pos;
	end = memchr(in->pos, '\n', cur_left(in));
	line->n = (size_t)((end ? end : in->end) - in->pos);
	in->pos += line->n + (end != NULL);
	return true;
}

/* Digits at the front of T, which moves past them. */
static bool
number(struct text *t, uint64_t *v)
{
	size_t i = 0;

	for (*v = 0; i < t->n && t->s[i] >= '0' && t->s[i] <= '9'; i++)
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, (unsigned)(t->s[i] - '0'), v))
			return false;
	*t = from(t, t->s + i);
	return i != 0;
}

static bool
hex(struct text *t, uint64_t *v)
{
	size_t i = 0;

	for (*v = 0; i < t->n && i < 17; i++) {
		unsigned char c = (unsigned char)t->s[i], low = c | 0x20;

		if (c >= '0' && c <= '9')
			*v = *v << 4 | (c - '0');
		else if (low >= 'a' && low <= 'f')
			*v = *v << 4 | (low - 'a' + 10u);
		else
			break;
	}
	*t = from(t, t->s + i);
	return i && i <= 16;
}

static bool
character(struct text *t, char c)
{
	if (!t->n || *t->s != c)
		return false;
	*t = from(t, t->s + 1);
	return true;
}

/* "12.345678:" as nanoseconds. */
static bool
read_time(struct text word, uint64_t *ns)
{
	uint64_t seconds, unit = 1000000000;

	if (!number(&word, &seconds) || !character(&word, '.') || seconds > UINT64_MAX / 2000000000)
		return false;
	*ns = seconds * unit;
	for (; word.n && *word.s >= '0' && *word.s <= '9'; word = from(&word, word.s + 1))
		*ns += (uint64_t)(*word.s - '0') * (unit /= 10);
	return character(&word, ':') && !word.n;
}

/* "TID" or "PID/TID". */
static bool
read_ids(struct text word, struct head *h)
{
	uint64_t pid, tid;

	if (is(word, "-1")) {   /* a sample that ended up nowhere */
		h->pid = h->tid = -1;
		return true;
	}
	if (!number(&word, &pid))
		return false;
	tid = pid;
	if (word.n && (!character(&word, '/') || !number(&word, &tid)))
		return false;
	h->pid = (int32_t)pid;
	h->tid = (int32_t)tid;
	return !word.n && pid <= INT32_MAX && tid <= INT32_MAX;
}

static bool
is_cpu(struct text word)
{
	uint64_t cpu;

	return character(&word, '[') && number(&word, &cpu) && is(word, "]");
}

static bool
next_word(struct text *line, struct text *word)
{
	const char *end;

	*line = trim(*line);
	for (end = line->s; end < line->s + line->n && !is_blank(*end); end++)
		;
	*word = until(line, end);
	*line = from(line, end);
	return word->n != 0;
}

/* What follows the time: a period, an event. */
static void
read_event(struct text rest, struct head *h)
{
	struct text word, after = rest, digits;

	if (!next_word(&after, &word))
		return;
	digits = word;
	if (number(&digits, &h->period) && !digits.n) {
		rest = after;
		if (!next_word(&after, &word))
			return;
	} else {
		h->period = 0;
	}
	if (word.s[word.n - 1] == ':') {
		h->event = until(&word, word.s + word.n - 1);
		rest = after;
	}
	h->rest = trim(rest);
}

/* The comm may hold blanks and numbers: what decides is the first time that stands behind a thread's number. */
static bool
read_head(struct text line, struct head *h)
{
	struct text left = plain(line), word, before = { NULL, 0 }, ids = { NULL, 0 };
	unsigned words = 0;

	while (words++ < WORDS_MAX && next_word(&left, &word)) {
		if (words > 2 && read_time(word, &h->time) && read_ids(ids, h)) {
			h->comm = trim(until(&line, ids.s));
			h->event = h->rest = (struct text){ "", 0 };
			read_event(left, h);
			return h->comm.n != 0;
		}
		ids = is_cpu(word) ? before : word;
		before = word;
	}
	return false;
}

/* The "(FILE)" at the end of a frame's line, which may itself end in "(deleted)"; the NAME before it. */
static void
split_file(struct text line, struct frame *f)
{
	const char *open = line.s + line.n;
	size_t depth = 0;

	f->name = line;
	f->file = (struct text){ "", 0 };
	if (!line.n || open[-1] != ')')
		return;
	do {
		open--;
		depth += *open == ')';
		depth -= *open == '(';
#ifdef PLANT_SCRIPT   /* a bug planted for tests/fuzz/script.c to find: a parenthesis that is never opened */
	} while (depth);
#else
	} while (depth && open > line.s);
#endif
	if (depth || (open > line.s && open[-1] != ' '))
		return;
	open++;
	f->file = (struct text){ open, (size_t)(line.s + line.n - 1 - open) };
	f->name = trim(until(&line, open - 1));
}

/* "+0xOFFSET" is no part of a name. */
static struct text
without_offset(struct text name)
{
	size_t n = name.n;

	while (n && strchr("0123456789abcdef", name.s[n - 1]))
		n--;
	if (n > 3 && n < name.n && memcmp(name.s + n - 3, "+0x", 3) == 0)
		name.n = n - 3;
	return name;
}

static bool
read_frame(struct text line, struct frame *f)
{
	line = trim(plain(line));
	if (!hex(&line, &f->address) || (line.n && !is_blank(*line.s)))
		return false;
	split_file(trim(line), f);
	f->inlined = is(f->file, "inlined");
	f->name = without_offset(f->name);
	if (begins(f->name, SCRIPT_GLOBAL "("))
		f->name = from(&f->name, f->name.s + strlen(SCRIPT_GLOBAL));
	return true;
}

/* A copy of T with a NUL behind, alive until SCRATCH is used again. */
static const char *
string(struct sink *scratch, struct text t)
{
	scratch->len = 0;
	sink_put(scratch, t.s, t.n);
	sink_char(scratch, 0);
	return scratch->err ? "" : scratch->buf;
}

static struct text
base_name(struct text path)
{
	for (size_t i = path.n; path.s[0] == '/' && i--;)
		if (path.s[i] == '/')
			return from(&path, path.s + i + 1);
	return path;
}

static bool
ends(struct text t, const char *s)
{
	size_t n = strlen(s);

	return t.n >= n && memcmp(t.s + t.n - n, s, n) == 0;
}

static enum function_kind
kind_of(const struct frame *f)
{
	static const char *const user[] = { "[vdso]", "[vsyscall]", "[heap]", "[stack]", "[anon]", "[uprobes]", NULL };
	struct text base = base_name(f->file);

	if (f->inlined)
		return FUNCTION_INLINED;
	if (!f->file.n || is(f->file, "[unknown]"))
		return f->name.n && *f->name.s == '[' ? FUNCTION_MARK : FUNCTION_USER;
	if (is(f->file, "[jit]") || (begins(base, "perf-") && ends(base, ".map")) || begins(base, "jitted-"))
		return FUNCTION_JIT;
	for (const char *const *u = user; *u; u++)
		if (is(f->file, *u))
			return FUNCTION_USER;
	return *f->file.s == '[' || begins(base, "vmlinux") || ends(base, ".ko") ? FUNCTION_KERNEL : FUNCTION_USER;
}

/* What prof calls the file. */
static struct text
module_of(const struct frame *f, enum function_kind kind)
{
	if (kind == FUNCTION_MARK || is(f->file, "[unknown]"))
		return (struct text){ "", 0 };
	if (kind == FUNCTION_JIT)
		return (struct text){ "[jit]", 5 };
	if (kind == FUNCTION_KERNEL && (begins(f->file, "[kernel") || begins(f->file, "[guest.kernel")))
		return (struct text){ "[kernel]", 8 };
	return base_name(f->file);
}

/* Without a symbol, the file's name stands for it. */
static const char *
name_of(struct reading *r, const struct frame *f, struct text module)
{
	if (!module.n || !is(f->name, "[unknown]"))
		return string(&r->name, f->name);
	r->name.len = 0;
	if (*module.s != '[')
		sink_char(&r->name, '[');
	sink_put(&r->name, module.s, module.n);
	if (*module.s != '[')
		sink_char(&r->name, ']');
	sink_char(&r->name, 0);
	return r->name.err ? "" : r->name.buf;
}

static uint32_t
function_of(struct reading *r, const struct frame *f, struct text module)
{
	struct function fn = { .name = name_of(r, f, module), .kind = kind_of(f) };

	fn.module = string(&r->module, module);
	return profile_function(r->p, &fn);
}

/* The mapping that the file is, if it is one; stacks mostly stay in one file for some frames. */
static uint32_t
mapping_of(struct reading *r, struct text file)
{
	const char *name;

	if (!file.n || *file.s != '/')
		return MAPPING_NONE;
	if (file.n == r->file.n && memcmp(file.s, r->file.s, file.n) == 0)
		return r->mapping;
	r->file = file;
	name = string(&r->name, file);
	for (r->mapping = r->mappings; r->mapping < r->p->nmapping; r->mapping++)
		if (strcmp(r->p->mapping[r->mapping].file, name) == 0)
			return r->mapping;
	return r->mapping = profile_mapping(r->p, name, "");
}

/* "  file.c:123", as perf writes it below a frame: the line's number. */
static uint32_t
line_number(struct text line)
{
	uint64_t v = 0;
	size_t i = line.n;

	while (i && line.s[i - 1] >= '0' && line.s[i - 1] <= '9')
		i--;
	if (!i || i == line.n || line.s[i - 1] != ':')
		return 0;
	line = from(&line, line.s + i);
	return number(&line, &v) && v < UINT32_MAX ? (uint32_t)v : 0;
}

/* The code of frames at one address: N of them, the innermost first. */
static uint32_t
code_of(struct reading *r, const struct frame *f, const uint32_t *line, unsigned n)
{
	struct site site[NAME_MAX_INLINE];
	const struct frame *outer = &f[n - 1];
	struct location where = { .address = outer->address };
	struct text module = outer->inlined ? (struct text){ "", 0 } : module_of(outer, kind_of(outer));

	for (unsigned i = 0; i < n; i++) {
		struct site *to = &site[n - 1 - i];

		*to = (struct site){ function_of(r, &f[i], module), line[i] };
		if (to->function == UINT32_MAX)
			return UINT32_MAX;
	}
	where.mapping = kind_of(outer) == FUNCTION_USER ? mapping_of(r, outer->file) : MAPPING_NONE;
	return profile_location(r->p, &where, site, n);
}

static bool
has_address(struct text t)
{
	uint64_t address;

	return hex(&t, &address) && (!t.n || is_blank(*t.s));
}

static bool
is_frame(struct text line)
{
	return line.n && is_blank(*line.s) && has_address(trim(line));
}

static bool
is_inlined(struct text line)
{
	return ends(trim(line), "(inlined)");
}

/* The next line, still to be read; where there is none, its text is NULL. */
static struct text
peek(const struct cursor *in)
{
	struct cursor ahead = *in;
	struct text line = { NULL, 0 };

	next_line(&ahead, &line);
	return line;
}

/* The lines of one address: inlined functions and the one that they are in, each perhaps with its source line. */
static struct text
next_group(struct cursor *in)
{
	struct text all = peek(in), line, next;
	unsigned frames = 0;

	do {
		struct head h;

		next_line(in, &line);
		all.n = (size_t)(line.s + line.n - all.s);
		next = peek(in);
		if (next.n && *next.s == ' ' && !is_frame(next) && !read_head(next, &h)) {
			next_line(in, &next);
			all.n = (size_t)(next.s + next.n - all.s);
			next = peek(in);
		}
	} while (is_inlined(line) && ++frames < NAME_MAX_INLINE && is_frame(next));
	return all;
}

/* The code of a group's frames. */
static uint32_t
parse_group(struct reading *r, struct text group)
{
	struct cursor in = cur_of(group.s, group.n, false);
	struct frame f[NAME_MAX_INLINE];
	uint32_t line[NAME_MAX_INLINE];
	struct text text;
	unsigned n = 0;

	while (next_line(&in, &text))
		if (n < NAME_MAX_INLINE && read_frame(text, &f[n]))
			line[n++] = 0;
		else if (n)
			line[n - 1] = line_number(trim(text));
	return n ? code_of(r, f, line, n) : UINT32_MAX;
}

static uint32_t
seen_again(const void *ctx, uint32_t item)
{
	const struct seen *seen = ctx;

	return hash_bytes(seen[item].text.s, seen[item].text.n);
}

/* Puts a group's code behind the stack; what finds no room leaves it shorter. */
static void
add_group(struct reading *r, struct text group)
{
	uint32_t hash = hash_bytes(group.s, group.n), slot, i;
	struct seen new = { .text = group };

	if (r->ncode == FRAMES_MAX || !vec_room(&r->code, &r->code_cap, (uint64_t)r->ncode + 1, sizeof *r->code))
		return;
	for (slot = index_first(&r->index, hash); (i = index_at(&r->index, slot)) != INDEX_NONE; slot = index_next(&r->index, slot))
		if (r->seen[i].text.n == group.n && memcmp(r->seen[i].text.s, group.s, group.n) == 0) {
			r->code[r->ncode++] = r->seen[i].code;
			return;
		}
	if ((new.code = parse_group(r, group)) == UINT32_MAX)
		return;
	r->code[r->ncode++] = new.code;
	if (vec_room(&r->seen, &r->seen_cap, (uint64_t)r->nseen + 1, sizeof new) &&
	    index_add(&r->index, hash, r->nseen, seen_again, r->seen))
		r->seen[r->nseen++] = new;
}

/* The number of the event of that name; all that find no room share the last. */
static uint32_t
event_of(struct reading *r, struct text name, uint64_t period)
{
	struct profile *p = r->p;
	const uint32_t most = sizeof p->event / sizeof *p->event;
	uint32_t i;

	for (i = 0; i < p->nevent; i++)
		if (is(name, p->event[i].name))
			return i;
	if (p->nevent == most || !(p->event[i].name = arena_str(&p->arena, name.s, name.n)))
		return p->nevent ? p->nevent - 1 : 0;
	p->event[i].period_ns = period;
	p->nevent++;
	return i;
}

static bool
is_clock(struct text event)
{
	return begins(event, "cpu-clock") || begins(event, "task-clock");
}

/* "# event : name = NAME, ..., period_ns = N": what prof's own text says of an event; and "# cmdline : ...". */
static void
read_comment(struct reading *r, struct text line)
{
	static const char event[] = "# event : name = ", command[] = "# cmdline : ";
	struct text name, period;
	const char *comma;
	uint64_t ns;

	if (begins(line, command) && !*r->p->command) {
		name = trim(from(&line, line.s + strlen(command)));
		name.s = arena_str(&r->p->arena, name.s, name.n);
		r->p->command = name.s ? name.s : "";
	}
	if (!begins(line, event) || !(comma = memchr(line.s, ',', line.n)))
		return;
	name = until(&line, comma);
	name = from(&name, line.s + strlen(event));
	period = trim(from(&line, comma + 1));
	if (!begins(period, SCRIPT_PERIOD))
		return;
	period = from(&period, period.s + strlen(SCRIPT_PERIOD));
	if (number(&period, &ns))
		event_of(r, name, ns);
}

/* Adds the sample whose stack was read. */
static void
end_sample(struct reading *r)
{
	const struct head *h = &r->head;
	struct profile *p = r->p;
	uint64_t period, weight = 1, time;
	uint32_t event;

	if (!r->open)
		return;
	r->open = false;
	event = event_of(r, h->event.n ? h->event : (struct text){ "samples", 7 }, is_clock(h->event) ? h->period : 0);
	period = event < p->nevent ? p->event[event].period_ns : 0;
	if (h->period)
		weight = period ? h->period / period + (h->period % period > period / 2) : h->period;
	if (!r->begun) {
		r->begun = true;
		r->first = h->time > period ? h->time - period : 0;
		if (!p->nthread)
			p->start = r->first;
	}
	time = p->start + (h->time > r->first ? h->time - r->first : 0);
	if (p->end < time)
		p->end = time;
	profile_add(p, profile_thread(p, h->pid, h->tid, string(&r->name, h->comm), event), time, weight ? weight : 1, r->code, r->ncode);
}

static void
begin_sample(struct reading *r, const struct head *h)
{
	end_sample(r);
	r->head = *h;
	r->ncode = 0;
	r->any = true;
	r->open = !begins(h->event, "PERF_RECORD_") && !begins(h->rest, "PERF_RECORD_");
	if (r->open && has_address(h->rest))
		add_group(r, h->rest);
}

/* NULL, or what is wrong with the line at which the reader stands. */
static const char *
read_line(struct reading *r)
{
	struct text line = peek(r->in), rest = trim(line);
	struct head h;

	if (line.n && *line.s == '\t' && is_frame(line)) {
		if (!r->any)
			return "a frame without a sample before it";
		rest = next_group(r->in);
		if (r->open)
			add_group(r, rest);
		return NULL;
	}
	if (!rest.n)
		end_sample(r);
	else if (*line.s == '#')
		read_comment(r, line);
	else if (*line.s != '\t' && read_head(line, &h))
		begin_sample(r, &h);
	else if (is_frame(line) && r->open) {
		add_group(r, next_group(r->in));
		return NULL;
	} else if (!is_blank(*line.s) || !r->any)
		return "neither a sample nor a frame";
	next_line(r->in, &line);
	return NULL;
}

const char *
script_read(struct profile *p, struct cursor *in)
{
	struct reading r = { .p = p, .in = in, .mapping = MAPPING_NONE, .mappings = p->nmapping };
	const char *why = NULL;

	sink_open(&r.name, -1);
	sink_open(&r.module, -1);
	while (!why && cur_left(in))
		why = read_line(&r);
	if (!why)
		end_sample(&r);
	vec_free(&r.seen, &r.seen_cap, sizeof *r.seen);
	vec_free(&r.code, &r.code_cap, sizeof *r.code);
	index_free(&r.index);
	if ((sink_close(&r.module) | sink_close(&r.name)) && !why)
		why = "not enough memory";
	return why;
}

bool
script_is(struct cursor in)
{
	struct text line;
	struct head h;

	if (begins((struct text){ (const char *)in.pos, cur_left(&in) }, "# ========\n"))
		return true;
	while (next_line(&in, &line))
		if (trim(line).n && *line.s != '#')
			return *line.s != '\t' && read_head(line, &h);
	return false;
}

/* See script_line.h. */
#include "script_line.h"
#include "script_marks.h"

#include <string.h>

/* The reader looks for the meaning of a line among so many of its words. */
enum { WORDS_MAX = 64 };

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct text
text_trim(struct text t)
{
	for (; t.n && is_blank(*t.s); t.s++)
		t.n--;
	while (t.n && (is_blank(t.s[t.n - 1]) || t.s[t.n - 1] == '\r'))
		t.n--;
	return t;
}

/* The text as far as a C string would hold it. */
static struct text
plain(struct text t)
{
	t.n = t.n ? strnlen(t.s, t.n) : 0;
	return t;
}

struct text
text_until(const struct text *from, const char *end)
{
	return (struct text){ from->s, (size_t)(end - from->s) };
}

struct text
text_from(const struct text *t, const char *begin)
{
	return (struct text){ begin, t->n - (size_t)(begin - t->s) };
}

bool
text_is(struct text t, const char *s)
{
	return t.n == strlen(s) && memcmp(t.s, s, t.n) == 0;
}

bool
text_begins(struct text t, const char *s)
{
	return t.n >= strlen(s) && memcmp(t.s, s, strlen(s)) == 0;
}

/* Reads the next line without its end; false if there is none. */
bool
line_next(struct cursor *in, struct text *line)
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
bool
text_number(struct text *t, uint64_t *v)
{
	size_t i = 0;

	for (*v = 0; i < t->n && t->s[i] >= '0' && t->s[i] <= '9'; i++)
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, (unsigned)(t->s[i] - '0'), v))
			return false;
	*t = text_from(t, t->s + i);
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
	*t = text_from(t, t->s + i);
	return i && i <= 16;
}

static bool
character(struct text *t, char c)
{
	if (!t->n || *t->s != c)
		return false;
	*t = text_from(t, t->s + 1);
	return true;
}

/* "12.345678:" as nanoseconds. */
static bool
read_time(struct text word, uint64_t *ns)
{
	uint64_t seconds, unit = 1000000000;

	if (!text_number(&word, &seconds) || !character(&word, '.') || seconds > UINT64_MAX / 2000000000)
		return false;
	*ns = seconds * unit;
	for (; word.n && *word.s >= '0' && *word.s <= '9'; word = text_from(&word, word.s + 1))
		*ns += (uint64_t)(*word.s - '0') * (unit /= 10);
	return character(&word, ':') && !word.n;
}

/* "TID" or "PID/TID". */
static bool
read_ids(struct text word, struct head *h)
{
	uint64_t pid, tid;

	if (text_is(word, "-1")) {   /* a sample that ended up nowhere */
		h->pid = h->tid = -1;
		return true;
	}
	if (!text_number(&word, &pid))
		return false;
	tid = pid;
	if (word.n && (!character(&word, '/') || !text_number(&word, &tid)))
		return false;
	h->pid = (int32_t)pid;
	h->tid = (int32_t)tid;
	return !word.n && pid <= INT32_MAX && tid <= INT32_MAX;
}

static bool
is_cpu(struct text word)
{
	uint64_t cpu;

	return character(&word, '[') && text_number(&word, &cpu) && text_is(word, "]");
}

static bool
next_word(struct text *line, struct text *word)
{
	const char *end;

	*line = text_trim(*line);
	for (end = line->s; end < line->s + line->n && !is_blank(*end); end++)
		;
	*word = text_until(line, end);
	*line = text_from(line, end);
	return word->n != 0;
}

/* What follows the time: a period, an event. */
static void
read_event(struct text rest, struct head *h)
{
	struct text word, after = rest, digits;

	h->period = 0;
	if (!next_word(&after, &word))
		return;
	digits = word;
	if (text_number(&digits, &h->period) && !digits.n) {
		rest = after;
		if (!next_word(&after, &word))
			return;
	} else {
		h->period = 0;
	}
	if (word.s[word.n - 1] == ':') {
		h->event = text_until(&word, word.s + word.n - 1);
		rest = after;
	}
	h->rest = text_trim(rest);
}

/* The comm may hold blanks and numbers, so the first time behind a thread's number decides. */
bool
line_head(struct text line, struct head *h)
{
	struct text left = plain(line), word, before = { NULL, 0 }, ids = { NULL, 0 };
	unsigned words = 0;

	while (words++ < WORDS_MAX && next_word(&left, &word)) {
		if (words > 2 && read_time(word, &h->time) && read_ids(ids, h)) {
			h->comm = text_trim(text_until(&line, ids.s));
			h->event = h->rest = (struct text){ "", 0 };
			h->timeless = false;
			read_event(left, h);
			return h->comm.n != 0;
		}
		ids = is_cpu(word) ? before : word;
		before = word;
	}
	return false;
}

static bool
like_time(struct text word)
{
	return *word.s >= '0' && *word.s <= '9' && memchr(word.s, '.', word.n);
}

/* Without a time a line hardly differs from others.  So only a CPU, a period and an event may stand behind a thread's number, and
 * a frame must stand below it or at its end. */
bool
line_head_timeless(struct text line, struct text next, struct head *h)
{
	struct text left = plain(line), word;
	bool below = next.s && (line_is_frame(next) || (line_has_address(next) && text_ends(text_trim(next), ")")));

	for (unsigned words = 0; words < WORDS_MAX && next_word(&left, &word); words++) {
		struct text rest = left, cpu = left, ids = word;

		if (words && like_time(ids))   /* though it makes no sense */
			return false;
		if (!words || !read_ids(ids, h))
			continue;
		if (next_word(&cpu, &word) && is_cpu(word))
			rest = cpu;
		h->comm = text_trim(text_until(&line, ids.s));
		h->event = h->rest = (struct text){ "", 0 };
		read_event(rest, h);
		if (h->event.n && like_time(h->event))
			return false;
		if (h->event.n ? below || line_has_address(h->rest) || !next.n : below && !text_trim(rest).n) {
			h->timeless = true;
			h->time = 0;
			return true;
		}
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
	} while (depth && open > line.s);
	if (depth || (open > line.s && open[-1] != ' '))
		return;
	open++;
	f->file = (struct text){ open, (size_t)(line.s + line.n - 1 - open) };
	f->name = text_trim(text_until(&line, open - 1));
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

bool
line_frame(struct text line, struct frame *f)
{
	line = text_trim(plain(line));
	if (!hex(&line, &f->address) || (line.n && !is_blank(*line.s)))
		return false;
	split_file(text_trim(line), f);
	f->inlined = text_is(f->file, "inlined");
	f->name = without_offset(f->name);
	if (text_begins(f->name, SCRIPT_GLOBAL "("))
		f->name = text_from(&f->name, f->name.s + strlen(SCRIPT_GLOBAL));
	return true;
}

struct text
text_base_name(struct text path)
{
	for (size_t i = path.n; path.s[0] == '/' && i--;)
		if (path.s[i] == '/')
			return text_from(&path, path.s + i + 1);
	return path;
}

bool
text_ends(struct text t, const char *s)
{
	size_t n = strlen(s);

	return t.n >= n && memcmp(t.s + t.n - n, s, n) == 0;
}

/* "  file.c:123", as perf writes it below a frame: the line's number. */
uint32_t
line_source(struct text line)
{
	uint64_t v = 0;
	size_t i = line.n;

	while (i && line.s[i - 1] >= '0' && line.s[i - 1] <= '9')
		i--;
	if (!i || i == line.n || line.s[i - 1] != ':')
		return 0;
	line = text_from(&line, line.s + i);
	return text_number(&line, &v) && v < UINT32_MAX ? (uint32_t)v : 0;
}

bool
line_has_address(struct text t)
{
	uint64_t address;

	return hex(&t, &address) && (!t.n || is_blank(*t.s));
}

bool
line_is_frame(struct text line)
{
	return line.n && is_blank(*line.s) && line_has_address(text_trim(line));
}

static bool
is_inlined(struct text line)
{
	return text_ends(text_trim(line), "(inlined)");
}

/* Looks at the next line, without reading it; if there is none, its text is NULL. */
struct text
line_peek(const struct cursor *in)
{
	struct cursor ahead = *in;
	struct text line = { NULL, 0 };

	line_next(&ahead, &line);
	return line;
}

/* The lines of one address: inlined functions and the one that they are in, each perhaps with its source line. */
struct text
line_group(struct cursor *in, unsigned most)
{
	struct text all = line_peek(in), line, next;
	unsigned frames = 0;

	do {
		struct head h;

		line_next(in, &line);
		all.n = (size_t)(line.s + line.n - all.s);
		next = line_peek(in);
		if (next.n && *next.s == ' ' && !line_is_frame(next) && !line_head(next, &h)) {
			line_next(in, &next);
			all.n = (size_t)(next.s + next.n - all.s);
			next = line_peek(in);
		}
	} while (is_inlined(line) && ++frames < most && line_is_frame(next));
	return all;
}

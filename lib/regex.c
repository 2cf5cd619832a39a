/* See regex.h.  An expression is compiled to a list of steps, in which jumps are relative.  So prof can move or copy what it
 * has just compiled, when a repetition or an alternative follows. */
#include "regex.h"
#include "sink.h"

#include <string.h>

enum { STEPS_MAX = 1024, RANGES_MAX = 512, GROUPS_MAX = 64, REPEAT_MAX = 1000, LAST = 0x10ffff, END = -1 };

enum op { OP_CHAR, OP_ANY, OP_SET, OP_SPLIT, OP_JUMP, OP_BEGIN, OP_END, OP_WORD, OP_NOT_WORD, OP_MATCH };

struct step {
	uint8_t op;
	bool not;                /* of a set: what is not in it */
	uint16_t n;              /* of a set: ranges, from X on */
	int32_t x;               /* a character; where a jump leads, or a split beside the next step, from here */
};

struct range {
	int32_t lo, hi;          /* both included */
};

struct regex {
	struct step step[STEPS_MAX];
	struct range range[RANGES_MAX];
	unsigned steps, ranges;
	bool fold;
	/* while searching */
	unsigned visited[STEPS_MAX], round;   /* a step was visited if its round is the present one */
	uint16_t todo[STEPS_MAX], live[STEPS_MAX];
};

struct group {
	unsigned start, branch;  /* its first step; that of its last alternative */
	unsigned jumps;          /* number + 1 of the last alternative's jump to the end; its X leads to the one before */
};

struct compiler {
	struct regex *re;
	const char *p, *why;
	unsigned atom;           /* the beginning of what a repetition would repeat; STEPS_MAX: nothing */
	struct group group[GROUPS_MAX];
	unsigned depth;
};

/* The character at *P, which moves past it but not past the end.  A byte that is no UTF-8 is a character of its own. */
static int32_t
character(const char **p)
{
	const unsigned char *b = (const unsigned char *)*p;
	unsigned n = utf8_len(*p);
	int32_t c = *b;

	*p += n ? n : 1;
	if (!c)
		--*p;
	if (n < 2)
		return n ? c : 0xdc00 + c;
	c &= 0xff >> (n + 1);
	for (unsigned i = 1; i < n; i++)
		c = c << 6 | (b[i] & 0x3f);
	return c;
}

static bool
room(struct compiler *c, unsigned n)
{
	if (n > STEPS_MAX - c->re->steps && !c->why)
		c->why = "too large";
	return !c->why;
}

static void
emit(struct compiler *c, struct step s)
{
	if (room(c, 1))
		c->re->step[c->re->steps++] = s;
}

static void
insert(struct compiler *c, unsigned at, struct step s)
{
	struct regex *re = c->re;

	if (!room(c, 1))
		return;
	memmove(re->step + at + 1, re->step + at, (re->steps++ - at) * sizeof s);
	re->step[at] = s;
}

static void
add_range(struct compiler *c, int32_t lo, int32_t hi)
{
	if (c->re->ranges == RANGES_MAX)
		c->why = c->why ? c->why : "too large";
	else
		c->re->range[c->re->ranges++] = (struct range){ lo, hi };
}

/* \d \w \s, or with a capital letter the opposite; false if LETTER is none of them. */
static bool
add_class(struct compiler *c, char letter)
{
	static const struct range digit[] = { { '0', '9' } }, space[] = { { '\t', '\r' }, { ' ', ' ' } },
	                          word[] = { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } };
	char kind = (char)(letter | 0x20);
	const struct range *r = kind == 'd' ? digit : kind == 's' ? space : kind == 'w' ? word : NULL;
	unsigned n = kind == 'd' ? 1 : kind == 's' ? 2 : 4;
	int32_t lo = 0;

	for (unsigned i = 0; r && i < n; i++) {
		if (letter == kind)
			add_range(c, r[i].lo, r[i].hi);
		else
			add_range(c, lo, r[i].lo - 1);
		lo = r[i].hi + 1;
	}
	if (r && letter != kind)
		add_range(c, lo, LAST);
	return r != NULL;
}

/* The character behind a backslash; it is an error if other tools give it a meaning that prof does not know. */
static int32_t
escaped(struct compiler *c)
{
	static const char letters[] = "ntrfv", meant[] = "\n\t\r\f\v";
	const char *which = *c->p ? strchr(letters, *c->p) : NULL;

	if (which) {
		c->p++;
		return meant[which - letters];
	}
	if (!*c->p)
		c->why = "it ends in a backslash";
	else if ((*c->p >= '0' && *c->p <= '9') || ((*c->p | 0x20) >= 'a' && (*c->p | 0x20) <= 'z'))
		c->why = "a backslash stands before a letter or digit, which has no meaning here";
	return character(&c->p);
}

/* A set's first or last character of a range; false where it was a class. */
static bool
member(struct compiler *c, int32_t *v)
{
	if (*c->p != '\\') {
		*v = character(&c->p);
		return true;
	}
	c->p++;
	if (add_class(c, *c->p)) {
		c->p++;
		return false;
	}
	*v = escaped(c);
	return true;
}

/* Compiles a set, from behind its opening bracket. */
static void
set(struct compiler *c)
{
	struct step s = { .op = OP_SET, .x = (int32_t)c->re->ranges };
	int32_t lo, hi;
	bool first = true;

	if ((s.not = *c->p == '^'))
		c->p++;
	for (; *c->p && (*c->p != ']' || first) && !c->why; first = false) {
		if (!member(c, &lo))
			continue;
		hi = lo;
		if (c->p[0] == '-' && c->p[1] && c->p[1] != ']') {
			c->p++;
			if (!member(c, &hi) || hi < lo) {
				c->why = "a range in [] runs backwards";
				return;
			}
		}
		add_range(c, lo, hi);
	}
	if (*c->p != ']') {
		c->why = c->why ? c->why : "[ without ]";
		return;
	}
	c->p++;
	s.n = (uint16_t)(c->re->ranges - (unsigned)s.x);
	emit(c, s);
}

/* Compiles what stands behind a backslash. */
static void
backslash(struct compiler *c)
{
	struct step s = { .op = OP_SET, .x = (int32_t)c->re->ranges };

	if (*c->p == 'b' || *c->p == 'B')
		s.op = *c->p++ == 'b' ? OP_WORD : OP_NOT_WORD;
	else if (add_class(c, *c->p)) {
		c->p++;
		s.n = (uint16_t)(c->re->ranges - (unsigned)s.x);
	} else
		s = (struct step){ .op = OP_CHAR, .x = escaped(c) };
	emit(c, s);
}

static bool
count(const char **p, unsigned *n)
{
	const char *begin = *p;

	for (*n = 0; **p >= '0' && **p <= '9'; ++*p)
		*n = *n < 100000 ? *n * 10 + (unsigned)(**p - '0') : *n;
	return *p > begin;
}

enum { UNBOUNDED = UINT16_MAX };

/* A repetition at *P, which moves past it; else false: a brace may stand for itself. */
static bool
quantifier(const char **p, unsigned *min, unsigned *max)
{
	const char *s = *p;

	*min = *s == '+';
	*max = *s == '?' ? 1 : UNBOUNDED;
	if (*s != '*' && *s != '+' && *s != '?') {
		if (*s != '{')
			return false;
		s++;
		if (!count(&s, min))
			return false;
		*max = *min;
		if (*s == ',') {
			s++;
			if (!count(&s, max))
				*max = UNBOUNDED;
		}
		if (*s != '}')
			return false;
	}
	s++;
	*p = s + (*s == '?');   /* the shortest match is a match */
	return true;
}

/* Repeats the steps from ATOM on, MIN to MAX times. */
static void
repeat(struct compiler *c, unsigned min, unsigned max)
{
	struct regex *re = c->re;
	unsigned at = c->atom, n = re->steps - at, copies = max == UNBOUNDED ? (min ? min : 1) : max;
	struct step keep[STEPS_MAX];

	if (min > max || (max != UNBOUNDED && max > REPEAT_MAX) || min > REPEAT_MAX) {
		c->why = min > max ? "the range in {} runs backwards" : "too large";
		return;
	}
	memcpy(keep, re->step + at, n * sizeof *keep);
	re->steps = at;
	for (unsigned i = 0; i < copies && !c->why; i++) {
		if (i >= min)
			emit(c, (struct step){ .op = OP_SPLIT, .x = (int32_t)n + (max == UNBOUNDED ? 2 : 1) });
		if (!room(c, n))
			return;
		memcpy(re->step + re->steps, keep, n * sizeof *keep);
		re->steps += n;
	}
	if (max == UNBOUNDED && min)
		emit(c, (struct step){ .op = OP_SPLIT, .x = -(int32_t)n });
	else if (max == UNBOUNDED)
		emit(c, (struct step){ .op = OP_JUMP, .x = -(int32_t)n - 1 });
}

static void
alternative(struct compiler *c)
{
	struct group *g = &c->group[c->depth];

	insert(c, g->branch, (struct step){ .op = OP_SPLIT, .x = (int32_t)(c->re->steps - g->branch) + 2 });
	emit(c, (struct step){ .op = OP_JUMP, .x = (int32_t)g->jumps });
	g->jumps = c->re->steps;
	g->branch = c->re->steps;
	c->atom = STEPS_MAX;
}

/* The jumps behind a group's alternatives lead here. */
static void
close_group(struct compiler *c)
{
	struct group *g = &c->group[c->depth];

	for (unsigned at = g->jumps, next; at && !c->why; at = next) {
		next = (unsigned)c->re->step[at - 1].x;
		c->re->step[at - 1].x = (int32_t)(c->re->steps - (at - 1));
	}
	c->atom = g->start;
}

static void
open_group(struct compiler *c)
{
	if (c->p[0] == '?' && c->p[1] == ':')
		c->p += 2;
	else if (c->p[0] == '?')
		c->why = "(? has no meaning here";
	if (c->depth + 1 == GROUPS_MAX)
		c->why = "groups are nested too deeply";
	else
		c->group[++c->depth] = (struct group){ c->re->steps, c->re->steps, 0 };
	c->atom = STEPS_MAX;
}

/* Compiles one character of the pattern, or what it begins. */
static void
compile_next(struct compiler *c)
{
	unsigned min, max, at = c->re->steps;

	if (quantifier(&c->p, &min, &max)) {
		if (c->atom == STEPS_MAX)
			c->why = "a repetition has nothing to repeat";
		else
			repeat(c, min, max);
		return;
	}
	switch (*c->p++) {
	case '(':
		open_group(c);
		return;
	case ')':
		if (!c->depth) {
			c->why = ") without (";
			return;
		}
		close_group(c);
		c->depth--;
		return;
	case '|':
		alternative(c);
		return;
	case '[':
		set(c);
		break;
	case '.':
		emit(c, (struct step){ .op = OP_ANY });
		break;
	case '^':
		emit(c, (struct step){ .op = OP_BEGIN });
		break;
	case '$':
		emit(c, (struct step){ .op = OP_END });
		break;
	case '\\':
		backslash(c);
		break;
	default:
		c->p--;
		emit(c, (struct step){ .op = OP_CHAR, .x = character(&c->p) });
	}
	c->atom = at;
}

struct regex *
regex_new(struct arena *arena, const char *pattern, const char **why)
{
	struct compiler c = { .re = arena_alloc(arena, sizeof(struct regex)), .p = pattern, .atom = STEPS_MAX };

	if (!c.re) {
		*why = "no memory";
		return NULL;
	}
	if (strncmp(c.p, "(?i)", 4) == 0) {
		c.re->fold = true;
		c.p += 4;
	}
	while (*c.p && !c.why)
		compile_next(&c);
	if (!c.why && c.depth)
		c.why = "( without )";
	close_group(&c);
	emit(&c, (struct step){ .op = OP_MATCH });
	*why = c.why;
	return c.why ? NULL : c.re;
}

static int32_t
other_case(int32_t v)
{
	int32_t small = v | 0x20;

	return v < 0x80 && small >= 'a' && small <= 'z' ? v ^ 0x20 : v;
}

static bool
in_set(const struct regex *re, const struct step *s, int32_t v)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct range *r = &re->range[(unsigned)s->x + i];

		if (v >= r->lo && v <= r->hi)
			return true;
	}
	return false;
}

static bool
takes(const struct regex *re, const struct step *s, int32_t v)
{
	int32_t other = re->fold ? other_case(v) : v;

	if (s->op == OP_CHAR)
		return s->x == v || s->x == other;
	return s->op == OP_ANY || (in_set(re, s, v) || in_set(re, s, other)) != s->not;
}

static bool
is_word(int32_t v)
{
	return v == '_' || (v >= '0' && v <= '9') || (v < 0x80 && (v | 0x20) >= 'a' && (v | 0x20) <= 'z') || v >= 0x80;
}

/* Does a step that takes no character hold between BEFORE and AFTER? */
static bool
holds(enum op op, int32_t before, int32_t after)
{
	if (op == OP_BEGIN || op == OP_END)
		return (op == OP_BEGIN ? before : after) == END;
	return (is_word(before) != is_word(after)) == (op == OP_WORD);
}

static unsigned
visit(struct regex *re, unsigned at, unsigned n)
{
	if (re->visited[at] != re->round) {
		re->visited[at] = re->round;
		re->todo[n++] = (uint16_t)at;
	}
	return n;
}

/* Finds all steps that the N steps of todo lead to between two characters: *LIVE of them take one.  True at a match. */
static bool
follow(struct regex *re, unsigned n, unsigned *live, int32_t before, int32_t after)
{
	for (*live = 0; n;) {
		unsigned at = re->todo[--n];
		const struct step *s = &re->step[at];

		switch ((enum op)s->op) {
		case OP_MATCH:
			return true;
		case OP_CHAR:
		case OP_ANY:
		case OP_SET:
			re->live[(*live)++] = (uint16_t)at;
			break;
		case OP_SPLIT:
			n = visit(re, at + 1, n);
			n = visit(re, (unsigned)((int32_t)at + s->x), n);
			break;
		case OP_JUMP:
			n = visit(re, (unsigned)((int32_t)at + s->x), n);
			break;
		default:
			if (holds(s->op, before, after))
				n = visit(re, at + 1, n);
		}
	}
	return false;
}

bool
regex_find(struct regex *re, const char *text)
{
	int32_t before = END, after;
	unsigned n = 0, live;

	re->round++;
	for (;;) {
		const char *next = text;

		after = *text ? character(&next) : END;
		n = visit(re, 0, n);   /* a match may begin here, too */
		if (follow(re, n, &live, before, after))
			return true;
		if (after == END)
			return false;
		re->round++;
		n = 0;
		for (unsigned i = 0; i < live; i++)
			if (takes(re, &re->step[re->live[i]], after))
				n = visit(re, re->live[i] + 1u, n);
		before = after;
		text = next;
	}
}

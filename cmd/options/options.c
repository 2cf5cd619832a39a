/* See options.h. */
#include "options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exit.h"
#include "lib/text.h"
#include "lib/msg.h"
#include "lib/nearest.h"

enum { NAMES_MAX = 96 };

void
options_open(struct options *o, const struct option *table, int argc, char **argv)
{
	*o = (struct options){ .table = table, .argc = argc, .argv = argv, .at = 1 };
}

size_t
option_name(const struct option *o)
{
	return strcspn(o->form, "=");
}

const char *
option_argument(const struct option *o)
{
	const char *end = o->form + option_name(o);

	return *end ? end + 1 : NULL;
}

static int
unknown(const struct options *o, const char *word)
{
	const char *names[NAMES_MAX + 1], *near = NULL, *whole = o->argv[o->at - 1];
	unsigned n = 0;

	for (const struct option *p = o->table; p->id && n < NAMES_MAX; p++)
		if (*p->form)
			names[n++] = p->form;
	names[n] = NULL;
	if (word[1] == '-' && (near = nearest(word + 2, names, "=")))
		error("unknown option '%s': did you mean --%.*s?", word, (int)strcspn(near, "="), near);
	else if (!access(whole, F_OK))
		error("unknown option '%s'; to name the file, write ./%s", whole, whole);
	else
		error("unknown option '%s': see prof help %s", word, o->argv[0]);
	return OPTION_BAD;
}

static int
with_value(struct options *o, const struct option *p, const char *attached)
{
	o->value = attached;
	if (attached || !option_argument(p))
		return p->id;
	if (o->at == o->argc) {
		error("%s needs an argument: %s %s", o->shown, o->shown, option_argument(p));
		return OPTION_BAD;
	}
	o->value = o->argv[o->at++];
	return p->id;
}

static int
long_option(struct options *o, const char *word)
{
	const char *name = word + 2, *eq = strchr(name, '=');
	size_t n = eq ? (size_t)(eq - name) : strlen(name);

	for (const struct option *p = o->table; p->id; p++) {
		if (!n || option_name(p) != n || memcmp(p->form, name, n) != 0)
			continue;
		o->shown = word;
		if (eq && !option_argument(p)) {
			error("--%s takes no argument", p->form);
			return OPTION_BAD;
		}
		return with_value(o, p, eq ? eq + 1 : NULL);
	}
	return unknown(o, word);
}

static int
short_option(struct options *o, const char *letters)
{
	memcpy(o->letter, (char[]){ '-', letters[0], 0 }, 3);
	o->shown = o->letter;
	for (const struct option *p = o->table; p->id; p++) {
		if (p->id != (unsigned char)letters[0])
			continue;
		if (option_argument(p))
			return with_value(o, p, letters[1] ? letters + 1 : NULL);
		o->rest = letters[1] ? letters + 1 : NULL;
		return p->id;
	}
	return unknown(o, o->letter);
}

int
options_next(struct options *o)
{
	const char *word, *rest = o->rest;

	o->value = o->rest = NULL;
	if (rest)
		return short_option(o, rest);
	if (o->at >= o->argc)
		return OPTION_END;
	word = o->argv[o->at];
	if (strcmp(word, "--") == 0) {
		o->dashes = true;
		o->at++;
		return OPTION_END;
	}
	if (word[0] != '-' || !word[1])
		return OPTION_END;
	o->at++;
	if (word[1] == '-')
		return long_option(o, word);
	return short_option(o, word + 1);
}

int
options_next_or_word(struct options *o, int *n)
{
	int id;

	while ((id = options_next(o)) == OPTION_END && o->at < o->argc) {
		if (o->dashes) {
			while (o->at < o->argc)
				o->argv[++*n] = o->argv[o->at++];
		} else {
			o->argv[++*n] = o->argv[o->at++];
		}
	}
	return id;
}

bool
option_once(const struct options *o, const char **value)
{
	if (*value && strcmp(*value, o->value)) {
		error("%s %s: there is %s %s already, and this command takes one", o->shown, o->value, o->shown, *value);
		return false;
	}
	*value = o->value;
	return true;
}

bool
option_loudness(int id)
{
	if (id == 'q')
		msg_level = -1;
	else if (id == 'v')
		msg_level++;
	return id == 'q' || id == 'v';
}

int
options_read(struct options *o, int *words, bool (*take)(void *ctx, const struct options *, int id), void *ctx)
{
	int id;

	while ((id = words ? options_next_or_word(o, words) : options_next(o)) != OPTION_END) {
		if (id == 'h')
			return EXIT_HELP;
		if (id == OPTION_BAD || (!option_loudness(id) && !take(ctx, o, id)))
			return EXIT_FAILED;
	}
	return 0;
}

/* The length of the option as written, without its value. */
static int
shown_length(const struct options *o)
{
	return (int)strcspn(o->shown, "=");
}

/* Says that the value is not a WHAT. */
static bool
is_not(const struct options *o, const char *what)
{
	error("%.*s '%s' is not a %s", shown_length(o), o->shown, o->value, what);
	return false;
}

bool
option_number(const struct options *o, uint64_t lo, uint64_t hi, uint64_t *v)
{
	const char *p = o->value;

	if (!text_dec(&p, v) || *p)
		return is_not(o, "number");
	if (*v < lo || *v > hi) {
		error("%.*s %s: the number must be from %llu to %llu", shown_length(o), o->shown, o->value, (unsigned long long)lo,
		      (unsigned long long)hi);
		return false;
	}
	return true;
}

/* A number with a fraction at *P, in UNIT ns each; false where there is none. */
static bool
decimal(const char **p, uint64_t unit, uint64_t *ns)
{
	const char *begin = *p;
	uint64_t whole = 0;
	bool digits = text_dec(p, &whole) || **p == '.';

	*ns = whole <= (uint64_t)1000000000 * 1000000000 / unit ? whole * unit : UINT64_MAX;
	if (digits && **p == '.') {
		digits = *p > begin || ((*p)[1] >= '0' && (*p)[1] <= '9');
		for (++*p; **p >= '0' && **p <= '9'; ++*p)
			if (*ns != UINT64_MAX)
				*ns += (uint64_t)(**p - '0') * (unit /= 10);
	}
	return digits;
}

static bool
is_time(const struct options *o, uint64_t ns, const char *unit)
{
	if (ns && ns <= (uint64_t)1000000000 * 1000000000)
		return true;
	error("%.*s %s: the time must be more than 0 and at most 1000000000%s", shown_length(o), o->shown, o->value, unit);
	return false;
}

bool
option_time(const struct options *o, uint64_t unit_ns, uint64_t *ns)
{
	const char *p = o->value;

	if (!decimal(&p, unit_ns, ns) || *p)
		return is_not(o, "number");
	return is_time(o, *ns, "");
}

bool
option_duration(const struct options *o, uint64_t *ns)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 }, { "m", UINT64_C(60000000000) }, { "h", UINT64_C(3600000000000) },
	};

	for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
		const char *p = o->value;

		if (decimal(&p, units[i].ns, ns) && !strcmp(p, units[i].name))
			return is_time(o, *ns, " seconds");
	}
	return is_not(o, "time; write it as 10, 10s, 500ms, 2m or 1h");
}

bool
option_percent(const struct options *o, unsigned *hundredths)
{
	const char *p = o->value;
	uint64_t v;

	if (!text_decimal(&p, 2, &v) || strcmp(p + (*p == '%'), "") || v > 10000)
		return is_not(o, "percentage");
	*hundredths = (unsigned)v;
	return true;
}

/* Skips blanks and line ends, which pgrep writes; whether there were any. */
static bool
skip_blanks(const char **p)
{
	const char *begin = *p;

	*p += strspn(begin, " \t\n");
	return *p > begin;
}

unsigned
option_pids(const struct options *o, int32_t *pid, unsigned max)
{
	const char *p = o->value;
	unsigned n = 0;

	for (bool more = true; more;) {
		uint64_t v;
		bool apart;

		skip_blanks(&p);
		if (!text_dec(&p, &v) || v == 0 || v > INT32_MAX)
			return is_not(o, "list of process numbers");
		if (n == max) {
			error("%.*s: too many; at most %u are possible%s", shown_length(o), o->shown, max, max > 1 ? "; use -a" : "");
			return 0;
		}
		pid[n++] = (int32_t)v;
		apart = skip_blanks(&p);
		more = *p;
		if (*p == ',')
			p++;
		else if (more && !apart)
			return is_not(o, "list of process numbers");
	}
	return n;
}

bool
option_word(const char *option, const char *word, const char *const *names, unsigned *which)
{
	char all[128];
	size_t n = 0;

	for (*which = 0; names[*which]; ++*which)
		if (strcmp(names[*which], word) == 0)
			return true;
	for (const char *const *name = names; *name && n < sizeof all; name++)
		n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", *name);
	error("%s '%s' is unknown; choose one of: %s", option, word, all);
	return false;
}

/* Options as a table: parsed by it, and explained by it in the help. */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct option {
	int id;               /* the letter, or a number above 255 where there is none; 0 ends the table */
	const char *form;     /* "name", "name=ARGUMENT" where it takes one; "" where there is no long name */
	const char *help;
};

/* The length of the long name; what the argument is called, or NULL. */
size_t option_name(const struct option *);
const char *option_argument(const struct option *);

enum { OPTION_END = 0, OPTION_BAD = -1, OPTION_HELP = 256 };

struct options {
	const struct option *table;
	int argc;
	char **argv;
	int at;               /* the word looked at next; once OPTION_END: the first that is no option */
	bool dashes;          /* a "--" stood before it */
	const char *rest;     /* further letters of a word like -gq */
	const char *value;    /* of the option just given */
	const char *shown;    /* the option as it was written, for messages */
	char letter[3];
};

void options_open(struct options *, const struct option *table, int argc, char **argv);
/* The next option's id; OPTION_END at the first word that is none; OPTION_BAD once it has said what is wrong. */
int options_next(struct options *);

/* For commands whose options may stand behind their words: what is no option is moved to the front of argv, behind the
 * command's name, and options go on; all of them are then argv[1] to argv[*N].  As options_next. */
int options_next_or_word(struct options *, int *n);

/* Strict numbers, each within [LO, HI]: else false, once it has said what is wrong with the option's value. */
bool option_number(const struct options *, uint64_t lo, uint64_t hi, uint64_t *v);
/* Decimal seconds (or, by UNIT_NS, other units) to nanoseconds. */
bool option_time(const struct options *, uint64_t unit_ns, uint64_t *ns);
/* A percentage, with or without its sign, in hundredths. */
bool option_percent(const struct options *, unsigned *hundredths);
/* A list of numbers with commas: at most MAX of them; returns how many, 0 once it has said what is wrong. */
unsigned option_pids(const struct options *, int32_t *pid, unsigned max);

/* WORD's place among NAMES, which ends with NULL; false once it has said that OPTION knows none such. */
bool option_word(const char *option, const char *word, const char *const *names, unsigned *which);

#endif

/* Options as a table: prof parses them by it, and makes the help from it. */
#ifndef CMD_OPTIONS_OPTIONS_H
#define CMD_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct option {
	int id;               /* the letter, or a number above 255 if there is none; 0 ends the table */
	const char *form;     /* "name", or "name=ARGUMENT" if it takes one; "" if there is no long name */
	const char *help;
};

/* The length of the long name; and the name of the argument, or NULL. */
size_t option_name(const struct option *);
const char *option_argument(const struct option *);

enum { OPTION_END = 0, OPTION_BAD = -1, OPTION_HELP = 256 };

struct options {
	const struct option *table;
	int argc;
	char **argv;
	int at;               /* the next word to look at; after OPTION_END: the first that is no option */
	bool dashes;          /* a "--" stood before that word */
	const char *rest;     /* further letters of a word like -gq */
	const char *value;    /* of the last option */
	const char *shown;    /* the option as the user wrote it, for messages */
	char letter[3];
};

void options_open(struct options *, const struct option *table, int argc, char **argv);
/* The next option's id; OPTION_END at the first word that is no option; OPTION_BAD after an error message. */
int options_next(struct options *);

/* For commands with options that may stand behind their words.  It moves each word that is not an option to the front of
 * argv, behind the command's name, and goes on with the options.  So the words are argv[1] to argv[*N].  Returns what
 * options_next returns. */
int options_next_or_word(struct options *, int *n);

/* Hands all options to TAKE, except -h, -q and -v, which mean the same everywhere.  TAKE returns false after an error message.
 * With WORDS options may stand behind words, as in options_next_or_word.  0, EXIT_HELP or EXIT_FAILED. */
int options_read(struct options *, int *words, bool (*take)(void *ctx, const struct options *, int id), void *ctx);
/* Whether it is -q or -v; if so, this has done it. */
bool option_loudness(int id);
/* Takes a value that the option may have once. */
bool option_once(const struct options *, const char **value);

/* A number within [LO, HI], and nothing else: false after an error message about the option's value. */
bool option_number(const struct options *, uint64_t lo, uint64_t hi, uint64_t *v);
/* Decimal seconds, or other units of UNIT_NS each, to nanoseconds. */
bool option_time(const struct options *, uint64_t unit_ns, uint64_t *ns);
/* Seconds to nanoseconds; s, ms, m or h behind the number is another unit. */
bool option_duration(const struct options *, uint64_t *ns);
/* A percentage, with or without its sign, in hundredths. */
bool option_percent(const struct options *, unsigned *hundredths);
/* A list of at most MAX numbers with commas or blanks between them; returns their number, or 0 after an error message. */
unsigned option_pids(const struct options *, int32_t *pid, unsigned max);

/* WORD's place among NAMES, which ends with NULL; false after an error message, if OPTION does not know the word. */
bool option_word(const char *option, const char *word, const char *const *names, unsigned *which);

#endif

/* Regular expressions that cannot blow up: prof follows all ways through the expression at once (Thompson's simulation), so
 * a search costs at most the text's length times the expression's.
 *
 *     . [set] [^set] \d \w \s \D \W \S    one character (UTF-8 is known)
 *     ^ $ \b \B                           text's ends, word's ends
 *     * + ? {m} {m,} {m,n}                repetition
 *     (…) (?:…) a|b                       groups, alternatives
 *     (?i) at the very beginning          ASCII letters match in either case
 *
 * No back references, no captures: it only says whether there is a match somewhere. */
#ifndef LIB_REGEX_H
#define LIB_REGEX_H

#include <stdbool.h>

#include "mem.h"

struct regex;

/* The expression, which lives in ARENA; else NULL, and *WHY says what is wrong with it, in words. */
struct regex *regex_new(struct arena *, const char *pattern, const char **why);
/* Whether there is a match anywhere in TEXT. */
bool regex_find(struct regex *, const char *text);

#endif

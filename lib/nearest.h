/* "Did you mean": the known word that is nearest to an unknown one. */
#ifndef LIB_NEAREST_H
#define LIB_NEAREST_H

/* The nearest of NAMES (which ends with NULL) within two edits and half of its length, or NULL. The names and the word end at
 * the first of the characters in END. */
const char *nearest(const char *word, const char *const *names, const char *end);

#endif

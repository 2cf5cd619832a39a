/* What a profile's codes stand for: functions, places in mapped files, and the tree of functions made of both. */
#ifndef OUT_PROFILE_PROFILE_NAMES_H
#define OUT_PROFILE_PROFILE_NAMES_H

#include "profile.h"

/* Interns a function. UINT32_MAX at the memory cap. */
uint32_t profile_function(struct profile *, const struct function *);
/* As profile_function, for a function that has a name and a module, and that the profile does not have yet: there is no search. */
uint32_t profile_new_function(struct profile *, const struct function *);

/* Copies of FILE and BUILD_ID as a mapping of its own; MAPPING_NONE at the memory cap. */
uint32_t profile_mapping(struct profile *, const char *file, const char *build_id);
/* Adds a fact about the capture; leaves it out if there is no room. */
void profile_note(struct profile *, const char *key, const char *value);

/* Names everything and builds the tree of functions.  It calls NAME once for each distinct code: NAME fills WHERE's address
 * and mapping, and SITE, outermost first, at most MAX, and returns how many (at least 1). */
enum { NAME_MAX_INLINE = 64 };
void profile_name(struct profile *, unsigned (*name)(void *ctx, uint32_t code, struct location *where, struct site *site,
                                                     unsigned max), void *ctx);
/* Asks NAME about CODE, unless CODE has names already: for callers that want their own order before they call profile_name.
 * NULL at the memory cap. */
const struct location *profile_locate(struct profile *, uint32_t code, unsigned (*name)(void *, uint32_t, struct location *,
                                                                                      struct site *, unsigned), void *ctx);
/* For profiles that are read from a file, where names are known at once: the code of WHERE with its N sites; equal ones have
 * the same code.  UINT32_MAX at the memory cap.  Add samples of such codes, then call profile_name with NULL. */
uint32_t profile_location(struct profile *, const struct location *where, const struct site *site, unsigned n);
/* As profile_location, but always a new code, which no search for an equal one finds. */
uint32_t profile_new_location(struct profile *, const struct location *where, const struct site *site, unsigned n);
/* Says that the codes 0 to N - 1 stand for the functions of these numbers, in a profile without locations: it gets these, or, if
 * nobody will ask for them, none.  False at the memory cap. */
bool profile_plain(struct profile *, uint32_t n);

/* Below a function with the name MARK, stacks go from the inside to the outside: there an inlined function comes before the
 * function around it.  Call it when all codes are known, before profile_name. */
void profile_turn(struct profile *, const char *mark);

/* Makes CODE, which has names, stand for other functions.  Call it before profile_name. */
void profile_relocate(struct profile *, uint32_t code, const struct site *site, unsigned n);

#endif

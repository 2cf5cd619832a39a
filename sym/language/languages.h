/* Which languages there are. */
#ifndef SYM_LANGUAGE_LANGUAGES_H
#define SYM_LANGUAGE_LANGUAGES_H

#include "allowance.h"
#include "language.h"

extern const struct language language_python, language_ruby, language_v8, language_php;

/* The code of another place in the function of CODE. */
uint32_t languages_place(struct languages *, uint32_t code, uint32_t at);
/* The name of the language's function of CODE; NULL if it is no such code. */
const char *languages_function(const struct languages *, uint32_t code);
/* A copy of a text that lives as long as the capture, or NULL. */
const char *languages_text(struct languages *, const char *);
/* N zeroed bytes that live as long as the capture. */
void *languages_keep(struct languages *, size_t n);
/* What looking for interpreters' state may cost in all processes together. */
struct allowance *languages_allowance(struct languages *);
/* Whether a process may search N more.  Beyond its own allowance there is one for all processes: many threads at one moment want it. */
bool languages_may_search(struct languages *, struct allowance *own, uint64_t time, uint32_t n);
/* N bytes for the time of a question, too many for a small stack; a ROOM always gives the same ones, so its N never changes.  NULL at
 * the memory cap. */
enum language_room { PYTHON_ROOM, PYTHON_ROOM_TABLE, CALLS_ROOM, RUBY_ROOM_TABLE, V8_ROOM, LANGUAGE_ROOMS };
void *languages_room(struct languages *, enum language_room, size_t n);

#endif

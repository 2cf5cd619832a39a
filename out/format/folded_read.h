/* Reading folded stacks back; for format_folded.  Inside out/ only. */
#ifndef OUT_READ_FOLDED_H
#define OUT_READ_FOLDED_H

#include "lib/cursor.h"
#include "out/profile/profile.h"

bool folded_is(struct cursor);
const char *folded_read(struct profile *, struct cursor *);

/* What a frame as it is written tells of its function: _[k] and _[i] behind a name, a file in [file+0xADDRESS], prof's own
 * marks.  TEXT is cut where NAME ends, MODULE is for the module's name. */
struct function frame_function(char *text, char *module, size_t cap);

#endif

/* Frames as prof writes them in formats that have only a name for each frame. */
#ifndef OUT_FORMAT_FRAME_TEXT_H
#define OUT_FORMAT_FRAME_TEXT_H

#include "out/profile/profile.h"

/* Whether the text from S to END is an annotation of prof's own, such as [truncated]. */
bool frame_text_is_mark(const char *s, const char *end);
/* What the text of a frame says about its function: _[k] and _[i] behind a name, a file in [file+0xADDRESS], prof's own
 * annotations.  It cuts TEXT where NAME ends; MODULE takes the module's name. */
struct function frame_text_function(char *text, char *module, size_t cap);

#endif

/* Reading prof's own pages back; for format_html. */
#ifndef OUT_FORMAT_HTML_HTML_READ_H
#define OUT_FORMAT_HTML_HTML_READ_H

#include "lib/cursor.h"
#include "out/profile/profile.h"

bool html_is(struct cursor);
const char *html_read(struct profile *, struct cursor *);

#endif

/* A format: its names, its writer, and its reader if prof reads it back.  Each is one file or folder beside this one, and one row
 * of the table in out/formats.c. */
#ifndef OUT_FORMAT_FORMAT_H
#define OUT_FORMAT_FORMAT_H

#include "lib/cursor.h"
#include "lib/sink.h"
#include "out/profile/profile.h"

struct format {
	const char *name;          /* -f NAME */
	const char *suffixes;      /* of -o FILE, each with its dot, spaces between: ".json .speedscope" */
	const char *what;          /* one line for the help */
	/* Sees a finished, named profile; never checks errors. */
	void (*write)(struct sink *, const struct profile *);
	/* For formats that are read back, else NULL: whether the first bytes of a file (already unpacked) look like it, and reading
	 * it, into a profile that may hold others already.  NULL if all is well, else what is wrong, in words, and the cursor stands
	 * at the mistake.  The caller calls profile_name afterwards. */
	bool (*is)(struct cursor);
	const char *(*read)(struct profile *, struct cursor *);
	bool binary;               /* nothing for a terminal */
	bool text;                 /* errors name a line, not an offset */
	bool threadless;           /* it tells threads apart by their names alone (without --threads and --pids), and writes no times */
	bool places;               /* it writes where in files code is: locations, not only functions */
	bool lineless;             /* it writes only the names of functions, and functions with equal names are one */
};

/* The profile's events as a member of a JSON object: "events":[{"name":…,"period":ns,"waiting":true}]. */
void format_events(struct sink *, const struct profile *);
/* Reads one event of such a list, and adds it to the profile.  Returns its number there, or UINT32_MAX once the cursor is
 * bad. */
uint32_t format_event_read(struct profile *, struct cursor *, struct sink *text);

#endif

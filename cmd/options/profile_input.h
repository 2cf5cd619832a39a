/* Reads profiles for commands: from files of any format that prof knows, and from stdin. */
#ifndef CMD_OPTIONS_PROFILE_INPUT_H
#define CMD_OPTIONS_PROFILE_INPUT_H

#include "out/profile/profile.h"
#include "sample/perfdata/header.h"

struct input {
	const char *name;
	struct source source;
	bool recording;            /* perf's: samples, still to be unwound and named */
};

/* Opens the file ("-": stdin), and looks at its first bytes; false after an error message. */
bool input_open(struct input *, const char *path);
void input_close(struct input *);
/* Adds what it holds to the profile; READ reads a recording, and says itself what goes wrong.  False after an error message. */
bool input_read_with(struct profile *, struct input *, bool (*read)(struct profile *, struct input *, const void *ctx), const void *ctx);

/* Adds what the file ("-": stdin) holds to the profile; false after an error message.  Call profile_name after the last file.
 * */
bool input_read(struct profile *, const char *path);
/* Limits the memory that reading may take. */
void input_cap(void);

#endif

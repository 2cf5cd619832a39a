/* Reads profiles for commands: from files of any format that prof knows, and from stdin. */
#ifndef CMD_OPTIONS_PROFILE_INPUT_H
#define CMD_OPTIONS_PROFILE_INPUT_H

#include "out/profile/profile.h"

/* Adds what the file ("-": stdin) holds to the profile; false after an error message.  Call profile_name after the last file.
 * */
bool input_read(struct profile *, const char *path);
/* Limits the memory that reading may take. */
void input_cap(void);

#endif

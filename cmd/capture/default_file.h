/* The file that prof writes if no -o names one. */
#ifndef CMD_CAPTURE_DEFAULT_FILE_H
#define CMD_CAPTURE_DEFAULT_FILE_H

#include "cmd/options/outputs.h"
#include "cmd/options/target_options.h"

/* Whether prof can make such a file; false after an error message. */
bool default_file_check(void);
/* Gives OUT, which has a format, such a name; NAME keeps it. */
void default_file_choose(struct output *out, struct fresh_name *name, const struct target_options *, int32_t command);

#endif

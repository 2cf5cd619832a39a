/* perf's recordings as profiles: unwound and named as a capture's samples are. */
#ifndef CMD_CAPTURE_RECORDING_H
#define CMD_CAPTURE_RECORDING_H

#include "cmd/capture/recording_how.h"
#include "out/profile/profile.h"
#include "sample/perfdata/source.h"

/* Adds what the recording in SOURCE holds to the profile; false after an error message. */
bool recording_read(struct profile *, const char *name, struct source *, const struct recording_how *);

#endif

/* What prof says on stderr, each line behind "prof: ". */
#ifndef LIB_MSG_H
#define LIB_MSG_H

/* -1 quiet, 0 as it comes, 1 and up: more on what was lost and why. */
extern int msg_level;

/* An error: always said. */
void error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Something the user should know: not said when quiet. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Said with -v. */
void verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif

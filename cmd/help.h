/* Help, made from the tables of commands, options and formats. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "command.h"

/* Prints what prof is, and the commands (a list that ends with NULL), to FD. Both functions return the exit status. */
int help_all(int fd, const struct command *const *commands);
/* Prints the help of one command to stdout. */
int help_command(const struct command *);

#endif

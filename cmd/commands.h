/* The table of commands, and which of them a command line means. */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

/* Runs the command that argv[1] names; records if it names none.  Returns the exit status. */
int commands_run(int argc, char **argv);

#endif

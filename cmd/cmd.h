/* The commands, one file each in this folder. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

struct command {
	const char *name;
	const char *summary;       /* one line for `prof help` */
	int (*run)(int argc, char **argv);   /* argv[0] is the command's name; returns the exit status */
};

extern const struct command commands[];   /* ends with a NULL name */

int cmd_record(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_version(int argc, char **argv);

enum { EXIT_FAILED = 125 };

#endif

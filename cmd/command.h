/* The commands, one file each in this folder; the table is in help.c. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

struct option;

struct command {
	const char *name;
	const char *synopsis;            /* what follows the name */
	const char *summary;             /* one line for `prof help` */
	const struct option *const *options;   /* for `prof help NAME`, or NULL */
	int (*run)(int argc, char **argv);   /* argv[0] is the command's name; returns the exit status */
};

/* Runs the command that argv[1] names, or records. */
int cmd_dispatch(int argc, char **argv);

int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_demangle(int argc, char **argv);
int cmd_addr2line(int argc, char **argv);
int cmd_symbolize(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_version(int argc, char **argv);

/* Each ends with id 0. */
extern const struct option *const record_options, *const report_options, *const diff_options, *const demangle_options,
                           *const addr2line_options, *const symbolize_options, *const annotate_options, *const doctor_options;

/* prof itself failed: not the command that it ran. */
enum { EXIT_FAILED = 125 };

#endif

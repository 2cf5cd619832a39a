/* prof: where does the time go?  The first word is a command of the table in cmd/commands.c, or what to record. */
#include "cmd/commands.h"

int
main(int argc, char **argv)
{
	return commands_run(argc, argv);
}

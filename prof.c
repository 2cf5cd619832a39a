/* prof: where does the time go?  The first word is a command of the table in cmd/help.c, or what to record. */
#include "cmd/command.h"

int
main(int argc, char **argv)
{
	return cmd_dispatch(argc, argv);
}

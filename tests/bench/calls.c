/* calls WHAT N: N times an empty function (function), or the system call getppid (syscall). */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline, noclone)) void
nothing(void)
{
	__asm__ volatile("");
}

int
main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;

	for (long i = 0; argc > 2 && i < n; i++)
		if (!strcmp(argv[1], "function"))
			nothing();
		else
			syscall(SYS_getppid);
	return 0;
}

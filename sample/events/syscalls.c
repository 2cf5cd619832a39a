/* See syscalls.h. */
#include "syscalls.h"

#include <stdio.h>
#include <string.h>

#include "lib/text.h"

bool
syscall_next(const char **at, uint32_t *number, char name[SYSCALL_NAME])
{
	const char *p = *at;
	uint64_t v;
	size_t n;

	if (!text_dec(&p, &v))
		return false;
	n = strcspn(++p, "\n");
	*number = (uint32_t)v;
	snprintf(name, SYSCALL_NAME, "%.*s", (int)n, p);
	*at = p + n + 1;
	return true;
}

const char *
syscall_name(uint32_t number, char name[SYSCALL_NAME])
{
	const char *at = syscall_text;
	uint32_t is;

	while (syscall_next(&at, &is, name))
		if (is == number)
			return name;
	snprintf(name, SYSCALL_NAME, "syscall %u", (unsigned)number);
	return name;
}

/* See syscalls.h. */
#include "syscalls.h"

#include <stdio.h>
#include <string.h>

#include "lib/nearest.h"
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

bool
syscalls_named(const char *name, uint8_t *wanted, uint32_t n, char near[SYSCALL_NAME])
{
	char is[SYSCALL_NAME];
	const char *at = syscall_text, *const names[] = { near, is, NULL };
	uint32_t number;
	bool any = false;

	*near = 0;
	while (syscall_next(&at, &number, is))
		if (number < n && (!strcmp(name, "*") || !strcmp(name, is)))
			wanted[number] = any = true;
		else if (nearest(name, names, "") == is)
			strcpy(near, is);
	return any;
}

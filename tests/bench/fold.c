/* Folds perf script's text, as stackcollapse-perf.pl does, but in C: stdin to stdout, or to the file named.  The frames of
 * a sample come innermost first, one a line behind a tab; an empty line ends it. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *stack;
	uint64_t count;
};
static struct entry *table;
static size_t mask, used;

static uint64_t
hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3u;
	return h;
}

static void add(char *stack, uint64_t n);

static void
grow(void)
{
	struct entry *old = table;
	size_t n = old ? mask + 1 : 0;

	mask = n ? n * 2 - 1 : 4095;
	table = calloc(mask + 1, sizeof *table);
	if (!table)
		exit(1);
	used = 0;
	for (size_t i = 0; i < n; i++)
		if (old[i].stack) {
			add(old[i].stack, old[i].count);
			free(old[i].stack);
		}
	free(old);
}

static void
add(char *stack, uint64_t n)
{
	size_t i;

	if (used * 2 >= mask)
		grow();
	for (i = hash(stack) & mask; table[i].stack; i = (i + 1) & mask)
		if (strcmp(table[i].stack, stack) == 0) {
			table[i].count += n;
			return;
		}
	table[i] = (struct entry){ strdup(stack), n };
	used++;
}

int
main(int argc, char **argv)
{
	static char *frame[4096], comm[64], stack[1 << 20];
	char *line = NULL;
	size_t cap = 0, n = 0;
	ssize_t len;

	if (argc > 1 && !freopen(argv[1], "w", stdout))
		return 1;
	grow();
	while ((len = getline(&line, &cap, stdin)) > 0) {
		line[len - 1] = 0;
		if (line[0] == '#')
			continue;
		if (line[0] == 0) {
			size_t at = (size_t)snprintf(stack, sizeof stack, "%s", comm);

			while (n > 0) {
				n--;
				if (at < sizeof stack)
					at += (size_t)snprintf(stack + at, sizeof stack - at, ";%s", frame[n]);
				free(frame[n]);
			}
			if (*comm)
				add(stack, 1);
			*comm = 0;
		} else if (line[0] != '\t' && line[0] != ' ') {
			char *end = line;

			/* "comm  PID/TID ..." or "comm PID ...": the name may hold blanks. */
			while (*end && !(*end == ' ' && end[strspn(end, " ")] >= '0' && end[strspn(end, " ")] <= '9'))
				end++;
			*end = 0;
			snprintf(comm, sizeof comm, "%s", line);
		} else if (n < sizeof frame / sizeof frame[0]) {
			char *name = line + strspn(line, " \t"), *end;

			name += strcspn(name, " ");
			name += *name == ' ';
			end = strrchr(name, '(');
			if (end && end > name)
				end[-1] = 0;
			end = strrchr(name, '+');
			if (end && strncmp(end, "+0x", 3) == 0)
				*end = 0;
			frame[n++] = strdup(*name ? name : "[unknown]");
		}
	}
	for (size_t i = 0; i <= mask; i++)
		if (table[i].stack)
			printf("%s %llu\n", table[i].stack, (unsigned long long)table[i].count);
	return 0;
}

/* See perfmap.h.  The format is tools/perf/Documentation/jit-interface.txt of the Linux source. */
#include "perfmap.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/asked_file.h"
#include "lib/lines.h"
#include "lib/text.h"
#include "lib/work.h"

enum { BYTES_MAX = 256 << 20 };   /* the file may be endless */

/* A size of zero or one that runs over the end of the address space is no range. */
static bool
parse(const char *line, struct jit_range *r, const char **name, size_t *len)
{
	const char *p = line;
	uint64_t size;

	p += p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? 2 : 0;
	if (!text_hex(&p, &r->lo) || *p != ' ')
		return false;
	p += strspn(p, " ");
	p += p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? 2 : 0;
	if (!text_hex(&p, &size) || *p != ' ' || !size || __builtin_add_overflow(r->lo, size, &r->hi))
		return false;
	*name = p + strspn(p, " ");
	*len = strlen(*name);
	while (*len && ((*name)[*len - 1] == '\r' || (*name)[*len - 1] == ' '))
		--*len;
	return *len > 0;
}

void
perfmap_from(struct perfmap_reader *p, int fd, uint64_t from, uint64_t upto)
{
	uint64_t most = from < BYTES_MAX ? BYTES_MAX - from : 0;

	lines_open_at(&p->lines, fd, from);
	p->lines.left = upto - from < most ? upto - from : most;
	p->from = from + p->lines.left;
}

bool
perfmap_next(struct perfmap_reader *p, struct jit_range *r, const char **name, size_t *len)
{
	const char *line;

	do {
		r->at = (uint32_t)(p->from - p->lines.left - (p->lines.hi - p->lines.lo));
		if (!work_step(1) || !(line = lines_next(&p->lines)))
			return false;
	} while (!parse(line, r, name, len));
	return true;
}

uint64_t
perfmap_whole(int fd, uint64_t from)
{
	char buf[8192];
	struct stat st;
	uint64_t size;
	ssize_t n;

	if (!asked_file_stat(fd, &st) || (uint64_t)st.st_size <= from)
		return from;
	size = (uint64_t)st.st_size;
	from = size - from > sizeof buf ? size - sizeof buf : from;
	n = asked_file_read(fd, buf, (size_t)(size - from), from);
	while (n > 0 && buf[n - 1] != '\n')
		n--;
	return n > 0 ? from + (uint64_t)n : from;
}

struct jitcode *
perfmap_open(struct arena *arena, int fd)
{
	struct jitcode *m = fd < 0 ? NULL : jitcode_new(arena);
	struct jit_range r = { 0 };
	struct perfmap_reader p;
	const char *name;
	size_t len;

	if (!m)
		return NULL;
	perfmap_from(&p, fd, 0, UINT64_MAX);
	while (perfmap_next(&p, &r, &name, &len))
		if (!jitcode_text(m, name, len, &r.name) || !jitcode_add(m, &r))
			break;
	if (!p.lines.left)
		jitcode_cut_here(m);
	return jitcode_finish(m);
}

/* See maps_line.h.  proc(5), /proc/pid/maps: "LO-HI rwxp OFFSET MAJ:MIN INODE   PATH", all hexadecimal but the inode; a newline
 * in the path is written \012, and nothing else is escaped. */
#include "maps_line.h"
#include "lib/text.h"

#include <string.h>

static void
undo_escapes(char *path)
{
	char *to = path;

	for (const char *from = path; *from;) {
		bool newline = !strncmp(from, "\\012", 4);

		*to++ = newline ? '\n' : *from;
		from += newline ? 4 : 1;
	}
	*to = 0;
}

static bool
number(const char **p, bool (*read)(const char **, uint64_t *), uint64_t *v, char after)
{
	if (!read(p, v) || **p != after)
		return false;
	++*p;
	return true;
}

bool
maps_line_parse(struct maps_line *m, char *line)
{
	const char *p = line;
	uint64_t maj, min;

	if (!number(&p, text_hex, &m->lo, '-') || !number(&p, text_hex, &m->hi, ' ') || m->lo >= m->hi)
		return false;
	if (strnlen(p, 5) < 5 || p[4] != ' ')
		return false;
	m->exec = p[2] == 'x';
	p += 5;
	if (!number(&p, text_hex, &m->off, ' ') || !number(&p, text_hex, &maj, ':') || !number(&p, text_hex, &min, ' '))
		return false;
	if (!text_dec(&p, &m->ino) || maj > UINT32_MAX || min > UINT32_MAX)
		return false;
	m->maj = (uint32_t)maj;
	m->min = (uint32_t)min;
	while (*p == ' ')
		p++;
	m->path = line + (p - line);
	undo_escapes(m->path);
	return true;
}

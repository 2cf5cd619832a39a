/* See module_link.h. */
#include "module_link.h"

#include <stdint.h>
#include <string.h>

#include "sym/kernel/packed_module.h"

static bool
is_module(const char *path)
{
	static const char *const places[] = { "/lib/modules/", "/usr/lib/modules/" };
	bool there = false;

	for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
		there |= !strncmp(path, places[i], strlen(places[i]));
	return there && packed_module_is(path, NULL, 0);
}

/* Adds the path FROM to the one in TO, N bytes long, part by part.  SIZE_MAX: there is no room. */
static size_t
add_parts(char *to, size_t size, size_t n, const char *from)
{
	for (size_t len; *from; from += len) {
		from += strspn(from, "/");
		len = strcspn(from, "/");
		if (len == 2 && !memcmp(from, "..", 2)) {
			while (n && to[--n] != '/')
				;
		} else if (len && !(len == 1 && *from == '.')) {
			if (len + 2 > size - n)
				return SIZE_MAX;
			to[n++] = '/';
			memcpy(to + n, from, len);
			n += len;
		}
		to[n] = 0;
	}
	return n;
}

bool
module_link(const char *path, const char *text, char *to, size_t size)
{
	size_t n = 0;

	if (!is_module(path) || strstr(path, "/../"))
		return false;
	*to = 0;
	if (*text != '/') {
		n = add_parts(to, size, n, path);
		if (n != SIZE_MAX)
			n = add_parts(to, size, n, "..");   /* the link's directory */
	}
	return n != SIZE_MAX && add_parts(to, size, n, text) != SIZE_MAX && is_module(to);
}

/* See raw_address.h. */
#include "raw_address.h"

#include <stdio.h>
#include <string.h>

#include "lib/text.h"
#include "profile_names.h"

enum { ID_MIN = 16, NAME_MAX_LEN = 4400 };   /* hexadecimal digits of an id; a path with an address */

bool
raw_address_function(struct profile *p, const struct location *where, uint32_t *function)
{
	struct function f = { .kind = FUNCTION_USER };
	char name[NAME_MAX_LEN];
	const struct mapping *m;
	const char *slash;

	if (where->mapping >= p->nmapping)
		return false;
	m = &p->mapping[where->mapping];
	if (m->file[0] != '/' || snprintf(name, sizeof name, "%s+0x%llx", *m->build_id ? m->build_id : m->file,
	                                  (unsigned long long)where->address) >= (int)sizeof name)
		return false;
	slash = strrchr(m->file, '/');
	f.name = name;
	f.module = slash[1] ? slash + 1 : m->file;
	*function = profile_function(p, &f);
	return true;
}

bool
raw_address_parse(const char *name, struct raw_address *r)
{
	size_t digits = strspn(name, "0123456789abcdef");
	const char *plus = strrchr(name, '+'), *at = plus ? plus + 3 : NULL;

	*r = (struct raw_address){ .file = name, .len = plus ? (size_t)(plus - name) : 0 };
	if (!plus || plus[1] != '0' || plus[2] != 'x' || !text_hex(&at, &r->address) || *at)
		return false;
	r->by_id = digits == r->len && digits >= ID_MIN && digits % 2 == 0;
	return r->by_id || (name[0] == '/' && r->len > 1);
}

void
raw_address_names(struct profile *p)
{
	uint32_t function;

	for (uint32_t code = 0; code < p->nlocation; code++)
		if (p->location[code].sites && raw_address_function(p, &p->location[code], &function))
			profile_relocate(p, code, &(struct site){ .function = function }, 1);
}

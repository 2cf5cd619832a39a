/* See format.h. */
#include "format.h"

#include <string.h>

#include "lib/json.h"

void
format_events(struct sink *s, const struct profile *p)
{
	sink_str(s, "\"events\":[");
	for (uint32_t i = 0; i < p->nevent; i++) {
		sink_str(s, i ? ",{\"name\":" : "{\"name\":");
		sink_json(s, p->event[i].name);
		sink_str(s, ",\"period\":");
		sink_u64(s, p->event[i].period_ns);
		sink_str(s, p->event[i].waiting ? ",\"waiting\":true}" : "}");
	}
	sink_char(s, ']');
}

uint32_t
format_event_read(struct profile *p, struct cursor *c, struct sink *text)
{
	struct event_info e = { .name = NULL };
	struct json_list list;
	uint32_t number;

	for (list = json_open(c, '{'); json_next(c, &list);) {
		const char *key = json_key(c, text);

		if (strcmp(key, "name") == 0) {
			json_string(c, text);
			e.name = text->err ? NULL : arena_str(&p->arena, text->buf, text->len);
		} else if (strcmp(key, "period") == 0) {
			int64_t ns = json_number(c, 0);

			e.period_ns = ns > 0 ? (uint64_t)ns : 0;
		} else {
			e.waiting |= strcmp(key, "waiting") == 0 && json_peek(c) == 't';
			json_skip(c);
		}
	}
	if (c->bad)
		return UINT32_MAX;
	if (!e.name || (number = profile_event(p, &e)) == UINT32_MAX) {
		json_bad(c, "the file has too many events");
		return UINT32_MAX;
	}
	return number;
}

/* See embed_source.h. */
#include "embed_source.h"

#include <stdlib.h>

#include "annotate_source.h"
#include "lib/msg.h"
#include "lib/text.h"
#include "out/report/stack_weights.h"

enum { AROUND = 6 };   /* lines before a sampled one, and behind it */

struct heavy {
	uint64_t weight;
	uint32_t site;
};

static int
by_weight(const void *va, const void *vb)
{
	const struct heavy *a = va, *b = vb;

	return a->weight != b->weight ? (a->weight < b->weight) - (a->weight > b->weight) : (a->site > b->site) - (a->site < b->site);
}

/* The source file of a site with a known line, or NULL. */
static const char *
file_of(const struct profile *p, const struct site *s)
{
	return s->line && s->function < p->nfunction ? p->function[s->function].file : NULL;
}

/* Sites with a line, the heaviest first; their number, UINT32_MAX at the memory cap. */
static uint32_t
choose(const struct profile *p, struct heavy **list, uint32_t *list_cap)
{
	struct stacks stacks;
	struct weight *weight = NULL;
	uint32_t *key = NULL, weight_cap = 0, key_cap = 0, n = 0;
	bool ok = stacks_open(&stacks, p, UINT32_MAX) && vec_room(&weight, &weight_cap, p->nsite, sizeof *weight) &&
	          vec_room(&key, &key_cap, p->nsite, sizeof *key) && vec_room(list, list_cap, p->nsite, sizeof **list);

	for (uint32_t i = 0; ok && i < p->nsite; i++)
		key[i] = file_of(p, &p->site[i]) ? i : UINT32_MAX;
	ok = ok && stacks_weigh(&stacks, key, weight, p->nsite);
	for (uint32_t i = 0; ok && i < p->nsite; i++)
		if (weight[i].total)
			(*list)[n++] = (struct heavy){ weight[i].total, i };
	if (n)
		qsort(*list, n, sizeof **list, by_weight);
	stacks_free(&stacks);
	vec_free(&weight, &weight_cap, sizeof *weight);
	vec_free(&key, &key_cap, sizeof *key);
	return ok ? n : UINT32_MAX;
}

static void
add_line(struct sources *s, struct profile *p, const char *file, uint32_t line)
{
	size_t n;
	const char *text = source_text(s, file, line, &n);

	if (text && n && text[n - 1] == '\r')
		n--;
	if (text)
		source_texts_add(&p->sources, &p->arena, file, line, text, n);
}

/* Takes the line itself first, because it is worth more than the lines around it. */
static void
add_around(struct sources *s, struct profile *p, const struct site *site)
{
	const char *file = file_of(p, site);
	size_t n;

	if (!source_text(s, file, site->line, &n))
		return;
	add_line(s, p, file, site->line);
	for (uint32_t d = 1; d <= AROUND; d++) {
		if (site->line > d)
			add_line(s, p, file, site->line - d);
		if (site->line <= UINT32_MAX - d)
			add_line(s, p, file, site->line + d);
	}
}

static void
tell(const struct sources *s, const struct profile *p, uint32_t sites)
{
	const struct source_texts *t = &p->sources;
	unsigned missing;

	if (sites == UINT32_MAX)
		warn("--embed-source: out of memory; the page has no source text");
	else if (!sites)
		warn("--embed-source: no sampled function has source lines; it needs debug information (cc -g)");
	else if (!t->n)
		warn("--embed-source: prof could read none of the source files that the debug information names");
	if (t->full)
		warn("--embed-source: the page does not have all text: it holds at most %u KiB of a file and %u MiB in all; "
		     "the heaviest lines come first",
		     SOURCE_FILE_MOST >> 10, SOURCE_ALL_MOST >> 20);
	missing = sources_missing(s);
	verbose("source text: %u line%s of %u file%s; prof did not find %u file%s, or must not read %s", t->n, plural(t->n), t->nfile, plural(t->nfile),
	        missing, plural(missing), missing == 1 ? "it" : "them");
}

void
embed_source(struct profile *p, const struct modules *modules)
{
	struct sources s = { .handed_on = true };
	struct heavy *list = NULL;
	uint32_t cap = 0, n;

	sources_init(&s);
	if (modules)
		sources_use(&s, modules);
	n = choose(p, &list, &cap);
	for (uint32_t i = 0; n != UINT32_MAX && i < n && p->sources.bytes < SOURCE_ALL_MOST - SOURCE_LINE_MOST; i++)
		add_around(&s, p, &p->site[list[i].site]);
	tell(&s, p, n);
	vec_free(&list, &cap, sizeof *list);
	sources_close(&s);
}

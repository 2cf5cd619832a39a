/* See probe.h.  KIND:FILE:PLACE, as bpftrace writes it; usdt:FILE:PROVIDER:NAME; kprobe:FUNCTION. */
#include "probe.h"

#include <stdio.h>
#include <string.h>

static const struct kind {
	const char *name;
	enum probe_kind kind;
} kinds[] = {
	{ "uprobe", UPROBE }, { "uretprobe", URETPROBE }, { "kprobe", KPROBE }, { "kretprobe", KRETPROBE }, { "usdt", USDT }, { "sdt", USDT },
};

static const struct kind *
kind_of(const char *text)
{
	size_t n = strcspn(text, ":");

	for (unsigned i = 0; text[n] && i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].name) == n && !memcmp(kinds[i].name, text, n))
			return &kinds[i];
	return NULL;
}

bool
probe_is(const char *text)
{
	return kind_of(text) != NULL;
}

bool
probe_returns(const struct probe *p)
{
	return p->kind == URETPROBE || p->kind == KRETPROBE;
}

static bool
in_kernel(const struct probe *p)
{
	return p->kind == KPROBE || p->kind == KRETPROBE;
}

/* Cuts the word before the next colon off *REST, or all of it. */
static const char *
word_next(char **rest)
{
	char *s = *rest, *colon = strchr(s, ':');

	*rest = colon ? colon + 1 : s + strlen(s);
	if (colon)
		*colon = 0;
	return s;
}

const char *
probe_parse(struct probe *p, const char *text, struct arena *a)
{
	const struct kind *k = kind_of(text);
	char *rest;

	*p = (struct probe){ .text = text, .provider = "" };
	if (!k)
		return "is no probe: uprobe:FILE:FUNCTION, uretprobe:, kprobe:FUNCTION, kretprobe: or usdt:FILE:PROVIDER:NAME";
	p->kind = k->kind;
	if (!(rest = arena_str(a, text, strlen(text))))
		return "out of memory";
	word_next(&rest);
	if (!in_kernel(p))
		p->file = word_next(&rest);
	if (p->kind == USDT && strchr(rest, ':'))
		p->provider = word_next(&rest);
	p->place = rest;
	if (p->file && !*p->file)
		return "the file is missing: uprobe:/usr/bin/bash:readline";
	if (!*p->place)
		return in_kernel(p) ? "the function is missing: kprobe:vfs_read"
		       : p->kind == USDT ? "the probe's name is missing: usdt:FILE:PROVIDER:NAME" : "the function is missing: uprobe:/usr/bin/bash:readline";
	if (in_kernel(p) && p->place[strcspn(p->place, " ,:/")])
		return "a function of the kernel is a word, such as vfs_read or vfs_read+4";
	return NULL;
}

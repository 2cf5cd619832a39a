/* See inputs.h. */
#include "inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/mem.h"
#include "lib/msg.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/foreign.h"

/* The names of the kernel with that build-id, in perf's cache. */
static int
open_kept(const char *cache, const char *id)
{
	char path[512];

	if (!cache || !*id || id[strspn(id, "0123456789abcdef")])
		return -1;
	snprintf(path, sizeof path, "%s/[kernel.kallsyms]/%s/kallsyms", cache, id);
	return foreign_file(-1, path);
}

static int
kept(const struct recording_how *how, const char *id)
{
	return how->asked ? rights_ask(id, -1) : open_kept(how->cache, id);
}

/* In the keeper. */
static long
serve(void *inputs, const char *id, int with, int *fd)
{
	const struct inputs *in = inputs;

	*fd = with < 0 ? open_kept(in->how.cache, id) : -1;
	return *fd < 0 && in->serve ? in->serve(in->how.ctx, id, with, fd) : *fd < 0 ? -1 : 0;
}

static bool
prepare(struct inputs *in)
{
	struct recording_how *how = &in->how;
	const char *home = getenv("HOME");

	if (!modules_init(&in->places)) {
		error("out of memory");
		return false;
	}
	search_dirs_use(&how->dirs, &in->places);
	if (in->begin)
		in->begin(how->ctx, &in->places);
	how->places = &in->places;
	how->kept = kept;
	how->own_fd = foreign_kallsyms();
	if (home && *home == '/' && !sandbox_lent() && strlen(home) < sizeof in->cache - sizeof "/.debug") {
		snprintf(in->cache, sizeof in->cache, "%s/.debug", home);
		how->cache = in->places.places.cache[DEBUG_CACHES - 1] = in->cache;
	}
	how->kallsyms_fd = how->kallsyms ? open(how->kallsyms, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
	if (how->kallsyms && how->kallsyms_fd < 0)
		error("--kallsyms %s: %s", how->kallsyms, strerror(errno));
	return !how->kallsyms || how->kallsyms_fd >= 0;
}

/* Whoever wrote the recordings chose the files that they name, and could read them: so the keeper opens these with the rights of the
 * recordings' owner, if there is one, and nobody else could have written them. */
static void
find_owner(struct inputs *in)
{
	struct rights *r = &in->rights;
	struct stat st;

	for (unsigned i = 0, owners = 0; i < in->n; i++) {
		if (!in->input[i].recording)
			continue;
		if (fstat(in->input[i].source.fd, &st) || !S_ISREG(st.st_mode) || st.st_mode & (S_IWGRP | S_IWOTH) ||
		    (owners++ && st.st_uid != r->owner)) {
			r->owned = false;
			return;
		}
		r->owned = true;
		r->owner = st.st_uid;
	}
}

bool
inputs_open(struct inputs *in, const char *const *path, unsigned n, struct output *output, unsigned noutput)
{
	bool recorded = false;

	if (!vec_room(&in->input, &in->cap, n, sizeof *in->input)) {
		error("out of memory");
		return false;
	}
	for (; in->n < n; in->n++) {
		if (!input_open(&in->input[in->n], path[in->n]))
			return false;
		recorded |= in->input[in->n].recording;
	}
	if (!recorded)
		return true;
	if (!prepare(in))
		return false;
	if (in->no_sandbox)
		return true;
	in->rights.serve = serve;
	in->rights.ctx = in;
	in->rights.reads_stdin = true;
	find_owner(in);
	in->screen.path = "-";
	if (!noutput)
		rights_output(&in->rights, &in->screen);   /* if there is a table to show */
	for (unsigned i = 0; i < noutput; i++)
		rights_output(&in->rights, &output[i]);
	return in->how.asked = rights_give_up_for(&in->rights, &in->none, &in->places);
}

static bool
read_recording(struct profile *p, struct input *in, const void *how)
{
	return recording_read(p, in->name, &in->source, how);
}

bool
inputs_read(struct inputs *in, unsigned i, struct profile *p)
{
	bool ok = input_read_with(p, &in->input[i], read_recording, &in->how);

	input_close(&in->input[i]);
	return ok;
}

void
inputs_close(struct inputs *in)
{
	if (in->how.asked)
		rights_end(&in->rights);
}

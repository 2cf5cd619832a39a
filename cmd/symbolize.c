/* prof symbolize: names what --raw-addresses wrote, perhaps on another machine, of another architecture. */
#include "command.h"

#include <string.h>

#include "lib/msg.h"
#include "out/profile/raw_address.h"
#include "lib/sort.h"
#include "cmd/options/file_search.h"
#include "cmd/options/outputs.h"
#include "cmd/options/search_dirs.h"
#include "cmd/options/profile_input.h"
#include "cmd/capture/code_functions.h"
#include "out/formats.h"
#include "out/profile/profile_names.h"

enum { SYSROOT = 300, DEBUG_DIR, LINES, NO_INLINE, NO_DEMANGLE, SHORT_NAMES, THREADS, PIDS };
enum { NAMES_AHEAD = 4096 };

static const struct option options[] = {
	{ SYSROOT, "sysroot=DIR", "search all of DIR for the files of that machine" },
	{ DEBUG_DIR, "debug-dir=DIR", "look for debug files in DIR first, then search all of it; repeatable" },
	{ LINES, "lines", "show the line that ran, as name:LINE" },
	{ NO_INLINE, "no-inline", "count inlined functions as part of the function around them" },
	{ NO_DEMANGLE, "no-demangle", "show names as the linker sees them" },
	{ SHORT_NAMES, "short-names", "show names without template arguments and return types" },
	{ THREADS, "threads", "keep threads apart in .folded and .txt" },
	{ PIDS, "pids", "keep processes apart" },
	{ 'o', "output=FILE", "write to FILE, in the format of its suffix; repeatable; - is stdout" },
	{ 'f', "format=NAME", "write this format, for any suffix" },
	{ 'q', "quiet", "say nothing but errors" },
	{ 0 },
};

struct symbolizing {
	struct options o;
	int inputs;
	const char *format, *file[OUTPUTS_MAX];
	unsigned files;
	struct output output[OUTPUTS_MAX];
	unsigned noutput;
	struct search_dirs dirs;
	struct modules modules;
	struct arena arena;
	struct names names;
	uint64_t next[NAMES_AHEAD]; /* addresses that are named in one go: too large for a small stack */
	struct code_functions functions;
	struct file_search search;
	struct profile profile;
	uint64_t named, unnamed;     /* addresses */
	bool lines, threads, pids;
};

static bool
take(void *symbolizing, const struct options *o, int id)
{
	struct symbolizing *s = symbolizing;
	switch (id) {
	case SYSROOT:
		return search_dirs_sysroot(&s->dirs, o->value);
	case DEBUG_DIR:
		return search_dirs_add(&s->dirs, o->value);
	case LINES:
		return s->lines = true;
	case NO_INLINE:
		return s->names.outermost = true;
	case NO_DEMANGLE:
		return s->names.mangled = true;
	case SHORT_NAMES:
		return s->names.brief = true;
	case THREADS:
		return s->threads = true;
	case PIDS:
		return s->pids = true;
	case 'f':
		s->format = o->value;
		return true;
	default:
		if (s->files == OUTPUTS_MAX) {
			error("too many outputs; at most %d are possible", OUTPUTS_MAX);
			return false;
		}
		s->file[s->files++] = o->value;
		return true;
	}
}

static bool
consistent(struct symbolizing *s)
{
	const struct format *given;

	if (!s->inputs) {
		error("no file to read: write prof symbolize FILE..., or - for stdin");
		return false;
	}
	if (!outputs_format(s->format, &given))
		return false;
	if (!s->files)
		s->file[s->files++] = "-";
	for (unsigned i = 0; i < s->files; i++)
		if (!outputs_add(&s->output[s->noutput++], s->file[i], given, &format_folded))
			return false;
	return true;
}

/* The name of CODE in the profile that prof read, if that is a raw address. */
static bool
raw_code(const struct profile *p, uint32_t code, struct raw_address *raw)
{
	const struct location *l = &p->location[code];
	uint32_t f = l->sites == 1 ? p->site[l->site].function : UINT32_MAX;   /* UINT32_MAX, too, at the memory cap */

	return f < p->nfunction && p->function[f].kind == FUNCTION_USER && raw_address_parse(p->function[f].name, raw);
}

static bool
want_files(struct symbolizing *s)
{
	struct raw_address raw;

	for (uint32_t code = 0; code < s->profile.nlocation; code++)
		if (raw_code(&s->profile, code, &raw) && !file_search_want(&s->search, raw.file, raw.len, raw.by_id))
			return false;
	for (uint32_t i = 0; i < s->profile.nmapping; i++)
		file_search_was_at(&s->search, s->profile.mapping[i].build_id, s->profile.mapping[i].file);
	file_search_find(&s->search, &s->modules, &s->dirs);
	return true;
}

static void
name_one(struct symbolizing *s, uint32_t code)
{
	struct site site[NAME_MAX_INLINE];
	const struct module *m;
	struct raw_address raw;

	if (!raw_code(&s->profile, code, &raw))
		return;
	if (!(m = file_search_module(&s->search, raw.file, raw.len))) {
		s->unnamed++;
		return;
	}
	s->named++;
	profile_relocate(&s->profile, code, site,
	                 code_functions(&s->functions, &(struct code){ raw.address, m->id }, site, NAME_MAX_INLINE));
}

/* Says which addresses of a module come next, from item I of N on; up to which one. */
static uint32_t
ask_ahead(struct symbolizing *s, const struct item *item, uint32_t i, uint32_t n)
{
	uint64_t module = item[i].key;
	struct raw_address raw;
	uint32_t k = 0;

	for (; i < n && item[i].key == module && k < NAMES_AHEAD; i++)
		if (raw_code(&s->profile, item[i].a, &raw))
			s->next[k++] = raw.address;
	name_ahead(&s->names, (uint32_t)module, s->next, k);
	return i;
}

/* Names file by file and in the order of addresses, so that it reads each piece of debug information once. */
static bool
name_all(struct symbolizing *s)
{
	struct item *item = NULL;
	uint32_t cap = 0, n = s->profile.nlocation, asked = 0;
	bool good = vec_room(&item, &cap, n, sizeof *item);
	struct raw_address raw;

	for (uint32_t code = 0; good && code < n; code++)
		item[code] = (struct item){ raw_code(&s->profile, code, &raw) ? raw.address : 0, code, 0 };
	good = good && sort_items(item, n);
	for (uint32_t i = 0; good && i < n; i++) {
		const struct module *m = raw_code(&s->profile, item[i].a, &raw) ? file_search_module(&s->search, raw.file, raw.len) : NULL;

		item[i].key = m ? m->id : 0;
	}
	good = good && sort_items(item, n);
	for (uint32_t i = 0; good && i < n; i++) {
		if (i == asked)
			asked = ask_ahead(s, item, i, n);
		name_one(s, item[i].a);
	}
	vec_free(&item, &cap, sizeof *item);
	return good;
}

static bool
read_inputs(struct symbolizing *s)
{
	for (int i = 1; i <= s->inputs; i++)
		if (!input_read(&s->profile, s->o.argv[i]))
			return false;
	s->profile.by_thread |= s->threads;
	s->profile.by_process |= s->pids;
	s->profile.lines = s->lines;
	return true;
}

static void
tell(const struct symbolizing *s)
{
	file_search_tell_missing(&s->search);
	if (!s->named && !s->unnamed)
		warn("there is nothing to name: no frame has the form BUILD-ID+0xADDRESS, which prof --raw-addresses writes");
	else if (s->unnamed)
		warn("prof named %llu of %llu address%s", (unsigned long long)s->named, (unsigned long long)(s->named + s->unnamed),
		     s->named + s->unnamed == 1 ? "" : "es");
}

static int
cmd_symbolize(int argc, char **argv)
{
	static struct symbolizing s;
	int status;

	input_cap();
	profile_init(&s.profile);
	options_open(&s.o, options, argc, argv);
	if ((status = options_read(&s.o, &s.inputs, take, &s)))
		return status;
	if (!consistent(&s) || !read_inputs(&s))
		return EXIT_FAILED;
	if (!modules_init(&s.modules)) {
		error("out of memory");
		return EXIT_FAILED;
	}
	search_dirs_use(&s.dirs, &s.modules);
	s.modules.lineless = !s.lines && outputs_lineless(s.output, s.noutput);
	s.names.modules = &s.modules;
	s.names.arena = &s.arena;
	s.names.kallsyms_fd = -1;
	s.functions = (struct code_functions){ .names = &s.names, .profile = &s.profile };
	if (!want_files(&s) || !name_all(&s)) {
		error("out of memory");
		return EXIT_FAILED;
	}
	profile_turn(&s.profile, CODE_WOKEN_NAME);
	profile_name(&s.profile, NULL, NULL);
	tell(&s);
	return outputs_all(s.output, s.noutput, &s.profile) ? 0 : EXIT_FAILED;
}

const struct command command_symbolize = { .name = "symbolize", .synopsis = "[OPTIONS] FILE... -o OUT",
	.summary = "name the addresses that --raw-addresses wrote",
	.options = options, .run = cmd_symbolize };

/* prof symbolize: names for what was captured with --raw-addresses, perhaps on another machine, of another architecture. */
#include "command.h"

#include <string.h>

#include "lib/msg.h"
#include "out/profile/raw_address.h"
#include "lib/sort.h"
#include "cmd/options/file_search.h"
#include "cmd/options/options.h"
#include "cmd/options/outputs.h"
#include "cmd/options/search_dirs.h"
#include "cmd/options/profile_input.h"
#include "cmd/capture/code_functions.h"

enum { SYSROOT = 300, DEBUG_DIR, LINES, NO_INLINE, NO_DEMANGLE, SHORT_NAMES, THREADS, PIDS };
enum { NAMES_AHEAD = 4096 };

static const struct option options[] = {
	{ SYSROOT, "sysroot=DIR", "where the files of that machine lie: all below DIR is searched" },
	{ DEBUG_DIR, "debug-dir=DIR", "look for debug information here first; repeatable" },
	{ LINES, "lines", "functions by the line that ran" },
	{ NO_INLINE, "no-inline", "what is inlined belongs to the function it is in" },
	{ NO_DEMANGLE, "no-demangle", "names as the linker sees them" },
	{ SHORT_NAMES, "short-names", "no template arguments, no return types" },
	{ THREADS, "threads", "keep threads apart in .folded and .txt" },
	{ PIDS, "pids", "keep processes apart" },
	{ 'o', "output=FILE", "write it there, in the format of its suffix; repeatable; - is stdout" },
	{ 'f', "format=NAME", "in this format, whatever the suffix" },
	{ 'q', "quiet", "only what is wrong" },
	{ 0 },
};
const struct option *const symbolize_options = options;

struct symbolizing {
	struct options o;
	int inputs;
	const char *format, *file[OUTPUTS_MAX];
	unsigned files;
	struct output output[OUTPUTS_MAX];
	unsigned noutput;
	struct places places;
	struct modules modules;
	struct arena arena;
	struct names names;
	struct builds builds;
	struct profile profile;
	uint64_t named, unnamed;     /* addresses */
	bool lines, threads, pids;
};

static bool
take(struct symbolizing *s, int id)
{
	switch (id) {
	case SYSROOT:
		return places_set_sysroot(&s->places, s->o.value);
	case DEBUG_DIR:
		return places_add_dir(&s->places, s->o.value);
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
		s->format = s->o.value;
		return true;
	case 'q':
		msg_level = -1;
		return true;
	default:
		if (s->files == OUTPUTS_MAX) {
			error("more than %d outputs", OUTPUTS_MAX);
			return false;
		}
		s->file[s->files++] = s->o.value;
		return true;
	}
}

static bool
consistent(struct symbolizing *s)
{
	const struct format *given;

	if (!s->inputs) {
		error("nothing to name: prof symbolize FILE..., or - for stdin");
		return false;
	}
	if (!output_format(s->format, &given))
		return false;
	if (!s->files)
		s->file[s->files++] = "-";
	for (unsigned i = 0; i < s->files; i++)
		if (!output_add(&s->output[s->noutput++], s->file[i], given, &format_folded))
			return false;
	return true;
}

/* What CODE is called in the profile as it was read, if that is a raw name. */
static bool
raw_code(const struct profile *p, uint32_t code, struct raw_name *raw)
{
	const struct location *l = &p->location[code];
	uint32_t f = l->sites == 1 ? p->site[l->site].function : UINT32_MAX;   /* or that at the memory cap */

	return f < p->nfunction && p->function[f].kind == FUNCTION_USER && raw_parse(p->function[f].name, raw);
}

static bool
want_files(struct symbolizing *s)
{
	struct raw_name raw;

	for (uint32_t code = 0; code < s->profile.nlocation; code++)
		if (raw_code(&s->profile, code, &raw) && !builds_want(&s->builds, raw.file, raw.len, raw.by_id))
			return false;
	builds_find(&s->builds, &s->modules, &s->places);
	return true;
}

static void
name_one(struct symbolizing *s, uint32_t code)
{
	struct site site[NAME_MAX_INLINE];
	const struct module *m;
	struct raw_name raw;

	if (!raw_code(&s->profile, code, &raw))
		return;
	if (!(m = builds_module(&s->builds, raw.file, raw.len))) {
		s->unnamed++;
		return;
	}
	s->named++;
	profile_relocate(&s->profile, code, site,
	                 sites_of(&s->names, &(struct code){ raw.address, m->id }, &s->profile, site, NAME_MAX_INLINE));
}

/* Says which addresses of a module come next, from item I of N on; up to which one. */
static uint32_t
ask_ahead(struct symbolizing *s, const struct item *item, uint32_t i, uint32_t n)
{
	uint64_t module = item[i].key, vaddr[NAMES_AHEAD];
	struct raw_name raw;
	uint32_t k = 0;

	for (; i < n && item[i].key == module && k < NAMES_AHEAD; i++)
		if (raw_code(&s->profile, item[i].a, &raw))
			vaddr[k++] = raw.address;
	name_ahead(&s->names, (uint32_t)module, vaddr, k);
	return i;
}

/* File by file and in the order of addresses, so that each piece of debug information is read once. */
static bool
name_all(struct symbolizing *s)
{
	struct item *item = NULL;
	uint32_t cap = 0, n = s->profile.nlocation, asked = 0;
	bool good = vec_room(&item, &cap, n, sizeof *item);
	struct raw_name raw;

	for (uint32_t code = 0; good && code < n; code++)
		item[code] = (struct item){ raw_code(&s->profile, code, &raw) ? raw.address : 0, code, 0 };
	good = good && sort_items(item, n);
	for (uint32_t i = 0; good && i < n; i++) {
		const struct module *m = raw_code(&s->profile, item[i].a, &raw) ? builds_module(&s->builds, raw.file, raw.len) : NULL;

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
	builds_tell_missing(&s->builds);
	if (!s->named && !s->unnamed)
		warn("there was nothing to name: no frame is BUILD-ID+0xADDRESS, as prof --raw-addresses writes them");
	else if (s->unnamed)
		warn("%llu of %llu addresses named", (unsigned long long)s->named, (unsigned long long)(s->named + s->unnamed));
}

int
cmd_symbolize(int argc, char **argv)
{
	static struct symbolizing s;
	int id;

	input_cap();
	profile_init(&s.profile);
	options_open(&s.o, options, argc, argv);
	while ((id = options_next_or_word(&s.o, &s.inputs)) != OPTION_END)
		if (id == OPTION_BAD || !take(&s, id))
			return EXIT_FAILED;
	if (!consistent(&s) || !read_inputs(&s))
		return EXIT_FAILED;
	if (!modules_init(&s.modules)) {
		error("no memory to start with");
		return EXIT_FAILED;
	}
	places_use(&s.places, &s.modules);
	s.modules.lineless = !s.lines && output_lineless(s.output, s.noutput);
	s.names.modules = &s.modules;
	s.names.arena = &s.arena;
	s.names.kallsyms_fd = -1;
	if (!want_files(&s) || !name_all(&s)) {
		error("more than there is memory for");
		return EXIT_FAILED;
	}
	profile_name(&s.profile, NULL, NULL);
	tell(&s);
	return output_all(s.output, s.noutput, &s.profile) ? 0 : EXIT_FAILED;
}

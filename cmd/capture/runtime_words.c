/* See runtime_words.h.  Code that a runtime makes has names only where the runtime writes them down, and the functions of a program that
 * is interpreted are data: in both cases a stack says which runtime it is by the modules that it passes through. */
#include "runtime_words.h"

#include <string.h>

#include "lib/mem.h"

/* Shares of all samples, in percent, that are worth a word. */
enum { RUNTIME_TOLD = 5, STRIPPED_TOLD = 10 };

enum { NOT_KNOWN, EXPRESSIONS, JAVA, LANGUAGES_MOST = 18 };

/* MODULE: how the names of its files begin; LOOP: the function in which it interprets, or NULL. */
static const struct language {
	const char *name, *module[3], *loop, *cure;
} language[] = {
	[NOT_KNOWN] = { .name = "an unknown runtime", .cure = "prof reads /tmp/perf-PID.map, if the runtime writes it" },
	[EXPRESSIONS] = { "PCRE (regular expressions)", { "libpcre" }, NULL, NULL },
	[JAVA] = { "Java", { "libjvm.so" }, NULL, "use --jit-names, or jcmd PID Compiler.perfmap before the capture ends" },
	{ "Node.js", { "node", "libnode.so" }, "Builtins_InterpreterEntryTrampoline", "start node with --perf-basic-prof" },
	{ "JavaScript", { "chrome", "chromium" }, NULL, "start it with --js-flags=--perf-basic-prof" },
	{ "Deno", { "deno" }, NULL, "start it with --v8-flags=--perf-basic-prof" },
	{ "Bun", { "bun" }, NULL, "set BUN_JSC_useJITDump=1 and BUN_JSC_jitDumpDirectory=/tmp for the program" },
	{ "Python", { "python", "libpython" }, "_PyEval_EvalFrameDefault", "start Python 3.12 or later with -X perf" },
	{ ".NET", { "libcoreclr.so", "dotnet" }, NULL, "set DOTNET_PerfMapEnabled=1 for the program" },
	{ "Erlang", { "beam.smp" }, NULL, "start erl with +JPperf true" },
	{ "PHP", { "php", "libphp" }, "execute_ex", "set opcache.jit_debug=16 where its JIT compiler is on" },
	{ "Ruby", { "ruby", "libruby" }, "rb_vm_exec", "use --yjit-perf where its JIT compiler is on" },
	{ "Perl", { "perl", "libperl.so" }, "Perl_runops_standard", NULL },
	{ "LuaJIT", { "luajit", "libluajit" }, NULL, "build LuaJIT with -DLUAJIT_USE_PERFTOOLS" },
	{ "Lua", { "lua", "liblua" }, "luaV_execute", NULL },
	{ "Guile", { "guile", "libguile" }, NULL, "GUILE_JIT_THRESHOLD=-1 turns its compiler off" },
};
enum { LANGUAGES = sizeof language / sizeof *language };
_Static_assert((int)LANGUAGES <= (int)LANGUAGES_MOST, "a tally for each");

/* What a stack passes through, up to some frame.  MAKER: what made the code; a library that compiles may do that for a program in another
 * language. */
struct passed {
	uint8_t language, maker;
	bool made, named, loop;    /* code that was made and has no name; some that has one; where it is interpreted */
};

static uint8_t
language_of(const char *module)
{
	for (uint8_t i = NOT_KNOWN + 1; i < LANGUAGES; i++)
		for (unsigned k = 0; k < 3 && language[i].module[k]; k++)
			if (strncmp(module, language[i].module[k], strlen(language[i].module[k])) == 0)
				return i;
	return NOT_KNOWN;
}

/* [python?] and its like. */
static bool
is_doubt(const char *name)
{
	size_t n = strlen(name);

	return *name == '[' && n > 2 && strcmp(name + n - 2, "?]") == 0;
}

static void
pass(struct passed *p, const struct function *f, uint8_t of_module)
{
	if (of_module)
		p->maker = of_module;
	if (of_module && of_module != EXPRESSIONS)
		p->language = of_module;
	if (f->kind == FUNCTION_JIT) {
		bool unnamed = strcmp(f->name, "[unknown]") == 0;

		p->made |= unnamed;
		p->named |= !unnamed;
	}
	/* Functions that prof read from the interpreter's memory. */
	p->named |= profile_language(f->module) || is_doubt(f->name);
	p->loop |= of_module && language[of_module].loop && strcmp(f->name, language[of_module].loop) == 0;
}

/* For each node of the tree; and of each function whether it has no name but its module and address. */
struct tally {
	const struct profile *p;
	struct passed *passed;
	uint8_t *of_function;
	uint32_t passed_cap, of_cap;
	uint64_t all, made[LANGUAGES_MOST], loop[LANGUAGES_MOST];
	const char *stripped;      /* the module with most samples in functions without names */
	uint64_t of_stripped;
	uint64_t *own;             /* samples in each function */
	uint32_t own_cap;
};

static bool
has_no_symbol(const struct function *f)
{
	return f->kind == FUNCTION_USER && *f->name == '[' && *f->module && *f->module != '[' && strstr(f->name, "+0x");
}

static bool
walk_tree(struct tally *t)
{
	const struct profile *p = t->p;

	if (!vec_room(&t->passed, &t->passed_cap, p->tree.n, sizeof *t->passed) ||
	    !vec_room(&t->of_function, &t->of_cap, p->nfunction, sizeof *t->of_function) ||
	    !vec_room(&t->own, &t->own_cap, p->nfunction, sizeof *t->own))
		return false;
	for (uint32_t i = 0; i < p->nfunction; i++) {
		t->of_function[i] = language_of(p->function[i].module);
		t->own[i] = 0;
	}
	for (uint32_t i = 0; i < p->tree.n; i++) {
		const struct node *n = &p->tree.node[i];

		t->passed[i] = n->parent == NODE_NONE ? (struct passed){ 0 } : t->passed[n->parent];
		pass(&t->passed[i], &p->function[n->frame], t->of_function[n->frame]);
	}
	return true;
}

static void
count(struct tally *t)
{
	const struct profile *p = t->p;
	struct run_reader reader;
	struct run run;

	for (uint32_t i = 0; i < p->nthread; i++) {
		if (p->event[p->thread[i].event].waiting)
			continue;
		runs_open(&reader, p, &p->thread[i]);
		while (runs_next(&reader, &run)) {
			const struct passed *passed = run.node < p->tree.n ? &t->passed[run.node] : NULL;

			t->all += run.samples;
			if (passed && passed->made)
				t->made[passed->maker] += run.samples;
			else if (passed && passed->loop && !passed->named)
				t->loop[passed->language] += run.samples;
			if (passed)
				t->own[p->tree.node[run.node].frame] += run.samples;
		}
	}
}

/* The module with most samples in functions without names: functions of one module nearly always follow each other. */
static void
find_stripped(struct tally *t)
{
	const struct profile *p = t->p;

	for (uint32_t i = 0; i < p->nfunction; i++) {
		uint64_t sum = 0;

		if (!t->own[i] || !has_no_symbol(&p->function[i]))
			continue;
		for (uint32_t k = i; k < p->nfunction; k++)
			if (t->own[k] && has_no_symbol(&p->function[k]) && strcmp(p->function[k].module, p->function[i].module) == 0) {
				sum += t->own[k];
				t->own[k] = 0;
			}
		if (sum > t->of_stripped) {
			t->of_stripped = sum;
			t->stripped = p->function[i].module;
		}
	}
}

static const char *
build_id_of(const struct profile *p, const char *module)
{
	for (uint32_t i = 0; i < p->nmapping; i++) {
		const char *slash = strrchr(p->mapping[i].file, '/');

		if (slash && strcmp(slash + 1, module) == 0)
			return p->mapping[i].build_id;
	}
	return "";
}

static bool
is_libc(const char *module)
{
	return strcmp(module, "libc.so.6") == 0 || strncmp(module, "ld-linux", 8) == 0 || strcmp(module, "libm.so.6") == 0;
}

/* Counts stacks that were cut before they reached their runtime, if there is only one runtime. */
static void
join(struct tally *t)
{
	unsigned only = NOT_KNOWN;

	for (unsigned i = NOT_KNOWN + 1; i < LANGUAGES; i++) {
		if (t->made[i] && only)
			return;
		only = t->made[i] ? i : only;
	}
	if (only) {
		t->made[only] += t->made[NOT_KNOWN];
		t->made[NOT_KNOWN] = 0;
	}
}

static void
put(struct sink *s, const struct tally *t, bool asked)
{
	for (unsigned i = 0; i < LANGUAGES; i++) {
		const struct language *l = &language[i];
		const char *cure = asked && i == JAVA ? "prof asked for them once: other code was made later, or freed before" : l->cure;

		if (t->made[i] * 100 >= t->all * RUNTIME_TOLD && t->made[i])
			sink_fmt(s, "; %u%% of stacks pass through JIT code of %s, which has no names%s%s%s",
			         (unsigned)(t->made[i] * 100 / t->all), l->name, cure ? " (" : "", cure ? cure : "", cure ? ")" : "");
		if (t->loop[i] * 100 < t->all * RUNTIME_TOLD || !t->loop[i])
			continue;
		sink_fmt(s, "; %u%% of stacks run functions of %s; prof sees only the interpreter", (unsigned)(t->loop[i] * 100 / t->all), l->name);
		if (cure)
			sink_fmt(s, " (%s)", cure);
	}
	if (t->stripped && t->of_stripped * 100 >= t->all * STRIPPED_TOLD) {
		const char *id = build_id_of(t->p, t->stripped);

		sink_fmt(s, "; %u%% of samples are in functions of %.64s, which has no symbols", (unsigned)(t->of_stripped * 100 / t->all),
		         t->stripped);
		if (is_libc(t->stripped))
			sink_str(s, " (apt-get install libc6-dbg, or your system's package of that kind)");
		else if (*id)
			sink_fmt(s, " (get them by its build-id: debuginfod-find debuginfo %s)", id);
	}
}

void
runtime_words(struct sink *s, const struct profile *p, bool asked)
{
	struct tally t = { .p = p };

	if (p->nevent && walk_tree(&t)) {
		count(&t);
		find_stripped(&t);
		join(&t);
		if (t.all)
			put(s, &t, asked);
	}
	vec_free(&t.passed, &t.passed_cap, sizeof *t.passed);
	vec_free(&t.of_function, &t.of_cap, sizeof *t.of_function);
	vec_free(&t.own, &t.own_cap, sizeof *t.own);
}

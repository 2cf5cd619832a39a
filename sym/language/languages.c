/* See language.h.  Which languages there are, which of them a process has, and their functions. */
#include "languages.h"

#include <string.h>

#include "lib/index.h"
#include "sym/module/symtab.h"

/* prof reads 64-bit interpreters only.  A 32-bit prof would meet them in core files of other machines alone: there it does without. */
enum { READS_ANY = sizeof(void *) == 8 };
static const struct language *const all[] = { READS_ANY ? &language_python : NULL, READS_ANY ? &language_ruby : NULL,
                                             READS_ANY ? &language_v8 : NULL, READS_ANY ? &language_php : NULL };

enum { LANGUAGES = sizeof all / sizeof *all, PROCESSES_MOST = 1 << 14, FUNCTIONS_MOST = 1 << 20 };

/* What a module has of a language: asked once. */
struct module_language {
	const struct language *language;
	void *found;
};

/* A process with a language.  Its space points to it until the process is over; its memory stays. */
struct language_process {
	struct module_owned owned;
	const struct language *language;
	const struct map *map;
	uint64_t bias;
	struct module *module;
	void *own;                 /* the language's */
};

/* What native frames are, by code. */
struct native_kinds {
	struct module_owned owned;
	uint8_t *kind;             /* NATIVE_… */
	uint32_t cap;
};
enum { NATIVE_NEW, NATIVE_ITSELF, NATIVE_LEADS_ON, NATIVE_NAMELESS };

struct languages {
	struct modules *modules;
	struct native_kinds natives;
	struct codes *codes;
	struct module *module[LANGUAGES];   /* what its frames' codes are of */
	uint32_t processes;
	void *room[LANGUAGE_ROOMS];
	struct allowance allowance, shared;
	struct language_stack stack;
};

/* Behind a language's module. */
struct language_functions {
	struct module_owned owned;
	const struct language *language;
	struct language_function *function;
	uint32_t n, cap;
	struct index index;
};

static void
free_natives(struct module_owned *o)
{
	struct native_kinds *k = (struct native_kinds *)o;

	vec_free(&k->kind, &k->cap, sizeof *k->kind);
}

struct languages *
languages_new(struct modules *ms, struct codes *codes)
{
	struct languages *l = arena_alloc(&ms->arena, sizeof *l);

	if (l) {
		l->modules = ms;
		l->codes = codes;
		modules_own(ms, &l->natives.owned, free_natives);
	}
	return l;
}

/* ---- functions ---- */

static void
free_functions(struct module_owned *o)
{
	struct language_functions *f = (struct language_functions *)o;

	vec_free(&f->function, &f->cap, sizeof *f->function);
	index_free(&f->index);
}

static struct module *
module_of(struct languages *l, const struct language *language)
{
	struct language_functions *f;
	unsigned i = 0;

	while (i + 1 < LANGUAGES && all[i] != language)
		i++;
	if (l->module[i] || !(f = arena_alloc(&l->modules->arena, sizeof *f)))
		return l->module[i];
	f->language = language;
	modules_own(l->modules, &f->owned, free_functions);
	return l->module[i] = module_add(l->modules, &(struct module){ .kind = MODULE_LANGUAGE, .bad = "is an interpreter's code",
	                                                                .functions = f }, language->name);
}

static uint32_t
hash(const struct language_function *f)
{
	return hash_str(f->name) ^ hash_u64(f->line + ((uint64_t)f->nlines << 32) + (f->file ? hash_str(f->file) : 0));
}

static bool
same(const struct language_function *a, const struct language_function *b)
{
	return a->line == b->line && a->nlines == b->nlines && a->form == b->form && !strcmp(a->name, b->name) &&
	       !a->file == !b->file && (!a->file || !strcmp(a->file, b->file)) && !memcmp(a->lines, b->lines, a->nlines);
}

static bool
keep(struct arena *arena, struct language_function *f)
{
	f->name = arena_str(arena, f->name, strlen(f->name));
	f->lines = arena_str(arena, f->lines, f->nlines);
	if (f->file)
		f->file = arena_str(arena, f->file, strlen(f->file));
	return f->name && f->lines;
}

static uint32_t
intern(struct languages *l, struct language_functions *f, const struct language_function *new)
{
	uint32_t h = hash(new), i, slot;
	struct language_function kept = *new;

	for (slot = index_first(&f->index, h); (i = index_at(&f->index, slot)) != INDEX_NONE; slot = index_next(&f->index, slot))
		if (same(&f->function[i], new))
			return i;
	if (f->n == FUNCTIONS_MOST || !vec_room(&f->function, &f->cap, (uint64_t)f->n + 1, sizeof *f->function) ||
	    !keep(&l->modules->arena, &kept))
		return UINT32_MAX;
	f->function[f->n] = kept;
	return index_add(&f->index, h, f->n) ? f->n++ : UINT32_MAX;
}

uint32_t
languages_code(struct languages *l, const struct language *language, const struct language_function *function, uint32_t at)
{
	struct module *m = module_of(l, language);
	uint32_t i = m ? intern(l, m->functions, function) : UINT32_MAX;

	return i == UINT32_MAX ? CODE_UNKNOWN : code_intern(l->codes, m->id, (uint64_t)i << 32 | at);
}

uint32_t
languages_place(struct languages *l, uint32_t code, uint32_t at)
{
	const struct code *c = &l->codes->code[code];

	return code < CODE_MARKS ? code : code_intern(l->codes, c->module, (c->vaddr & ~(uint64_t)UINT32_MAX) | at);
}

uint32_t
languages_doubt(struct languages *l, const struct language *language)
{
	const struct module *word = module_word(l->modules, language->doubt);

	return word ? code_intern(l->codes, word->id, 0) : CODE_UNKNOWN;
}

const char *
languages_function(const struct languages *l, uint32_t code)
{
	const struct code *c = &l->codes->code[code];
	const struct module *m = l->modules->module[c->module];
	uint64_t i = c->vaddr >> 32;

	return m->kind == MODULE_LANGUAGE && i < m->functions->n ? m->functions->function[i].name : NULL;
}

const char *
languages_text(struct languages *l, const char *text)
{
	return arena_str(&l->modules->arena, text, strlen(text));
}

void *
languages_keep(struct languages *l, size_t n)
{
	return arena_alloc(&l->modules->arena, n);
}

struct allowance *
languages_allowance(struct languages *l)
{
	return &l->allowance;
}

bool
languages_may_search(struct languages *l, struct allowance *own, uint64_t time, uint32_t n)
{
	return allowance_spend(own, ALLOWANCE_MOST, time, n) || allowance_spend(&l->shared, ALLOWANCE_SHARED, time, n);
}

void *
languages_room(struct languages *l, enum language_room room, size_t n)
{
	if (!l->room[room])
		l->room[room] = arena_alloc(&l->modules->arena, n);
	return l->room[room];
}

const struct code *
languages_native(const struct languages *l, uint32_t code)
{
	return &l->codes->code[code];
}

const struct language_function *
language_function(const struct module *m, uint64_t vaddr, uint32_t *line)
{
	const struct language_functions *all_of = m->functions;
	uint64_t i = vaddr >> 32;

	if (i >= all_of->n)
		return NULL;
	*line = all_of->language->line_of(&all_of->function[i], (uint32_t)vaddr);
	return &all_of->function[i];
}

/* ---- processes ---- */

static void
ask(struct languages *l, struct module *m)
{
	static const struct module_language none;
	struct module_language *has;
	void *found;

	m->language = &none;
	if (m->kind != MODULE_FILE || m->bad)
		return;
	work_begin(&m->work);
	for (unsigned i = 0; i < LANGUAGES; i++)
		if (all[i] && (found = all[i]->find(l->modules, m)) && (has = arena_alloc(&l->modules->arena, sizeof *has))) {
			*has = (struct module_language){ all[i], found };
			m->language = has;
			break;
		}
	work_end();
}

static void
free_process(struct module_owned *o)
{
	struct language_process *p = (struct language_process *)o;

	p->language->done(p->own);
}

static struct language_process *
begin(struct languages *l, const struct map *map)
{
	const struct module_language *has = map->module->language;
	struct language_process *p = l->processes < PROCESSES_MOST ? arena_alloc(&l->modules->arena, sizeof *p) : NULL;

	if (!p || !(p->own = arena_alloc(&l->modules->arena, has->language->size)))
		return NULL;
	l->processes++;
	p->language = has->language;
	p->module = map->module;
	p->bias = map->bias;
	p->language->begin(p->own, has->found, map->module, map->bias);
	modules_own(l->modules, &p->owned, free_process);
	return p;
}

/* Files are bound one by one, as samples lie in them. */
static struct language_process *
process_of(struct languages *l, struct space *s)
{
	struct language_process *p = (struct language_process *)s->language;

	if (s->language_asked == s->bound)
		return p;
	s->language_asked = s->bound;
	for (uint32_t i = 0; i < s->n; i++) {
		struct module *m = s->map[i].module;

		if (!m)
			continue;
		if (!m->language)
			ask(l, m);
		if (!m->language->language)
			continue;
		if (!p || p->module != m || p->bias != s->map[i].bias)
			p = begin(l, &s->map[i]);
		break;
	}
	s->language = p ? &p->owned : NULL;
	return p;
}

const struct language_stack *
languages_frames(struct languages *l, const struct moment *m)
{
	struct language_process *p = process_of(l, m->space);

	if (!p)
		return NULL;
	l->stack.n = l->stack.doubtful = l->stack.nothers = 0;
	l->stack.at = l->stack.tls = 0;
	l->stack.handlers = l->stack.late = false;
	l->stack.lock = LOCK_NOT_KNOWN;
	l->stack.thread = NULL;
	l->stack.of = p->language;
	p->language->frames(p->own, l, m, &l->stack);
	return &l->stack;
}

/* ---- native frames ---- */

static uint8_t
kind_of(struct languages *l, const struct language_process *p, const struct code *c)
{
	struct module *m = l->modules->module[c->module];
	struct symbol s;
	bool named;

	if (m != p->module)
		return NATIVE_ITSELF;
	work_begin(&m->work);
	named = symtab_find(l->modules, m, c->vaddr, &s);
	work_end();
	return named ? (p->language->leads_on(s.name) ? NATIVE_LEADS_ON : NATIVE_ITSELF)
	             : p->language->nameless(m) ? NATIVE_NAMELESS : NATIVE_ITSELF;
}

bool
languages_leads_on(struct languages *l, const struct moment *m, uint32_t code, bool outer)
{
	struct native_kinds *k = &l->natives;
	const struct language_process *p = (const struct language_process *)m->space->language;

	if (code < CODE_MARKS || !p || !vec_room(&k->kind, &k->cap, (uint64_t)code + 1, sizeof *k->kind))
		return false;
	if (k->kind[code] == NATIVE_NEW)
		k->kind[code] = kind_of(l, p, &l->codes->code[code]);
	return k->kind[code] == NATIVE_LEADS_ON || (k->kind[code] == NATIVE_NAMELESS && (outer || p->language->calls));
}

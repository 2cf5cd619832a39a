/* See python_code.h. */
#include "python_code.h"

#include <stdio.h>
#include <string.h>

#include "languages.h"
#include "python_lines.h"
#include "python_object.h"

enum { NAME_MOST = PYTHON_TEXT_MOST, TABLE_MOST = 1 << 16, CODE_MOST = 1 << 24, CODES_MOST = 1 << 18, HEAD = 256, BODY = 1 /* behind a dict: no code object lies there */ };

#define LOOK_AGAIN UINT64_C(100000000)   /* ns */

void
python_codes_free(struct python_codes *c)
{
	vec_free(&c->code, &c->cap, sizeof *c->code);
	vec_free(&c->by_bytes, &c->cap_by_bytes, sizeof *c->by_bytes);
	index_free(&c->index);
}

/* ---- objects ---- */

/* Finds the bytes of a bytes object. */
static bool
find_bytes(const struct python_codes *p, struct look *l, uint64_t addr, uint64_t *bytes, uint64_t *size, uint64_t most)
{
	if (!look_word(l, addr + p->image->at[PY_SIZE], size) || *size > most)
		return false;
	*bytes = addr + p->image->at[PY_BYTES];
	return true;
}

/* Whether TYPE is the type of code objects, by its name. */
static bool
is_code_type(struct python_codes *p, struct look *l, uint64_t type)
{
	uint64_t name;
	const uint8_t *text;

	if (p->type)
		return type == p->type;
	if (!look_word(l, type + p->image->at[PY_TYPE_NAME], &name) || !(text = look_at(l, name, 5)) || memcmp(text, "code", 5))
		return false;
	p->type = type;
	return true;
}

/* ---- code objects ---- */

/* file.py:Class.function, and package/__init__.py:function. */
static void
put_name(char *to, size_t size, const char *file, const char *function)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;

	if (base > file + 1 && !strncmp(base, "__", 2))
		for (base--; base > file && base[-1] != '/'; base--)
			;
	snprintf(to, size, "%s:%s", base, function);
}

static bool
find_function(struct python_codes *p, struct look *l, const uint8_t *o, struct python_code *c)
{
	const uint32_t *at = p->image->at;
	char file[NAME_MOST], own[NAME_MOST], name[2 * NAME_MOST];
	char *table = languages_room(p->languages, PYTHON_ROOM_TABLE, TABLE_MOST);
	struct language_function f = { .name = name, .file = file, .lines = table, .line = look_u32(o + at[PY_CO_LINE]) };
	uint64_t bytes, size;

	if (!table || !python_object_text(p->image, l, c->seen[1], file) || !python_object_text(p->image, l, c->seen[2], own))
		return false;
	put_name(name, sizeof name, file, own);
	if (find_bytes(p, l, c->seen[3], &bytes, &size, TABLE_MOST) && look_copy(l, bytes, table, (size_t)size))
		f.nlines = (uint32_t)size;
	f.form = p->image->minor < 10 ? PYTHON_LNOTAB : p->image->minor < 11 ? PYTHON_LINETABLE : PYTHON_LOCATIONS;
	c->code = languages_code(p->languages, &language_python, &f, 0);
	return c->code != CODE_UNKNOWN;
}

static bool
learn(struct python_codes *p, struct look *l, struct python_code *c)
{
	const uint32_t *at = p->image->at;
	const uint64_t seen[4] = { 0 };
	const uint8_t *o = look_at(l, c->addr, HEAD);
	uint8_t head[HEAD];
	uint64_t now[4];

	if (!o || at[PY_CO_CODE] > HEAD - 8 || at[PY_CO_FILE] > HEAD - 8 || at[PY_CO_NAME] > HEAD - 8 || at[PY_CO_TABLE] > HEAD - 8 ||
	    at[PY_CO_LINE] > HEAD - 8 || at[PY_TYPE] > HEAD - 8 || at[PY_SIZE] > HEAD - 8)
		return false;
	memcpy(head, o, HEAD);
	now[0] = look_u64(head + at[PY_TYPE]);
	now[1] = look_u64(head + at[PY_CO_FILE]);
	now[2] = look_u64(head + at[PY_CO_NAME]);
	now[3] = look_u64(head + at[PY_CO_TABLE]);
	c->looked = l->moment->time;
	if (!memcmp(now, c->seen, sizeof now))
		return c->code != CODE_UNKNOWN;
	memcpy(c->seen, seen, sizeof seen);
	c->code = CODE_UNKNOWN;
	if (!is_code_type(p, l, now[0]))
		return false;
	memcpy(c->seen, now, sizeof now);
	p->sorted = 0;
	c->bytes = c->addr + at[PY_CO_CODE];
	c->size = 2 * look_u64(head + at[PY_SIZE]);
	if (p->image->minor < 11 && !find_bytes(p, l, look_u64(head + at[PY_CO_CODE]), &c->bytes, &c->size, CODE_MOST))
		return false;
	return c->size <= CODE_MOST && find_function(p, l, head, c);
}

/* By __file__: the names of modules that Python reads from a source are those of their code, too. */
static bool
learn_body(struct python_codes *p, struct look *l, struct python_code *c)
{
	char file[NAME_MOST], name[2 * NAME_MOST];
	uint64_t text = python_object_in_dict(p->image, l, c->addr - BODY, "__file__");
	struct language_function f = { .name = name, .file = file, .line = 1 };
	size_t n;

	c->looked = l->moment->time;
	if (text && text == c->seen[1])
		return true;
	c->code = CODE_UNKNOWN;
	c->seen[1] = 0;
	if (!text || !python_object_text(p->image, l, text, file))
		return false;
	c->seen[1] = text;
	if ((n = strlen(file)) < 3 || strcmp(file + n - 3, ".py"))
		return true;
	put_name(name, sizeof name, file, "<module>");
	c->code = languages_code(p->languages, &language_python, &f, 0);
	return c->code != CODE_UNKNOWN;
}

/* The code at ADDR, which LEARN reads if it is new, or may be another one by now. */
static const struct python_code *
code_at(struct python_codes *p, struct look *l, uint64_t addr, uint64_t globals, bool (*learn_it)(struct python_codes *, struct look *, struct python_code *))
{
	uint32_t h = hash_u64(addr), slot, i;
	struct python_code *c;

	for (slot = index_first(&p->index, h); (i = index_at(&p->index, slot)) != INDEX_NONE; slot = index_next(&p->index, slot))
		if (p->code[i].addr == addr)
			break;
	if (i == INDEX_NONE) {
		if (p->n == CODES_MOST || !vec_room(&p->code, &p->cap, (uint64_t)p->n + 1, sizeof *p->code))
			return NULL;
		p->code[p->n] = (struct python_code){ .addr = addr, .globals = globals, .code = CODE_UNKNOWN };
		if (!learn_it(p, l, &p->code[p->n]) || !index_add(&p->index, h, p->n))
			return NULL;
		return &p->code[p->n++];
	}
	c = &p->code[i];
	if ((l->moment->time - c->looked > LOOK_AGAIN || c->globals != globals) && !learn_it(p, l, c))
		return NULL;
	c->globals = globals;
	return c;
}

const struct python_code *
python_code_at(struct python_codes *p, struct look *l, uint64_t addr, uint64_t globals)
{
	const struct python_code *c = addr % 8 || !addr ? NULL : code_at(p, l, addr, globals, learn);

	return c && c->code != CODE_UNKNOWN ? c : NULL;
}

const struct python_code *
python_code_body(struct python_codes *p, struct look *l, uint64_t globals)
{
	return globals % 8 ? NULL : code_at(p, l, globals + BODY, globals, learn_body);
}

/* ---- by registers ---- */

static bool
sort_codes(struct python_codes *p)
{
	if (p->sorted == p->n)
		return p->n;
	if (!vec_room(&p->by_bytes, &p->cap_by_bytes, p->n, sizeof *p->by_bytes))
		return false;
	for (uint32_t i = 0; i < p->n; i++)
		p->by_bytes[i] = (struct item){ p->code[i].bytes, i, 0 };
	if (!sort_items(p->by_bytes, p->n))
		return false;
	p->sorted = p->n;
	return true;
}

/* The code whose instructions are around ADDR. */
static const struct python_code *
code_around(const struct python_codes *p, uint64_t addr)
{
	uint32_t i = sort_upto(p->by_bytes, p->sorted, addr);
	const struct python_code *c = i ? &p->code[p->by_bytes[i - 1].a] : NULL;

	return c && c->bytes && addr - c->bytes <= c->size && c->code != CODE_UNKNOWN ? c : NULL;
}

const struct python_code *
python_code_by_registers(struct python_codes *p, const struct moment *m, uint32_t *place)
{
	const struct python_code *c = NULL;

	for (uint32_t i = 0; i < m->nreg && sort_codes(p); i++) {
		const struct python_code *of = code_around(p, m->reg[i]);

		if (of && c && of != c)
			return NULL;
		if (of) {
			*place = (uint32_t)(m->reg[i] - of->bytes);
			*place -= *place >= 2 ? 2 : 0;
			c = of;
		}
	}
	return c;
}

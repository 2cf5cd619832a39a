/* See v8_image.h.  V8's tools/gen-postmortem-metadata.py makes these variables.  What follows a member's name is its type, which has other
 * words in other versions. */
#include "v8_image.h"

#include <elf.h>
#include <string.h>

#include "sym/elf/symbol_tables.h"

enum { MAJOR_LEAST = 10, MAJOR_MOST = 14, FUNCTION_TYPES = 16, PREFIX = 6 };

/* Names behind "v8dbg_".  With a '*' behind: all names that begin so. */
static const struct {
	const char *name;
	enum v8_constant constant;
} names[] = {
	{ "TaggedSize", V8_TAGGED_SIZE }, { "SmiShiftSize", V8_SMI_SHIFT }, { "JSFunctionRegister", V8_FUNCTION_REGISTER },
	{ "ContextRegister", V8_CONTEXT_REGISTER }, { "InterpreterBytecodeOffsetRegister", V8_OFFSET_REGISTER },
	{ "type_JSFunction__JS_FUNCTION_TYPE", V8_TYPE_FUNCTION }, { "LastJSFunctionType", V8_TYPE_FUNCTION_LAST },
	{ "type_SharedFunctionInfo__*", V8_TYPE_SHARED }, { "type_Script__*", V8_TYPE_SCRIPT }, { "type_ScopeInfo__*", V8_TYPE_SCOPE },
	{ "type_BytecodeArray__*", V8_TYPE_BYTES }, { "type_Oddball__*", V8_TYPE_ODDBALL },
	{ "class_JSFunction__shared__*", V8_FUNCTION_SHARED },
	{ "class_SharedFunctionInfo__name_or_scope_info__*", V8_SHARED_NAME },
	{ "class_SharedFunctionInfo__script_or_debug_info__*", V8_SHARED_SCRIPT },
	{ "class_SharedFunctionInfo__script__*", V8_SHARED_SCRIPT },
	{ "class_Script__name__*", V8_SCRIPT_NAME }, { "class_Script__source__*", V8_SCRIPT_SOURCE },
	{ "class_Script__line_ends__*", V8_SCRIPT_ENDS },
	{ "scopeinfo_idx_first_vars", V8_SCOPE_FIRST }, { "class_BytecodeArray__data__*", V8_BYTES_DATA },
	{ "class_BytecodeArray__wrapper__*", V8_BYTES_WRAPPER }, { "type_FeedbackVector__*", V8_TYPE_VECTOR },
	{ "type_WeakArrayList__*", V8_TYPE_WEAK_LIST }, { "type_WeakFixedArray__*", V8_TYPE_WEAK_ARRAY }, { "type_Code__*", V8_TYPE_CODE },
	{ "class_InstructionStream__instruction_start__*", V8_STREAM_START }, { "class_Code__instruction_start__*", V8_CODE_START },
	{ "class_Code__instruction_size__*", V8_CODE_SIZE }, { "DeoptimizationDataSharedFunctionInfoIndex", V8_DEOPT_SHARED },
	{ "DeoptimizationDataWrappedSharedFunctionInfoIndex", V8_DEOPT_SHARED }, { "DeoptimizationDataSharedFunctionInfoWrapperIndex", V8_DEOPT_SHARED },
	{ "class_Code__deoptimization_data__*", V8_CODE_DATA },
	{ "DeoptimizationDataLiteralArrayIndex", V8_DEOPT_LITERALS }, { "DeoptimizationDataInliningPositionsIndex", V8_DEOPT_INLINED },
};

/* DWARF's number of the register that has that number in instructions: they differ on x86-64. */
static uint8_t
number_of(const struct elf *e, int32_t reg)
{
	static const uint8_t x86_64[] = { 0, 2, 1, 3, 7, 6, 4, 5 };

	return e->machine == EM_X86_64 && reg < 8 ? x86_64[reg & 7] : (uint8_t)reg;
}

/* kRootRegister of V8's src/codegen: DWARF's number. */
static uint8_t
root_of(const struct elf *e)
{
	enum { R13 = 13, X26 = 26 };

	return e->machine == EM_X86_64 ? R13 : X26;
}

static int32_t
value_of(const struct elf *e, const struct raw_symbol *s)
{
	struct cursor c = elf_at(e, s->value, 4);

	return (int32_t)cur_u32(&c);
}

static void
read_constant(struct v8_image *v, const struct elf *e, const struct raw_symbol *s, const char *name)
{
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i].name) - 1;

		if (strncmp(name, names[i].name, n) == 0 && (names[i].name[n] == '*' || strcmp(name + n, names[i].name + n) == 0))
			v->at[names[i].constant] = value_of(e, s);
	}
}

/* What a version does not tell.  V8 10 has the instructions in the code itself. */
static void
add_compiled(struct v8_image *v)
{
	enum { DATA_OLD = 16, DATA_NEW = 8, SHARED_OLD = 6, LITERALS_OLD = 2, INLINED_OLD = 7, START = 40, SIZE = 56, START_SHORT = 32, SIZE_SHORT = 44 };
	bool is_short;   /* of 11.8 (Node.js 21) */
	int32_t *at = v->at;

	if (!at[V8_CODE_DATA])
		at[V8_CODE_DATA] = v->major < 12 ? DATA_OLD : DATA_NEW;
	if (v->major == MAJOR_LEAST) {
		at[V8_STREAM_START] = at[V8_CODE_START];
		at[V8_CODE_START] = 0;
		at[V8_DEOPT_SHARED] = SHARED_OLD;
		at[V8_DEOPT_LITERALS] = LITERALS_OLD;
		at[V8_DEOPT_INLINED] = INLINED_OLD;
		return;
	}
	is_short = v->major == 11 && at[V8_CODE_DATA] == DATA_NEW;
	at[V8_CODE_START] = at[V8_CODE_START] ? at[V8_CODE_START] : is_short ? START_SHORT : START;
	at[V8_CODE_SIZE] = at[V8_CODE_SIZE] ? at[V8_CODE_SIZE] : is_short ? SIZE_SHORT : SIZE;
}

/* How long bytecodes are: a table for each size of operands. */
static void
read_sizes(struct v8_image *v, const struct elf *e, const struct raw_symbol *s)
{
	enum { KINDS = sizeof v->size / sizeof *v->size };
	size_t n = (size_t)(s->size <= sizeof v->size ? s->size / KINDS : 0);
	struct cursor c = elf_at(e, s->value, KINDS * n);
	const uint8_t *p;

	for (unsigned i = 0; i < KINDS && (p = cur_take(&c, n)); i++)
		memcpy(v->size[i], p, n);
}

/* Whether prof can read compiled code. */
static bool
has_compiled(const struct v8_image *v)
{
	for (unsigned i = V8_TYPE_CODE; i < V8_CONSTANTS; i++)
		if (v->at[i] < (i != V8_CODE_START) || v->at[i] > INT16_MAX)
			return false;
	return true;
}

/* Whether prof can read objects of this kind. */
static bool
is_whole(struct v8_image *v)
{
	if (!v->at[V8_TYPE_FUNCTION_LAST])
		v->at[V8_TYPE_FUNCTION_LAST] = v->at[V8_TYPE_FUNCTION] + FUNCTION_TYPES;
	for (unsigned i = 0; i < V8_NEEDED; i++)
		if (v->at[i] <= 0 || v->at[i] > INT16_MAX)
			return false;
	add_compiled(v);
	if (!has_compiled(v))
		v->at[V8_TYPE_CODE] = 0;
	return v->at[V8_TAGGED_SIZE] == 8 && v->at[V8_SMI_SHIFT] == 31 && v->major >= MAJOR_LEAST && v->major <= MAJOR_MOST;
}

void *
v8_image_find(struct modules *ms, struct module *m)
{
	static const char sizes[] = "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE";
	const struct elf *e = &m->elf;
	struct v8_image image = { .modules = ms }, *p;
	struct symbol_tables tables;
	const struct symbols *t;
	struct raw_symbol s;

	if (!e->is64 || e->bytes.big)
		return NULL;
	symbol_tables_find(&tables, e);
	t = tables.dynsym.n ? &tables.dynsym : &tables.symtab;
	if (!symbol_tables_named(e, t, "_ZN2v88internal7Version6major_E", &s))
		return NULL;
	image.major = (uint8_t)value_of(e, &s);
	for (uint32_t i = 1; i < t->n && work_step(1); i++) {
		const char *name;

		symbol_tables_pass(i, true);
		s = symbol_tables_symbol(e, t, i);
		if (!s.section || s.type != STT_OBJECT)
			continue;
		name = symbol_tables_string(t, s.name);
		if (strncmp(name, "v8dbg_", PREFIX) == 0)
			read_constant(&image, e, &s, name + PREFIX);
		else if (strcmp(name, sizes) == 0)
			read_sizes(&image, e, &s);
	}
	if (!**image.size && t != &tables.symtab && symbol_tables_named(e, &tables.symtab, sizes, &s))
		read_sizes(&image, e, &s);
	image.function = number_of(e, image.at[V8_FUNCTION_REGISTER]);
	image.context = number_of(e, image.at[V8_CONTEXT_REGISTER]);
	image.root = root_of(e);
	image.offset = number_of(e, image.at[V8_OFFSET_REGISTER]);
	if (!is_whole(&image) || !(p = arena_alloc(&ms->arena, sizeof *p)))
		return NULL;
	*p = image;
	return p;
}

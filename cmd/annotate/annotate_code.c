/* See annotate_code.h.  It chooses the code, and reads its bytes. */
#include "annotate_code.h"

#include <stdio.h>
#include <stdlib.h>

#include "annotate_objdump.h"
#include "lib/msg.h"
#include "sym/module/ehframe.h"
#include "sym/module/symtab.h"
#include "unwind/arch/arch.h"

enum { RANGES_MAX = 64, BYTES_SHOWN = 8, CALL_MAX = 7 };

/* A function's code. */
struct range {
	uint64_t lo, hi;
	uint32_t mapping;
	bool disassembled;
};

static struct module *
module_of(const struct code_reading *r, uint32_t mapping)
{
	struct module *m = mapping < r->a->p->nmapping ? r->module[mapping] : NULL;

	return m && !m->bad && (m->kind == MODULE_FILE || m->kind == MODULE_IMAGE) ? m : NULL;
}

static bool
find_range(const struct code_reading *r, const struct code_place *at, struct range *range)
{
	struct module *m = module_of(r, at->mapping);
	struct symbol s;

	*range = (struct range){ .mapping = at->mapping };
	if (!m)
		return false;
	if (symtab_find(r->modules, m, at->address, &s) && s.hi > at->address) {
		range->lo = s.lo;
		range->hi = s.hi;
		return true;
	}
	return ehframe_start(r->modules, m, at->address, &range->lo, &range->hi) && range->hi > at->address;
}

/* The beginning of the call that has its last byte at AT; AT itself if that is not known. */
static uint64_t
call_start(const struct module *m, uint64_t last)
{
	struct cursor code;
	struct insn insn;

	if (m->elf.machine == 183)   /* EM_AARCH64: all are of four bytes */
		return last & ~(uint64_t)3;
	if (m->elf.machine != arch_host->machine || !arch_host->decode)
		return last;
	for (unsigned n = 2; n <= CALL_MAX && n <= last; n++) {
		unsigned length = n == 2 ? 5 : n <= 5 ? n - 1 : n;   /* most are of five */

		code = elf_at(&m->elf, last + 1 - length, length);
		if (cur_left(&code) != length)
			continue;
		arch_host->decode(code.pos, length, &insn);
		if (insn.op == INSN_CALL && insn.len == length)
			return last + 1 - length;
	}
	return last;
}

static const char *
bytes_at(const struct code_reading *r, const struct module *m, uint64_t at, uint64_t end)
{
	uint64_t most = end > at && end - at < BYTES_SHOWN ? end - at : BYTES_SHOWN;
	struct cursor code = m ? elf_from(&m->elf, at) : cur_of(NULL, 0, false);
	char text[3 * BYTES_SHOWN + 1];
	int n = 0;

	for (uint64_t i = 0; i < most && cur_left(&code); i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s%02x", i ? " " : "", cur_u8(&code));
	return n ? arena_str(r->arena, text, (size_t)n) : NULL;
}

/* Takes one place, as bytes, up to the next place. */
static bool
add_bytes(struct code_reading *r, const struct code_place *at, uint64_t next)
{
	const struct module *m = module_of(r, at->mapping);
	uint64_t start = m && at->calls ? call_start(m, at->address) : at->address;
	uint64_t end = start < at->address ? at->address + 1 : next;

	return annotation_instruction(r->a, at->mapping, start, bytes_at(r, m, start, end));
}

static int
by_address(const void *va, const void *vb)
{
	const struct instruction *a = va, *b = vb;

	if (a->mapping != b->mapping)
		return a->mapping < b->mapping ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static void
sort(struct annotation *a)
{
	uint32_t n = 0;

	if (a->ninstruction)
		qsort(a->instruction, a->ninstruction, sizeof *a->instruction, by_address);
	for (uint32_t i = 0; i < a->ninstruction; i++)
		if (!n || by_address(&a->instruction[n - 1], &a->instruction[i]) != 0)
			a->instruction[n++] = a->instruction[i];
	a->ninstruction = n;
}

static bool
holds(const struct range *range, const struct code_place *at)
{
	return range->mapping == at->mapping && range->lo <= at->address && at->address < range->hi;
}

bool
code_read(struct code_reading *r, const char **aside)
{
	struct annotation *a = r->a;
	struct range range = { .mapping = MAPPING_NONE };
	struct objdump objdump = { .a = a, .arena = r->arena, .program = r->objdump };
	const char *why = NULL;
	uint32_t ranges = 0, bytes = 0;
	bool ok = true;

	a->ninstruction = 0;
	for (uint32_t i = 0; ok && i < a->nplace; i++) {
		const struct code_place *at = &a->place[i];
		uint64_t next = i + 1 < a->nplace && at[1].mapping == at->mapping ? at[1].address : UINT64_MAX;

		if (!holds(&range, at) && find_range(r, at, &range) && ranges < RANGES_MAX) {
			ranges++;
			range.disassembled = objdump_range(&objdump, module_of(r, at->mapping), at->mapping, range.lo, range.hi,
			                                   &why);
		}
		if (range.disassembled && holds(&range, at))
			continue;
		bytes += module_of(r, at->mapping) != NULL;
		ok = add_bytes(r, at, next);
	}
	objdump_close(&objdump);
	sort(a);
	if (why)
		verbose("cannot disassemble the code: %s", why);
	*aside = NULL;
	if (bytes && why)
		*aside = "These are bytes, not instructions: objdump (binutils or LLVM) is not on PATH, or does not know this machine.";
	return ok;
}

/* See probed_code.h. */
#include "probed_code.h"

#include "lib/work.h"
#include "unwind/arch/arch.h"
#include "unwind/cfi/cfi.h"

bool
call_frame(struct modules *ms, struct module *m, uint64_t pc, uint64_t *reg, int64_t *off)
{
	struct fde fde;
	struct row row;
	bool found = ehframe_find(ms, m, pc, &fde);

	if (found ? cfi_row(arch_host, &fde, pc, &row) != NULL : !arch_host->table_row || arch_host->table_row(&m->elf, pc, &row, &found) || !found)
		return false;
	*reg = row.cfa_reg;
	*off = row.cfa_off;
	return !row.cfa_expr;
}

uint64_t
instruction_at(struct modules *ms, struct module *m, uint64_t begin, uint64_t vaddr)
{
	const struct arch *arch = m->elf.machine == arch_host->machine ? arch_host : arch_compat;
	struct cursor code;
	struct insn insn;
	struct fde fde;

	if (ehframe_find(ms, m, vaddr, &fde))
		begin = fde.lo;
	if (!begin || begin > vaddr || !arch || arch->machine != m->elf.machine || !arch->decode || arch->decode_other)
		return vaddr;
	code = elf_from(&m->elf, begin);
	while (begin < vaddr && cur_left(&code)) {
		arch->decode(code.pos, cur_left(&code), &insn);
		if (insn.op == INSN_BAD || !insn.len || !work_step(1))
			return vaddr;
		if (vaddr - begin < insn.len)
			return begin;
		begin += insn.len;
		cur_take(&code, insn.len);
	}
	return vaddr;
}

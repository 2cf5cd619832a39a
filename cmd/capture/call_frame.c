/* See call_frame.h. */
#include "call_frame.h"

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

/* Frame descriptions of assembly that are not true: see cfi.h. */
#include "cfi.h"

void
row_mend(const struct arch *a, const struct fde *fde, uint64_t vaddr, struct row *row)
{
	struct row next;
	struct place ra;
	const uint8_t *p = fde->insns.pos;
	uint32_t by;

	while (p < fde->insns.end && !*p)
		p++;
	if (p == fde->insns.end && !row->signal)
		row->truth = ROW_MUTE;

	if (vaddr == fde->lo && !cfi_row(a, fde, vaddr + a->align, &next) && row_place(&next, next.ra).how == HOW_OFFSET &&
	    next.reg[next.ra].off >= 0 && next.cfa_off == row->cfa_off)
		by = (uint32_t)next.reg[next.ra].off + a->word;
	else {
		ra = row_place(row, row->ra);
		by = ra.how == HOW_OFFSET && ra.off >= 0 ? (uint32_t)ra.off + a->word : 0;
	}
	if (!by || by > 64 || row->cfa_expr || row->signal)
		return;
	row->cfa_off = (int64_t)((uint64_t)row->cfa_off + by);
	for (unsigned r = 0; r < REGS; r++)
		if (row->set >> r & 1 && (row->reg[r].how == HOW_OFFSET || row->reg[r].how == HOW_VALUE))
			row->reg[r].off = (int32_t)((uint32_t)row->reg[r].off - by);
}

/* libunwind's opinion (1.6, remote unwinding by DWARF): prof asks it about a frame if our own rules refuse its description,
 * or cannot follow it.  libunwind only evaluates: we choose the description, and we give memory and registers through one set
 * of accessors.  So libunwind reads nothing that was not checked.  Each question has a budget of reads and of states
 * remembered. */
#include "second_opinion.h"

#ifdef LIBUNWIND
#define UNW_REMOTE_ONLY 1
#include <dwarf.h>
#include <string.h>

enum { READS = 1 << 14, STATES = 32 };

/* The accessors' context. */
struct question {
	const struct second_sight *sight;
	const struct fde *fde;
	const struct regs *regs;
	uint64_t pc, bias, insns, cie_insns;   /* the last two: addresses that stand for the instructions' bytes */
	unsigned reads;
	struct dwarf_cie_info info;
};

/* ---- what libunwind asks for, but prof has in other ways ---- */

#define OWN(name) UNW_PASTE(UNW_PASTE(UNW_PASTE(_UI, UNW_TARGET), _), name)
struct mempool;
void OWN(_mempool_init)(struct mempool *, size_t, size_t);
void *OWN(_mempool_alloc)(struct mempool *);
void OWN(_mempool_free)(struct mempool *, void *);
int UNW_PASTE(UNW_PREFIX, Ifind_dynamic_proc_info)(unw_addr_space_t, unw_word_t, unw_proc_info_t *, int, void *);
void UNW_PASTE(UNW_PREFIX, Iput_dynamic_unwind_info)(unw_addr_space_t, unw_proc_info_t *, void *);

/* The states of DW_CFA_remember_state.  prof gives the last one back first, and all of them at the end of a question. */
static struct dwarf_stackable_reg_state states[STATES];
static unsigned nstates;

void
OWN(_mempool_init)(struct mempool *pool, size_t size, size_t reserve)
{
	(void)pool, (void)size, (void)reserve;
}

void *
OWN(_mempool_alloc)(struct mempool *pool)
{
	(void)pool;
	return nstates < STATES ? &states[nstates++] : NULL;
}

void
OWN(_mempool_free)(struct mempool *pool, void *state)
{
	(void)pool, (void)state;
	nstates--;
}

int
UNW_PASTE(UNW_PREFIX, Ifind_dynamic_proc_info)(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need, void *ctx)
{
	(void)as, (void)ip, (void)pi, (void)need, (void)ctx;
	return -UNW_ENOINFO;
}

void
UNW_PASTE(UNW_PREFIX, Iput_dynamic_unwind_info)(unw_addr_space_t as, unw_proc_info_t *pi, void *ctx)
{
	(void)as, (void)pi, (void)ctx;
}

/* ---- accessors ---- */

static int
find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need, void *ctx)
{
	struct question *q = ctx;

	(void)as, (void)ip, (void)need;
	memset(pi, 0, sizeof *pi);
	pi->start_ip = (unw_word_t)(q->fde->lo + q->bias);
	pi->end_ip = (unw_word_t)(q->fde->hi + q->bias);
	pi->format = UNW_INFO_FORMAT_REMOTE_TABLE;
	pi->unwind_info_size = sizeof q->info;
	pi->unwind_info = &q->info;
	return 0;
}

static void
put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *ctx)
{
	(void)as, (void)pi, (void)ctx;
}

static int
no_list(unw_addr_space_t as, unw_word_t *list, void *ctx)
{
	(void)as, (void)list, (void)ctx;
	return -UNW_ENOINFO;
}

/* The word at ADDR, from bytes that begin at LO; the part beyond them is 0.  False if the whole word lies beyond them. */
static bool
word_of(const struct cursor *bytes, uint64_t lo, uint64_t addr, unw_word_t *v)
{
	bool any = false;

	*v = 0;
	for (unsigned i = 0; i < sizeof *v; i++)
		if (addr + i - lo < cur_left(bytes)) {
			*v |= (unw_word_t)bytes->pos[addr + i - lo] << 8 * i;
			any = true;
		}
	return any;
}

/* Reads constants from the file, where code is mapped. */
static bool
file_word(const struct question *q, uint64_t addr, unw_word_t *v)
{
	struct cursor c = q->sight->code(q->sight->ctx, addr);

	return cur_left(&c) >= sizeof *v && word_of(&c, addr, addr, v);
}

static int
access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *v, int write, void *ctx)
{
	struct question *q = ctx;
	uint64_t word;

	(void)as;
	if (write || !q->reads)
		return -UNW_EINVAL;
	q->reads--;
	if (word_of(&q->fde->insns, q->insns, addr, v) || word_of(&q->fde->cie_insns, q->cie_insns, addr, v))
		return 0;
	if (memory_word(q->sight->memory, addr, &word)) {
		*v = (unw_word_t)word;
		return 0;
	}
	return file_word(q, addr, v) ? 0 : -UNW_EINVAL;
}

/* libunwind's numbers for the pc (its UNW_REG_IP is aarch64's link register), and for the register that has the DWARF number R. */
#ifdef UNW_TARGET_AARCH64
enum { PC = UNW_AARCH64_PC };
#else
enum { PC = UNW_REG_IP };
#endif

static int
number_of(const struct arch *a, unsigned r)
{
#ifdef UNW_TARGET_X86
	static const uint8_t x86[] = { UNW_X86_EAX, UNW_X86_ECX, UNW_X86_EDX, UNW_X86_EBX, UNW_X86_ESP, UNW_X86_EBP, UNW_X86_ESI,
	                               UNW_X86_EDI };

	if (r < sizeof x86)
		return x86[r];
#endif
	return r == a->pc ? (int)PC : (int)r;
}

static int
access_reg(unw_addr_space_t as, unw_regnum_t number, unw_word_t *v, int write, void *ctx)
{
	const struct question *q = ctx;
	const struct arch *a = q->sight->arch;

	(void)as;
	if (write)
		return -UNW_EREADONLYREG;
	if (number == (int)PC) {
		*v = (unw_word_t)q->pc;
		return 0;
	}
	for (unsigned r = 0; r < REGS; r++)
		if (q->regs->known >> r & 1 && number_of(a, r) == number) {
			*v = (unw_word_t)q->regs->r[r];
			return 0;
		}
	return -UNW_EBADREG;
}

static int
access_fpreg(unw_addr_space_t as, unw_regnum_t number, unw_fpreg_t *v, int write, void *ctx)
{
	(void)as, (void)number, (void)v, (void)write, (void)ctx;
	return -UNW_EBADREG;
}

static int
resume(unw_addr_space_t as, unw_cursor_t *cursor, void *ctx)
{
	(void)as, (void)cursor, (void)ctx;
	return -UNW_EINVAL;
}

static int
get_proc_name(unw_addr_space_t as, unw_word_t ip, char *name, size_t n, unw_word_t *off, void *ctx)
{
	(void)as, (void)ip, (void)name, (void)n, (void)off, (void)ctx;
	return -UNW_ENOINFO;
}

/* libunwind's address space, one for all questions; it has only these functions.  NULL without memory. */
static unw_addr_space_t
space_of_questions(void)
{
	static unw_addr_space_t space;
	unw_accessors_t accessors = { find_proc_info, put_unwind_info, no_list, access_mem, access_reg, access_fpreg, resume,
	                              get_proc_name };

	if (!space)
		space = unw_create_addr_space(&accessors, 0);
	return space;
}

/* ---- */

/* Gives addresses to the bytes of the instructions: their addresses in the process, if known; DW_CFA_set_loc may count from
 * there. */
static void
describe(struct question *q)
{
	const struct fde *fde = q->fde;

	q->insns = fde->insns_vaddr + q->bias;
	q->cie_insns = q->insns + (uint64_t)((intptr_t)fde->cie_insns.pos - (intptr_t)fde->insns.pos);
	q->info.fde_instr_start = (unw_word_t)q->insns;
	q->info.fde_instr_end = q->info.fde_instr_start + (unw_word_t)cur_left(&fde->insns);
	q->info.cie_instr_start = (unw_word_t)q->cie_insns;
	q->info.cie_instr_end = q->info.cie_instr_start + (unw_word_t)cur_left(&fde->cie_insns);
	q->info.code_align = (unw_word_t)fde->code_align;
	q->info.data_align = (unw_word_t)fde->data_align;
	q->info.ret_addr_column = fde->ra;
	q->info.fde_encoding = fde->pointer_encoding;
	q->info.signal_frame = fde->signal;
}

enum step
second_step(const struct second_sight *sight, const struct fde *fde, uint64_t bias, struct regs *regs, struct frame *f)
{
	unw_addr_space_t space = NULL;
	const struct arch *a = sight->arch;
	struct question q = { .sight = sight, .fde = fde, .regs = regs, .pc = frame_at(f), .bias = bias, .reads = READS };
	struct regs out = { .known = 0 };
	unw_cursor_t cursor;
	struct dwarf_cursor *c = (struct dwarf_cursor *)&cursor;
	int went;

	if (a != arch_host || fde->ra >= DWARF_NUM_PRESERVED_REGS || fde->insns.big || !(space = space_of_questions()))
		return STEP_BAD;
	describe(&q);
	nstates = 0;
	memset(&cursor, 0, sizeof cursor);
	if (unw_init_remote(&cursor, space, &q) < 0 || (went = dwarf_step(c)) < 0)
		return STEP_BAD;
	if (!went || !c->ip)
		return STEP_ROOT;
	for (unsigned r = 0; r < REGS; r++) {
		unw_word_t v;

		if (number_of(a, r) == UNW_REG_IP && r != a->pc)   /* aarch64's link register: libunwind would tell pc */
			continue;
		if (unw_get_reg(&cursor, number_of(a, r), &v) >= 0) {
			out.r[r] = v;
			out.known |= (uint64_t)1 << r;
		}
	}
	f->pc = out.r[a->pc] = c->ip & sight->mask;
	f->sp = out.r[a->sp] = c->cfa;
	f->fp = out.r[a->fp];
	f->fp_known = out.known >> a->fp & 1;
	f->exact = fde->signal;
	f->jumped |= fde->signal;
	out.known |= (uint64_t)1 << a->pc | (uint64_t)1 << a->sp;
	*regs = out;
	return STEP_OK;
}
#else
enum step
second_step(const struct second_sight *sight, const struct fde *fde, uint64_t bias, struct regs *regs, struct frame *f)
{
	(void)sight, (void)fde, (void)bias, (void)regs, (void)f;
	return STEP_BAD;
}
#endif

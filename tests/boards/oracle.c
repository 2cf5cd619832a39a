/* oracle BOARD...: takes each step of each recorded stack (tests/data/boards/BOARD, of this machine or of one that an emulator runs)
 * by prof's rules and by libunwind 1.6.2.  libunwind searches and reads the files' tables by itself; this file hands it only
 * memory and registers.  It goes on from its own frames as long as they equal prof's, and from prof's after a difference.
 * Every difference must be of a class that is known here, with its reason.  No class may be so frequent that it could hide an error.
 * -v shows the first difference of each class. */
#include "../unit/recording.h"
#include "unwind/chain.h"
#include "unwind/entry.h"
#include "unwind/slow.h"

#define UNW_REMOTE_ONLY 1
#include <dwarf.h>

#include "../untold.h"

enum {
	DEBUG_AT = 0x70000000,   /* where libunwind finds .debug_frame's bytes: the recording has nothing else there */
	SAMPLES_LEAST = 100, GIVEN_LEAST = 900,
};

/* What a step of libunwind's gave, compared with ours. */
enum class { SAME, ROOT, NO_TABLE, LATE, PUSHED, TRAMPOLINE, INTERRUPTED, POPPED, JUMP, PAST_ROOT, REFUSED, OTHER, CLASSES };

/* MOST: at most so many of a thousand steps; a class with 0 is a failure. GIVEN: libunwind finds a frame by a table that it has
 * read. */
static const struct {
	const char *name, *why;
	unsigned most;
	bool given;
} classes[CLASSES] = {
	[SAME] = { "alike", "the same return address, sp and registers", 1000, true },
	[ROOT] = { "ends", "both say that nobody called", 1000, true },
	[NO_TABLE] = { "no table", "of that code nothing is said: libunwind stops or guesses, prof reads the instructions", 800, false },
	[LATE] = { "late", "ARM's tables are of a function that has its frame, not of one that makes or drops it: prof reads those", 30, false },
	[PUSHED] = { "pushed before", "aarch64's _dl_runtime_resolve: its sp is told without what the PLT pushed; prof mends that", 5, true },
	[TRAMPOLINE] = { "trampoline", "libunwind knows a signal's trampoline by its first instruction, prof behind its system call, too", 5, false },
	[INTERRUPTED] = { "interrupted", "riscv64's libunwind looks for what a signal interrupted one byte before; told where, it agrees", 5, true },
	[POPPED] = { "popped", "at a function's end a register is in its slot no more, which may lie below sp by then: prof takes the register", 5, true },
	[JUMP] = { "jump", "longjmp's last instructions tell sp apart from the CFA, which libunwind takes for sp", 5, true },
	[PAST_ROOT] = { "past the root", "prof knows an outermost function that its table does not tell of", 0, false },
	[REFUSED] = { "refused", "libunwind does not follow a table that prof follows", 0, false },
	[OTHER] = { "other", "not explained", 0, true },
};

struct asked {
	struct recording *r;
	const struct arch *arch;
	const struct regs *regs;
};

static bool verbose;
static unsigned shown[CLASSES];
static uint64_t count[CLASSES], samples, registers, ours_wrong, theirs_right, theirs_asked, second;

/* ---- what libunwind reads ---- */

#ifdef UNW_TARGET_ARM
#define search_table UNW_PASTE(UNW_PREFIX, search_unwind_table)
enum { CANTUNWIND = 1 };
int search_table(unw_addr_space_t, unw_word_t ip, unw_dyn_info_t *, unw_proc_info_t *, int need, void *ctx);
#endif

static struct cursor
debug_frame(const struct module *m)
{
	struct section s;

	return elf_section_named(&m->elf, ".debug_frame", &s) ? s.data : cur_of(NULL, 0, false);
}

/* The file's bytes at ADDR, which may lie beyond the mapped code. */
static struct cursor
bytes_at(const struct asked *a, uint64_t addr)
{
	for (uint32_t i = 0; i < a->r->space.n; i++) {
		const struct map *m = &a->r->space.map[i];
		struct cursor c = elf_from(&m->module->elf, addr - m->bias);

		if (cur_left(&c) >= sizeof(unw_word_t))
			return c;
		c = debug_frame(m->module);
		if (addr - DEBUG_AT < cur_left(&c)) {
			cur_take(&c, addr - DEBUG_AT);
			return c;
		}
	}
	return cur_of(NULL, 0, false);
}

static int
access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *v, int write, void *ctx)
{
	const struct asked *a = ctx;
	const struct stack *s = &a->r->stack;
	struct cursor c;

	(void)as;
	if (write)
		return -UNW_EINVAL;
	if (addr - s->lo < s->size && s->size - (addr - s->lo) >= sizeof *v) {
		memcpy(v, s->bytes + (addr - s->lo), sizeof *v);
		return 0;
	}
	c = bytes_at(a, addr);
	*v = 0;
	if (!cur_left(&c))
		return -UNW_EINVAL;
	memcpy(v, c.pos, cur_left(&c) < sizeof *v ? cur_left(&c) : sizeof *v);
	return 0;
}

#ifdef UNW_TARGET_AARCH64
enum { PC = UNW_AARCH64_PC };
#else
enum { PC = UNW_REG_IP };
#endif

static int
access_reg(unw_addr_space_t as, unw_regnum_t number, unw_word_t *v, int write, void *ctx)
{
	const struct asked *a = ctx;
	unsigned r = number == (int)PC ? a->arch->pc : (unsigned)number;

	(void)as;
	if (write || r >= REGS || (r == a->arch->pc && number != (int)PC) || !(a->regs->known >> r & 1))
		return -UNW_EBADREG;
	*v = (unw_word_t)a->regs->r[r];
	return 0;
}

static unw_accessors_t accessors;

/* Looks at all descriptions of a section, if it has no table. */
static int
find_linear(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need, struct asked *a, uint64_t at, uint64_t size, bool debug)
{
	for (uint64_t end = at + size, len; at + 8 < end; at += 4 + (len & 0xffffffff)) {
		unw_word_t addr = (unw_word_t)at, word, id;

		if (access_mem(as, addr, &word, 0, a) || access_mem(as, addr + 4, &id, 0, a) || !(len = (uint32_t)word))
			break;
		if ((uint32_t)id == (debug ? 0xffffffff : 0) ||
		    dwarf_extract_proc_info_from_fde(as, &accessors, &addr, pi, debug ? DEBUG_AT : 0, 0, debug, a) < 0 ||
		    ip < pi->start_ip || ip >= pi->end_ip)
			continue;
		addr = (unw_word_t)at;
		return dwarf_extract_proc_info_from_fde(as, &accessors, &addr, pi, debug ? DEBUG_AT : 0, need, debug, a);
	}
	return -UNW_ENOINFO;
}

static int
find_header(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need, struct asked *a, const struct map *m)
{
	unw_dyn_info_t di = { .format = UNW_INFO_FORMAT_REMOTE_TABLE, .start_ip = (unw_word_t)m->lo, .end_ip = (unw_word_t)m->hi };
	struct cursor c = elf_from(&m->module->elf, m->module->elf.ehframe_hdr);
	uint32_t kinds = cur_u32(&c), n;

	cur_u32(&c);
	n = cur_u32(&c);
	if (c.bad || kinds != 0x3b031b01)
		return -UNW_ENOINFO;
	di.u.rti.segbase = (unw_word_t)(m->module->elf.ehframe_hdr + m->bias);
	di.u.rti.table_data = di.u.rti.segbase + 12;
	di.u.rti.table_len = n * 8 / sizeof(unw_word_t);
	return dwarf_search_unwind_table(as, ip, &di, pi, need, a);
}

static int
find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need, void *ctx)
{
	struct asked *a = ctx;
	const struct map *m = space_find(&a->r->space, ip);
	const struct elf *e = m && m->module ? &m->module->elf : NULL;
	struct section s;
	struct cursor c;
	int got = -UNW_ENOINFO;

	memset(pi, 0, sizeof *pi);
	if (!e)
		return got;
	if (e->ehframe_hdr)
		got = find_header(as, ip, pi, need, a, m);
	else if (elf_section_named(e, ".eh_frame", &s))
		got = find_linear(as, ip, pi, need, a, s.addr + m->bias, s.size, false);
	c = debug_frame(m->module);
	if (got < 0 && cur_left(&c))
		got = find_linear(as, ip, pi, need, a, DEBUG_AT, cur_left(&c), true);
#ifdef UNW_TARGET_ARM
	if (got < 0 && e->exidx_size) {
		unw_dyn_info_t di = { .format = UNW_INFO_FORMAT_ARM_EXIDX, .start_ip = (unw_word_t)m->lo, .end_ip = (unw_word_t)m->hi };

		di.u.rti.table_data = (unw_word_t)(e->exidx + m->bias);
		di.u.rti.table_len = (unw_word_t)e->exidx_size;
		got = search_table(as, ip, &di, pi, need, a);
	}
#endif
	return got;
}

static unw_accessors_t accessors = {
	find_proc_info, put_unwind_info, no_list, access_mem, access_reg, access_fpreg, resume, get_proc_name
};

/* ---- a step ---- */

struct theirs {
	struct asked asked;
	unw_addr_space_t space;
	unw_cursor_t cursor;
	bool under_way;
	/* About the last step. */
	int went;
	bool table, exidx, signal;
	uint64_t pc, sp;
};

static struct dwarf_cursor *
inside(struct theirs *t)
{
	return (struct dwarf_cursor *)&t->cursor;
}

static void
their_step(struct theirs *t, const struct frame *f, const struct regs *regs, uint64_t mask)
{
	unw_proc_info_t pi;

	if (!t->under_way) {
		t->asked.regs = regs;
		memset(&t->cursor, 0, sizeof t->cursor);
		unw_init_remote(&t->cursor, t->space, &t->asked);
		inside(t)->use_prev_instr = !f->exact;
	}
	t->signal = unw_is_signal_frame(&t->cursor) > 0;
	t->table = find_proc_info(t->space, (unw_word_t)frame_at(f), &pi, 0, &t->asked) >= 0;
	t->exidx = false;
#ifdef UNW_TARGET_ARM
	find_proc_info(t->space, (unw_word_t)frame_at(f), &pi, 1, &t->asked);
	t->exidx = t->table && pi.format == UNW_INFO_FORMAT_ARM_EXIDX;
	if (t->exidx) {
		unw_word_t what;

		t->table = !access_mem(t->space, (unw_word_t)(uintptr_t)pi.unwind_info + 4, &what, 0, &t->asked) && what != CANTUNWIND;
	}
	/* In this build libunwind does not read DWARF by itself. */
	t->went = t->table && !t->exidx && !t->signal ? dwarf_step(inside(t)) : unw_step(&t->cursor);
#else
	t->went = unw_step(&t->cursor);
#endif
	inside(t)->ip &= (unw_word_t)mask;
	t->pc = inside(t)->ip;
	t->sp = inside(t)->cfa;
}

/* ---- comparing ---- */

/* Whether prof took this step by the instructions. */
static bool
derived(const struct entry *e)
{
	return e->rule.kind == RULE_DERIVED || e->rule.kind == RULE_OTHER || e->rule.kind == RULE_LINK;
}

/* Libunwind's step beside ours, from the frame F to TO. */
static enum class
class_of(const struct theirs *t, const struct entry *e, const struct frame *f, const struct frame *to, enum step step)
{
	bool theirs_end = t->went <= 0 || !t->pc, ours_end = step == STEP_ROOT || (!step && !to->pc);

	if (!t->table && !t->signal)
		return NO_TABLE;
	if (e->rule.kind == RULE_SIGRETURN && f->exact && (theirs_end || t->pc != to->pc))
		return TRAMPOLINE;
	if (ours_end || theirs_end)
		return ours_end && theirs_end ? ROOT : ours_end ? PAST_ROOT : t->exidx && f->exact && derived(e) ? LATE : REFUSED;
	if (t->pc == to->pc && t->sp == to->sp)
		return SAME;
	if (t->exidx && f->exact && derived(e))
		return LATE;
	return t->pc == to->pc && e->rule.kind == RULE_PLAIN && e->rule.ra_off == -(int)sizeof(unw_word_t) && t->sp < to->sp ? PUSHED : OTHER;
}

static void
show(const struct theirs *t, const struct recording *r, const char *name, enum class class, uint64_t k, const struct frame *f,
     const struct frame *to, enum step step)
{
	const struct map *m = space_find((struct space *)&r->space, frame_at(f));

	if (!verbose || class <= ROOT || shown[class]++ >= 12)
		return;
	printf("  %s: %s, sample %u, frame %u of %u at %s+%#llx%s: ours %d to %#llx sp %#llx; libunwind %d to %#llx sp %#llx; recorded %#llx\n",
	       classes[class].name, name, (unsigned)samples, (unsigned)k, r->frames, m ? m->module->name : "?",
	       (unsigned long long)(m ? frame_at(f) - m->bias : 0), f->exact ? " (exact)" : "", (int)step, (unsigned long long)to->pc,
	       (unsigned long long)to->sp, t->went, (unsigned long long)t->pc, (unsigned long long)t->sp,
	       k + 1 < r->frames ? (unsigned long long)r->frame[k + 1] : 0ull);
}

/* The registers that a call preserves, and all others that both know. A link register is dead after a call (and nobody can ask
 * libunwind for aarch64's: it would give pc). */
static bool
same_registers(struct theirs *t, const struct regs *regs, bool exact)
{
	const struct arch *a = t->asked.arch;
	bool same = true;

	for (unsigned r = 0; r < REGS; r++) {
		unw_word_t v;

		if (r == a->pc || r == a->sp || !(regs->known >> r & 1) || (r == a->ra && (!exact || UNW_REG_IP == a->ra)) ||
		    unw_get_reg(&t->cursor, (int)r, &v) < 0)
			continue;
		registers++;
		same &= v == (unw_word_t)regs->r[r];
	}
	return same;
}

/* What the table says of the code, as prof reads it; or NULL. */
static const struct row *
row_of(struct unwinder *u, const struct entry *e)
{
	uint64_t vaddr;
	struct module *m;

	if (e == &u->spare || (e->rule.kind != RULE_PLAIN && e->rule.kind != RULE_GENERAL && e->rule.kind != RULE_LINK))
		return NULL;
	m = entry_module(u, e, &vaddr);
	return rule_row(u, m, vaddr);
}

static bool
is_frame(struct recording *r, uint64_t k, const struct frame *f)
{
	return k < r->frames && frame_at(f) == r->frame[k];
}

/* Whether a known class explains a step that differs, or whose registers differ. libunwind gets our registers and learns whether
 * something interrupted pc there; then it must say the same as we. */
static enum class
explain(struct theirs *t, enum class class, struct unwinder *u, const struct entry *e, uint64_t k, const struct frame *from,
        const struct regs *regs, const struct frame *to, enum step step)
{
	const struct arch *a = u->code.arch;
	const struct row *row = row_of(u, e);

	if (class == SAME)
		return row && from->exact && row_place(row, a->fp).how == HOW_EXPR ? POPPED : OTHER;
	if ((class == OTHER || class == REFUSED) && t->under_way && (from->exact ? a == &arch_riscv64 : k == 1)) {
		t->under_way = false;
		their_step(t, from, regs, u->mask);
		if (class_of(t, e, from, to, step) == SAME)
			return from->exact ? INTERRUPTED : POPPED;
	}
	return class == OTHER && row && row_place(row, a->sp).how != HOW_SAME ? JUMP : class;
}

static void
compare(struct recording *r, const char *name)
{
	static struct walk walk;
	static unw_addr_space_t space;
	struct unwinder *u = r->unwinder;
	const struct arch *a = r->arch;
	struct frame f = { .pc = r->regs.r[a->pc] & u->mask, .sp = r->regs.r[a->sp], .fp = r->regs.r[a->fp], .fp_known = true, .exact = true };
	struct job j = { .u = u, .space = &r->space, .walk = &walk, .full = r->regs, .full_frame = f };
	struct theirs t = { .asked = { r, a, NULL } };
	struct regs regs;
	struct entry *e;

	j.memory = (struct memory){ r->stack.bytes, r->stack.lo, r->stack.size >= a->word ? r->stack.size - a->word + 1 : 0, a->word };
	u->code.space = &r->space;
	u->full_always = true;
	if (!space && (space = unw_create_addr_space(&accessors, 0)))
		unw_set_caching_policy(space, UNW_CACHE_NONE);   /* each recording has other files at the same addresses */
	t.space = space;
	walk_begin(&walk);
	for (; j.at < r->frames && (e = entry_find(u, &r->space, frame_at(&f))); j.at++) {
		struct frame from = f;
		enum class class;
		enum step step;

		regs = j.full;
		regs.r[a->pc] = f.pc;
		step = step_slow(&j, e, &f);
		if (step && step != STEP_ROOT)   /* cut: nobody knows what follows */
			break;
		e = entry_find(u, &r->space, frame_at(&from));
		their_step(&t, &from, &regs, u->mask);
		class = class_of(&t, e, &from, &f, step);
		if (class != SAME || !same_registers(&t, &j.full, f.exact))
			class = explain(&t, class, u, e, j.at, &from, &regs, &f, step);
		count[class]++;
		show(&t, r, name, class, j.at, &from, &f, step);
		t.under_way = class == SAME;
		if (step || !f.pc) {
			ours_wrong += j.at + 1 != r->frames || r->cut;
			break;
		}
		ours_wrong += !is_frame(r, j.at + 1, &f);
		if (class != SAME) {
			theirs_asked++;
			theirs_right += t.went > 0 && t.pc - !f.exact == r->frame[j.at + 1] && t.sp == f.sp;
		}
	}
	second += walk.by_libunwind;
	samples++;
}

static void
one(struct recording *r, const char *name)
{
	while (recording_next(r))
		compare(r, name);
}

/* False if nothing explains a difference, or if it is too frequent for its explanation. */
static bool
told(const char *board)
{
	uint64_t all = 0, given = 0, alike = count[SAME] + count[ROOT];
	bool good = samples >= SAMPLES_LEAST && !ours_wrong && !second;

	for (unsigned k = 0; k < CLASSES; k++) {
		all += count[k];
		given += classes[k].given ? count[k] : 0;
	}
	good = good && given >= GIVEN_LEAST && alike * 1000 >= given * 999;
	for (unsigned k = ROOT + 1; k < CLASSES; k++)
		if (count[k] * 1000 > classes[k].most * all) {
			printf("%s: %s: %u of %u (%s)\n", board, classes[k].name, (unsigned)count[k], (unsigned)all, classes[k].why);
			good = false;
		}
	printf("%s: %u samples, %u frames of both, %u.%02u %% alike, with %u registers", board, (unsigned)samples, (unsigned)given,
	       (unsigned)(alike * 100 / given), (unsigned)(alike * 10000 / given % 100), (unsigned)registers);
	for (unsigned k = ROOT + 1; k < CLASSES; k++)
		if (count[k])
			printf("; %s %u", classes[k].name, (unsigned)count[k]);
	printf("; where they differ or have no table libunwind is right %u times of %u%s\n", (unsigned)theirs_right, (unsigned)theirs_asked,
	       ours_wrong ? "; prof is not always" : "");
	return good;
}

int
main(int argc, char **argv)
{
	bool good = true;

	test_name_ = "oracle";
	for (int i = 1; i < argc; i++) {
		char dir[128];

		if (!strcmp(argv[i], "-v")) {
			verbose = true;
			continue;
		}
		snprintf(dir, sizeof dir, "tests/data/boards/%s", argv[i]);
		samples = registers = ours_wrong = theirs_right = theirs_asked = second = 0;
		memset(count, 0, sizeof count);
		if (!recordings(dir, arch_host, one)) {
			printf("%s: nothing is recorded\n", dir);
			return 1;
		}
		good &= told(argv[i]);
	}
	return !good || test_bad_;
}

/* See truth.h.  The frames are matched with the records from the leaf on:
 * - a frame of a marked function must have the next record, and the frame behind it must be at the record's return address;
 * - a frame of another function may stand wherever no record is passed over;
 * - where something interrupted the stack (at the leaf, and below a signal frame) one marked function may have no record:
 *   then the next frame's return address must at least be in the stack before the next record;
 * - a complete walk must have used all records.
 * The check excuses two things, and counts them:
 * - while libgcc's unwinder installs the registers of a landing pad, it has overwritten its own return address with that of
 *   the landing pad's function, so the stack itself is wrong then;
 * - the tables of longjmp's last instructions in libc say that the place to which it jumps is their caller. */
#define MARK_CHECKER
#include "truth.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "sym/jit/jit.h"
#include "sym/module/symtab.h"
#include "mark.h"

enum { SITE_REACH = 128, TAIL_MAX = 12 };

struct about {
	bool known, marked, trampoline, installs;
	uint32_t module;
	const char *name;      /* without a suffix like .cold; NULL: none */
	uint32_t len;
	uint64_t start;
};

struct tail {
	uint32_t fn, ra;       /* of the outermost record, as codes */
	uint32_t n, code[TAIL_MAX];
};

static const struct about unknown = { .known = true };

static bool
is_trampoline(const struct truth *t, const struct module *m, uint64_t vaddr, const char *name)
{
	/* The names that kernels and libcs of other machines use. */
	static const char *const names[] = { "__kernel_rt_sigreturn", "__kernel_sigreturn", "__vdso_rt_sigreturn", "__restore_rt",
	                                     "__restore", "__default_rt_sa_restorer", "__default_sa_restorer" };

	for (unsigned i = 0; name && i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	for (unsigned i = 0; !m->bad && i < t->arch->ntrampolines; i++)
		for (unsigned back = 0; back <= t->arch->trampolines[i].len + 1u; back++) {
			struct cursor c = elf_from(&m->elf, vaddr + 1 - back);
			const uint8_t *p = cur_take(&c, t->arch->trampolines[i].len);

			if (p && !memcmp(p, t->arch->trampolines[i].bytes, t->arch->trampolines[i].len))
				return true;
		}
	return false;
}

/* Static functions of C++ are _ZL, a length, and the name. */
static bool
is_marked(const char *name)
{
	if (!strncmp(name, "_ZL", 3))
		name += 3 + strspn(name + 3, "0123456789");
	return !strncmp(name, "m_", 2) && !strstr(name, "@plt");
}

/* libgcc's functions that end in a landing pad instead of returning. */
static bool
installs(const char *name)
{
	static const char *const names[] = { "_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow",
	                                     "_Unwind_ForcedUnwind" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Of a stripped program the one before that, which is called FULL: M knows nothing of it. */
static struct module *
whole(struct module *m)
{
	static struct modules others;
	static struct module *found[1 << 10];
	char path[4096];
	int fd;

	if (m->kind != MODULE_FILE || m->id >= sizeof found / sizeof *found)
		return m;
	if (!found[m->id]) {
		found[m->id] = m;
		snprintf(path, sizeof path, "%s.full", m->path);
		if ((fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0 && (others.mark || modules_init(&others)))
			found[m->id] = module_file(&others, fd, path);
	}
	return found[m->id];
}

static bool
find_symbol(struct truth *t, const struct code *c, struct symbol *s)
{
	struct module *m = t->modules->module[c->module];
	const char *file;
	uint32_t line, begins;

	return m->kind == MODULE_JIT ? jit_find(t->modules, m, c->vaddr, s, &file, &line, &begins)
	                             : symtab_find(t->modules, whole(m), c->vaddr, s);
}

static struct about
about(struct truth *t, uint32_t code)
{
	const struct code *c = &t->codes->code[code];
	struct symbol s;
	struct about *a;

	if (code < CODE_MARKS || !vec_room(&t->about, &t->abouts, (uint64_t)code + 1, sizeof *t->about))
		return unknown;
	a = &t->about[code];
	if (a->known)
		return *a;
	*a = (struct about){ .known = true, .module = c->module };
	if (find_symbol(t, c, &s)) {
		a->name = s.name;
		a->len = (uint32_t)strcspn(s.name, ".(@");
		a->start = s.lo;
		a->marked = is_marked(s.name);
		a->installs = installs(s.name);
	}
	/* Execution returns to it although it called nobody: the byte before its first one belongs to another function. */
	a->trampoline = !a->marked && (is_trampoline(t, t->modules->module[c->module], c->vaddr, a->name) ||
		(find_symbol(t, &(struct code){ c->vaddr + 1, c->module }, &s) && s.lo == c->vaddr + 1 &&
		 is_trampoline(t, t->modules->module[c->module], c->vaddr + 1, s.name)));
	return *a;
}

static bool
same_function(struct about a, struct about b)
{
	return a.name && b.name && a.module == b.module && a.len == b.len && !memcmp(a.name, b.name, a.len);
}

static uint32_t
code_at(struct truth *t, uint64_t addr)
{
	return unwind_code(t->unwinder, t->space, addr);
}

/* SIZE bytes at ADDR, in one piece; 0 where they were not copied. */
static uint64_t
word(const struct pieces *s, uint64_t addr, unsigned size)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct piece *p = &s->piece[i];

		if (p->size >= size && addr - p->lo <= p->size - size) {
			memcpy(&v, p->bytes + (addr - p->lo), size);
			break;
		}
	}
	return v;
}

/* Where the copied bytes around ADDR begin and end; they may be several pieces. */
static void
around(const struct pieces *s, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	*lo = *hi = addr;
	for (uint32_t i = 0; i < s->n; i++)
		if (*hi - s->piece[i].lo < s->piece[i].size)
			*hi = s->piece[i].lo + s->piece[i].size;
	for (uint32_t i = s->n; i--;)
		if (*lo - 1 - s->piece[i].lo < s->piece[i].size)
			*lo = s->piece[i].lo;
}

/* Whether the copied piece around one address does not reach the other. */
static bool
apart(const struct truth *t, uint64_t from, uint64_t to)
{
	uint64_t lo, hi;

	around(t->stack, from, &lo, &hi);
	return to < lo || to >= hi;
}

void
truth_read(struct truth *t, struct space *space, const struct pieces *stack, uint64_t link)
{
	uint64_t step = t->arch->word;

	t->space = space;
	t->stack = stack;
	t->link = link;
	t->n = t->live = 0;
	for (const struct piece *p = stack->piece; p < stack->piece + stack->n; p++)
		for (uint64_t at = (p->lo + step - 1) & ~(step - 1); at + 8 <= p->lo + p->size && t->n < RECORDS_MAX; at += step) {
			uint64_t magic = word(stack, at, 8) ^ at;

			if ((magic != MARK_LIVE && magic != MARK_LEFT) || !word(stack, at + 16, 8))
				continue;
			t->told[t->n++] = (struct told){ at, word(stack, at + 8, 8), word(stack, at + 16, 8), word(stack, at + 24, 8),
			                                 word(stack, at + 32, 8), magic == MARK_LEFT };
			t->live += magic == MARK_LIVE;
		}
}

/* The next record that is live, from R on; or their number. */
static uint32_t
next_live(const struct truth *t, uint32_t r)
{
	while (r < t->n && t->told[r].left)
		r++;
	return r;
}

static bool
wrong(struct truth *t, uint32_t k, const char *why)
{
	if (!t->why || k >= t->at) {
		t->why = why;
		t->at = k;
	}
	return false;
}

/* Whether return address RA follows frame K; beyond the end of a walk nothing can be wrong. */
static bool
returns_to(struct truth *t, uint32_t k, uint64_t ra)
{
	const struct walk *w = t->walk;

	if (k + 1 == w->n)
		return w->end != WALK_ROOT || !ra;
	return w->code[k + 1] == CODE_ELIDED || w->code[k + 1] == code_at(t, ra - 1);
}

/* An address as registers and stacks have it, which may be signed or have Thumb's bit. */
static uint64_t
plain(const struct truth *t, uint64_t addr)
{
	if (t->arch->addr_mask != UINT64_MAX)
		addr &= ((uint64_t)1 << 48) - 1;
	return addr & ~(uint64_t)(t->arch->align - 1);
}

static bool
is_return(struct truth *t, uint32_t k, uint64_t ra)
{
	ra = plain(t, ra);
	return ra > 4096 && !(ra >> 48) && code_at(t, ra - 1) == t->walk->code[k + 1];
}

static bool
returns_in(struct truth *t, uint32_t k, uint64_t lo, uint64_t hi)
{
	unsigned size = t->arch->word;

	for (uint64_t at = (lo + size - 1) & ~(uint64_t)(size - 1); at + size <= hi; at += size)
		if (is_return(t, k, word(t->stack, at, size)))
			return true;
	return false;
}

/* Whether the stack in [LO, HI) has a return address for frame K + 1; of the leaf also the register that calls leave it in. */
static bool
may_return(struct truth *t, uint32_t k, uint64_t lo, uint64_t hi)
{
	uint64_t first, end;

	if (k + 1 == t->walk->n || t->walk->code[k + 1] == CODE_ELIDED)
		return t->walk->end != WALK_ROOT;
	if (!k && t->link && is_return(t, k, t->link))
		return true;
	around(t->stack, lo, &first, &end);
	if (hi == UINT64_MAX)
		hi = end;
	if ((hi < lo || hi > end) && returns_in(t, k, lo, end))   /* the record is on another stack, or behind a hole */
		return true;
	if (hi < lo || hi > end)
		around(t->stack, hi, &lo, &end);
	return returns_in(t, k, lo, hi);
}

/* The call into code that is not marked is where the function said. */
static bool
at_site(struct truth *t, uint32_t k, const struct told *r, bool strict)
{
	const struct code *at, *site;
	uint32_t code;

	if (!r->site)
		return !strict;
	if (!k || about(t, t->walk->code[k - 1]).marked || about(t, t->walk->code[k - 1]).trampoline)
		return true;
	code = code_at(t, r->site);
	site = &t->codes->code[code];
	at = &t->codes->code[t->walk->code[k]];
	return site->module == at->module && at->vaddr - site->vaddr < SITE_REACH;
}

/* The frames outside of the outermost marked one are always the same. */
static bool
check_tail(struct truth *t, uint32_t k)
{
	const struct walk *w = t->walk;
	uint32_t outer = t->n, n = w->n - k, fn, ra;
	struct tail *tail;

	while (outer && t->told[outer - 1].left)
		outer--;
	if (!outer || w->elided)
		return true;
	if (n > TAIL_MAX)
		return wrong(t, k, "many frames outside of the outermost marked one");
	fn = code_at(t, t->told[outer - 1].fn);
	ra = code_at(t, t->told[outer - 1].ra - 1);
	for (uint32_t i = 0; i < t->tails; i++) {
		tail = &t->tail[i];
		if (tail->fn == fn && tail->ra == ra)
			return (tail->n == n && !memcmp(tail->code, w->code + k, n * sizeof *tail->code)) ||
			       wrong(t, k, "other frames outside of the outermost marked one than at first");
	}
	if (!vec_room(&t->tail, &t->cap_tails, (uint64_t)t->tails + 1, sizeof *t->tail))
		return true;
	tail = &t->tail[t->tails++];
	*tail = (struct tail){ .fn = fn, .ra = ra, .n = n };
	memcpy(tail->code, w->code + k, n * sizeof *tail->code);
	return true;
}

static bool match(struct truth *t, uint32_t k, uint32_t r, uint64_t sp, bool interrupted);

/* The walk left out frames before K, so it may have left out any number of records. */
static bool
match_elided(struct truth *t, uint32_t k, uint32_t r)
{
	for (; r <= t->n; r++)
		if (match(t, k, r, t->stack->piece->lo, true))
			return true;
	return false;
}

/* Whether an exception is leaving the function of frame K: it has a record, but no live one. */
static bool
being_left(struct truth *t, uint32_t k, uint32_t *r, uint32_t live)
{
	struct about a = about(t, t->walk->code[k]);

	if (!k || about(t, t->walk->code[k - 1]).marked)
		return false;
	for (uint32_t i = *r; i < live; i++)
		if (same_function(about(t, code_at(t, t->told[i].fn)), a) && returns_to(t, k, t->told[i].ra)) {
			*r = i + 1;
			return true;
		}
	return false;
}

/* Frames from K on against records from R on; SP lies before them.  INTERRUPTED: frame K was not in a call. */
static bool
match(struct truth *t, uint32_t k, uint32_t r, uint64_t sp, bool interrupted)
{
	const struct walk *w = t->walk;

	for (; k < w->n; k++) {
		struct about a = about(t, w->code[k]);
		uint32_t live = next_live(t, r);
		const struct told *told = &t->told[live];
		bool first = interrupted;

		interrupted = false;
		if (w->code[k] == CODE_ELIDED)
			return match_elided(t, k + 1, r);
		if (!a.marked) {
			interrupted = a.trampoline;
			continue;
		}
		if (live < t->n && same_function(about(t, code_at(t, told->fn)), a) && returns_to(t, k, told->ra) &&
		    at_site(t, k, told, false)) {
			uint32_t left = r;

			if ((first || being_left(t, k, &left, live)) && match(t, k + 1, live + 1, told->at, false))
				return true;
			if (!first && left == r) {
				r = live + 1;
				sp = told->at;
				continue;
			}
		}
		if (first && may_return(t, k, sp, live < t->n ? told->at : UINT64_MAX))
			continue;
		if (!first && being_left(t, k, &r, live))
			continue;
		if (first)
			return wrong(t, k + 1, "no such return address in the stack");
		/* If a stack is cut, the outermost frame's own record is missing (but records after a hole may be there); the
		 * record of its caller has described it. If calls leave the return address in a register, it is stored below the
		 * record, and describes one frame more. */
		if ((live == t->n || apart(t, sp, told->at)) && w->end == WALK_STACK_SHORT && k &&
		    (k + 1 == w->n || (t->arch->ra != t->arch->pc && k + 2 == w->n && !about(t, w->code[k + 1]).marked)))
			return true;
		if (live == t->n)
			return wrong(t, k, "a marked function without a record, and none is left");
		if (!same_function(about(t, code_at(t, told->fn)), a))
			return wrong(t, k, "a marked function, but the next record is of another");
		if (!returns_to(t, k, told->ra))
			return wrong(t, k + 1, "not where the record says that its function returns to");
		return wrong(t, k, "not the call that the record tells of");
	}
	if (w->end == WALK_ROOT && next_live(t, r) < t->n)
		return wrong(t, k, "complete, as the unwinder says, but there are records left");
	return true;
}

/* Where the frames outside of the outermost record begin: the last marked frame and those before are not among them. */
static uint32_t
tail_of(struct truth *t)
{
	uint32_t k = t->walk->n;

	while (k && !about(t, t->walk->code[k - 1]).marked)
		k--;
	return k;
}

/* Whether frame K of libgcc calls another function that installs registers: one of libgcc's own, which copies them over those that
 * K has saved. */
static bool
installing(struct truth *t, uint32_t k)
{
	const struct walk *w = t->walk;

	if (t->arch->ra == t->arch->pc || k > 2)
		return false;
	for (uint32_t i = 0; i < k; i++) {
		struct about a = about(t, w->code[i]);

		if (a.name ? !strcmp(a.name, "uw_install_context_1") : a.module == about(t, w->code[k]).module)
			return true;
	}
	return false;
}

/* The frame of libgcc's that may have lost its return address, or the walk's end: it must be in its last call (which calls
 * nothing itself), or behind that. */
static uint32_t
rewritten(struct truth *t)
{
	const struct walk *w = t->walk;

	for (uint32_t k = 0; k < w->n && t->arch != &arch_armv7; k++) {
		struct about a = about(t, w->code[k]);

		if (a.installs && (!k || k == 1 || about(t, w->code[k - 1]).trampoline || installing(t, k)))
			return k;
	}
	return w->n;
}

/* Whether only frames are wrong that longjmp is leaving: the first marked function called setjmp. */
static bool
jumping(struct truth *t)
{
	const struct walk *w = t->walk;

	if (w->n < 2 || !about(t, w->code[1]).marked || about(t, w->code[0]).marked)
		return false;
	for (uint32_t r = 0; r < t->n; r++)
		if (!t->told[r].left && at_site(t, 1, &t->told[r], true) && match(t, 1, r, t->stack->piece->lo, false))
			return true;
	return false;
}

const char *
truth_check(struct truth *t, const struct walk *w)
{
	t->walk = w;
	t->why = NULL;
	t->at = 0;
	if (!match(t, 0, 0, t->stack->piece->lo, true)) {
		uint32_t at = t->at;
		const char *why = t->why;

		if (at > rewritten(t) || jumping(t)) {
			t->excused++;
			return NULL;
		}
		t->at = at;
		return why ? why : "wrong";
	}
	t->why = NULL;
	if (t->live && w->end == WALK_ROOT && !check_tail(t, tail_of(t)))
		return t->why;
	return NULL;
}

void
truth_name(struct truth *t, uint32_t code, char *buf, size_t n)
{
	static const char *const marks[] = { "[truncated]", "[elided]", "[kernel]", "[unknown]" };
	const struct code *c = &t->codes->code[code];
	struct about a = about(t, code);
	const char *module = t->modules->module[c->module]->name;

	if (code < CODE_MARKS)
		snprintf(buf, n, "%s", marks[code]);
	else if (a.name)
		snprintf(buf, n, "%s+%#" PRIx64 " (%s)", a.name, c->vaddr - a.start, module ? module : "jit");
	else
		snprintf(buf, n, "%#" PRIx64 " (%s)", c->vaddr, module ? module : "jit");
}

void
truth_dump(struct truth *t, FILE *f)
{
	enum { SHOWN = 16 };
	const struct walk *w = t->walk;
	char name[256], ra[256], site[256];

	fprintf(f, "  sp %#" PRIx64 ", %" PRIu64 " bytes copied; %s\n", t->stack->piece->lo, t->stack->piece->size, walk_end_words[w->end]);
	for (uint32_t k = t->at > SHOWN ? t->at - SHOWN : 0; k < w->n && k < t->at + SHOWN; k++) {
		truth_name(t, w->code[k], name, sizeof name);
		fprintf(f, "  %s frame %3u  %s\n", k == t->at ? "=>" : "  ", k, name);
	}
	if (t->at >= w->n)
		fprintf(f, "  => end\n");
	for (uint32_t r = t->at > SHOWN ? t->at - SHOWN : 0; r < t->n && r < t->at + SHOWN; r++) {
		const struct told *told = &t->told[r];

		truth_name(t, code_at(t, told->fn), name, sizeof name);
		truth_name(t, code_at(t, told->ra - 1), ra, sizeof ra);
		truth_name(t, told->site ? code_at(t, told->site) : CODE_UNKNOWN, site, sizeof site);
		fprintf(f, "     %s %3u  %#" PRIx64 "  %s, returns to %s, id %" PRIu64 ", calls at %s\n", told->left ? "left  " : "record",
		        r, told->at, name, ra, told->id, told->site ? site : "-");
	}
}

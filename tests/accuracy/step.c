/* step [OPTION...] ARCH PROGRAM [ARG...]: runs a program of another machine under qemu's user emulation, instruction by
 * instruction (its gdb stub), follows calls and returns, and unwinds before each one: every frame must be one that was
 * called.  Prints one line; exit 1 if a frame was wrong or hardly anything was tested.
 *	-L DIR      root of the machine's files (/usr/ARCH-linux-gnu)
 *	-n STEPS    take at most so many steps (1000000)
 *	-C PERCENT  so many stacks must be complete (0)
 *	-d NUMBER   show so many wrong stacks (3)
 *	-i NUMBER   show so many incomplete ones (0)
 *	-v          also ask qemu for the length of vectors (aarch64)
 *	-o FILE     write a sample of each address that it passes; tests/data/record describes the form */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sym/module/symtab.h"
#include "unwind/rule.h"
#include "unwind/unwind.h"
#include "../unit/elfwrite.h"

enum { SIGNAL_FRAME = 128, CALLS_MAX = 4096, COPY = 1 << 16, PACKET = 1 << 14, SEEN = 1 << 20, RECORDED_MAX = 4096, RECORDS_MAX = 4000 };

/* A frame in which execution will go on: at PC, with SP. EXACT: something interrupted it. */
struct call {
	uint64_t pc, sp;
	bool exact;
};

static const struct machine {
	const struct arch *arch;
	const char *qemu, *cpu, *root;
} machines[] = {
	{ &arch_aarch64, "aarch64", "max", "/usr/aarch64-linux-gnu" },
	{ &arch_riscv64, "riscv64", "rv64", "/usr/riscv64-linux-gnu" },
	{ &arch_armv7, "arm", "max", "/usr/arm-linux-gnueabihf" },
	{ &arch_i686, "i386", "max", "/usr/i686-linux-gnu" },
};

struct stepper {
	const struct machine *machine;
	const struct arch *arch;
	uint64_t base;             /* where qemu has the program's address 0 */
	const char *root;
	int fd, mem;               /* qemu's stub; its memory, which is the program's too */
	pid_t pid;
	char socket[64];
	uint8_t in[PACKET];
	size_t from, to;
	bool asked, vectors;
	uint64_t steps_max, show, incomplete;
	double complete;
	FILE *out;

	struct modules modules;
	struct codes codes;
	struct space space;
	struct unwinder *unwinder;
	struct walk quick, full;
	uint8_t copy[COPY];

	struct regs now, before;
	bool thumb;                /* at NOW */
	bool was_thumb;
	uint8_t insn[4];           /* at BEFORE */
	int signal;                /* that is about to be handled */
	bool pending;
	struct call call[CALLS_MAX];
	unsigned ncall;

	uint64_t steps, wrong, cut, whole, excused, addresses;
	uint64_t ends[WALK_ENDS], by[3];
	uint8_t seen[SEEN];
};

/* ---- the stub ---- */

static volatile sig_atomic_t over;

static void
stop(int sig)
{
	over = sig;
}

static void
die(const char *what)
{
	printf("step: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int
next_byte(struct stepper *s)
{
	if (s->from == s->to) {
		ssize_t n = read(s->fd, s->in, sizeof s->in);

		if (n <= 0)
			return -1;
		s->from = 0;
		s->to = (size_t)n;
	}
	return s->in[s->from++];
}

/* Asks, and takes the answer; false at the end. */
static bool
ask(struct stepper *s, const char *what, char *answer, size_t size)
{
	char packet[256];
	unsigned sum = 0;
	size_t n = 0;
	int c;

	for (const char *p = what; *p; p++)
		sum += (unsigned char)*p;
	snprintf(packet, sizeof packet, "%s$%s#%02x", s->asked ? "+" : "", what, sum & 255);
	s->asked = true;
	if (write(s->fd, packet, strlen(packet)) < 0)
		return false;
	while ((c = next_byte(s)) != '$')
		if (c < 0)
			return false;
	while ((c = next_byte(s)) != '#') {
		if (c < 0 || n + 1 == size)
			return false;
		answer[n++] = (char)c;
	}
	answer[n] = 0;
	next_byte(s);
	next_byte(s);
	return true;
}

static void
start(struct stepper *s, char **argv)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	char qemu[64], answer[PACKET], path[64];

	snprintf(s->socket, sizeof s->socket, "/tmp/step.%d", (int)getpid());
	snprintf(qemu, sizeof qemu, "qemu-%s-static", s->machine->qemu);
	strcpy(to.sun_path, s->socket);
	if ((s->pid = fork()) < 0)
		die("fork");
	if (!s->pid) {
		char *args[64] = { qemu, "-cpu", (char *)s->machine->cpu, "-L", (char *)s->root,
		                   "-g", s->socket, "-B", s->base ? "0x100000000000" : "0" };

		dup2(open("/dev/null", O_WRONLY), 1);
		for (unsigned i = 0; argv[i] && i < 50; i++)
			args[9 + i] = argv[i];
		execvp(qemu, args);
		_exit(127);
	}
	s->fd = socket(AF_UNIX, SOCK_STREAM, 0);
	for (unsigned i = 0; connect(s->fd, (struct sockaddr *)&to, sizeof to); i++) {
		if (i == 1000 || waitpid(s->pid, NULL, WNOHANG))
			die(qemu);
		usleep(20000);
	}
	snprintf(path, sizeof path, "/proc/%d/mem", s->pid);
	if ((s->mem = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		die(path);
	if (!ask(s, "?", answer, sizeof answer) || (s->vectors && !ask(s, "qXfer:features:read:target.xml:0,1000", answer, sizeof answer)))
		die("qemu's stub");
}

static uint64_t
hex(const char *p, unsigned bytes)
{
	uint64_t v = 0;
	unsigned b;

	for (unsigned i = 0; i < bytes && sscanf(p + 2 * i, "%2x", &b) == 1; i++)
		v |= (uint64_t)b << 8 * i;
	return v;
}

/* General registers and pc, in DWARF's numbers. */
static bool
read_registers(struct stepper *s)
{
	const struct arch *a = s->arch;
	char answer[PACKET];

	if (!ask(s, "g", answer, sizeof answer))
		return false;
	for (unsigned i = 0; i <= a->pc; i++)   /* all count as DWARF does, then comes pc */
		s->now.r[i] = hex(answer + 2 * a->word * i, a->word);
	s->now.known = (UINT64_C(2) << a->pc) - 1;
	if (s->vectors) {   /* the last register of the feature "sve", behind 34 others */
		if (!ask(s, "p55", answer, sizeof answer))
			return false;
		s->now.r[VECTOR] = hex(answer, 8);
		s->now.known |= (uint64_t)1 << VECTOR;
	}
	s->was_thumb = s->thumb;
	s->thumb = a == &arch_armv7 && hex(answer + 2 * 164, 4) & 0x20;   /* CPSR, behind registers of old */
	return true;
}

/* ---- what is mapped ---- */

static void
map_file(struct stepper *s, uint64_t lo, uint64_t hi, uint64_t off, const char *path)
{
	struct map m = { .lo = lo, .hi = hi, .off = off };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	m.module = module_file(&s->modules, fd, path);
	close(fd);
	if (!m.module || m.module->bad || m.module->elf.machine != s->arch->machine)
		return;
	for (uint32_t i = 0; i < m.module->elf.nload; i++) {
		const struct segment *g = &m.module->elf.load[i];

		m.exec |= g->exec && off <= g->off && g->off < off + (hi - lo);
		m.exec |= g->exec && g->off <= off && off < g->off + g->filesz;
	}
	space_bind(&m, m.module);
	if (m.exec)
		space_add(&s->space, &m);
}

/* qemu's own page with the signal trampolines, as a vdso has them. */
static void
map_page(struct stepper *s, uint64_t addr)
{
	struct map m = { .lo = addr & ~UINT64_C(4095), .exec = true, .file = 1000 };
	struct elfwrite w = elfwrite_new(true, false);
	uint8_t page[4096];
	struct bytes file;

	if (pread(s->mem, page, sizeof page, (off_t)s->base + (off_t)m.lo) != sizeof page)
		return;
	w.machine = s->arch->machine;
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, page, sizeof page);
	file = elfwrite_finish(&w);
	m.hi = m.lo + 4096;
	m.module = module_image(&s->modules, "[trampoline]", file.p, file.n);
	m.bias = m.lo - 0x1000;
	m.lo -= 16;   /* the page begins with it, and prof looks up a return address by the byte before it */
	bytes_free(&file);
	space_add(&s->space, &m);
}

static void
read_maps(struct stepper *s, uint64_t want)
{
	char path[64], line[512], file[400];
	uint64_t lo, hi, off;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/maps", s->pid);
	if (!(f = fopen(path, "r")))
		return;
	space_clear(&s->space);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %399s", &lo, &hi, &off, file) == 4 && file[0] == '/')
			map_file(s, lo - s->base, hi - s->base, off, file);
	fclose(f);
	if (!space_find(&s->space, want))
		map_page(s, want);
	space_renew(&s->space);
}

/* ---- calls and returns ---- */

/* Whether the instruction is a call, whose return address is in the register then: told without prof's decoders. */
static bool
is_call(const struct stepper *s)
{
	uint32_t w;

	memcpy(&w, s->insn, 4);
	if (s->arch == &arch_armv7 && s->was_thumb)
		return (w & 0xc000f800) == 0xc000f000 || (w & 0xff87) == 0x4780;
	if (s->arch == &arch_armv7)
		return (w & 0x0f000000) == 0x0b000000 || (w & 0xfe000000) == 0xfa000000 || (w & 0x0ffffff0) == 0x012fff30;
	if (s->arch == &arch_aarch64)
		return w >> 26 == 0x25 || (w & 0xfffffc1f) == 0xd63f0000 || (w & 0xfefff800) == 0xd63f0800;
	if ((w & 3) == 3)
		return (w & 0xfff) == 0xef || (w & 0xfff) == 0x2ef || (w & 0x7fff) == 0xe7 || (w & 0x7fff) == 0x2e7;
	return (w & 0xf07f) == 0x9002 && w & 0xf80;
}

static unsigned
length(const struct stepper *s)
{
	if (s->arch == &arch_armv7)
		return s->was_thumb && (s->insn[1] >> 3) < 0x1d ? 2 : 4;
	return s->arch == &arch_aarch64 || (s->insn[0] & 3) == 3 ? 4 : 2;
}

static void
push(struct stepper *s, struct call c)
{
	if (s->ncall == CALLS_MAX)
		die("too deep");
	s->call[s->ncall++] = c;
}

/* The function whose code is there, or "". */
static const char *
function(struct stepper *s, uint64_t addr)
{
	struct map *m = space_find(&s->space, addr);
	struct symbol f;

	return m && symtab_find(&s->modules, m->module, addr - m->bias, &f) ? f.name : "";
}

/* longjmp and exceptions leave several frames at once. Every call with a lower sp is over, and so is the call of the function that
 * they land in. */
static void
land(struct stepper *s, uint64_t pc, uint64_t sp)
{
	while (s->ncall && s->call[s->ncall - 1].sp < sp)
		s->ncall--;
	while (s->ncall && s->call[s->ncall - 1].sp == sp && !strcmp(function(s, s->call[s->ncall - 1].pc), function(s, pc)))
		s->ncall--;
}

/* The return address that the instruction pushed; 0 if it was no call. A call of the very next instruction only asks for its own
 * address. */
static uint64_t
pushed(const struct stepper *s)
{
	const struct arch *a = s->arch;
	uint64_t was = s->before.r[a->pc], pc = s->now.r[a->pc], ra = 0;

	if (s->now.r[a->sp] != s->before.r[a->sp] - a->word || pread(s->mem, &ra, a->word, (off_t)s->base + (off_t)s->now.r[a->sp]) != a->word ||
	    ra == pc || ra - was < 2 || ra - was > 7)
		return 0;
	return ra;
}

/* How much sp has moved in a function's first instruction. */
static int32_t
first_move(struct stepper *s)
{
	struct map *m = space_find(&s->space, s->now.r[s->arch->pc]);
	struct symbol f;
	struct insn i;

	if (!m || !symtab_find(&s->modules, m->module, s->now.r[s->arch->pc] - m->bias, &f))
		return 0;
	s->unwinder->code.space = &s->space;
	code_decode(&s->unwinder->code, m->module, f.lo, &i);
	return i.op == INSN_PUSH ? -(int32_t)s->arch->word : i.op == INSN_SP_ADD || i.op == INSN_SAVE ? i.off : 0;
}

/* From BEFORE to NOW by the instruction there. */
static void
follow(struct stepper *s)
{
	const struct arch *a = s->arch;
	uint64_t pc = s->now.r[a->pc], sp = s->now.r[a->sp], was = s->before.r[a->pc];
	struct call *top = s->ncall ? &s->call[s->ncall - 1] : NULL;
	uint64_t next = was + length(s);
	struct insn i;

	s->pending |= s->signal != 0;
	s->signal = 0;
	if (s->pending && s->before.r[a->sp] - sp - SIGNAL_FRAME < 8192 && pc != next) {
		uint64_t ra = s->now.r[a->ra] & a->addr_mask;

		/* The handler's first instruction has been executed, too. */
		sp -= (uint64_t)(int64_t)first_move(s);
		if (a->ra == a->pc && pread(s->mem, &ra, a->word, (off_t)s->base + (off_t)sp) == a->word)
			sp += a->word;
		if (!space_find(&s->space, ra))
			map_page(s, ra);
		push(s, (struct call){ was, s->before.r[a->sp], true });
		push(s, (struct call){ ra, sp, false });
		s->pending = false;
		return;
	}
	if (a->ra == a->pc ? (next = pushed(s)) != 0 : is_call(s) && (pc != next || s->arch != &arch_armv7)) {
		push(s, (struct call){ next, sp, false });
		return;
	}
	if (a->ra != a->pc && pc == next)
		return;
	/* A system call and the instruction after it are one step. */
	a->decode(s->insn, 4, &i);
	if (i.op == INSN_SYSCALL && a->word == 8 && pread(s->mem, s->insn, 4, (off_t)s->base + (off_t)(was + 4)) == 4 && is_call(s) && s->now.r[a->ra] == was + 4 + length(s)) {
		push(s, (struct call){ s->now.r[a->ra], sp, false });
		return;
	}
	if (top && top->exact && sp - top->sp + 64 <= 128 && pc - top->pc <= 12 && sp - s->before.r[a->sp] - SIGNAL_FRAME < 8192) {
		s->ncall--;
		return;
	}
	if (top && top->exact && s->ncall > 1 && pc == top[-1].pc && sp == top[-1].sp) {
		s->ncall -= 2;
		return;
	}
	if (top && pc == top->pc && sp - top->sp <= (a->ra == a->pc ? 32 : 0)) {   /* it may also remove arguments */
		s->ncall--;
		return;
	}
	if (top && top->sp < sp)
		land(s, pc, sp);
}

/* ---- comparing ---- */

static bool
same(struct stepper *s, uint32_t code, uint64_t addr)
{
	struct map *m = space_find(&s->space, addr);
	const struct code *c = &s->codes.code[code];

	return m && c->module == m->module->id && c->vaddr == addr - m->bias;
}

/* ARM's _Unwind_RaiseException and _Unwind_Resume go on with the registers that they keep in their frame, of which sp is at 60
 * (libgcc's libunwind.S): the call whose frame that is, if it is CODE's function's; 0 where there is none. */
static unsigned
gone_on(struct stepper *s, unsigned call, uint32_t code)
{
	const struct code *c = &s->codes.code[code];
	uint32_t sp = 0;
	struct symbol f;

	if (s->arch != &arch_armv7 || strncmp(function(s, s->call[call].pc), "_Unwind_R", 9) ||
	    pread(s->mem, &sp, 4, (off_t)s->base + (off_t)s->call[call].sp + 60) != 4 ||
	    !symtab_find(&s->modules, s->modules.module[c->module], c->vaddr, &f))
		return 0;
	while (call-- > 0)
		if (s->call[call].sp == sp && !strcmp(function(s, s->call[call].pc), f.name))
			return call + 1;
	return 0;
}

static const char *
compare(struct stepper *s, const struct walk *w, uint32_t *at)
{
	unsigned call = s->ncall, on;

	*at = 0;
	if (!same(s, w->code[0], s->now.r[s->arch->pc]))
		return "not what was interrupted";
	for (*at = 1; *at < w->n; ++*at) {
		if (!call--)
			return "a frame too many";
		if (same(s, w->code[*at], s->call[call].pc - !s->call[call].exact))
			continue;
		if (call + 1 == s->ncall || !(on = gone_on(s, call + 1, w->code[*at])))
			return "not what was called";
		call = on - 1;
	}
	return w->end == WALK_ROOT && call ? "complete, as the unwinder says, but it was called by others" : NULL;
}

static void
say(struct stepper *s, uint64_t addr, const char *what)
{
	struct map *m = space_find(&s->space, addr);
	struct symbol f;

	if (m && symtab_find(&s->modules, m->module, addr - m->bias, &f))
		printf("    %s %#" PRIx64 " %s+%#" PRIx64 " (%s)\n", what, addr - m->bias, f.name, addr - m->bias - f.lo, m->module->name);
	else
		printf("    %s %#" PRIx64 " (%s)\n", what, m ? addr - m->bias : addr, m ? m->module->name : "?");
}

static void
show(struct stepper *s, const struct walk *w, const char *why, uint32_t at)
{
	printf("  step %" PRIu64 ": %s; frame %u of %u, %s; by cfi %u, fp %u, code %u\n", s->steps, why, at, w->n,
	       walk_end_words[w->end], w->by_cfi, w->by_fp, w->by_code);
	for (uint32_t i = 0; i < w->n && i < 24; i++) {
		const struct code *c = &s->codes.code[w->code[i]];
		struct module *m = s->modules.module[c->module];
		struct symbol f;

		printf("    %s frame %u: %#" PRIx64 " %s (%s)\n", i == at ? "=>" : "  ", i, c->vaddr, symtab_find(&s->modules, m, c->vaddr, &f) ? f.name : "",
		       m->name);
	}
	say(s, s->now.r[s->arch->pc], "at");
	for (unsigned i = s->ncall; i-- > 0 && s->ncall - i < 12;)
		say(s, s->call[i].pc, s->call[i].exact ? "interrupted" : "called from");
	fflush(stdout);
}

static void
put(struct stepper *s, uint64_t v)
{
	fwrite(&v, s->arch->word, 1, s->out);
}

/* Writes a sample for tests/data, if it has not written a similar one: registers, the size and the bytes of the stack, the number
 * of frames and their addresses as linked. All are words of that machine. */
static void
record(struct stepper *s, const struct stack *stack)
{
	uint64_t pc = s->now.r[s->arch->pc], used = s->quick.used + 64;
	uint64_t hash = (pc ^ (uint64_t)(s->arch->word == 8 ? s->ncall & 3 : 0) << 50) * UINT64_C(0x9e3779b97f4a7c15) >> 44;

	if (!s->out || used > RECORDED_MAX || s->seen[hash]++ || s->addresses == RECORDS_MAX)
		return;
	used = used < stack->size ? used & ~UINT64_C(7) : stack->size;
	s->addresses++;
	for (unsigned i = 0; i <= s->arch->pc; i++)
		put(s, s->now.r[i]);
	put(s, used);
	fwrite(stack->bytes, 1, used, s->out);
	put(s, s->ncall + 1);
	for (unsigned i = 0; i <= s->ncall; i++) {
		uint64_t addr = i ? s->call[s->ncall - i].pc - !s->call[s->ncall - i].exact : pc;
		struct map *m = space_find(&s->space, addr);

		put(s, m ? addr - m->bias : 0);
	}
}

/* While longjmp, or gcc's way out of an exception, has replaced some of the registers, or a return address on the stack; of ARM's
 * way out that is the last instruction, which returns to the handler. */
static bool
excused(struct stepper *s)
{
	const char *caller = s->ncall ? function(s, s->call[s->ncall - 1].pc) : "", *leaf = function(s, s->now.r[s->arch->pc]);

	if (strstr(leaf, "_Unwind_"))
		return s->arch != &arch_armv7;
	/* aarch64's crt1.o has a wrapper of main in its _start. */
	return !strcmp(leaf, "restore_core_regs") || strstr(caller, "longjmp") || strstr(leaf, "longjmp") || !strcmp(leaf, "_start");
}

static void
check(struct stepper *s)
{
	struct stack stack = { .lo = s->now.r[s->arch->sp], .bytes = s->copy };
	ssize_t n = pread(s->mem, s->copy, sizeof s->copy, (off_t)s->base + (off_t)stack.lo);
	const char *why;
	uint32_t at;

	if (!space_find(&s->space, s->now.r[s->arch->pc]))
		read_maps(s, s->now.r[s->arch->pc]);
	stack.size = n < 0 ? 0 : (uint64_t)n;
	s->unwinder->full_always = false;
	unwind(s->unwinder, &s->space, &s->now, &stack, NULL, 0, &s->quick);
	why = compare(s, &s->quick, &at);
	if (!why) {
		s->unwinder->full_always = true;
		unwind(s->unwinder, &s->space, &s->now, &stack, NULL, 0, &s->full);
		if (s->full.n != s->quick.n || memcmp(s->full.code, s->quick.code, s->full.n * sizeof *s->full.code))
			why = "with all registers another stack";
	}
	s->ends[s->quick.end]++;
	s->by[0] += s->quick.by_cfi;
	s->by[1] += s->quick.by_fp;
	s->by[2] += s->quick.by_code;
	if (why && excused(s)) {
		s->excused++;
		return;
	}
	if (why) {
		if (s->wrong++ < s->show)
			show(s, &s->quick, why, at);
		return;
	}
	s->whole += s->quick.end == WALK_ROOT;
	s->cut += s->quick.end != WALK_ROOT;
	if (s->quick.end != WALK_ROOT && s->incomplete && !s->seen[SEEN - 1 - s->now.r[s->arch->pc] % 4096]++) {
		s->incomplete--;
		show(s, &s->quick, "incomplete", s->quick.n - 1);
	}
	record(s, &stack);
}

/* An exclusive load and its store work only without a stop between them, so this runs to every place to which the loop around them
 * may lead. */
static bool
run_loop(struct stepper *s, char *answer, size_t size)
{
	uint64_t pc = s->now.r[s->arch->pc], to[8];
	uint32_t w[16];
	unsigned n = 0;
	char what[64];
	struct insn i;

	if (pread(s->mem, w, sizeof w, (off_t)s->base + (off_t)pc) != sizeof w)
		return false;
	for (unsigned k = 1; k < 16 && n < 7; k++) {
		s->arch->decode((const uint8_t *)&w[k], 4, &i);
		if (i.op == INSN_BRANCH && i.target > 0)
			to[n++] = pc + 4 * k + (uint64_t)(int64_t)i.target;
		if (i.op == INSN_BRANCH && i.target < 0) {
			to[n++] = pc + 4 * k + 4;
			break;
		}
	}
	for (unsigned k = 0; k < n; k++) {
		snprintf(what, sizeof what, "Z0,%" PRIx64 ",4", to[k]);
		if (!ask(s, what, answer, size))
			return false;
	}
	if (!ask(s, "vCont;c", answer, size))
		return false;
	for (unsigned k = 0; k < n; k++) {
		char ignored[64];

		snprintf(what, sizeof what, "z0,%" PRIx64 ",4", to[k]);
		if (!ask(s, what, ignored, sizeof ignored))
			return false;
	}
	return n > 0;
}

static bool
exclusive(const struct stepper *s)
{
	uint32_t w;

	memcpy(&w, s->insn, 4);
	return s->arch == &arch_aarch64 && (w & 0x3fc00000) == 0x08400000;
}

static bool
step(struct stepper *s)
{
	char answer[PACKET], what[32];
	int sig;

	s->before = s->now;
	if (pread(s->mem, s->insn, 4, (off_t)s->base + (off_t)s->now.r[s->arch->pc]) < 2)
		return false;
	if (s->signal)
		snprintf(what, sizeof what, "vCont;S%02x", s->signal);
	else
		strcpy(what, "s");
	if (!(exclusive(s) && !s->signal ? run_loop(s, answer, sizeof answer) : ask(s, what, answer, sizeof answer)) || answer[0] == 'W' || answer[0] == 'X')
		return false;
	if (!read_registers(s))
		return false;
	follow(s);
	sig = answer[0] == 'T' ? (int)strtol((char[]){ answer[1], answer[2], 0 }, NULL, 16) : 0;
	s->signal = sig == 5 ? 0 : sig;
	return true;
}

static void
run(struct stepper *s)
{
	if (!read_registers(s))
		die("registers");
	for (; s->steps < s->steps_max && !over; s->steps++) {
		check(s);
		if (!step(s))
			break;
	}
	if (over)
		say(s, s->before.r[s->arch->pc], "stopped at");
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	unlink(s->socket);
}

int
main(int argc, char **argv)
{
	static struct stepper s = { .show = 3, .steps_max = 1000000 };
	double complete;
	int opt;

	while ((opt = getopt(argc, argv, "+L:n:C:d:i:vo:")) != -1)
		switch (opt) {
		case 'L': s.root = optarg; break;
		case 'n': s.steps_max = strtoull(optarg, NULL, 0); break;
		case 'C': s.complete = atof(optarg); break;
		case 'd': s.show = strtoull(optarg, NULL, 0); break;
		case 'i': s.incomplete = strtoull(optarg, NULL, 0); break;
		case 'v': s.vectors = true; break;
		case 'o': s.out = fopen(optarg, "wb"); break;
		default: return 2;
		}
	if (argc - optind < 2)
		return 2;
	for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++)
		if (!strcmp(machines[i].arch->name, argv[optind]))
			s.machine = &machines[i];
	if (!s.machine)
		return 2;
	s.arch = s.machine->arch;
	s.base = s.arch->word == 4 ? UINT64_C(0x100000000000) : 0;
	if (!s.root)
		s.root = s.machine->root;
	if (!modules_init(&s.modules) || !codes_init(&s.codes) ||
	    !(s.unwinder = unwinder_new(s.arch, &s.modules, &s.codes, MODE_AUTO, 512)))
		return 1;
	space_init(&s.space);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = stop }, NULL);
	start(&s, argv + optind + 1);
	run(&s);
	if (s.out)
		fclose(s.out);
	complete = 100.0 * (double)s.whole / (double)(s.whole + s.cut + s.wrong + !s.steps);
	printf("%" PRIu64 " steps, %.2f%% complete, wrong %" PRIu64 ", excused %" PRIu64 ", frames: %" PRIu64 " cfi %" PRIu64 " fp %" PRIu64
	       " code;", s.steps, complete, s.wrong, s.excused, s.by[0], s.by[1], s.by[2]);
	for (unsigned i = 1; i < WALK_ENDS; i++)
		if (s.ends[i])
			printf(" %s: %" PRIu64, walk_end_words[i], s.ends[i]);
	if (s.out)
		printf(" %" PRIu64 " samples", s.addresses);
	puts("");
	return s.wrong || s.steps < 1000 || complete < s.complete;
}

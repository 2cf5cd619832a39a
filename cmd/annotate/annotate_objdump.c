/* See annotate_objdump.h.  It asks objdump, of binutils or LLVM, about a function.  Somebody may have made the file to harm
 * objdump.  So objdump gets a copy without debug information, runs without root's rights, has limits of time and memory, and
 * prof bounds what it reads from it. */
#include "annotate_objdump.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lines.h"
#include "lib/text.h"
#include "lib/msg.h"
#include "cmd/capture/rights.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/foreign.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u   /* Linux 6.3 */
#endif

enum { COPY_MAX = 1 << 30, HOLES_MAX = 64, OUTPUT_MAX = 64 << 20, TEXT_MAX = 300, NOBODY = 65534 };
enum { COPY_PIECE = 1 << 20, TOUCH_EVERY = 4096 };
enum { SECONDS_CPU = 30, SECONDS = 60, COPY_FD = 3, NOT_THERE = 127, PROGRAMS = 3 };

bool
objdump_line(char *line, uint64_t *address, const char **text)
{
	const char *p = line + strspn(line, " \t");
	char *from, *to, *end;

	if (!text_hex(&p, address) || *p != ':' || (p[1] != '\t' && p[1] != ' '))
		return false;
	from = to = line + (p + 1 - line);
	from += strspn(from, " \t");
	*text = to;
	end = from + strlen(from);
	while (end > from && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	for (; from < end; from++)
		if (*from != '\t' || to == *text || to[-1] != ' ')
			*to++ = *from == '\t' ? ' ' : *from;
	if (to - *text > TEXT_MAX)
		to = line + (*text - line) + TEXT_MAX;
	*to = 0;
	return to > *text;
}

/* What need not be copied: offsets of debug sections. */
struct hole {
	uint64_t lo, hi;
};

static unsigned
find_holes(const struct elf *e, struct hole *hole)
{
	struct section s;
	unsigned n = 0;

	for (uint32_t i = 0; i < e->nsection && n < HOLES_MAX; i++)
		if (elf_section(e, i, &s) && !s.addr && s.size && s.off + s.size > s.off &&
		    (strncmp(s.name, ".debug", 6) == 0 || strncmp(s.name, ".zdebug", 7) == 0))
			hole[n++] = (struct hole){ s.off, s.off + s.size };
	return n;
}

/* The beginning of the next hole from AT on (or the file's end); *BEHIND becomes the hole's end. */
static uint64_t
next_hole(const struct hole *hole, unsigned n, uint64_t at, uint64_t size, uint64_t *behind)
{
	uint64_t lo = size;

	*behind = size;
	for (unsigned i = 0; i < n; i++)
		if (hole[i].hi > at && hole[i].lo < lo) {
			lo = hole[i].lo > at ? hole[i].lo : at;
			*behind = hole[i].hi < size ? hole[i].hi : size;
		}
	return lo;
}

/* Makes an empty file without a name, for a copy; -1 if that fails. */
static int
make_copy(uint64_t size)
{
	int fd = size > COPY_MAX ? -1 : memfd_create("code", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("code", MFD_CLOEXEC);
	if (fd >= 0 && (ftruncate(fd, (off_t)size) || fchmod(fd, 0444))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Asks the keeper, because prof itself has no rights any more. */
__attribute__((format(printf, 2, 3))) static int
ask_for(int with, const char *fmt, ...)
{
	char words[100];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof words, fmt, ap);
	va_end(ap);
	return rights_ask(words, with);
}

/* Touches pages of a file that another process reads (lib/asked_map.h): before that they are not there, and the kernel would not
 * find them. */
static const void *
touched(const uint8_t *p, size_t n)
{
	const volatile uint8_t *at = p;

	for (size_t i = 0; i < n; i += TOUCH_EVERY)
		(void)at[i];
	(void)at[n - 1];
	return p;
}

/* Copies the module's bytes. */
static int
copy_module(const struct module *m)
{
	const uint8_t *data = m->elf.bytes.pos;
	uint64_t size = cur_left(&m->elf.bytes), behind;
	struct hole hole[HOLES_MAX];
	unsigned holes = find_holes(&m->elf, hole);
	int fd = foreign_door ? ask_for(-1, "copy %llu", (unsigned long long)size) : make_copy(size);

	for (uint64_t at = 0; fd >= 0 && at < size; at = behind) {
		uint64_t end = next_hole(hole, holes, at, size, &behind);

		while (fd >= 0 && at < end) {
			size_t some = end - at < COPY_PIECE ? (size_t)(end - at) : COPY_PIECE;
			ssize_t n = lseek(fd, (off_t)at, SEEK_SET) < 0 ? -1 : write(fd, touched(data + at, some), some);

			if (n <= 0) {
				close(fd);
				fd = -1;
			} else
				at += (uint64_t)n;
		}
	}
	return fd;
}

static void
limit(int what, rlim_t most)
{
	setrlimit(what, &(struct rlimit){ most, most });
}

static void
become_objdump(const char *program, int copy, int out, uint64_t lo, uint64_t hi)
{
	char start[40], stop[40], path[] = "/proc/self/fd/3";
	char *argv[] = { (char *)(uintptr_t)program, (char[]){ "-d" }, (char[]){ "-C" }, (char[]){ "--no-show-raw-insn" },
		         start, stop, path, NULL };
	char *env[] = { (char[]){ "LC_ALL=C.UTF-8" }, NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	snprintf(start, sizeof start, "--start-address=0x%llx", (unsigned long long)lo);
	snprintf(stop, sizeof stop, "--stop-address=0x%llx", (unsigned long long)hi);
	if (null < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		return;
	if (copy == COPY_FD ? fcntl(copy, F_SETFD, 0) < 0 : dup2(copy, COPY_FD) < 0)
		return;
	execvpe(program, argv, env);
}

/* Gives up all that it got from the process that forked it, and goes on like any program. */
static bool
give_up_rights(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	limit(RLIMIT_CPU, SECONDS_CPU);
	limit(RLIMIT_AS, (rlim_t)4096 << 20);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	return (geteuid() || sandbox_become(NOBODY, NOBODY)) &&
	       !sandbox_lacks(sandbox_enter(LAYER_RIGHTS | LAYER_NO_NEW) | LAYER_CALLS);
}

/* Waits for objdump, and adds a last line that says how it ended, because half of a function would mislead. */
__attribute__((noreturn)) static void
watch(const char *program, int copy, int out, uint64_t lo, uint64_t hi)
{
	int status = -1;
	pid_t pid;

	if (give_up_rights() && (pid = fork()) >= 0) {
		if (!pid) {
			alarm(SECONDS);
			become_objdump(program, copy, out, lo, hi);
			_exit(NOT_THERE);
		}
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		_exit(write(out, "\n!\n", 3) < 0);
	_exit(0);
}

/* Starts objdump: the descriptor of its output, or -1.  Nobody has to wait for its end. */
static int
start(const char *program, int copy, uint64_t lo, uint64_t hi)
{
	int out[2];
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return -1;
	if ((pid = fork()) == 0) {
		if ((pid = fork()) == 0)
			watch(program, copy, out[1], lo, hi);
		_exit(pid < 0);
	}
	close(out[1]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (pid > 0)
		return out[0];
	close(out[0]);
	return -1;
}

/* Cross compilers have disassemblers for code that this machine's own does not know. */
static const char *
cross(unsigned machine)
{
	switch (machine) {
	case 40:
		return "arm-linux-gnueabihf-objdump";
	case 62:
		return "x86_64-linux-gnu-objdump";
	case 183:
		return "aarch64-linux-gnu-objdump";
	case 243:
		return "riscv64-linux-gnu-objdump";
	default:
		return NULL;
	}
}

/* The disassembler of that number, or NULL. */
static const char *
program_of(const char *given, unsigned number, unsigned machine)
{
	const char *const program[PROGRAMS] = { given ? given : "objdump", given ? NULL : "llvm-objdump", given ? NULL : cross(machine) };

	return number < PROGRAMS ? program[number] : NULL;
}

static int
start_numbered(const char *given, unsigned number, unsigned machine, int copy, uint64_t lo, uint64_t hi)
{
	const char *program = program_of(given, number, machine);

	return program ? start(program, copy, lo, hi) : -1;
}

/* Reads N numbers that follow WORD in WORDS. */
static bool
numbers(const char *words, const char *word, uint64_t *number, unsigned n)
{
	size_t len = strlen(word);

	if (strncmp(words, word, len))
		return false;
	for (words += len; n && *words == ' '; n--)
		if (words++, !text_dec(&words, number++))
			return false;
	return !n && !*words;
}

long
objdump_serve(const char *program, const char *words, int with, int *fd)
{
	uint64_t n[4];

	errno = EINVAL;
	if (with < 0 && numbers(words, "copy", n, 1))
		*fd = make_copy(n[0]);
	else if (with >= 0 && numbers(words, "run", n, 4) && n[0] < PROGRAMS && n[1] <= UINT16_MAX)
		*fd = start_numbered(program, (unsigned)n[0], (unsigned)n[1], with, n[2], n[3]);
	return *fd < 0 ? -1 : 0;
}

/* Takes the instructions in [LO, HI), which come in their order; returns how many. */
static uint32_t
take_lines(struct objdump *o, int fd, uint32_t mapping, uint64_t lo, uint64_t hi, bool *failed)
{
	struct lines lines;
	uint64_t at, least = lo;
	const char *text;
	uint32_t n = 0;
	char *line;

	lines_open(&lines, fd);
	lines.left = OUTPUT_MAX;
	while ((line = lines_next(&lines))) {
		*failed |= *line == '!';
		if (!objdump_line(line, &at, &text) || at < least || at >= hi)
			continue;
		if (!(text = arena_str(o->arena, text, strlen(text))) || !annotation_instruction(o->a, mapping, at, text))
			break;
		least = at + 1;
		n++;
	}
	return n;
}

static uint32_t
ask(struct objdump *o, unsigned number, const struct module *m, uint32_t mapping, uint64_t lo, uint64_t hi)
{
	uint32_t before = o->a->ninstruction, n;
	unsigned machine = m->elf.machine;
	bool failed = false;
	int fd;

	if (!program_of(o->program, number, machine))
		return 0;
	fd = foreign_door ? ask_for(o->copy, "run %u %u %llu %llu", number, machine, (unsigned long long)lo, (unsigned long long)hi)
	                  : start_numbered(o->program, number, machine, o->copy, lo, hi);
	if (fd < 0)
		return 0;
	n = take_lines(o, fd, mapping, lo, hi, &failed);
	close(fd);
	if (failed) {
		o->a->ninstruction = before;
		return 0;
	}
	return n;
}

void
objdump_close(struct objdump *o)
{
	if (o->copied && o->copy >= 0)
		close(o->copy);
	o->copied = NULL;
}

uint32_t
objdump_range(struct objdump *o, struct module *m, uint32_t mapping, uint64_t lo, uint64_t hi, const char **why)
{
	uint32_t n = 0;

	if (o->copied != m) {
		objdump_close(o);
		o->copy = copy_module(m);
		o->copied = m;
	}
	if (o->copy < 0) {
		*why = "prof cannot store a copy of the code";
		return 0;
	}
	for (unsigned i = o->first; !n && i < PROGRAMS; i++)
		if ((n = ask(o, i, m, mapping, lo, hi)))
			o->first = i;   /* prof does not ask those that failed again */
	if (!n)
		*why = o->program ? o->program : "neither objdump nor llvm-objdump on PATH knows this machine";
	return n;
}

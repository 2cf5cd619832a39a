/* objdump, binutils' or LLVM's, asked about a function.  What it reads may have been made to harm it: it gets a copy
 * without debug information, runs without root's rights, has limits of time and memory, and what it says is bounded. */
#include "annotate_code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/msg.h"
#include "sample/rights/sandbox.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u   /* Linux 6.3 */
#endif

enum { COPY_MAX = 1 << 30, HOLES_MAX = 64, OUTPUT_MAX = 64 << 20, TEXT_MAX = 300, NOBODY = 65534 };
enum { SECONDS_CPU = 30, SECONDS = 60, COPY_FD = 3, NOT_THERE = 127 };

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

/* Where the next hole begins (or the file ends) from AT on, and in *BEHIND where that ends. */
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

/* The module's bytes as a file of nobody's; -1 where that cannot be had. */
static int
copy_module(const struct module *m)
{
	const uint8_t *data = m->elf.bytes.pos;
	uint64_t size = cur_left(&m->elf.bytes), behind;
	struct hole hole[HOLES_MAX];
	unsigned holes = find_holes(&m->elf, hole);
	int fd = size > COPY_MAX ? -1 : memfd_create("code", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("code", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)size) || fchmod(fd, 0444)) {
		close(fd);
		return -1;
	}
	for (uint64_t at = 0; at < size; at = behind) {
		for (uint64_t end = next_hole(hole, holes, at, size, &behind); at < end;) {
			ssize_t n = pwrite(fd, data + at, (size_t)(end - at), (off_t)at);

			if (n <= 0) {
				close(fd);
				return -1;
			}
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
	int null = open("/dev/null", O_RDWR);

	snprintf(start, sizeof start, "--start-address=0x%llx", (unsigned long long)lo);
	snprintf(stop, sizeof stop, "--stop-address=0x%llx", (unsigned long long)hi);
	if (null < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		return;
	if (copy == COPY_FD ? fcntl(copy, F_SETFD, 0) < 0 : dup2(copy, COPY_FD) < 0)
		return;
	limit(RLIMIT_CPU, SECONDS_CPU);
	limit(RLIMIT_AS, (rlim_t)4096 << 20);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	alarm(SECONDS);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (geteuid() == 0)
		sandbox_become(NOBODY, NOBODY);
	execvpe(program, argv, env);
}

/* Its output's descriptor, or -1. */
static int
start(const char *program, int copy, uint64_t lo, uint64_t hi, pid_t *pid)
{
	int out[2];

	if (pipe2(out, O_CLOEXEC))
		return -1;
	if ((*pid = fork()) == 0) {
		become_objdump(program, copy, out[1], lo, hi);
		_exit(NOT_THERE);
	}
	close(out[1]);
	if (*pid > 0)
		return out[0];
	close(out[0]);
	return -1;
}

static bool
succeeded(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Takes the instructions in [LO, HI), which come in their order; returns how many. */
static uint32_t
take_lines(struct code_reading *r, int fd, uint32_t mapping, uint64_t lo, uint64_t hi)
{
	struct lines lines;
	uint64_t at, least = lo;
	const char *text;
	uint32_t n = 0;
	char *line;

	lines_open(&lines, fd);
	lines.left = OUTPUT_MAX;
	while ((line = lines_next(&lines))) {
		if (!objdump_line(line, &at, &text) || at < least || at >= hi)
			continue;
		if (!(text = arena_str(r->arena, text, strlen(text))) || !code_add(r->a, mapping, at, text))
			break;
#ifdef PLANT_OBJDUMP
		least = at;
#else
		least = at + 1;
#endif
		n++;
	}
	return n;
}

static uint32_t
ask(struct code_reading *r, const char *program, int copy, uint32_t mapping, uint64_t lo, uint64_t hi)
{
	uint32_t before = r->a->ninstruction, n;
	pid_t pid;
	int fd = start(program, copy, lo, hi, &pid);

	if (fd < 0)
		return 0;
	n = take_lines(r, fd, mapping, lo, hi);
	close(fd);
	if (!succeeded(pid)) {   /* half of a function would mislead */
		r->a->ninstruction = before;
		return 0;
	}
	return n;
}

/* Of cross compilers: for code that this machine's own does not know. */
static const char *
cross(uint16_t machine)
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

void
objdump_close(struct code_reading *r)
{
	if (r->copied && r->copy >= 0)
		close(r->copy);
	r->copied = NULL;
}

uint32_t
objdump_range(struct code_reading *r, struct module *m, uint32_t mapping, uint64_t lo, uint64_t hi, const char **why)
{
	const char *program[] = { r->objdump ? r->objdump : "objdump", r->objdump ? NULL : "llvm-objdump",
		                  r->objdump ? NULL : cross(m->elf.machine) };
	uint32_t n = 0;

	if (r->copied != m) {
		objdump_close(r);
		r->copy = copy_module(m);
		r->copied = m;
	}
	if (r->copy < 0) {
		*why = "no room for a copy of the code";
		return 0;
	}
	for (unsigned i = 0; !n && i < sizeof program / sizeof *program; i++)
		if (program[i] && (n = ask(r, program[i], r->copy, mapping, lo, hi)))
			r->objdump = program[i];   /* those that failed are not asked again */
	if (!n)
		*why = r->objdump ? r->objdump : "neither objdump nor llvm-objdump on PATH knows the code";
	return n;
}

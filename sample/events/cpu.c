/* See cpu.h.  /sys/devices/system/cpu/online (Documentation/admin-guide/cputopology.rst), else the CPUs on which the scheduler
 * would run prof. */
#include "cpu.h"
#include "lib/file.h"
#include "lib/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORD = 8 * sizeof(unsigned long) };

static bool
has(const struct cpus *s, int32_t cpu)
{
	return s->bit[(uint32_t)cpu / WORD] >> (uint32_t)cpu % WORD & 1;
}

static void
add(struct cpus *s, int32_t cpu)
{
	s->bit[(uint32_t)cpu / WORD] |= 1ul << (uint32_t)cpu % WORD;
}

void
cpus_drop(struct cpus *s, int32_t cpu)
{
	s->bit[(uint32_t)cpu / WORD] &= ~(1ul << (uint32_t)cpu % WORD);
}

bool
cpus_mine(struct cpus *s)
{
	*s = (struct cpus){ { 0 } };
	return syscall(SYS_sched_getaffinity, 0, sizeof *s, s) > 0;
}

bool
cpus_keep_to(const struct cpus *s)
{
	static const struct cpus none;

	return memcmp(s, &none, sizeof none) != 0 && !syscall(SYS_sched_setaffinity, 0, sizeof *s, s);   /* the kernel takes long to refuse none */
}

static unsigned
numbers(const struct cpus *s, int32_t *cpu)
{
	unsigned n = 0;

	for (int32_t i = 0; i < CPUS_MAX; i++)
		if (has(s, i))
			cpu[n++] = i;
	return n;
}

static const char *
parse(const char *list, struct cpus *s)
{
	uint64_t lo, hi;

	*s = (struct cpus){ { 0 } };
	if (!*list)
		return "the list is empty; write it like 0,2-3";
	for (;; list++) {
		if (!text_dec(&list, &lo))
			return "this is not a list of CPUs; write it like 0,2-3";
		hi = lo;
		if (*list == '-' && (list++, !text_dec(&list, &hi)))
			return "a range of CPUs has no end; write it like 0,2-3";
		if (hi < lo)
			return "a range of CPUs runs backwards";
		if (hi >= CPUS_MAX)
			return "a CPU number is above 4095";
		for (; lo <= hi; lo++)
			add(s, (int32_t)lo);
		if (!*list)
			return NULL;
		if (*list != ',')
			return "this is not a list of CPUs; write it like 0,2-3";
	}
}

const char *
cpu_list(const char *list, int32_t *cpu, unsigned *n)
{
	struct cpus s;
	const char *why = parse(list, &s);

	*n = why ? 0 : numbers(&s, cpu);
	return why;
}

bool
cpu_in_list(const char *list, int32_t cpu)
{
	struct cpus s;

	return cpu >= 0 && cpu < CPUS_MAX && !parse(list, &s) && has(&s, cpu);
}

/* Without /sys: asks for every CPU, sees which of them prof gets, and puts prof's own mask back. */
static void
probe(struct cpus *s)
{
	struct cpus own, all;
	bool known = cpus_mine(&own);

	memset(&all, 0xff, sizeof all);
	*s = own;
	if (known && cpus_keep_to(&all)) {
		if (!cpus_mine(s))
			*s = own;
		cpus_keep_to(&own);
	}
}

static unsigned
online(struct cpus *s, int32_t *cpu, char *text, size_t cap)
{
	unsigned n = 0;

	if (file_text(AT_FDCWD, "/sys/devices/system/cpu/online", text, cap) > 0) {
		text[strcspn(text, "\n")] = 0;
		if (!parse(text, s) && (n = numbers(s, cpu)))
			return n;
	}
	*text = 0;
	probe(s);
	if ((n = numbers(s, cpu)))
		return n;
	add(s, 0);
	cpu[0] = 0;
	return 1;
}

unsigned
cpu_online(int32_t *cpu)
{
	struct cpus s;
	char text[1024];

	return online(&s, cpu, text, sizeof text);
}

/* proc(5), /proc/loadavg: three averages, then "RUNNABLE/ALL". */
uint32_t
cpu_wanted(void)
{
	char text[128];
	const char *p = text;
	uint64_t n;

	if (file_text(AT_FDCWD, "/proc/loadavg", text, sizeof text) <= 0)
		return 0;
	for (unsigned i = 0; i < 3; i++) {
		p += strcspn(p, " ");
		p += *p == ' ';
	}
	return text_dec(&p, &n) && *p == '/' && n < UINT32_MAX ? (uint32_t)n : 0;
}

const char *
cpu_choose(const char *list, int32_t *cpu, unsigned *n, struct arena *arena)
{
	const char *why;
	struct cpus s;
	char text[1024], words[256];

	online(&s, cpu, text, sizeof text);
	if ((why = cpu_list(list, cpu, n)))
		return why;
	for (unsigned i = 0; i < *n; i++)
		if (!has(&s, cpu[i])) {
			int len = snprintf(words, sizeof words, *text ? "CPU %d is not online; the online CPUs are %.200s" : "CPU %d is not online",
			                   (int)cpu[i], text);

			why = arena_str(arena, words, len < (int)sizeof words ? (size_t)len : sizeof words - 1);
			*n = 0;
			return why ? why : "one of the CPUs is not online";
		}
	return NULL;
}

/* frames [-p] FILE SCRIPT: the samples that `perf record --call-graph dwarf` put into FILE (tools/perf's
 * perf.data-file-format.txt), unwound by prof's rules and by libunwind, and what `perf script -F tid,time,ip --ns --no-inline`
 * made of them (SCRIPT).  Prints how ours compare with each of the two: frames alike, and each way to come apart, with where.
 * -p: each such stack. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <unistd.h>

#include "sym/module/ehframe.h"
#include "sym/module/symtab.h"
#include "unwind/cfi/cfi.h"
#include "../bench/oracle.h"

enum { THEIRS_MAX = 1000, PROCESSES = 4096, PLACES = 64 };

struct record {
	const uint8_t *at;
	uint64_t time;
};

/* The shape of samples, from the file's one event. */
struct shape {
	uint64_t type, regs;
};

struct process {
	int pid;
	struct space space;
};

/* What perf script told of one sample. */
struct told {
	uint64_t time;
	int tid;
	uint32_t n;
	uint64_t *ip;
};

/* POPPED: at a function's end tables still say where it saved a register. By then the saved value lies below sp, outside of the
 * copy, and the register has its old value again. An unwinder that does not know this loses fp, and then the next frame that fp
 * describes. */
enum apart { ALIKE, POPPED, THEY_STOP, THEY_STOP_BARE, WE_STOP, BEHIND_ROOT, OTHER, OTHER_BARE, HOWS };
static const char *const how_words[HOWS] = {
	[ALIKE] = "alike to the end", [POPPED] = "they stop for a register that the leaf has popped",
	[THEY_STOP] = "they stop in code that has a table", [THEY_STOP_BARE] = "they stop in code without a table",
	[WE_STOP] = "ours stop first", [BEHIND_ROOT] = "they go on behind the first function",
	[OTHER] = "other frames behind code that has a table", [OTHER_BARE] = "other frames behind code without a table",
};

struct tally {
	const char *who;
	uint64_t stacks[HOWS], frames[HOWS];
	struct spot { char name[120]; enum apart how; uint64_t stacks, frames; } place[PLACES];
	unsigned places;
};

static struct modules modules;
static struct codes codes;
static struct unwinder *unwinder;
static struct process process[PROCESSES];
static unsigned processes;
static struct told *told;
static unsigned ntold;
static bool print;
static uint64_t samples, untold;

static void
die(const char *what)
{
	fprintf(stderr, "frames: %s\n", what);
	exit(2);
}

/* ---- what perf made of them ---- */

static int
by_time(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : (x->tid > y->tid) - (x->tid < y->tid);
}

/* "  123 45.678901234:", then an address a line, the kernel's first. */
static void
read_script(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[4096];
	unsigned cap = 0;
	struct told *t = NULL;

	while (f && fgets(line, sizeof line, f)) {
		unsigned long long s, ns, ip;
		int tid;

		if (sscanf(line, "%d %llu.%9llu:", &tid, &s, &ns) == 3) {
			if (ntold == cap && !(told = realloc(told, (cap = cap * 2 + 256) * sizeof *told)))
				die("no memory");
			t = &told[ntold++];
			*t = (struct told){ .time = s * 1000000000 + ns, .tid = tid, .ip = malloc(THEIRS_MAX * sizeof *t->ip) };
		} else if (t && sscanf(line, " %llx", &ip) == 1 && !(ip >> 63) && t->n < THEIRS_MAX)
			t->ip[t->n++] = ip;
	}
	if (f)
		fclose(f);
	qsort(told, ntold, sizeof *told, by_time);
}

/* ---- processes and what they map ---- */

static struct process *
process_of(int pid)
{
	for (unsigned i = 0; i < processes; i++)
		if (process[i].pid == pid)
			return &process[i];
	if (processes == PROCESSES)
		die("too many processes");
	process[processes].pid = pid;
	space_init(&process[processes].space);
	return &process[processes++];
}

/* This kernel has the one vdso. */
static struct module *
vdso(void)
{
	const uint8_t *at = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	static struct module *m;

	return m || !at ? m : (m = module_image(&modules, "[vdso]", at, 2 * 4096));
}

static struct module *
module_at(const char *path)
{
	struct module *m;
	int fd;

	if (!strcmp(path, "[vdso]"))
		return vdso();
	if (*path != '/' || (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return module_lost(&modules, path, "cannot be opened");
	m = module_file(&modules, fd, path);
	close(fd);
	return m;
}

static void
add_map(struct cursor c)
{
	struct process *p = process_of((int)cur_u32(&c));
	struct map m = { 0 };
	static uint32_t files;

	cur_u32(&c);
	m.lo = cur_u64(&c);
	m.hi = m.lo + cur_u64(&c);
	m.off = cur_u64(&c);
	cur_take(&c, 24);
	m.exec = cur_u32(&c) & PROT_EXEC;
	cur_u32(&c);
	m.file = ++files;
	if (m.exec)   /* data replaces what was mapped there */
		space_bind(&m, module_at(cur_str(&c)));
	if (!c.bad)
		space_add(&p->space, &m);
}

static void
take_task(uint32_t type, uint32_t misc, struct cursor c)
{
	int pid = (int)cur_u32(&c), other = (int)cur_u32(&c);

	if (type == PERF_RECORD_COMM && misc & PERF_RECORD_MISC_COMM_EXEC)
		space_clear(&process_of(pid)->space);
	else if (type == PERF_RECORD_FORK && pid != other) {
		struct process *parent = process_of(other);

		space_copy(&process_of(pid)->space, &parent->space);
	}
}

/* ---- comparing ---- */

/* Where a code lies in its file: perf script prints that. */
static uint64_t
file_offset(const struct space *space, uint32_t code)
{
	const struct code *c = &codes.code[code];

	for (uint32_t i = 0; i < space->n; i++) {
		const struct map *m = &space->map[i];
		uint64_t addr = c->vaddr + m->bias;

		if (m->module && m->module->id == c->module && addr >= m->lo && addr < m->hi)
			return addr - m->lo + m->off;
	}
	return UINT64_MAX;
}

static void
name_code(uint32_t code, char *buf, size_t n)
{
	const struct code *c = &codes.code[code];
	struct module *m = modules.module[c->module];
	struct symbol s;

	if (symtab_find(&modules, m, c->vaddr, &s))
		snprintf(buf, n, "%s %.60s+0x%" PRIx64, m->name, s.name, c->vaddr - s.lo);
	else
		snprintf(buf, n, "%s 0x%" PRIx64, m->name, c->vaddr);
}

static bool
find_table(uint32_t code, struct fde *fde)
{
	const struct code *c = &codes.code[code];
	struct module *m = modules.module[c->module];

	return m->kind >= MODULE_FILE && !m->bad && ehframe_find(&modules, m, c->vaddr, fde);
}

/* Whether the leaf has already restored the registers of which the table speaks. */
static bool
has_popped(uint32_t leaf)
{
	struct fde fde;
	struct row row;

	if (!find_table(leaf, &fde) || cfi_row(arch_host, &fde, codes.code[leaf].vaddr, &row) || row.cfa_expr ||
	    row.cfa_reg != arch_host->sp)
		return false;
	for (uint64_t set = row.set; set; set &= set - 1) {
		struct place p = row.reg[__builtin_ctzll(set)];

		if (p.how == HOW_OFFSET && row.cfa_off + p.off < 0)
			return true;
	}
	return false;
}

static enum apart
come_apart(const struct walk *w, uint32_t k, uint32_t n)
{
	struct fde fde;
	bool table = k && find_table(w->code[k - 1], &fde);

	if (k == w->n)
		return k == n ? ALIKE : w->end == WALK_ROOT ? BEHIND_ROOT : WE_STOP;
	if (k == n && k > 1 && has_popped(w->code[0]))
		return POPPED;
	if (k == n)
		return table ? THEY_STOP : THEY_STOP_BARE;
	return table ? OTHER : OTHER_BARE;
}

/* Counts the place where two stacks part: the function of the last frame that both have. */
static void
count_place(struct tally *t, enum apart how, const struct walk *w, uint32_t k, uint64_t frames)
{
	char name[sizeof t->place->name] = "the leaf";
	struct spot *p = t->place;

	if (k)
		name_code(w->code[k - 1], name, sizeof name);
	name[strcspn(name, "+")] = 0;
	while (p < t->place + t->places && (p->how != how || strcmp(p->name, name)))
		p++;
	if (p == t->place + t->places) {
		if (t->places == PLACES)
			return;
		t->places++;
		memcpy(p->name, name, sizeof name);
		p->how = how;
	}
	p->stacks++;
	p->frames += frames;
}

static void
show(const struct tally *t, const struct told *at, enum apart how, const struct walk *w, uint32_t k, const char *theirs)
{
	char name[120];

	printf("%s at %" PRIu64 ": %s; %u of ours (%s), alike %u:", t->who, at->time, how_words[how], w->n, walk_end_words[w->end], k);
	for (uint32_t i = k > 2 ? k - 2 : 0; i < k + 4 && i < w->n; i++) {
		name_code(w->code[i], name, sizeof name);
		printf("%s %s", i == k ? " |" : "", name);
	}
	printf("; theirs:%s\n", theirs);
}

/* THEIRS: N frames; alike where SAME says so. */
static void
compare(struct tally *t, const struct told *at, struct space *space, const struct walk *w, const uint64_t *theirs, uint32_t n,
        bool (*same)(struct space *, uint32_t code, uint64_t ip, uint32_t k))
{
	uint32_t k = 0, tail = 0, ours, others;
	char text[200] = "";
	enum apart how;

	while (k < w->n && k < n && same(space, w->code[k], theirs[k], k))
		k++;
	how = come_apart(w, k, n);
	while (tail < w->n - k && tail < n - k && same(space, w->code[w->n - 1 - tail], theirs[n - 1 - tail], n - 1 - tail))
		tail++;
	ours = w->n - k - tail;
	others = n - k - tail;
	t->frames[ALIKE] += k + tail;
	t->stacks[how]++;
	if (how == ALIKE)
		return;
	t->frames[how] += ours > others ? ours : others;
	count_place(t, how, w, k, ours > others ? ours : others);
	for (uint32_t i = k, used = 0; i < n && i < k + 4 && used < sizeof text; i++)
		used += (uint32_t)snprintf(text + used, sizeof text - used, " %" PRIx64, theirs[i]);
	if (print)
		show(t, at, how, w, k, text);
}

static bool
same_as_perf(struct space *space, uint32_t code, uint64_t ip, uint32_t k)
{
	(void)k;
	return file_offset(space, code) == ip || unwind_code(unwinder, space, ip) == code;
}

static bool
same_as_libunwind(struct space *space, uint32_t code, uint64_t ip, uint32_t k)
{
	return code == unwind_code(unwinder, space, ip - (k > 0)) || code == unwind_code(unwinder, space, ip);
}

/* ---- samples ---- */

static struct tally perf = { .who = "perf" }, libunwind = { .who = "libunwind" };

static void
take_sample(const struct shape *shape, struct cursor c)
{
	static struct walk w;
	static uint64_t ip[THEIRS_MAX];
	struct told key = { 0 }, *t;
	struct regs regs = { .known = 0 };
	struct stack stack = { 0 };
	uint64_t sample = arch_host->sample, skip;
	struct process *p;
	unsigned bit = 0;

	if (shape->type & PERF_SAMPLE_IDENTIFIER)
		cur_u64(&c);
	cur_u64(&c);
	p = process_of((int)cur_u32(&c));
	key.tid = (int)cur_u32(&c);
	key.time = cur_u64(&c);
	skip = shape->type & (PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD);
	cur_take(&c, 8 * (unsigned)__builtin_popcountll(skip));
	if (shape->type & PERF_SAMPLE_CALLCHAIN)
		cur_take(&c, cur_u64(&c) * 8);
	if (!cur_u64(&c))
		return;   /* no user side */
	for (uint64_t bits = shape->regs; bits; bits &= bits - 1) {
		unsigned r = (unsigned)__builtin_ctzll(bits);
		uint64_t v = cur_u64(&c);

		for (; bit < r; bit++)
			if (sample >> bit & 1)
				die("a register is missing");
		if (!(sample >> bit++ & 1))
			continue;
		r = arch_host->dwarf[__builtin_popcountll(sample & (((uint64_t)1 << r) - 1))];
		regs.r[r] = v;
		regs.known |= (uint64_t)1 << r;
	}
	stack.lo = regs.r[arch_host->sp];
	if ((stack.size = cur_u64(&c))) {
		stack.bytes = cur_take(&c, stack.size);
		stack.size = cur_u64(&c);
	}
	if (c.bad || !stack.size)
		return;
	samples++;
	unwind(unwinder, &p->space, &regs, &stack, NULL, 0, &w);
	compare(&libunwind, &key, &p->space, &w, ip, oracle_walk(&p->space, &regs, &stack, false, ip, THEIRS_MAX), same_as_libunwind);
	if ((t = bsearch(&key, told, ntold, sizeof *told, by_time)))
		compare(&perf, &key, &p->space, &w, t->ip, t->n, same_as_perf);
	else
		untold++;
}

static void
take(const struct shape *shape, const uint8_t *at)
{
	const struct perf_event_header *h = (const void *)at;
	struct cursor c = cur_of(at + sizeof *h, h->size - sizeof *h, false);

	switch (h->type) {
	case PERF_RECORD_SAMPLE: take_sample(shape, c); break;
	case PERF_RECORD_MMAP2: add_map(c); break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK: take_task(h->type, h->misc, c); break;
	}
}

/* ---- the file ---- */

/* In a sample it stands behind the first fields; other records have it in their trailer, before more parts. */
static uint64_t
time_of(const struct shape *shape, const uint8_t *at)
{
	const struct perf_event_header *h = (const void *)at;
	unsigned behind = (unsigned)__builtin_popcountll(shape->type & (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
	                                                              PERF_SAMPLE_IDENTIFIER));
	uint64_t v, off = h->size - 8u * (behind + 1);

	if (h->type == PERF_RECORD_SAMPLE)
		off = shape->type & PERF_SAMPLE_IDENTIFIER ? 32 : 24;
	if (off + 8 > h->size)
		return 0;
	memcpy(&v, at + off, 8);
	return v;
}

static int
by_record(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : (x->at > y->at) - (x->at < y->at);
}

static struct cursor
section(struct cursor *head, const struct cursor *file)
{
	uint64_t off = cur_u64(head), n = cur_u64(head);

	return cur_slice(file, off, n);
}

/* The CPUs' buffers come in turns, so this puts their records in the order of time. */
static void
read_file(const char *path)
{
	static struct filemap map;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct cursor file, head, attrs, data;
	const struct perf_event_attr *attr;
	struct record *record = NULL;
	unsigned n = 0, cap = 0;
	struct shape shape;
	uint64_t attr_size;

	if (fd < 0 || filemap_open(&map, fd))
		die("the file cannot be read");
	head = file = cur_of(map.data, map.size, false);
	if (memcmp(cur_take(&head, 8) ? (const char *)map.data : "        ", "PERFILE2", 8))
		die("no perf.data");
	cur_u64(&head);
	attr_size = cur_u64(&head);
	attrs = section(&head, &file);
	data = section(&head, &file);
	if (attrs.bad || data.bad || cur_left(&attrs) != attr_size || attr_size < PERF_ATTR_SIZE_VER3)
		die("not one event");
	attr = (const void *)attrs.pos;
	shape = (struct shape){ attr->sample_type, attr->sample_regs_user };
	while (cur_left(&data) >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *h = (const void *)data.pos;

		if (n == cap && !(record = realloc(record, (cap = cap * 2 + 1024) * sizeof *record)))
			die("no memory");
		if (h->type < 64)
			record[n++] = (struct record){ data.pos, time_of(&shape, data.pos) };
		if (h->size < sizeof *h || !cur_take(&data, h->size))
			die("a record that lies");
	}
	qsort(record, n, sizeof *record, by_record);
	for (unsigned i = 0; i < n; i++)
		take(&shape, record[i].at);
	close(fd);
}

static void
report(const struct tally *t)
{
	printf("%s: %" PRIu64 " frames alike\n", t->who, t->frames[ALIKE]);
	for (unsigned i = 0; i < t->places; i++)
		printf("%s: %" PRIu64 " stacks, %" PRIu64 " frames: %s: %s\n", t->who, t->place[i].stacks, t->place[i].frames,
		       how_words[t->place[i].how], t->place[i].name);
}

int
main(int argc, char **argv)
{
	print = argc > 1 && !strcmp(argv[1], "-p");
	if (argc - print != 3)
		return 2;
	modules_init(&modules);
	codes_init(&codes);
	unwinder = unwinder_new(arch_host, &modules, &codes, MODE_AUTO, THEIRS_MAX);
	read_script(argv[2 + print]);
	read_file(argv[1 + print]);
	printf("%" PRIu64 " samples, %" PRIu64 " of them not in perf's script\n", samples, untold);
	report(&perf);
	report(&libunwind);
	return 0;
}

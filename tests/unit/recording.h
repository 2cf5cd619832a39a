/* Samples from real kernels of other machines (ci/boards --record), as tests/data/boards/BOARD keeps them: NAME.samples.xz has
 *	sample MASK              the bits of an address that count
 *	map LO HI OFF FILE       a mapping of code; FILE.xz has the parts of that file that unwinding reads
 *	regs VALUE...            in the order of perf's
 *	stack LO BYTES
 *	frames ADDR... [cut]     prof's result at that time, which the program itself confirmed; return addresses less one */
#ifndef TESTS_UNIT_RECORDING_H
#define TESTS_UNIT_RECORDING_H

#include <dirent.h>
#include <stdlib.h>

#include "lib/codec/xz.h"
#include "test.h"
#include "unwind/rule.h"
#include "unwind/unwind.h"

enum { RECORDING_FILES = 16, RECORDING_FRAMES = 512, RECORDING_STACK = 65536 };

struct recording {
	const struct arch *arch;
	const char *dir;
	struct modules modules;
	struct codes codes;
	struct unwinder *unwinder;
	struct recorded_file {
		char name[64];
		struct sink bytes;
		struct module *module;
	} file[RECORDING_FILES];
	unsigned files;
	struct sink text;
	char *line;                    /* the next one */
	/* A sample. */
	struct space space;
	struct regs regs;
	struct stack stack;
	uint64_t frame[RECORDING_FRAMES];
	uint32_t frames;
	bool cut;
	uint8_t bytes[RECORDING_STACK];
};

static inline bool
recording_unpack(const char *dir, const char *name, struct sink *to)
{
	static uint8_t bytes[1 << 20];
	char path[256];
	FILE *f;
	size_t n;

	snprintf(path, sizeof path, "%s/%s.xz", dir, name);
	sink_open(to, -1);
	if (!(f = fopen(path, "rb")))
		return false;
	n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	return !xz(cur_of(bytes, n, false), to, 1 << 26);
}

static inline struct module *
recording_file(struct recording *r, const char *name)
{
	struct recorded_file *f;

	for (unsigned i = 0; i < r->files; i++)
		if (!strcmp(r->file[i].name, name))
			return r->file[i].module;
	if (r->files == RECORDING_FILES)
		return NULL;
	f = &r->file[r->files++];
	snprintf(f->name, sizeof f->name, "%s", name);
	if (recording_unpack(r->dir, name, &f->bytes))
		f->module = module_bytes(&r->modules, f->name, f->bytes.buf, f->bytes.len);
	return f->module;
}

static inline void
recording_map(struct recording *r, char *p)
{
	struct map m = { .exec = true, .file = 1 };

	m.lo = strtoull(p, &p, 16);
	m.hi = strtoull(p, &p, 16);
	m.off = strtoull(p, &p, 16);
	m.module = recording_file(r, p + 1);
	CHECK(!m.module || !m.module->bad);
	if (m.module)
		space_bind(&m, m.module);
	if (m.module)
		CHECK(space_add(&r->space, &m));
}

static inline void
recording_regs(struct recording *r, char *p)
{
	unsigned n = 0;

	r->regs.known = 0;
	for (uint64_t bits = r->arch->sample; bits && *p; bits &= bits - 1, n++) {   /* kernels may not know the last ones */
		r->regs.r[r->arch->dwarf[n]] = strtoull(p, &p, 16);
		r->regs.known |= (uint64_t)1 << r->arch->dwarf[n];
	}
}

static inline unsigned
recording_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static inline void
recording_stack(struct recording *r, char *p)
{
	r->stack = (struct stack){ .lo = strtoull(p, &p, 16), .bytes = r->bytes };
	for (p++; p[0] && p[1] && r->stack.size < sizeof r->bytes; p += 2)
		r->bytes[r->stack.size++] = (uint8_t)(recording_digit(p[0]) << 4 | recording_digit(p[1]));
}

static inline void
recording_frames(struct recording *r, char *p)
{
	r->cut = strstr(p, "cut") != NULL;
	r->frames = 0;
	while (*p == ' ' && p[1] != 'c' && r->frames < RECORDING_FRAMES)
		r->frame[r->frames++] = strtoull(p, &p, 16);
}

/* The recording DIR/NAME; false where there is none. */
static inline bool
recording_open(struct recording *r, const struct arch *arch, const char *dir, const char *name)
{
	char samples[128];

	memset(r, 0, sizeof *r);
	r->arch = arch;
	r->dir = dir;
	snprintf(samples, sizeof samples, "%s.samples", name);
	if (!recording_unpack(dir, samples, &r->text) || !modules_init(&r->modules) || !codes_init(&r->codes))
		return false;
	sink_char(&r->text, 0);
	if (r->text.err)
		return false;
	r->line = (char *)r->text.buf;
	space_init(&r->space);
	return (r->unwinder = unwinder_new(arch, &r->modules, &r->codes, MODE_AUTO, STACK_MAX));
}

/* The next sample; false behind the last. */
static inline bool
recording_next(struct recording *r)
{
	for (char *line; *(line = r->line);) {
		char *end = line + strcspn(line, "\n");

		r->line = end + (*end == '\n');
		*end = 0;
		if (!strncmp(line, "sample ", 7)) {
			space_free(&r->space);
			space_init(&r->space);
			r->unwinder->mask = strtoull(line + 7, NULL, 16);
		} else if (!strncmp(line, "map ", 4))
			recording_map(r, line + 4);
		else if (!strncmp(line, "regs ", 5))
			recording_regs(r, line + 5);
		else if (!strncmp(line, "stack ", 6))
			recording_stack(r, line + 6);
		else if (!strncmp(line, "frames ", 7)) {
			recording_frames(r, line + 6);
			return true;
		}
	}
	return false;
}

static inline void
recording_close(struct recording *r)
{
	if (r->unwinder)
		unwinder_free(r->unwinder);
	space_free(&r->space);
	codes_free(&r->codes);
	modules_free(&r->modules);
	for (unsigned i = 0; i < r->files; i++)
		sink_close(&r->file[i].bytes);
	sink_close(&r->text);
}

/* Calls ONE for each recording below DIR; how many there were. */
static inline unsigned
recordings(const char *dir, const struct arch *arch, void (*one)(struct recording *, const char *name))
{
	static struct recording r;
	struct dirent **entry;
	int n = scandir(dir, &entry, NULL, alphasort);
	unsigned found = 0;
	char *dot;

	for (int i = 0; i < n; i++) {
		if ((dot = strstr(entry[i]->d_name, ".samples.xz"))) {
			*dot = 0;
			found++;
			CHECK(recording_open(&r, arch, dir, entry[i]->d_name));
			if (r.unwinder)
				one(&r, entry[i]->d_name);
			recording_close(&r);
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return found;
}

#endif

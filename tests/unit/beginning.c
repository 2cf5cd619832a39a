/* Places that code and data name, and the beginnings that prof takes from them. */
#include "sym/module/beginning.c"

#include <unistd.h>

#include "elfwrite.h"
#include "test.h"

static struct modules ms;

static struct module *
module_of(struct elfwrite *w)
{
	struct bytes file = elfwrite_finish(w);
	char path[] = "/tmp/prof-beginning.XXXXXX";
	int fd = mkstemp(path);
	struct module *m;

	unlink(path);
	if (fd < 0 || write(fd, file.p, file.n) != (ssize_t)file.n || !modules_init(&ms) || !(m = module_file(&ms, fd, "/lib/x.so")))
		abort();
	close(fd);
	bytes_free(&file);
	return m;
}

/* All places of that kind in [LO, HI], the last first. */
static void
expect(struct module *m, enum beginning_by by, uint64_t lo, uint64_t hi, const uint64_t *want)
{
	for (uint64_t at = hi; beginning_before(&ms, m, by, lo, &at) || *want; at--, want++)
		if (!*want || at != *want) {
			CHECK_U64(at, *want);
			return;
		}
}

static void
places(void)
{
	static const uint8_t code[] = {
		0x90,
		0xe8, 0x0a, 0, 0, 0,                          /* 0x1001: call 0x1010 */
		0xe8, 0xf5, 0xff, 0xff, 0xff,                 /* 0x1006: call 0x1000 */
		0x48, 0x8d, 0x3d, 0x02, 0, 0, 0,              /* 0x100b: lea 2(%rip),%rdi: 0x1014 */
		0x48, 0xc7, 0xc7, 0x08, 0x10, 0, 0,           /* 0x1012: mov $0x1008,%rdi */
		0x48, 0xbf, 0x04, 0x10, 0, 0, 0, 0, 0, 0,     /* movabs $0x1004,%rdi */
		0x8d, 0x3d, 0x02, 0, 0, 0,                    /* not one of 64 bits */
		0xe8, 0xff, 0xff, 0, 0x7f,                    /* far away */
		0xe8, 0x00, 0x0f, 0, 0,                       /* 0x102e: call 0x1f33 */
		0x48, 0xbf, 0x05, 0x10, 0, 0, 0, 0, 0,        /* cut */
	};
	struct elfwrite w = elfwrite_new(true, false);
	struct module *m;

	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof code);
	elfwrite_segment(&w, PT_LOAD, PF_R | PF_X, 0x1000, 0x1000, sizeof code, sizeof code);
	m = module_of(&w);
	CHECK(!m->bad);
	expect(m, BEGINNING_CALLED, 1, 0x1030, (uint64_t[]){ 0x1010, 0x1000, 0 });
	expect(m, BEGINNING_CALLED, 1, 0x100f, (uint64_t[]){ 0x1000, 0 });
	expect(m, BEGINNING_CALLED, 0x1001, 0x1010, (uint64_t[]){ 0x1010, 0 });
	expect(m, BEGINNING_CALLED, 1, 0xfff, (uint64_t[]){ 0 });
	expect(m, BEGINNING_CALLED, 1, 0x2000, (uint64_t[]){ 0 });   /* not of the file */
	expect(m, BEGINNING_TAKEN, 1, 0x1030, (uint64_t[]){ 0x1014, 0x1008, 0x1004, 0 });
	modules_free(&ms);
	w = elfwrite_new(true, false);
	w.machine = EM_AARCH64;
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof code);
	m = module_of(&w);
	expect(m, BEGINNING_CALLED, 1, 0x1030, (uint64_t[]){ 0 });
	modules_free(&ms);
}

/* Functions at 0x1100 (in a table of data), 0x1131 (called, behind a return), 0x1200 (called, with a symbol); 0x1182 is a call's target
 * within one. */
static struct module *
program(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	uint8_t code[0x400] = { 0 };
	uint64_t table[4] = { 0x1100, 0x2010 };

	memset(code, 0x66, sizeof code);
	memcpy(code + 0x00, (uint8_t[]){ 0x90, 0xe8, 0x2b, 0x01, 0, 0 }, 6);   /* call 0x1131 */
	memcpy(code + 0x10, (uint8_t[]){ 0xe8, 0xeb, 0x01, 0, 0 }, 5);          /* call 0x1200 */
	memcpy(code + 0x20, (uint8_t[]){ 0xe8, 0x5d, 0x01, 0, 0 }, 5);          /* call 0x1182 */
	code[0x130] = 0xc3;
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof code);
	elfwrite_section(&w, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, table, sizeof table);
	elfwrite_symbol(&w, "main", 0x1000, 0x84, STB_GLOBAL << 4 | STT_FUNC, 1);
	elfwrite_symbol(&w, "c", 0x1200, 0x20, STB_GLOBAL << 4 | STT_FUNC, 1);
	elfwrite_symbol(&w, "d", 0x1220, 0x1c, STB_GLOBAL << 4 | STT_FUNC, 1);
	elfwrite_segment(&w, PT_LOAD, PF_R | PF_X, 0x1000, 0x1000, sizeof code, sizeof code);
	elfwrite_segment(&w, PT_LOAD, PF_R | PF_W, 0x2000, 0x2000, sizeof table, sizeof table);
	return module_of(&w);
}

static void
functions(void)
{
	static const uint64_t want[][2] = {
		{ 0x1100, 0x1100 }, { 0x112f, 0x1100 }, { 0x1131, 0x1131 }, { 0x1190, 0x1131 }, { 0x1250, 0x1240 }, { 0x13ff, 0x1240 },   /* behind two functions that symbols describe */
		{ 0x10a0, 0x10a0 },   /* before all beginnings */
		{ 0x9000, 0x9000 }, { 0x20000, 0x20000 }, { 0, 0 }, { UINT64_MAX, UINT64_MAX },
	};
	struct module *m = program();

	for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
		CHECK_U64(beginning_of(&ms, m, want[i][0]), want[i][1]);
	expect(m, BEGINNING_TAKEN, 1, 0x201f, (uint64_t[]){ 0x2010, 0 });   /* code that a process left in its data */
	CHECK_U64(ms.beginnings, 0x420);
	modules_free(&ms);
}

int
main(void)
{
	RUN("beginning", places);
	RUN("beginning", functions);
	return TEST_STATUS;
}

#include "sym/module/code.c"
#define hash module_hash
#include "sym/module/module.c"
#undef hash
#include "elfwrite.h"
#include "sym/jit/jit.h"
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

static void
marks_come_first(void)
{
	struct codes c;

	CHECK(codes_init(&c));
	CHECK(c.n == CODE_MARKS && c.code[CODE_ELIDED].module == 0 && c.code[CODE_ELIDED].vaddr == CODE_ELIDED);
	CHECK_U64(code_intern(&c, 0, CODE_KERNEL), CODE_KERNEL);
	codes_free(&c);
	CHECK_U64(mem_used(), 0);
}

static void
codes_are_interned(void)
{
	struct codes c;
	uint32_t wrong = 0, n;

	codes_init(&c);
	for (uint32_t i = 0; i < 20000; i++)
		wrong += code_intern(&c, 1 + i % 7, 0x400000 + i / 7) != CODE_MARKS + i;
	for (uint32_t i = 0; i < 20000; i++)
		wrong += code_intern(&c, 1 + i % 7, 0x400000 + i / 7) != CODE_MARKS + i;
	CHECK_U64(wrong, 0);
	CHECK_U64(c.n, CODE_MARKS + 20000);
	n = c.n;
	CHECK(sizeof *c.code == 12);
	CHECK(code_intern(&c, 2, UINT64_MAX) == n && code_intern(&c, 3, UINT64_MAX) == n + 1);
	codes_free(&c);
}

/* 12 bytes, a ninth more for room, and the table. */
static void
codes_are_small(void)
{
	struct codes c;
	double worst = 0;

	codes_init(&c);
	for (uint32_t i = 1; i < 200000; i++) {
		double each = (double)mem_used() / i;

		worst = i > 50000 && each > worst ? each : worst;
		code_intern(&c, i % 50, 0x400000 + i);
	}
	CHECK(worst <= 21);
	codes_settle(&c);
	CHECK_U64(code_intern(&c, 49, 0x400000 + 99999), CODE_MARKS + 99999 - 1);
	codes_free(&c);
	CHECK_U64(mem_used(), 0);
}

static void
at_the_cap_codes_are_unknown(void)
{
	struct codes c;
	uint32_t n;

	codes_init(&c);
	mem_cap(mem_used() + 3000);
	for (uint32_t i = 0; i < 1000; i++)
		code_intern(&c, 5, i);
	n = c.n;
	CHECK(n < 1000);
	CHECK_U64(code_intern(&c, 5, 999), CODE_UNKNOWN);
	CHECK(c.n == n && code_intern(&c, 5, 0) == CODE_MARKS);
	mem_cap(SIZE_MAX);
	codes_free(&c);
	mem_cap(1000);
	CHECK(!codes_init(&c) || c.n == CODE_MARKS);
	codes_free(&c);
	mem_cap(SIZE_MAX);
	CHECK_U64(mem_used(), 0);
}

static int
temp(char *path, const void *bytes, size_t n)
{
	int fd;

	strcpy(path, "/tmp/prof-test-XXXXXX");
	if ((fd = mkstemp(path)) < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	return fd;
}

static void
one_module_a_file(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes f = elfwrite_finish(&w);
	struct modules ms;
	struct module *m, *other, *text;
	char path[40], path2[40], path3[40];
	int fd = temp(path, f.p, f.n), fd2 = temp(path2, f.p, f.n), fd3 = temp(path3, "text", 4), again = open(path, O_RDONLY);

	CHECK(modules_init(&ms));
	CHECK(ms.mark->id == 0 && ms.kernel->id == 1 && ms.module[1] == ms.kernel);
	CHECK_STR(ms.kernel->name, "[kernel]");
	m = module_file(&ms, fd, "/usr/lib/lib x.so (deleted)");
	CHECK(m && !m->bad && m->kind == MODULE_FILE && m->id == 2 && m->elf.nload == 1);
	CHECK_STR(m->name, "lib x.so");
	CHECK_STR(m->path, "/usr/lib/lib x.so (deleted)");
	CHECK(module_file(&ms, again, "/elsewhere") == m);
	other = module_file(&ms, fd2, "/usr/lib/");
	CHECK(other && other != m && !strcmp(other->name, "/usr/lib/"));
	text = module_file(&ms, fd3, "x");
	CHECK(text && text->kind == MODULE_FILE);
	CHECK_STR(text->bad, "is not an ELF file");
	CHECK(module_file(&ms, -1, "gone")->kind == MODULE_LOST);
	CHECK(!futimens(fd2, (struct timespec[]){ { 1, 0 }, { 1, 0 } }));
	CHECK(module_file(&ms, fd2, "changed") != other);
	CHECK(ftruncate(fd, 0) == 0 && m->file.data[0] == 0 && m->file.cut);   /* it shrinks under us */
	modules_free(&ms);
	CHECK_U64(mem_used(), 0);
	bytes_free(&f);
	close(fd), close(fd2), close(fd3), close(again);
	unlink(path), unlink(path2), unlink(path3);
}

static void
images_lost_and_jit(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes f = elfwrite_finish(&w);
	struct modules ms;
	struct module *a, *b;

	CHECK(modules_init(&ms));
	a = module_image(&ms, "[vdso]", f.p, f.n);
	CHECK(a && !a->bad && a->kind == MODULE_IMAGE && a->elf.image && a->elf.bytes.pos != f.p);
	CHECK(module_image(&ms, "[vdso]", f.p, f.n) == a);
	f.p[f.n - 1] ^= 1;
	CHECK(module_image(&ms, "[vdso]", f.p, f.n) != a);
	CHECK_STR(module_image(&ms, "[vdso]", "text", 4)->bad, "is not an ELF file");
	a = module_lost(&ms, "/gone/away", "cannot be opened");
	b = module_lost(&ms, "/gone/too", "cannot be opened");
	CHECK(a != b && module_lost(&ms, "/gone/away", "no") == a);
	CHECK_STR(a->name, "away");
	CHECK_STR(a->bad, "cannot be opened");
	a = jit_module(&ms, 42, NULL);
	b = jit_module(&ms, 43, a);
	CHECK(a != b && b->parent == a && b->pid == 43 && b->jit->map_fd == -1 && !strcmp(b->name, "[jit]"));
	modules_free(&ms);
	bytes_free(&f);
}

static void
modules_at_the_cap(void)
{
	static char image[100000];
	struct modules ms;
	char path[32];
	unsigned n = 0;

	CHECK(modules_init(&ms));
	mem_cap(mem_used() + 50000);
	CHECK(!module_image(&ms, "[big]", image, sizeof image));
	do
		snprintf(path, sizeof path, "/lost/%u", n);
	while (module_lost(&ms, path, "gone") && ++n < 10000);
	CHECK(n > 50 && n < 1000 && ms.n == n + 2);
	modules_free(&ms);
	mem_cap(100);
	CHECK(!modules_init(&ms));
	modules_free(&ms);
	mem_cap(SIZE_MAX);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("code", marks_come_first);
	RUN("code", codes_are_interned);
	RUN("code", codes_are_small);
	RUN("code", at_the_cap_codes_are_unknown);
	RUN("code", one_module_a_file);
	RUN("code", images_lost_and_jit);
	RUN("code", modules_at_the_cap);
	return TEST_STATUS;
}

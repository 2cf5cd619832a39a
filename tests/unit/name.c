#include "sym/kernel/made_code.c"
#include "sym/name.c"

#include <fcntl.h>
#include <unistd.h>

#include "elfwrite.h"
#include "test.h"

static struct modules ms;
static struct names names;

static void
begin(void)
{
	modules_init(&ms);
	names = (struct names){ .modules = &ms, .arena = &ms.arena, .kallsyms_fd = -1 };
}

static int
file_of(const void *bytes, size_t n)
{
	char path[] = "/tmp/prof-name.XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	return fd;
}

static struct name
name_of(const struct module *m, uint64_t vaddr)
{
	struct code code = { vaddr, m->id };
	struct name name[2];

	memset(name, 0xff, sizeof name);
	CHECK_U64(name_code(&names, &code, name, 2), 1);
	CHECK(name[0].function && name[0].module && !name[0].file && !name[0].line);
	return name[0];
}

static void
marks_of_prof(void)
{
	static const char *const want[] = { "[truncated]", "[elided]", "[kernel]", "[unknown]", "[waiting]", "[waiting since before]",
	                                    "[run queue]", "[throttled]", "[running]", "--", "[interrupt]", "[waits for the GIL]", "[jit]" };

	begin();
	for (unsigned i = 0; i < CODE_MARKS; i++) {
		struct name n = name_of(ms.mark, i);

		CHECK_STR(n.function, want[i]);
		CHECK_STR(n.module, "");
		CHECK(n.kind == NAME_MARK && !n.found);
	}
	CHECK_STR(name_of(ms.mark, 99).function, "[unknown]");
	CHECK_STR(name_of(&(struct module){ .id = 77 }, 0).function, "[unknown]");
	CHECK_U64(name_code(&names, &(struct code){ 0, 0 }, NULL, 0), 0);
	modules_free(&ms);
}

static void
kernel(void)
{
	static const char text[] = "ffffffff81000000 T do_it\nffffffff81000100 T end\nffffffffc0000000 t ext\t[ext4]\n";
	struct name n;

	begin();
	n = name_of(ms.kernel, 0xffffffff81000010);
	CHECK_STR(n.function, "[kernel]");
	CHECK(n.kind == NAME_MARK && !n.found);
	CHECK_STR(n.module, name_of(ms.mark, CODE_KERNEL).module);   /* so that both are one function */
	names.kallsyms_fd = file_of(text, sizeof text - 1);
	n = name_of(ms.kernel, 0xffffffff81000010);
	CHECK_STR(n.function, "do_it");
	CHECK_STR(n.module, "[kernel]");
	CHECK_U64(n.start, 0xffffffff81000000);
	CHECK(n.kind == NAME_KERNEL && n.found);
	CHECK_STR(name_of(ms.kernel, 0xffffffffc0000010).function, "ext");
	CHECK_STR(name_of(ms.kernel, 0xffffffffc0000010).module, "[ext4]");
	CHECK_STR(name_of(ms.kernel, 0x1000).function, "[kernel]");
	CHECK_STR(name_of(ms.kernel, 0x1000).module, "");
	close(names.kallsyms_fd);
	names_free(&names);
	modules_free(&ms);
}

/* A function with a name, one that only .eh_frame knows, and code that nothing describes. */
static struct bytes
program(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct ehwrite e = ehwrite_new(&w, 0x3000);
	size_t cie = ehwrite_cie(&e, "zR", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5);

	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x1000);
	elfwrite_symbol(&w, "main", 0x1000, 0x10, STB_GLOBAL << 4 | STT_FUNC, 1);
	ehwrite_fde(&e, cie, 0x1000, 0x10, "", 0);
	ehwrite_fde(&e, cie, 0x1100, 0x40, "", 0);
	ehwrite_finish(&e, &w, 0x2800);
	return elfwrite_finish(&w);
}

/* The byte before a function is looked up for a frame that nobody called: padding, and not the end of a call to a function that does not
 * return. */
static void
behind_padding(void)
{
	static const uint8_t code[0x60] = { [0x0f] = 0x90, [0x1b] = 0xe8, [0x2f] = 0x55, [0x3f] = 0,
	                                 [0x4a] = 0xff, [0x4b] = 0x15, [0x4c] = 0x08 };
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes file;
	struct module *m;
	int fd;

	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof code);
	for (unsigned i = 1; i < 6; i++)
		elfwrite_symbol(&w, (const char *[]){ "", "padded", "after_call", "after_code", "after_zeros", "after_got" }[i], 0x1000 + i * 16, 4, STB_GLOBAL << 4 | STT_FUNC, 1);
	file = elfwrite_finish(&w);
	fd = file_of(file.p, file.n);
	begin();
	m = module_file(&ms, fd, "/lib/y.so");
	CHECK_STR(name_of(m, 0x100f).function, "padded");
	CHECK_STR(name_of(m, 0x101f).function, "[y.so+0x101f]");
	CHECK_STR(name_of(m, 0x102f).function, "[y.so+0x102f]");
	CHECK_STR(name_of(m, 0x103f).function, "after_zeros");
	CHECK_STR(name_of(m, 0x104f).function, "[y.so+0x104f]");   /* call *8(%rip) */
	CHECK_STR(name_of(m, 0x103e).function, "[y.so+0x103e]");
	close(fd);
	modules_free(&ms);
	bytes_free(&file);
}

static void
files(void)
{
	struct bytes file = program();
	int fd = file_of(file.p, file.n);
	struct module *m, *vdso, *lost;
	struct name n;

	begin();
	m = module_file(&ms, fd, "/opt/app/libx.so (deleted)");
	n = name_of(m, 0x1008);
	CHECK_STR(n.function, "main");
	CHECK_STR(n.module, "libx.so");
	CHECK_U64(n.start, 0x1000);
	CHECK(n.kind == NAME_USER && n.found);
	n = name_of(m, 0x1123);
	CHECK_STR(n.function, "[libx.so+0x1100]");
	CHECK_STR(n.module, "libx.so");
	CHECK_U64(n.start, 0x1100);
	CHECK(n.kind == NAME_USER && !n.found);
	CHECK_STR(name_of(m, 0x1200).function, "[libx.so+0x1200]");
	CHECK_U64(name_of(m, 0x1200).start, 0x1200);
	vdso = module_image(&ms, "[vdso]", file.p, file.n);
	CHECK_STR(name_of(vdso, 0x1001).function, "main");
	CHECK_STR(name_of(vdso, 0x1123).function, "[vdso+0x1100]");
	CHECK_STR(name_of(vdso, 0x1123).module, "[vdso]");
	lost = module_lost(&ms, "/usr/lib/gone.so", "is gone");
	CHECK_STR(name_of(lost, 0xfedcba9876543210).function, "[gone.so+0xfedcba9876543210]");
	CHECK_STR(name_of(lost, 1).module, "gone.so");
	lost = module_lost(&ms, "", "has no name");
	CHECK_STR(name_of(lost, 1).function, "[unknown]");
	lost = module_lost(&ms, "[]", "is odd");
	CHECK_STR(name_of(lost, 1).function, "[+0x1]");
	close(fd);
	fd = file_of("#!/bin/sh\n", 10);
	CHECK_STR(name_of(module_file(&ms, fd, "/bin/script"), 0x40).function, "[script+0x40]");
	close(fd);
	modules_free(&ms);
	bytes_free(&file);
}

static void
long_file_name(void)
{
	char path[5000] = "/x/", want[300];

	memset(path + 3, 'n', sizeof path - 4);
	begin();
	snprintf(want, sizeof want, "[%.255s+0x7f]", path + 3);
	CHECK_STR(name_of(module_lost(&ms, path, "is gone"), 0x7f).function, want);
	modules_free(&ms);
}

static void
jit(void)
{
	static const char old[] = "1000 100 from_parent\n3000 10 both_parent\n", new[] = "2000 100 from_child\n3000 10 both_child\n";
	struct module *parent, *child, *bare, *last;
	struct name n;

	begin();
	parent = jit_module(&ms, 1, NULL);
	parent->jit->map_fd = file_of(old, sizeof old - 1);
	child = jit_module(&ms, 2, parent);
	child->jit->map_fd = file_of(new, sizeof new - 1);
	bare = jit_module(&ms, 3, parent);
	n = name_of(child, 0x2010);
	CHECK_STR(n.function, "from_child");
	CHECK_STR(n.module, "[jit]");
	CHECK_U64(n.start, 0x2000);
	CHECK(n.kind == NAME_JIT && n.found);
	CHECK_STR(name_of(child, 0x1010).function, "from_parent");
	CHECK_STR(name_of(child, 0x3000).function, "both_child");
	CHECK_STR(name_of(parent, 0x3000).function, "both_parent");
	CHECK_STR(name_of(parent, 0x2010).function, "[unknown]");
	CHECK_STR(name_of(bare, 0x1010).function, "from_parent");
	n = name_of(child, 0x5000);
	CHECK_STR(n.function, "[unknown]");
	CHECK(n.kind == NAME_JIT && !n.found);
	last = parent;
	for (unsigned i = 0; i < FORKS_MAX; i++)
		last = jit_module(&ms, (int32_t)i + 10, last);
	CHECK_STR(name_of(last, 0x1010).function, "[unknown]");
	parent->parent = child;   /* a circle ends, too */
	CHECK_STR(name_of(child, 0x6000).function, "[unknown]");
	modules_free(&ms);
}

/* Symbols that appear during the capture count before those of /proc/kallsyms; the newest one wins. */
static void
kernel_code_that_comes_and_goes(void)
{
	struct name n;

	begin();
	made_code_add(&ms, &(struct symbol){ 0xffffffffc0000000, 0xffffffffc0000100, "bpf_prog_1_old" }, true);
	made_code_add(&ms, &(struct symbol){ 0xffffffffc0000080, 0xffffffffc0000100, "bpf_prog_2_new" }, true);
	made_code_add(&ms, &(struct symbol){ 0xffffffffc0001000, 0xffffffffc0001010, "ftrace_trampoline" }, false);
	made_code_add(&ms, &(struct symbol){ 0xffffffffc0002000, 0xffffffffc0002000, "nothing" }, false);
	made_code_add(&ms, &(struct symbol){ 0xffffffffc0003000, 0xffffffffc0003010, "" }, false);
	n = name_of(ms.kernel, 0xffffffffc000007f);
	CHECK_STR(n.function, "bpf_prog_1_old");
	CHECK_STR(n.module, "[bpf]");
	CHECK(n.kind == NAME_KERNEL && n.found);
	CHECK_STR(name_of(ms.kernel, 0xffffffffc0000080).function, "bpf_prog_2_new");
	CHECK_STR(name_of(ms.kernel, 0xffffffffc0001000).module, "[kernel]");
	CHECK_STR(name_of(ms.kernel, 0xffffffffc0001010).function, "[kernel]");
	CHECK_U64(ms.made->n, 3);
	modules_free(&ms);
}

static void
at_the_memory_cap(void)
{
	begin();
	mem_cap(mem_used());
	for (unsigned i = 0; i < 3000; i++)   /* until the arena is full */
		CHECK(name_of(ms.kernel, i).function);
	mem_cap(SIZE_MAX);
	struct module *m = module_lost(&ms, "gone.so", "is gone");

	mem_cap(mem_used());
	for (unsigned i = 0; i < 3000; i++) {
		const char *name = name_of(m, i).function;

		CHECK(!strncmp(name, "[gone.so+", 9) || !strcmp(name, "[unknown]"));
	}
	CHECK_STR(name_of(m, 5).function, "[unknown]");
	mem_cap(SIZE_MAX);
	modules_free(&ms);
}

/* The last name must not change the next one: this names each address of this program's code after the one before it, and by
 * itself. */
static void
one_after_another(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	uint64_t vaddr, same = 0;
	struct module *m;

	begin();
	CHECK((m = module_file(&ms, fd, "/usr/bin/self")) && !m->bad);
	close(fd);
	for (uint32_t i = 0; i < m->elf.nload; i++)
		for (vaddr = m->elf.load[i].vaddr; m->elf.load[i].exec && vaddr < m->elf.load[i].vaddr + 60000; vaddr += 7) {
			struct name after = { .function = "" }, alone = after;

			name_file(&names, m, vaddr, &after);
			same += names.last.lo != vaddr;
			names.last.module = NULL;
			name_file(&names, m, vaddr, &alone);
			CHECK_STR(after.function, alone.function);
			CHECK_U64(after.start, alone.start);
			CHECK(after.found == alone.found && after.kind == alone.kind);
		}
	CHECK(same > 1000);
	modules_free(&ms);
}

int
main(void)
{
	RUN("name", one_after_another);
	RUN("name", marks_of_prof);
	RUN("name", kernel);
	RUN("name", files);
	RUN("name", behind_padding);
	RUN("name", long_file_name);
	RUN("name", jit);
	RUN("name", kernel_code_that_comes_and_goes);
	RUN("name", at_the_memory_cap);
	return TEST_STATUS;
}

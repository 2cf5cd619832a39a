/* gotable FULL STRIPPED: every address of a Go program's code, by the symbols and .debug_frame of the whole program and by Go's own
 * table in the stripped one: which function, and how far sp is.  Exit 1 where one differs. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sym/module/ehframe.h"
#include "sym/module/symtab.h"
#include "unwind/cfi/cfi.h"

static struct modules modules;

static struct module *
open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct module *m = fd < 0 ? NULL : module_file(&modules, fd, path);

	if (!m || m->bad) {
		fprintf(stderr, "%s: %s\n", path, m ? m->bad : "cannot be opened");
		return NULL;
	}
	return m;
}

static const struct arch *
arch_of(unsigned machine)
{
	static const struct arch *const all[] = { &arch_aarch64, &arch_armv7, &arch_i686, &arch_riscv64, &arch_x86_64 };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i]->machine == machine)
			return all[i];
	return NULL;
}

/* Go's table leaves out type arguments; its linker adds that a name's form is for assembly. */
static bool
same_name(const char *whole, const char *bare)
{
	for (; *bare; whole++, bare++) {
		if (!strncmp(bare, "[...]", 5) && *whole == '[') {
			bare += 4;
			for (unsigned deep = 1; deep && *++whole;)
				deep += *whole == '[' ? 1 : *whole == ']' ? -1u : 0;
		}
		if (*whole != *bare)
			return false;
	}
	return !*whole || !strcmp(whole, ".abi0") || !strcmp(whole, ".abiinternal");
}

int
main(int argc, char **argv)
{
	struct module *whole, *bare;
	unsigned long addresses = 0, depths = 0, names = 0, frames = 0;
	const struct arch *a;

	if (argc != 3 || !modules_init(&modules) || !(whole = open_file(argv[1])) || !(bare = open_file(argv[2])) ||
	    !(a = arch_of(whole->elf.machine)))
		return 2;
	for (uint32_t i = 0; i < whole->elf.nload; i++) {
		const struct segment *seg = &whole->elf.load[i];

		for (uint64_t at = seg->vaddr; seg->exec && at < seg->vaddr + seg->memsz; at += a->align) {
			struct symbol w, b;
			struct fde fde;
			struct row row;
			uint32_t depth;

			if (!symtab_find(&modules, whole, at, &w) || !strcmp(w.name, "runtime.etext"))
				continue;
			addresses++;
			if (!symtab_find(&modules, bare, at, &b) || b.lo != w.lo || !same_name(w.name, b.name)) {
				if (!names++)
					fprintf(stderr, "%#llx: %s, not %s\n", (unsigned long long)at, b.name, w.name);
				continue;
			}
			if (!ehframe_find(&modules, whole, at, &fde) || cfi_row(a, &fde, at, &row))
				continue;
			frames++;
			if (!symtab_depth(&modules, bare, at, &depth))
				depths += row.cfa_off >= 0;   /* after hand-written code Go's table says less, and says it in another way */
			else if (row.cfa_reg != a->sp || row.cfa_off != (int64_t)depth + (a->ra == a->pc ? a->word : 0))
				depths++;
		}
	}
	printf("%s: %lu addresses, %lu names differ; %lu frames, %lu depths differ\n", argv[2], addresses, names, frames, depths);
	return !frames || names || depths;
}

/* rows FILE...: the row of each entry of ARM files' own unwinding tables, as unwind/cfi/exidx_row.c reads it, one a line:
 * "0xADDR CFA=rN+OFF rN@OFF ...", or what is wrong with it.  rows.py says the same by what readelf prints. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "sym/elf/exidx.h"
#include "unwind/cfi/cfi.h"

static void
print(const struct elf *elf, uint64_t vaddr)
{
	struct row row;
	bool found;
	const char *why = exidx_row(elf, vaddr, &row, &found);

	printf("%#" PRIx64, vaddr);
	if (!found || why)
		printf(" %s", why ? why : "cantunwind");
	else {
		printf(" CFA=r%d%+d", row.cfa_reg, (int)row.cfa_off);
		for (unsigned r = 0; r < 16; r++)
			if (row.set >> r & 1)
				printf(" r%u@%d", r, row.reg[r].off);
	}
	printf("\n");
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct arena arena = { 0 };
		struct filemap file;
		struct elf elf;
		int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
		const char *why = fd < 0 ? "cannot be opened" : filemap_open(&file, fd);
		struct cursor table;

		if (!why)
			why = elf_open(&elf, cur_of(file.data, file.size, false), false, &arena);
		if (why) {
			fprintf(stderr, "%s: %s\n", argv[i], why);
			return 1;
		}
		table = elf_at(&elf, elf.exidx, elf.exidx_size);
		for (uint64_t at = elf.exidx; cur_left(&table) >= 8; at += 8) {
			uint32_t place = cur_u32(&table);

			cur_u32(&table);
			print(&elf, (uint32_t)(at + ((place & 0x7fffffff) | (place & 0x40000000) << 1)) & ~(uint64_t)1);
		}
		filemap_close(&file);
		arena_free(&arena);
		close(fd);
	}
	return 0;
}

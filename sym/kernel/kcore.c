/* See kcore.h.  fs/proc/kcore.c of Linux: an ELF core of the kernel's class, one PT_NOTE and a PT_LOAD for each range of
 * addresses, bytes where the offset says; kernel/vmcore_info.c (kdump's vmcoreinfo.rst): lines "SYMBOL(NAME)=HEX", names of
 * kallsyms since Linux 6.0.  All machines that prof is built for are little-endian. */
#include "kcore.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "lib/cursor.h"
#include "lib/text.h"
#include "lib/mem.h"

enum {
	HEADERS_MAX = 8 << 10,    /* 144 ranges */
	NOTES_MAX = 64 << 10,     /* a task_struct with its vector registers is among them */
	TABLES_MAX = 64 << 20,    /* bytes of all tables */
	BEHIND = 512,             /* the last table has at most that: the tokens' index */
};

/* The offset and size of the first piece of TYPE that holds [LO, HI). */
static bool
find_piece(struct cursor c, uint32_t type, uint64_t lo, uint64_t hi, uint64_t *off, uint64_t *size)
{
	bool is64 = cur_left(&c) > EI_CLASS && c.pos[EI_CLASS] == ELFCLASS64;
	unsigned word = is64 ? 8 : 4, n;

	cur_take(&c, is64 ? 56 : 44);
	n = cur_u16(&c);
	for (cur_take(&c, 6); n-- && !c.bad; ) {
		uint64_t vaddr, filesz;
		uint32_t its = cur_u32(&c);

		if (is64)
			cur_u32(&c);
		*off = cur_uint(&c, word);
		vaddr = cur_uint(&c, word);
		cur_uint(&c, word);
		filesz = cur_uint(&c, word);
		cur_take(&c, is64 ? 16 : 12);
		if (its == type && lo >= vaddr && hi - vaddr <= filesz && !c.bad) {
			*off += lo - vaddr;
			*size = filesz;
			return true;
		}
	}
	return false;
}

/* VMCOREINFO's text, which ends where the notes do or with a NUL, or "". */
static const char *
vmcoreinfo(struct cursor c)
{
	while (cur_left(&c) >= 12) {
		uint32_t namesz = cur_u32(&c), descsz = cur_u32(&c);
		const uint8_t *name;

		cur_u32(&c);
		name = cur_take(&c, ((uint64_t)namesz + 3) & ~(uint64_t)3);
		if (name && namesz == sizeof "VMCOREINFO" && !memcmp(name, "VMCOREINFO", namesz))
			return (const char *)c.pos;
		cur_take(&c, ((uint64_t)descsz + 3) & ~(uint64_t)3);
	}
	return "";
}

static bool
read_tables(struct kcore *k, const char *text)
{
	static const char *const names[KCORE_WORD] = {
		[KCORE_NAMES] = "(kallsyms_names)=", [KCORE_NUM] = "(kallsyms_num_syms)=", [KCORE_TOKENS] = "(kallsyms_token_table)=",
		[KCORE_INDEX] = "(kallsyms_token_index)=", [KCORE_OFFSETS] = "(kallsyms_offsets)=",
		[KCORE_BASE] = "(kallsyms_relative_base)=", [KCORE_STEXT] = "(_stext)=",
	};

	k->lo = UINT64_MAX;
	for (unsigned i = 0; i < KCORE_WORD; i++) {
		const char *p = strstr(text, names[i]);

		if (!p || (p += strlen(names[i]), !text_hex(&p, &k->table[i])) || !k->table[i])
			return false;
		if (i == KCORE_STEXT)
			continue;
		k->lo = k->table[i] < k->lo ? k->table[i] : k->lo;
		k->hi = k->table[i] > k->hi ? k->table[i] : k->hi;
	}
	k->hi += BEHIND;
	return k->hi - k->lo < TABLES_MAX;
}

void
kcore_open(struct kcore *k, int fd)
{
	struct arena arena = { 0 };
	uint8_t *head = arena_alloc(&arena, HEADERS_MAX + NOTES_MAX), *notes = head + HEADERS_MAX;
	struct cursor c;
	uint64_t off, size;
	ssize_t n;

	*k = (struct kcore){ .fd = -1, .opened = true };
	if (head && (n = pread(fd, head, HEADERS_MAX, 0)) > EI_CLASS) {
		c = cur_of(head, (size_t)n, false);
		k->table[KCORE_WORD] = head[EI_CLASS] == ELFCLASS64 ? 8 : 4;
		if (find_piece(c, PT_NOTE, 0, 0, &off, &size) && size < NOTES_MAX &&
		    (n = pread(fd, notes, (size_t)size, (off_t)off)) > 0 &&
		    read_tables(k, vmcoreinfo(cur_of(notes, (size_t)n, false))) && find_piece(c, PT_LOAD, k->lo, k->hi, &k->off, &size))
			k->fd = fd;
	}
	if (fd >= 0 && k->fd < 0)
		close(fd);
	arena_free(&arena);
}

size_t
kcore_read(const struct kcore *k, uint64_t addr, void *to, size_t n)
{
	ssize_t got;

	if (k->fd < 0)
		return 0;
	if (!addr) {
		memcpy(to, k->table, n < sizeof k->table ? n : sizeof k->table);
		return n < sizeof k->table ? n : sizeof k->table;
	}
	if (addr < k->lo || addr >= k->hi)
		return 0;
	got = pread(k->fd, to, n < k->hi - addr ? n : (size_t)(k->hi - addr), (off_t)(k->off + (addr - k->lo)));
	return got < 0 ? 0 : (size_t)got;
}

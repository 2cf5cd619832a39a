/* The kernel's tables of names, made of lines as /proc/kallsyms has them: in memory as a kernel has them, or in a file as
 * /proc/kcore has them. */
#ifndef TESTS_UNIT_KTABLES_H
#define TESTS_UNIT_KTABLES_H

#include <elf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sym/kernel/kcore.h"

/* TABLE: where they are.  BYTES: what lies from LO on. */
struct kimage {
	uint64_t table[KCORE_TABLES], lo;
	uint8_t *bytes;
	size_t n, cap;
	unsigned reads;
};

static inline void
kimage_put(struct kimage *k, const void *bytes, size_t n)
{
	if (k->n + n > k->cap && !(k->bytes = realloc(k->bytes, k->cap = 2 * (k->n + n))))
		abort();
	memcpy(k->bytes + k->n, bytes, n);
	k->n += n;
}

/* Something of N bytes' alignment begins here. */
static inline uint64_t
kimage_here(struct kimage *k, size_t n)
{
	while (k->n % n)
		kimage_put(k, "", 1);
	return k->lo + k->n;
}

struct kline {
	uint64_t addr;
	char type;
	const char *name;
};

/* Tokens: of a byte as in a name itself, and pairs where the kernel would have some. */
static const char *const kimage_pairs[] = { "__", "sy", "s_", "er", "Tx", "tx", "T_", "t_" };

static inline void
kimage_name(struct kimage *k, char type, const char *name)
{
	char packed[4096], plain[4096];
	size_t n = 0, len;
	uint8_t head[2];

	snprintf(plain, sizeof plain, "%c%s", type, name);
	for (const char *s = plain; *s; s++) {
		unsigned i = 0;

		while (i < sizeof kimage_pairs / sizeof *kimage_pairs && strncmp(s, kimage_pairs[i], 2))
			i++;
		packed[n++] = i < sizeof kimage_pairs / sizeof *kimage_pairs ? (s++, (char)(128 + i)) : *s;
	}
	len = n < 128 ? 1 : 2;
	head[0] = (uint8_t)(n < 128 ? n : (n & 127) | 128);
	head[1] = (uint8_t)(n >> 7);
	kimage_put(k, head, len);
	kimage_put(k, packed, n);
}

/* ABSOLUTE: as with CONFIG_KALLSYMS_ABSOLUTE_PERCPU.  WORD: bytes of an address.  The lines go by address. */
static inline struct kimage
kimage_of(const struct kline *line, uint32_t n, uint64_t lo, bool absolute, unsigned word)
{
	struct kimage k = { .lo = lo, .table = { [KCORE_WORD] = word } };
	uint64_t base = 0;
	uint16_t index[256];

	for (uint32_t i = 0; i < n && !base; i++)
		base = !absolute || line[i].addr > INT32_MAX ? line[i].addr : 0;
	k.table[KCORE_OFFSETS] = kimage_here(&k, 8);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t off = (uint32_t)(!absolute ? line[i].addr - base
		                          : line[i].addr <= INT32_MAX ? line[i].addr : base - 1 - line[i].addr);

		if (!strcmp(line[i].name, "_stext"))
			k.table[KCORE_STEXT] = line[i].addr;
		kimage_put(&k, &off, sizeof off);
	}
	k.table[KCORE_BASE] = kimage_here(&k, 8);
	kimage_put(&k, &base, word);
	k.table[KCORE_NUM] = kimage_here(&k, 8);
	kimage_put(&k, &n, sizeof n);
	k.table[KCORE_NAMES] = kimage_here(&k, 8);
	for (uint32_t i = 0; i < n; i++)
		kimage_name(&k, line[i].type, line[i].name);
	k.table[KCORE_TOKENS] = kimage_here(&k, 8);
	for (unsigned i = 0; i < 256; i++) {
		const char one[] = { (char)i, 0 };
		const char *token = i < 128 ? one : i - 128 < sizeof kimage_pairs / sizeof *kimage_pairs ? kimage_pairs[i - 128] : "";

		index[i] = (uint16_t)(k.lo + k.n - k.table[KCORE_TOKENS]);
		kimage_put(&k, token, strlen(token) + 1);
	}
	k.table[KCORE_INDEX] = kimage_here(&k, 8);
	kimage_put(&k, index, sizeof index);
	return k;
}

static inline void
kimage_note(struct kimage *k, const char *name, const char *text)
{
	uint32_t head[] = { (uint32_t)strlen(name) + 1, (uint32_t)strlen(text), 0 };

	kimage_put(k, head, sizeof head);
	kimage_put(k, name, head[0]);
	kimage_here(k, 4);
	kimage_put(k, text, head[1]);
	kimage_here(k, 4);
}

/* /proc/kcore of K: the headers, the notes, and its bytes as part of a piece of memory. */
static inline struct kimage
kimage_core(const struct kimage *k)
{
	static const char *const names[] = { "kallsyms_names", "kallsyms_num_syms", "kallsyms_token_table", "kallsyms_token_index",
	                                     "kallsyms_offsets", "kallsyms_relative_base", "_stext" };
	struct kimage notes = { 0 }, f = { 0 };
	bool is64 = k->table[KCORE_WORD] == 8;
	uint32_t before = 24, head, off;
	char text[1024] = "OSRELEASE=6.1.0\n";

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "SYMBOL(%s)=%llx\n", names[i], (unsigned long long)k->table[i]);
	kimage_note(&notes, "CORE", "registers");
	kimage_note(&notes, "VMCOREINFO", text);
	head = is64 ? sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) : sizeof(Elf32_Ehdr) + 2 * sizeof(Elf32_Phdr);
	off = head + (uint32_t)notes.n;
#define HEADERS(N) do { \
		Elf##N##_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS##N, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_CORE, \
		                    .e_phoff = sizeof e, .e_ehsize = sizeof e, .e_phentsize = sizeof(Elf##N##_Phdr), .e_phnum = 2 }; \
		Elf##N##_Phdr p[] = { { .p_type = PT_NOTE, .p_offset = head, .p_filesz = (uint32_t)notes.n }, \
		                      { .p_type = PT_LOAD, .p_offset = off, .p_vaddr = (Elf##N##_Addr)(k->lo - before), \
		                        .p_filesz = (uint32_t)(before + k->n), .p_memsz = (uint32_t)(before + k->n) } }; \
		kimage_put(&f, &e, sizeof e); \
		kimage_put(&f, p, sizeof p); \
	} while (0)
	if (is64)
		HEADERS(64);
	else
		HEADERS(32);
#undef HEADERS
	kimage_put(&f, notes.bytes, notes.n);
	kimage_put(&f, "what lies before: secret", before);
	kimage_put(&f, k->bytes, k->n);
	free(notes.bytes);
	return f;
}

/* For kallsyms_tables_open. */
static struct kimage kimage;

static inline size_t
kimage_read(int32_t pid, uint64_t addr, void *to, size_t n)
{
	const struct kimage *k = &kimage;

	kimage.reads++;
	if (pid || (addr && (addr < k->lo || addr - k->lo > k->n)))
		return 0;
	if (!addr)
		memcpy(to, k->table, n < sizeof k->table ? n : sizeof k->table);
	else
		memcpy(to, k->bytes + (addr - k->lo), n = n < k->n - (addr - k->lo) ? n : k->n - (size_t)(addr - k->lo));
	return n;
}

#endif

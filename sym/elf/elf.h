/* An ELF file or memory image, 32 or 64 bits, either byte order, read through the cursor (System V gABI, ch. 4 and 5).
 * Addresses are "as linked" (vaddr) unless they say otherwise. */
#ifndef SYM_ELF_ELF_H
#define SYM_ELF_ELF_H

#include "lib/cursor.h"
#include "lib/mem.h"

struct segment {   /* a PT_LOAD */
	uint64_t vaddr, off, filesz, memsz;
	bool exec;
};

struct elf {
	struct cursor bytes;       /* all of it */
	bool is64;
	bool image;                /* BYTES lie as in memory (a vdso, a process's memory), not as in the file */
	uint16_t type, machine;    /* ET_*, EM_* */
	uint64_t entry;
	struct segment *load;      /* sorted by vaddr */
	uint32_t nload;
	struct cursor headers;     /* the section headers; empty if the file has none */
	struct cursor names;       /* of sections */
	uint32_t nsection;
	uint64_t ehframe_hdr, ehframe_hdr_size;   /* PT_GNU_EH_FRAME; size 0: none */
	uint64_t dynamic, dynamic_size;           /* PT_DYNAMIC; size 0: none */
	uint64_t exidx, exidx_size;               /* PT_ARM_EXIDX; size 0: none */
	uint8_t build_id[20], build_id_len;
};

struct section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, addr, off, size, align, entsize;
	struct cursor data;        /* empty for NOBITS, or if it lies outside the file */
};

/* NULL if all is well, else what is wrong with the file, in words. */
const char *elf_open(struct elf *, struct cursor bytes, bool image, struct arena *);
/* Whether the build-id is in HEAD, the file's first bytes; the struct then knows nothing else about the file. */
bool elf_begins(struct elf *, struct cursor head);

bool elf_section(const struct elf *, uint32_t i, struct section *);
bool elf_section_named(const struct elf *, const char *name, struct section *);
/* Whether VADDR is in a segment that may be executed. */
bool elf_is_code(const struct elf *, uint64_t vaddr);
/* The SIZE bytes that lie at VADDR when loaded: empty where the file does not hold them all. */
struct cursor elf_at(const struct elf *, uint64_t vaddr, uint64_t size);
/* The bytes from VADDR on, up to the end of the segment's bytes in the file. */
struct cursor elf_from(const struct elf *, uint64_t vaddr);
/* The address as linked of file offset OFF, in an executable segment if possible; false if no segment holds it. */
bool elf_vaddr(const struct elf *, uint64_t off, uint64_t *vaddr);
/* The file offset of the byte that lies at VADDR when loaded; false where the file does not hold it. */
bool elf_offset(const struct elf *, uint64_t vaddr, uint64_t *off);

#endif

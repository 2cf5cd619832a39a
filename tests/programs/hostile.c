/* hostile make KIND FILE: a file with code that runs, and around it what makes much work out of few bytes.
 * hostile run FILE SECONDS: maps it and runs that code for so long of CPU time.
 * hostile jit KIND SECONDS: runs code that has no file, and what names it is hostile: a perf map or a jitdump. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { CODE = 0x10000, CODE_SIZE = 0x1000, TABLES = 0x20000, SECTIONS = 8 };
#define GIB ((uint64_t)1 << 30)

#if UINTPTR_MAX == UINT64_MAX
typedef Elf64_Ehdr Ehdr;
typedef Elf64_Phdr Phdr;
typedef Elf64_Shdr Shdr;
#define CLASS ELFCLASS64
#else
typedef Elf32_Ehdr Ehdr;
typedef Elf32_Phdr Phdr;
typedef Elf32_Shdr Shdr;
#define CLASS ELFCLASS32
#endif

static const char names[] = "\0.shstrtab\0.text\0.eh_frame\0.debug_frame\0.debug_info\0.debug_abbrev\0.debug_ranges\0.symtab\0.strtab";

__attribute__((noinline, aligned(4096))) static unsigned
spin(unsigned v)
{
	for (unsigned i = 0; i < 1000000; i++)
		v = v * 1664525 + 1013904223;
	return v;
}

static int fd;
static Ehdr head;
static Phdr load;
static Shdr section[SECTIONS];
static unsigned sections = 1;
static uint64_t end = TABLES;

static uint32_t
name_at(const char *name)
{
	for (uint32_t i = 1; i < sizeof names; i += (uint32_t)strlen(names + i) + 1)
		if (!strcmp(names + i, name))
			return i;
	abort();
}

/* A section of SIZE bytes: the first N from BYTES, the rest a hole. */
static Shdr *
add(const char *name, uint32_t type, const void *bytes, size_t n, uint64_t size)
{
	Shdr *s = &section[sections++];

	*s = (Shdr){ .sh_name = name_at(name), .sh_type = type, .sh_offset = end, .sh_size = size, .sh_addralign = 1 };
	for (size_t done = 0; done < n;) {
		ssize_t some = pwrite(fd, (const char *)bytes + done, n - done, (off_t)(end + done));

		if (some <= 0)
			exit(1);
		done += (size_t)some;
	}
	end = (end + size + 4095) & ~(uint64_t)4095;
	return s;
}

/* A zlib stream that expands to N zeros: a literal, and then matches of 258 in the fixed code. */
static size_t
zeros(uint8_t *out, uint64_t n)
{
	uint64_t bits = 0;
	unsigned nbits = 0;
	size_t len = 2;
#define PUT(v, k) do { bits |= (uint64_t)(v) << nbits; for (nbits += (k); nbits >= 8; nbits -= 8, bits >>= 8) out[len++] = (uint8_t)bits; } while (0)

	out[0] = 0x78;
	out[1] = 0x01;
	PUT(3, 3);              /* the last block, of the fixed code */
	PUT(0x0c, 8);           /* literal 0: 00110000, from the other end */
	for (n--; n >= 258; n -= 258) {
		PUT(0xa3, 8);   /* 285: 11000101 */
		PUT(0, 5);      /* a distance of 1 */
	}
	for (; n; n--)
		PUT(0x0c, 8);
	PUT(0, 7);
	PUT(0, 7);
	return len + 4;         /* and a wrong checksum */
}

/* COUNT functions that all claim the same PAIRS of addresses. */
static void
repeated_ranges(uint32_t count, uint32_t pairs)
{
	static const uint8_t abbrevs[] = { 1, 0x11, 1, 0, 0, 2, 0x2e, 0, 0x55, 0x17, 0, 0, 0 };
	unsigned w = sizeof(void *);
	uint32_t n = 11 + 1 + count * 5, length = n - 4;
	uint8_t *info = calloc(1, n), *range = calloc(pairs + 1, 2 * w), *p = info + 12;
	uint16_t version = 4;

	memcpy(info, &length, 4);
	memcpy(info + 4, &version, 2);
	info[10] = (uint8_t)w;
	info[11] = 1;
	for (uint32_t i = 0; i < count; i++, p += 5)
		*p = 2;
	for (uint32_t i = 0; i < pairs; i++) {
		uintptr_t lo = CODE + i % 2000, hi = lo + 1;

		memcpy(range + (size_t)i * 2 * w, &lo, w);
		memcpy(range + (size_t)i * 2 * w + w, &hi, w);
	}
	add(".debug_info", SHT_PROGBITS, info, n, n);
	add(".debug_abbrev", SHT_PROGBITS, abbrevs, sizeof abbrevs, sizeof abbrevs);
	add(".debug_ranges", SHT_PROGBITS, range, (size_t)(pairs + 1) * 2 * w, (uint64_t)(pairs + 1) * 2 * w);
}

static void
packed(uint64_t n)
{
	uint8_t *bytes = calloc(1, (size_t)(n / 100 + 4096));
#if UINTPTR_MAX == UINT64_MAX
	Elf64_Chdr c = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = n, .ch_addralign = 1 };
#else
	Elf32_Chdr c = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = (uint32_t)n, .ch_addralign = 1 };
#endif
	size_t len = sizeof c + zeros(bytes + sizeof c, n);

	memcpy(bytes, &c, sizeof c);
	add(".debug_info", SHT_PROGBITS, bytes, len, len)->sh_flags = SHF_COMPRESSED;
}

/* Makes a file of KIND; false if KIND is unknown. */
static int
make(const char *kind)
{
	uint8_t *zero = calloc(1, 64 << 20);

	if (!strcmp(kind, "plain"))
		return 1;
	if (!strcmp(kind, "segments")) {           /* as many as a file can claim, in a hole */
		head.e_phnum = PN_XNUM;
		section[0].sh_info = UINT32_MAX;
		end = 240 * GIB;
	} else if (!strcmp(kind, "eh_frame")) {
		add(".eh_frame", SHT_PROGBITS, NULL, 0, 3 * GIB);
	} else if (!strcmp(kind, "debug_frame")) {
		add(".debug_frame", SHT_PROGBITS, NULL, 0, 3 * GIB);
	} else if (!strcmp(kind, "debug_info")) {
		add(".debug_info", SHT_PROGBITS, NULL, 0, 3 * GIB);
	} else if (!strcmp(kind, "symbols")) {
		add(".strtab", SHT_STRTAB, NULL, 0, 64);
		add(".symtab", SHT_SYMTAB, NULL, 0, 3 * GIB)->sh_link = sections - 2;
	} else if (!strcmp(kind, "dense_eh_frame")) {   /* the same without holes, small enough for a disk */
		add(".eh_frame", SHT_PROGBITS, zero, 24 << 20, 24 << 20);
	} else if (!strcmp(kind, "dense_debug_frame")) {
		add(".debug_frame", SHT_PROGBITS, zero, 24 << 20, 24 << 20);
	} else if (!strcmp(kind, "large_debug_frame")) {   /* more than can be read in two seconds */
		for (unsigned i = 0; i < 16; i++)
			pwrite(fd, zero, 64 << 20, (off_t)(end + ((uint64_t)i << 26)));
		add(".debug_frame", SHT_PROGBITS, NULL, 0, (uint64_t)16 << 26);
	} else if (!strcmp(kind, "dense_debug_info")) {
		add(".debug_info", SHT_PROGBITS, zero, 24 << 20, 24 << 20);
	} else if (!strcmp(kind, "packed")) {
		packed(GIB);
	} else if (!strcmp(kind, "packed_little")) {
		packed(16 << 20);
	} else if (!strcmp(kind, "ranges")) {
		repeated_ranges(20000, 20000);
	} else {
		return 0;
	}
	return 1;
}

static int
make_file(const char *kind, const char *path)
{
	static char code[CODE_SIZE];

	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = CLASS;
	head.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
	head.e_ident[EI_VERSION] = EV_CURRENT;
	head.e_type = ET_DYN;
	head.e_machine = EM_X86_64;
#ifdef __aarch64__
	head.e_machine = EM_AARCH64;
#elif defined __riscv
	head.e_machine = EM_RISCV;
#elif defined __arm__
	head.e_machine = EM_ARM;
#elif defined __i386__
	head.e_machine = EM_386;
#endif
	head.e_version = EV_CURRENT;
	head.e_ehsize = sizeof head;
	head.e_phoff = sizeof head;
	head.e_phentsize = sizeof load;
	head.e_phnum = 1;
	head.e_shentsize = sizeof *section;
	load = (Phdr){ .p_type = PT_LOAD, .p_offset = CODE, .p_vaddr = CODE, .p_filesz = CODE_SIZE, .p_memsz = CODE_SIZE, .p_flags = PF_R | PF_X };
	memcpy(code, (const void *)(uintptr_t)spin, sizeof code);
	if (fd < 0 || !make(kind))
		return 2;
	add(".shstrtab", SHT_STRTAB, names, sizeof names, sizeof names);
	head.e_shstrndx = (Elf64_Half)(sections - 1);
	add(".text", SHT_PROGBITS, NULL, 0, 0);
	section[sections - 1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	section[sections - 1].sh_offset = section[sections - 1].sh_addr = CODE;
	section[sections - 1].sh_size = CODE_SIZE;
	head.e_shnum = (Elf64_Half)sections;
	head.e_shoff = end;
	return pwrite(fd, section, sections * sizeof *section, (off_t)end) < 0 || pwrite(fd, &head, sizeof head, 0) < 0 ||
	       pwrite(fd, &load, sizeof load, sizeof head) < 0 || pwrite(fd, code, sizeof code, CODE) < 0;
}

static int
run(const char *path, double seconds)
{
	unsigned (*code)(unsigned);
	volatile unsigned v = 1;
	void *p;

	if ((fd = open(path, O_RDONLY)) < 0 || (p = mmap(NULL, CODE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, CODE)) == MAP_FAILED)
		return 1;
	code = (unsigned (*)(unsigned))(uintptr_t)p;
	while ((double)clock() < seconds * CLOCKS_PER_SEC)
		v = code(v);
	return 0;
}

/* LO bytes from the beginning of the open file on repeat PIECE; the rest of SIZE bytes is a hole, or (FULL) has its place on the disk. */
static int
fill(const void *piece, size_t n, uint64_t lo, uint64_t size, int full)
{
	size_t some = (1 << 20) / n * n;
	char *bytes = malloc(some);
	off_t at = lseek(fd, 0, SEEK_CUR);

	for (size_t i = 0; i < some; i += n)
		memcpy(bytes + i, piece, n);
	for (uint64_t done = 0; done < lo; done += some)
		if (pwrite(fd, bytes, some, at + (off_t)done) != (ssize_t)some)
			return 0;
	return full ? !fallocate(fd, 0, 0, (off_t)size) : !ftruncate(fd, (off_t)size);
}

/* Writes the names of the code at P, as KIND says; false if there is no room, or if KIND is unknown. */
static int
tell(const char *kind, const void *p, char *path, size_t n)
{
	struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; } dump = { 0x4A695444, 1, 40, 62, 0, (uint32_t)getpid(), 0, 0 };
	struct { uint32_t type, size; uint64_t time; uint32_t pid, tid; uint64_t vma, addr, bytes, id; char name[8]; } load = {
		0, sizeof load, 0, dump.pid, dump.pid, (uintptr_t)p, (uintptr_t)p, CODE_SIZE, 0, "dumped" };
	int map = !strncmp(kind, "map", 3);
	char line[64];
	int len;

	snprintf(path, n, map ? "/tmp/perf-%d.map" : "jit-%d.dump", (int)getpid());
	if ((fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644)) < 0)
		return 0;
	len = snprintf(line, sizeof line, "%llx %x mapped\n", (unsigned long long)(uintptr_t)p, CODE_SIZE);
	if (map ? write(fd, line, (size_t)len) != len : write(fd, &dump, sizeof dump) != sizeof dump || write(fd, &load, sizeof load) != sizeof load)
		return 0;
	if (!map && mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 0;
	if (!strcmp(kind, "map_sparse"))
		return fill("", 1, 0, 64 * GIB, 0);
	if (!strcmp(kind, "map_line"))          /* that never ends */
		return fill("a", 1, 200 << 20, 200 << 20, 1);
	if (!strcmp(kind, "map_lines"))
		return fill(line, (size_t)len, 64 << 20, 64 << 20, 1);
	if (!strcmp(kind, "dump_sparse"))
		return fill("", 1, 0, 3 * GIB, 0);
	if (!strcmp(kind, "dump_zeros"))        /* no hole, according to the file system */
		return fill("", 1, 0, 3 * GIB, 1);
	if (!strcmp(kind, "dump_loads"))
		return fill(&load, sizeof load, 64 << 20, 64 << 20, 1);
	return 0;
}

static int
jit(const char *kind, double seconds)
{
	void *p = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile unsigned v = 1;
	unsigned (*code)(unsigned);
	char path[64];
	int told;

	if (p == MAP_FAILED)
		return 77;
	memcpy(p, (const void *)(uintptr_t)spin, CODE_SIZE);
	__builtin___clear_cache(p, (char *)p + CODE_SIZE);
	code = (unsigned (*)(unsigned))(uintptr_t)p;
	told = tell(kind, p, path, sizeof path);
	for (clock_t from = clock(); told && (double)(clock() - from) < seconds * CLOCKS_PER_SEC;)
		v = code(v);
	unlink(path);
	return told ? 0 : 77;
}

int
main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "jit"))
		return jit(argv[2], atof(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "make"))
		return make_file(argv[2], argv[3]);
	return argc == 4 && !strcmp(argv[1], "run") ? run(argv[2], atof(argv[3])) : 2;
}

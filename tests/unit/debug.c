#include "sym/module/debug_file.c"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elfwrite.h"
#include "lib/codec/crc.h"
#include "lib/codec/deflate.h"
#include "test.h"

/* ---- a file system of a few files ---- */

static struct modules ms;
static struct there { const char *path; int root, fd; } there[8];
static unsigned ntheres;
static char asked[8192];   /* paths, a line each, in the order of asking */
static int there_is_no;    /* errno of what is no file */

static int
open_there(int root, const char *path)
{
	size_t n = strlen(asked);

	snprintf(asked + n, sizeof asked - n, "%s\n", path);
	for (unsigned i = 0; i < ntheres; i++)
		if (!strcmp(there[i].path, path) && there[i].root == root)
			return dup(there[i].fd);
	errno = there_is_no;
	return -1;
}

static int
file_of(const void *bytes, size_t n)
{
	int fd = memfd_create("debug", 0);

	CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	return fd;
}

/* Makes a file of W's bytes at PATH below ROOT. */
static void
put_file(const char *path, int root, struct elfwrite *w)
{
	struct bytes b = elfwrite_finish(w);

	there[ntheres++] = (struct there){ path, root, file_of(b.p, b.n) };
	bytes_free(&b);
}

static void
begin(void)
{
	CHECK(modules_init(&ms));
	ms.open = open_there;
	asked[0] = 0;
	there_is_no = EINVAL;   /* it is a directory */
}

static void
end(void)
{
	while (ntheres)
		close(there[--ntheres].fd);
	modules_free(&ms);
}

static struct module *
module_of(struct elfwrite *w, const char *path)
{
	struct bytes b = elfwrite_finish(w);
	int fd = file_of(b.p, b.n);
	struct module *m = module_file(&ms, fd, path);

	CHECK(m && !m->bad);
	close(fd);
	bytes_free(&b);
	return m;
}

/* ---- contents ---- */

static const uint8_t id[20] = { 0xab, 0xcd, 0xef, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };
static const uint8_t other_id[20] = { 0xab, 0xcd, 0xef, 9 };

static struct elfwrite
stripped(const uint8_t *build_id)
{
	static const uint8_t code[64];
	struct elfwrite w = elfwrite_new(true, false);

	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof code);
	if (build_id)
		elfwrite_build_id(&w, build_id, 20);
	return w;
}

static struct elfwrite
with_debug(const uint8_t *build_id)
{
	struct elfwrite w = stripped(build_id);

	elfwrite_section(&w, ".debug_info", SHT_PROGBITS, 0, 0, "information", 11);
	elfwrite_section(&w, ".debug_str", SHT_PROGBITS, 0, 0, "s", 2);
	return w;
}

static void
add_link(struct elfwrite *w, const char *name, uint32_t crc)
{
	struct bytes b = { .big = w->out.big };

	bytes_str(&b, name);
	bytes_align(&b, 4, 0);
	bytes_uint(&b, crc, 4);
	elfwrite_section(w, ".gnu_debuglink", SHT_PROGBITS, 0, 0, b.p, b.n);
	bytes_free(&b);
}

/* ---- compressed sections ---- */

enum { PLAIN_SIZE = 5000 };

static const char *
plain(void)
{
	static char text[PLAIN_SIZE];

	for (unsigned i = 0; i < PLAIN_SIZE; i++)
		text[i] = (char)(i * i >> 7);
	return text;
}

/* Section NAME compressed by zlib behind its header, which says TYPE and SIZE. */
static void
add_compressed(struct elfwrite *w, const char *name, unsigned type, uint64_t size, size_t cut)
{
	struct bytes b = { .big = w->out.big };
	unsigned word = w->is64 ? 8 : 4;
	struct deflater d;
	struct sink s;

	bytes_uint(&b, type, 4);
	if (w->is64)
		bytes_uint(&b, 0, 4);
	bytes_uint(&b, size, word);
	bytes_uint(&b, 1, word);
	sink_open(&s, -1);
	CHECK(deflate_open(&d, &s, DEFLATE_ZLIB));
	deflate_put(&d, plain(), PLAIN_SIZE);
	deflate_close(&d);
	bytes_put(&b, s.buf, s.len - cut);
	elfwrite_section(w, name, SHT_PROGBITS, SHF_COMPRESSED, 0, b.p, b.n);
	sink_close(&s);
	bytes_free(&b);
}

static void
zlib_of_every_class(void)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		struct elfwrite w = elfwrite_new(kind & 1, kind & 2);
		struct module *m;
		struct cursor c, again;

		begin();
		add_compressed(&w, ".debug_info", 1, PLAIN_SIZE, 0);
		m = module_of(&w, "/x");
		c = debug_file_section_of(&ms, m, ".debug_info");
		CHECK_U64(cur_left(&c), PLAIN_SIZE);
		CHECK(cur_left(&c) == PLAIN_SIZE && !memcmp(c.pos, plain(), PLAIN_SIZE) && c.big == (kind >= 2));
		again = debug_file_section_of(&ms, m, ".debug_info");
		CHECK(again.pos == c.pos);
		CHECK(debug_file(&ms, m) == m);
		c = debug_file_section_of(&ms, m, ".debug_line");
		CHECK(!cur_left(&c));
		end();
	}
}

static void
gnu_zdebug(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes b = { .big = true };
	struct deflater d;
	struct module *m;
	struct cursor c;
	struct sink s;

	begin();
	bytes_put(&b, "ZLIB", 4);
	bytes_uint(&b, PLAIN_SIZE, 8);
	sink_open(&s, -1);
	CHECK(deflate_open(&d, &s, DEFLATE_ZLIB));
	deflate_put(&d, plain(), PLAIN_SIZE);
	deflate_close(&d);
	bytes_put(&b, s.buf, s.len);
	elfwrite_section(&w, ".zdebug_info", SHT_PROGBITS, 0, 0, b.p, b.n);
	m = module_of(&w, "/x");
	c = debug_file_section_of(&ms, m, ".debug_info");
	CHECK(cur_left(&c) == PLAIN_SIZE && !memcmp(c.pos, plain(), PLAIN_SIZE));
	sink_close(&s);
	bytes_free(&b);
	end();
}

/* A frame of one block, stored: section 3.1.1 of RFC 8878. */
static void
zstd_section(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes b = { 0 };
	struct cursor c;

	begin();
	bytes_uint(&b, 2, 8);
	bytes_uint(&b, 300, 8);
	bytes_uint(&b, 1, 8);
	bytes_put(&b, "\x28\xb5\x2f\xfd\x60\x2c\x00", 7);   /* one segment of 256 + 44 bytes */
	bytes_uint(&b, 300 << 3 | 1, 3);
	bytes_put(&b, plain(), 300);
	elfwrite_section(&w, ".debug_str", SHT_PROGBITS, SHF_COMPRESSED, 0, b.p, b.n);
	c = debug_file_section_of(&ms, module_of(&w, "/x"), ".debug_str");
	CHECK(cur_left(&c) == 300 && !memcmp(c.pos, plain(), 300));
	bytes_free(&b);
	end();
}

static void
sections_that_lie(void)
{
	static const struct { unsigned type; uint64_t size; size_t cut; } lies[] = {
		{ 1, PLAIN_SIZE + 1, 0 }, { 1, PLAIN_SIZE - 1, 0 }, { 1, 0, 0 }, { 1, UINT64_MAX, 0 }, { 1, (uint64_t)1 << 40, 0 },
		{ 1, PLAIN_SIZE, 40 }, { 2, PLAIN_SIZE, 0 }, { 3, PLAIN_SIZE, 0 }, { 0, PLAIN_SIZE, 0 }, { 1, PLAIN_SIZE, 1 },
	};
	struct elfwrite w;
	struct cursor c;

	for (unsigned i = 0; i < sizeof lies / sizeof *lies; i++) {
		begin();
		w = elfwrite_new(true, false);
		add_compressed(&w, ".debug_info", lies[i].type, lies[i].size, lies[i].cut);
		elfwrite_section(&w, ".debug_line", SHT_PROGBITS, SHF_COMPRESSED, 0, "\1", 1);
		elfwrite_section(&w, ".zdebug_str", SHT_PROGBITS, 0, 0, "ZLIB\0", 5);
		c = debug_file_section_of(&ms, module_of(&w, "/x"), ".debug_info");
		CHECK(!cur_left(&c));
		c = debug_file_section_of(&ms, ms.module[ms.n - 1], ".debug_line");
		CHECK(!cur_left(&c));
		c = debug_file_section_of(&ms, ms.module[ms.n - 1], ".debug_str");
		CHECK(!cur_left(&c));
		CHECK(mem_used() < 1 << 20);
		end();
	}
}

/* ---- files ---- */

static void
places_in_their_order(void)
{
	struct elfwrite w = stripped(id);
	struct module *m;

	begin();
	add_link(&w, "tool.dbg", 1);
	m = module_of(&w, "/usr/bin/tool");
	ms.places.dir[0] = "/one";
	ms.places.dir[1] = "/two";
	ms.places.cache[0] = "/cache";
	m->root = 0;
	CHECK(!debug_file(&ms, m));
	CHECK_STR(asked, "/one/.build-id\n/one/.build-id/ab/cdef0102030405060708090a0b0c0d0e0f1011.debug\n"
	                 "/two/.build-id\n/two/.build-id/ab/cdef0102030405060708090a0b0c0d0e0f1011.debug\n"
	                 "/one/usr/bin\n/one/usr/bin/tool.dbg\n/two/usr/bin\n/two/usr/bin/tool.dbg\n"
	                 "/one\n/one/tool.dbg\n/two\n/two/tool.dbg\n"
	                 "/one/usr/bin/tool\n/two/usr/bin/tool\n"
	                 "/one/tool.debug\n/two/tool.debug\n"
	                 "/one/tool\n/two/tool\n"
	                 "/one/abcdef0102030405060708090a0b0c0d0e0f1011/debuginfo\n"
	                 "/two/abcdef0102030405060708090a0b0c0d0e0f1011/debuginfo\n"
	                 "/usr/lib/debug/.build-id\n/usr/lib/debug/.build-id/ab/cdef0102030405060708090a0b0c0d0e0f1011.debug\n"
	                 "/usr/bin\n/usr/bin/tool.dbg\n/usr/bin/.debug\n/usr/bin/.debug/tool.dbg\n"
	                 "/usr/lib/debug/usr/bin\n/usr/lib/debug/usr/bin/tool.dbg\n/usr/lib/debug/bin\n/usr/lib/debug/bin/tool.dbg\n"
	                 "/cache\n/cache/abcdef0102030405060708090a0b0c0d0e0f1011/debuginfo\n");
	asked[0] = 0;
	CHECK(!debug_file(&ms, m));
	CHECK_STR(asked, "");
	end();
}

/* prof asks for nothing below a directory that does not exist; each root has its own. */
static void
directories_that_are_not_there(void)
{
	struct elfwrite w = stripped(id);
	struct module *m;

	begin();
	there_is_no = ENOENT;
	add_link(&w, "tool.dbg", 1);
	m = module_of(&w, "/usr/bin/tool");
	ms.places.cache[0] = "/cache";
	ms.root[0].fd = 100;
	CHECK(!debug_file(&ms, m));
	CHECK_STR(asked, "/usr/lib/debug/.build-id\n/usr/bin\n/usr/bin/.debug\n/usr/lib/debug/usr/bin\n/usr/lib/debug/bin\n/cache\n");
	asked[0] = 0;
	w = stripped(id);
	add_link(&w, "tool2.dbg", 1);
	m = module_of(&w, "/usr/bin/tool2");
	CHECK(!debug_file(&ms, m));
	CHECK_STR(asked, "");
	w = stripped(id);
	m = module_of(&w, "/usr/bin/tool3");
	m->root = 1;
	CHECK(!debug_file(&ms, m));
	CHECK_STR(asked, "/usr/lib/debug/.build-id\n");
	end();
}

static void
without_anything_to_go_by(void)
{
	struct elfwrite w = stripped(NULL);
	struct module *m;

	begin();
	m = module_of(&w, "[vdso]");
	CHECK(!debug_file(&ms, m) && !debug_file_symbols(&ms, m));
	CHECK_STR(asked, "");
	ms.open = NULL;
	w = stripped(id);
	CHECK(!debug_file(&ms, module_of(&w, "/usr/bin/tool")));
	end();
}

static void
by_build_id(void)
{
	static const char at[] = "/usr/lib/debug/.build-id/ab/cdef0102030405060708090a0b0c0d0e0f1011.debug";
	struct elfwrite w = stripped(id), right = with_debug(id);
	struct module *m, *file;
	struct cursor c;

	begin();
	m = module_of(&w, "/usr/bin/tool");
	put_file(at, -1, &right);
	file = debug_file(&ms, m);
	CHECK(file && file != m);
	c = debug_file_section(&ms, m, ".debug_info");
	CHECK(cur_left(&c) == 11 && !memcmp(c.pos, "information", 11));
	CHECK(!debug_file_symbols(&ms, m));
	end();
}

/* Files at the right place, but of another build, of another machine, or without contents. */
static void
others_are_refused(void)
{
	static const char at[] = "/usr/lib/debug/.build-id/ab/cdef0102030405060708090a0b0c0d0e0f1011.debug";

	for (unsigned wrong = 0; wrong < 6; wrong++) {
		struct elfwrite w = stripped(id), file = wrong == 0   ? with_debug(other_id)
		                                         : wrong == 1 ? stripped(id)
		                                         : wrong == 2 ? with_debug(NULL)
		                                                      : with_debug(id);
		struct module *m;

		begin();
		m = module_of(&w, "/usr/bin/tool");
		if (wrong == 3)
			file.machine = EM_AARCH64;
		put_file(at, wrong == 5 ? 77 : -1, &file);
		if (wrong == 4)
			CHECK(pwrite(there[0].fd, "x", 1, 0) == 1);
		CHECK(!debug_file(&ms, m));
		end();
	}
}

static void
by_link_and_crc(void)
{
	for (unsigned bend = 0; bend < 2; bend++) {
		struct elfwrite file = with_debug(NULL), w = stripped(NULL);
		struct bytes b = elfwrite_finish(&file);
		struct module *m;

		begin();
		add_link(&w, "tool.dbg", crc32_add(0, b.p, b.n) ^ bend);
		there[ntheres++] = (struct there){ "/usr/bin/.debug/tool.dbg", -1, file_of(b.p, b.n) };
		m = module_of(&w, "/usr/bin/tool");
		CHECK((debug_file(&ms, m) == NULL) == bend);
		bytes_free(&b);
		end();
	}
}

static void
links_that_lead_elsewhere(void)
{
	static const char *const links[] = { "../../etc/x", "/etc/x", "", "a/b" };

	for (unsigned i = 0; i < 4; i++) {
		struct elfwrite w = stripped(NULL);

		begin();
		add_link(&w, links[i], 0);
		CHECK(!debug_file(&ms, module_of(&w, "/usr/bin/tool")));
		CHECK_STR(asked, "");
		end();
	}
}

static void
below_the_roots(void)
{
	struct elfwrite w = stripped(id), right = with_debug(id), unstripped = with_debug(id);
	struct module *m;
	int root = open("/proc", O_PATH | O_DIRECTORY), board = open("/dev", O_PATH | O_DIRECTORY);

	begin();
	m = module_of(&w, "/opt/tool");
	m->root = modules_root(&ms, root);
	CHECK(m->root == 1 && modules_root(&ms, root) == 1);
	ms.places.sysroot = modules_root(&ms, board);
	CHECK(ms.places.sysroot == 2);
	put_file("/usr/lib/debug/.build-id/ab/cdef0102030405060708090a0b0c0d0e0f1011.debug", ms.root[0].fd, &right);
	CHECK(debug_file(&ms, m) && debug_file(&ms, m)->root == 1);
	end();

	begin();
	w = stripped(id);
	m = module_of(&w, "/opt/tool");
	ms.places.sysroot = modules_root(&ms, board);
	put_file("/opt/tool", ms.root[0].fd, &unstripped);
	CHECK(debug_file(&ms, m) && debug_file(&ms, m)->root == 1);
	end();
	close(root);
	close(board);
}

static void
shared_by_several(void)
{
	static const char *const links[] = { "/usr/lib/debug/.dwz/shared", "../.dwz/shared", "/gone/shared" };
	static const char *const at[] = { "/usr/lib/debug/.dwz/shared", "/usr/lib/debug/x/../.dwz/shared", "/usr/lib/debug/.dwz/shared" };

	for (unsigned i = 0; i < 6; i++) {
		struct elfwrite w = with_debug(NULL), shared = with_debug(i < 3 ? other_id : id);
		struct bytes b = { 0 };
		struct module *m;

		begin();
		bytes_str(&b, links[i % 3]);
		bytes_put(&b, other_id, 20);
		elfwrite_section(&w, ".gnu_debugaltlink", SHT_PROGBITS, 0, 0, b.p, b.n);
		m = module_of(&w, "/usr/lib/debug/x/tool.debug");
		put_file(at[i % 3], -1, &shared);
		CHECK((debug_file_alt(&ms, m) != NULL) == (i < 3));
		bytes_free(&b);
		end();
	}
}

static void
split_files(void)
{
	struct elfwrite w = with_debug(NULL), split = stripped(NULL), pack = stripped(NULL);
	struct module *m;

	begin();
	m = module_of(&w, "/opt/tool");
	elfwrite_section(&split, ".debug_info.dwo", SHT_PROGBITS, 0, 0, "split", 5);
	elfwrite_section(&pack, ".debug_cu_index", SHT_PROGBITS, 0, 0, "index", 5);
	put_file("/src/build/a.dwo", -1, &split);
	put_file("/opt/tool.dwp", -1, &pack);
	CHECK(debug_file_dwo(&ms, m, "/src/build", "a.dwo") != NULL);
	CHECK(debug_file_dwo(&ms, m, NULL, "/src/build/a.dwo") != NULL);
	CHECK(!debug_file_dwo(&ms, m, "/src", "a.dwo") && !debug_file_dwo(&ms, m, "relative", "b.dwo") && !debug_file_dwo(&ms, m, NULL, ""));
	CHECK(debug_file_dwp(&ms, m) != NULL && debug_file_dwp(&ms, m) == debug_file_dwp(&ms, m));
	end();
}

static void
no_memory(void)
{
	struct elfwrite w = stripped(id);
	struct module *m;
	struct cursor c;

	begin();
	add_compressed(&w, ".debug_info", 1, PLAIN_SIZE, 0);
	m = module_of(&w, "/x");
	mem_cap(mem_used());
	while (arena_alloc(&ms.arena, 16))
		;
	CHECK(!debug_file(&ms, m) && !debug_file_symbols(&ms, m) && !debug_file_alt(&ms, m) && !debug_file_dwp(&ms, m));
	c = debug_file_section_of(&ms, m, ".debug_info");
	CHECK(!cur_left(&c));
	mem_cap(SIZE_MAX);
	end();
}

int
main(void)
{
	RUN("debug", zlib_of_every_class);
	RUN("debug", gnu_zdebug);
	RUN("debug", zstd_section);
	RUN("debug", sections_that_lie);
	RUN("debug", places_in_their_order);
	RUN("debug", directories_that_are_not_there);
	RUN("debug", without_anything_to_go_by);
	RUN("debug", by_build_id);
	RUN("debug", others_are_refused);
	RUN("debug", by_link_and_crc);
	RUN("debug", links_that_lead_elsewhere);
	RUN("debug", below_the_roots);
	RUN("debug", shared_by_several);
	RUN("debug", split_files);
	RUN("debug", no_memory);
	return TEST_STATUS;
}

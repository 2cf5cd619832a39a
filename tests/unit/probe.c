/* What a probe's words mean in a file, USDT notes, and the grammar of probes. */
#include "test.h"
#include "elfwrite.h"
#include "sample/events/probe.c"
#include "sym/probe/sites.c"
#include "sym/probe/usdt.c"

enum { TEXT = 0x1000, DATA = 0x2000, BASE_NOW = 0x2100, BASE_THEN = 0x2000 };

static struct modules ms;

static void
put_note(struct bytes *b, uint32_t type, const char *owner, uint64_t pc, uint64_t base, uint64_t semaphore, const char *text, size_t n)
{
	size_t name = strlen(owner) + 1;

	bytes_uint(b, name, 4);
	bytes_uint(b, 24 + n, 4);
	bytes_uint(b, type, 4);
	bytes_str(b, owner);
	bytes_align(b, 4, 0);
	bytes_uint(b, pc, 8);
	bytes_uint(b, base, 8);
	bytes_uint(b, semaphore, 8);
	bytes_put(b, text, n);
	bytes_align(b, 4, 0);
}

static struct bytes
make(bool notes, bool cut)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes b = { 0 };
	static const char first[] = "db\0query__start\0" "8@%rdi -4@$5", second[] = "db\0query__done\0", other[] = "web\0query__start\0";
	uint8_t code[64] = { 0x90 };

	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, code, sizeof code);
	elfwrite_section(&w, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, DATA, code, sizeof code);
	elfwrite_symbol(&w, "main", TEXT, 16, STT_FUNC, 1);
	elfwrite_symbol(&w, "_ZN2ns3runEi", TEXT + 16, 16, STT_FUNC, 1);
	elfwrite_symbol(&w, "_ZN2ns3runEd", TEXT + 32, 8, STT_FUNC, 1);
	elfwrite_symbol(&w, "chosen", TEXT + 40, 8, STT_GNU_IFUNC, 1);
	elfwrite_symbol(&w, "mainly", TEXT + 48, 8, STT_FUNC, 1);
	elfwrite_symbol(&w, "table", DATA, 8, STT_OBJECT, 2);
	if (notes) {
		elfwrite_section(&w, ".stapsdt.base", SHT_PROGBITS, SHF_ALLOC, BASE_NOW, code, 1);
		put_note(&b, 3, "stapsdt", TEXT + 4 - 0x100, BASE_THEN, DATA + 8 - 0x100, first, sizeof first);
		put_note(&b, 3, "other", TEXT, 0, 0, first, sizeof first);
		put_note(&b, 9, "stapsdt", TEXT, 0, 0, first, sizeof first);
		put_note(&b, 3, "stapsdt", TEXT + 8 - 0x100, BASE_THEN, 0, second, sizeof second);
		put_note(&b, 3, "stapsdt", TEXT + 9 - 0x100, BASE_THEN, 0, other, sizeof other);
		elfwrite_section(&w, ".note.stapsdt", SHT_NOTE, 0, 0, b.p, cut ? b.n - 20 : b.n);
		bytes_free(&b);
	}
	return elfwrite_finish(&w);
}

static struct module *
module_of(struct bytes *file)
{
	CHECK(modules_init(&ms));
	return module_bytes(&ms, "/bin/x", file->p, file->n);
}

/* Instructions have two bytes. */
static uint64_t
instruction(struct modules *all, struct module *m, uint64_t begin, uint64_t vaddr)
{
	(void)all, (void)m;
	return begin ? begin + ((vaddr - begin) & ~UINT64_C(1)) : vaddr;
}

static void
one(struct module *m, const char *place, uint64_t off, const char *name)
{
	struct sites s = { .instruction = instruction };

	CHECK(sites_code(&s, &ms, m, place));
	CHECK_U64(s.n, 1);
	if (s.n) {
		CHECK_U64(s.site[0].off, off);
		CHECK_STR(s.site[0].name, name);
	}
	sites_free(&s);
}

static void
says(struct module *m, const char *place, const char *why)
{
	struct sites s = { .instruction = instruction };

	CHECK(!sites_code(&s, &ms, m, place));
	CHECK(strstr(s.wrong, why) != NULL);
	sites_free(&s);
}

static void
names_become_offsets(void)
{
	struct bytes file = make(false, false);
	struct module *m = module_of(&file);
	struct sites s = { 0 };

	one(m, "main", TEXT, "main");
	one(m, "main+4", TEXT + 4, "main+4");
	one(m, "main+0xe", TEXT + 14, "main+14");
	says(m, "main+15", "main+15 is within an instruction, which begins at +14");
	says(m, "0x1009", "0x1009 is within an instruction, which begins at 0x1008");
	one(m, "0x1008", TEXT + 8, "0x1008");
	one(m, "_ZN2ns3runEi", TEXT + 16, "_ZN2ns3runEi");
	one(m, "ns::run(double)", TEXT + 32, "ns::run(double)");
	CHECK(sites_code(&s, &ms, m, "ns::run"));
	CHECK_U64(s.n, 2);
	sites_free(&s);
	CHECK(sites_code(&s, &ms, m, "main*"));
	CHECK_U64(s.n, 2);
	sites_free(&s);
	says(m, "mian", "did you mean main?");
	says(m, "chosen", "ifunc");
	says(m, "main+16", "has 16 bytes only");
	says(m, "0x9000", "no code");
	says(m, "z*", "no function's name matches");
	says(m, "main.c:1", "no line tables");
	says(m, "table", "there is no function table");
	modules_free(&ms);
	bytes_free(&file);
}

static void
notes_move_with_their_base(void)
{
	struct bytes file = make(true, false);
	struct module *m = module_of(&file);
	struct sites s = { 0 };

	CHECK(sites_usdt(&s, m, "db", "query__start"));
	CHECK_U64(s.n, 1);
	CHECK_U64(s.site[0].off, TEXT + 4);
	CHECK_U64(s.site[0].semaphore, DATA + 8);
	CHECK_STR(s.site[0].name, "db:query__start");
	CHECK_STR(s.site[0].args, "8@%rdi -4@$5");
	sites_free(&s);
	CHECK(sites_usdt(&s, m, "", "query__*"));
	CHECK_U64(s.n, 3);
	CHECK_U64(s.site[1].semaphore, 0);
	sites_free(&s);
	CHECK(!sites_usdt(&s, m, "db", "query__strat"));
	CHECK(strstr(s.wrong, "did you mean query__start?") != NULL);
	modules_free(&ms);
	bytes_free(&file);
}

static void
a_note_that_is_cut_ends_them(void)
{
	struct bytes file = make(true, true);
	struct module *m = module_of(&file);
	struct sites s = { 0 };

	CHECK(sites_usdt(&s, m, "", "*"));
	CHECK_U64(s.n, 2);
	sites_free(&s);
	modules_free(&ms);
	bytes_free(&file);
}

static void
no_notes_are_told(void)
{
	struct bytes file = make(false, false);
	struct module *m = module_of(&file);
	struct sites s = { 0 };

	CHECK(!sites_usdt(&s, m, "", "x"));
	CHECK(strstr(s.wrong, "no USDT probes") != NULL);
	modules_free(&ms);
	bytes_free(&file);
}

static void
words_become_probes(void)
{
	struct arena a = { 0 };
	struct probe p;

	CHECK(!probe_parse(&p, "uprobe:/bin/bash:std::f(int)", &a));
	CHECK_U64(p.kind, UPROBE);
	CHECK_STR(p.file, "/bin/bash");
	CHECK_STR(p.place, "std::f(int)");
	CHECK(!probe_parse(&p, "uretprobe:x:f.c:12", &a));
	CHECK(probe_returns(&p));
	CHECK_STR(p.place, "f.c:12");
	CHECK(!probe_parse(&p, "usdt:x:db:query", &a));
	CHECK_STR(p.provider, "db");
	CHECK_STR(p.place, "query");
	CHECK(!probe_parse(&p, "sdt:x:query", &a));
	CHECK_STR(p.provider, "");
	CHECK(!probe_parse(&p, "kretprobe:vfs_read", &a));
	CHECK(!p.file && probe_returns(&p));
	CHECK(probe_parse(&p, "kprobe:vfs read", &a) != NULL);
	CHECK(probe_parse(&p, "kprobe:", &a) != NULL);
	CHECK(probe_parse(&p, "uprobe::f", &a) != NULL);
	CHECK(probe_parse(&p, "uprobe:x:", &a) != NULL);
	CHECK(probe_parse(&p, "uprobe:x", &a) != NULL);
	CHECK(!probe_is("cycles:u") && !probe_is("uprobe") && !probe_is("uprobes:x:y"));
	arena_free(&a);
}

int
main(void)
{
	RUN("probe", names_become_offsets);
	RUN("probe", notes_move_with_their_base);
	RUN("probe", a_note_that_is_cut_ends_them);
	RUN("probe", no_notes_are_told);
	RUN("probe", words_become_probes);
	return TEST_STATUS;
}

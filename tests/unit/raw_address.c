#include "out/profile/profile_names.h"
#include "out/profile/raw_address.c"

#include "test.h"

static void
names_say_where(void)
{
	struct raw_address r;

	CHECK(raw_address_parse("00112233445566778899aabbccddeeff00112233+0x1a0", &r) && r.by_id && r.len == 40 && r.address == 0x1a0);
	CHECK(raw_address_parse("/usr/lib/a+b.so+0x10", &r) && !r.by_id && r.len == 15 && r.address == 0x10);
	CHECK(raw_address_parse("/x+0xffffffffffffffff", &r) && r.address == UINT64_MAX);
	for (const char *const *no = (const char *const[]){ "", "main", "+0x10", "0011223344556677", "0011223344556677+10",
	     "0011223344556677+0x", "0011223344556677+0x1g", "00112233445566778+0x1", "001122+0x1", "/+0x1", "a/b+0x1",
	     "/x+0x10000000000000000", "operator+0x1", "f+", "[libc.so.6+0x1234]", "0011223344556677+0x1]", NULL }; *no; no++)
		CHECK(!raw_address_parse(*no, &r));
}

static void
places_become_names(void)
{
	struct profile p;
	uint32_t f, code[3];
	struct site site;

	profile_init(&p);
	site = (struct site){ profile_function(&p, &(struct function){ .name = "main" }), 3 };
	code[0] = profile_location(&p, &(struct location){ 0x1234, profile_mapping(&p, "/bin/a", "00112233445566778899"), 0, 0 }, &site, 1);
	code[1] = profile_location(&p, &(struct location){ 0x99, profile_mapping(&p, "/bin/b", ""), 0, 0 }, &site, 1);
	code[2] = profile_location(&p, &(struct location){ 0x99, profile_mapping(&p, "[vdso]", "00112233445566778899"), 0, 0 }, &site, 1);
	raw_address_names(&p);
	f = p.site[p.location[code[0]].site].function;
	CHECK_STR(p.function[f].name, "00112233445566778899+0x1234");
	CHECK_STR(p.function[f].module, "a");
	CHECK_STR(p.function[p.site[p.location[code[1]].site].function].name, "/bin/b+0x99");
	CHECK_STR(p.function[p.site[p.location[code[2]].site].function].name, "main");
	CHECK(!raw_address_function(&p, &(struct location){ .mapping = MAPPING_NONE }, &f));
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("raw_address", names_say_where);
	RUN("raw_address", places_become_names);
	return TEST_STATUS;
}

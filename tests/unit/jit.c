#include "sym/jit/jitdump.c"
#include "sym/jit/jit.c"

#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>

#include "dumpwrite.h"
#include "test.h"

static struct modules modules;
static struct module *module;
static FILE *file;

/* A process with the bytes of a perf map or a jitdump. */
static void
begin(const void *map, size_t map_size, const void *dump, size_t dump_size)
{
	char path[40];
	int fd;

	CHECK(modules_init(&modules) && (module = jit_module(&modules, 1, NULL)));
	file = tmpfile();
	fwrite(map_size ? map : dump, 1, map_size ? map_size : dump_size, file);
	fflush(file);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	*(map_size ? &module->jit->map_fd : &module->jit->dump_fd) = fd;
	jit_found(module, -1, -1);
}

static void
more(const void *bytes, size_t n)
{
	fwrite(bytes, 1, n, file);
	fflush(file);
}

static void
end(void)
{
	modules_free(&modules);
	fclose(file);
}

static const char *
at(struct module *m, uint64_t addr)
{
	static char text[256];
	const char *source = NULL;
	uint32_t line = 0, begins = 0;
	struct symbol s;

	if (!jit_find(&modules, m, addr, &s, &source, &line, &begins))
		return "-";
	CHECK(addr >= s.lo && addr < s.hi);
	if (source)
		snprintf(text, sizeof text, "%s %s:%u (%u)", s.name, source, line, begins);
	else
		snprintf(text, sizeof text, "%s", s.name);
	return text;
}

static void
records(void)
{
	for (unsigned big = 0; big < 2; big++) {
		struct dump d;
		size_t r;

		dump_begin(&d, big, 0);
		r = dump_debug(&d, 0x1000, 3);
		dump_entry(&d, 0x1000, 7, "a.js");
		dump_entry(&d, 0x1010, 9, "\xff");
		dump_entry(&d, 0x1020, 3, "b.js");
		dump_end(&d, r);
		dump_end(&d, dump_record(&d, 9, 1));   /* something to pass over */
		dump_load(&d, 2, 0x1000, 0x40, 1, "*f");
		dump_load(&d, 3, 0x2000, 0x40, 2, "g");
		dump_move(&d, 4, 0x1000, 0x3000, 0x40, 1);
		dump_move(&d, 4, 0x1000, 0x4000, 0x40, 77);   /* was never loaded */
		dump_end(&d, dump_record(&d, 3, 5));
		begin(NULL, 0, d.bytes, d.n);
		CHECK_STR(at(module, 0x1000), "*f a.js:7 (7)");
		CHECK_STR(at(module, 0x100f), "*f a.js:7 (7)");
		CHECK_STR(at(module, 0x1010), "*f a.js:9 (7)");
		CHECK_STR(at(module, 0x103f), "*f b.js:3 (7)");
		CHECK_STR(at(module, 0x1040), "-");
		CHECK_STR(at(module, 0x2000), "g");
		CHECK_STR(at(module, 0x3010), "*f a.js:9 (7)");
		CHECK_STR(at(module, 0x4000), "-");
		end();
	}
}

/* V8 tells addresses as they are in the file that perf makes of it. */
static void
lines_behind_a_header(void)
{
	struct dump d;
	size_t r;

	dump_begin(&d, false, 0);
	r = dump_debug(&d, 0x1000, 2);
	dump_entry(&d, 0x1040, 7, "a.js");
	dump_entry(&d, 0x1050, 9, "\xff");
	dump_end(&d, r);
	dump_load(&d, 2, 0x1000, 0x40, 1, "f");
	begin(NULL, 0, d.bytes, d.n);
	CHECK_STR(at(module, 0x100f), "f a.js:7 (7)");
	CHECK_STR(at(module, 0x1010), "f a.js:9 (7)");
	end();
}

/* A name that ends too soon would put all later fields in the wrong place. */
static void
lines_not_believed(void)
{
	struct dump d;
	size_t r;

	dump_begin(&d, false, 0);
	r = dump_debug(&d, 0x1000, 2);
	dump_entry(&d, 0x1000, 7, "~\xba");
	dump_text(&d, "rest of the name");
	dump_entry(&d, 0x1010, 9, "\xff");
	dump_end(&d, r);
	dump_load(&d, 2, 0x1000, 0x40, 1, "f");
	r = dump_debug(&d, 0x2000, UINT64_MAX);
	dump_end(&d, r);
	dump_load(&d, 2, 0x2000, 0x40, 1, "g");
	begin(NULL, 0, d.bytes, d.n);
	CHECK_STR(at(module, 0x1010), "f");
	CHECK_STR(at(module, 0x2010), "g");
	end();
}

/* A CIE and an FDE with one instruction, and what would be .eh_frame_hdr; SIZE: bytes of tables as told. */
static void
dump_frame(struct dump *d, uint64_t size, uint64_t mapped)
{
	static const uint8_t frame[] = { 16, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8,
		                         16, 0, 0, 0, 24, 0, 0, 0, 0xd8, 0xff, 0xff, 0xff, 0x40, 0, 0, 0, 0, 0x41, 0x0e, 16 };
	size_t r = dump_record(d, 4, 1);

	dump_uint(d, size, 8);
	dump_uint(d, 12, 8);
	dump_uint(d, mapped, 8);
	memcpy(d->bytes + d->n, frame, sizeof frame);
	d->n += sizeof frame + 12;
	dump_end(d, r);
}

static void
frames(void)
{
	struct dump d;
	struct fde f;
	size_t n;
	struct module *child;

	dump_begin(&d, false, 0);
	dump_load(&d, 1, 0x2000, 0x40, 1, "without");
	dump_frame(&d, 40 + 12, 64);
	dump_load(&d, 1, 0x1000, 0x40, 2, "with");
	dump_frame(&d, 40 + 12, 0);          /* an empty one */
	dump_load(&d, 1, 0x3000, 0x40, 3, "empty");
	dump_frame(&d, UINT64_MAX, 64);      /* nonsense */
	dump_load(&d, 1, 0x4000, 0x40, 4, "too large");
	dump_frame(&d, 0, 64);
	dump_load(&d, 1, 0x5000, 0x40, 5, "too small");
	n = d.n;
	dump_frame(&d, 40 + 12, 64);         /* its code comes later */
	begin(NULL, 0, d.bytes, d.n);
	CHECK_U64(module->jit->dump_frame, n);
	CHECK_U64(module->jit->dump_seen, d.n);
	CHECK_U64(module->jit->tables, 1);
	CHECK(!jit_frame(module, 0xfff, &f) && !jit_frame(module, 0x1040, &f) && !jit_frame(module, 0x2000, &f));
	CHECK(jit_frame(module, 0x103f, &f));
	CHECK_U64(f.lo, 0x1000);
	CHECK_U64(f.hi, 0x1040);
	CHECK(cur_left(&f.insns) == 3 && *f.insns.pos == 0x41 && f.data_align == -8 && f.ra == 16);
	n = d.n;
	dump_load(&d, 1, 0x800, 0x40, 6, "later");
	more(d.bytes + n, d.n - n);
	CHECK(!jit_replaced(module, &(uint64_t){ 0 }));
	child = jit_module(&modules, 2, module);
	CHECK(jit_frame(child, 0x800, &f) && jit_frame(child, 0x1000, &f) && f.lo == 0x1000);
	end();
}

static void
not_written_yet(void)
{
	struct dump d;
	size_t whole;

	dump_begin(&d, false, 0);
	dump_load(&d, 2, 0x1000, 0x40, 1, "f");
	whole = d.n;
	dump_load(&d, 3, 0x1000, 0x40, 2, "g");
	begin(NULL, 0, d.bytes, d.n - 1);
	CHECK_U64(module->jit->dump_seen, whole);
	CHECK_STR(at(module, 0x1000), "f");
	end();
	for (size_t n = 0; n < d.n; n++) {   /* wherever it ends */
		begin(NULL, 0, d.bytes, n);
		at(module, 0x1000);
		end();
	}
}

/* New code takes the place of code that ran: the old samples keep their names. */
static void
replaced(void)
{
	struct dump d;
	struct module *old;
	uint64_t since;
	size_t n;

	dump_begin(&d, false, 0);
	dump_load(&d, 1000, 0x1000, 0x40, 1, "old");
	n = d.n;
	begin(NULL, 0, d.bytes, d.n);
	jit_ran(module, 0x1010);
	CHECK(!jit_replaced(module, &since));
	dump_load(&d, 2000, 0x2000, 0x40, 2, "elsewhere");
	more(d.bytes + n, d.n - n);
	n = d.n;
	CHECK(!jit_replaced(module, &since));
	dump_load(&d, 3000, 0x1000, 0x40, 3, "new");
	dump_load(&d, 4000, 0x3000, 0x40, 4, "later");
	more(d.bytes + n, d.n - n);
	CHECK(jit_replaced(module, &since));
	CHECK_U64(since, 3000);
	old = module;
	module = jit_next(&modules, old);
	CHECK(module && module->jit == old->jit && module->id != old->id);
	CHECK(!jit_replaced(module, &since));
	CHECK_STR(at(old, 0x1010), "old");
	CHECK_STR(at(old, 0x2010), "elsewhere");
	CHECK_STR(at(old, 0x3010), "later");   /* nothing was known there before */
	CHECK_STR(at(module, 0x1010), "new");
	end();
}

/* Records that prof has seen do not replace anything again, although a frame description before them waits for its code. */
static void
seen_once(void)
{
	struct dump d;
	uint64_t since;
	size_t n;

	dump_begin(&d, false, 0);
	dump_load(&d, 1000, 0x1000, 0x40, 1, "old");
	dump_load(&d, 1000, 0x2000, 0x40, 2, "new");
	n = d.n;
	begin(NULL, 0, d.bytes, d.n);
	jit_ran(module, 0x1010);
	dump_frame(&d, 40 + 12, 64);
	dump_move(&d, 2000, 0x2000, 0x1000, 0x40, 2);
	more(d.bytes + n, d.n - n);
	n = d.n;
	CHECK(jit_replaced(module, &since));
	module = jit_next(&modules, module);
	jit_ran(module, 0x1010);
	CHECK(!jit_replaced(module, &since));
	dump_load(&d, 3000, 0x3000, 0x40, 3, "elsewhere");
	more(d.bytes + n, d.n - n);
	CHECK(!jit_replaced(module, &since));
	CHECK_U64(module->jit->tables, 1);
	CHECK_STR(at(module, 0x1010), "new");
	end();
}

/* Before it is time for a look, prof does not even sort what has run. */
static void
too_soon_for_a_look(void)
{
	struct space space;

	begin("1 1 x\n", 6, NULL, 0);
	space_init(&space);
	jit_ran(module, 0x2010);
	jit_ran(module, 0x1010);
	module->jit->registered.next = 100;
	CHECK(jit_registered(module, &space, 99) == REGISTERED_SAME && module->jit->ran[0].key == 0x2010);
	CHECK(jit_registered(module, &space, 100) == REGISTERED_SAME && module->jit->ran[0].key == 0x1010);
	space_free(&space);
	end();
}

static void
replaced_in_a_map(void)
{
	static const char one[] = "1000 40 old\n2000 40 x\n", two[] = "3000 40 y\n1000 40 ne", three[] = "w\n1000 40 newest\n";
	struct module *first, *second;
	uint64_t since;

	begin(one, sizeof one - 1, NULL, 0);
	jit_ran(module, 0x2010);
	jit_ran(module, 0x1010);
	more(two, sizeof two - 1);
	CHECK(!jit_replaced(module, &since));
	more(three, 2);
	CHECK(jit_replaced(module, &since));
	CHECK_U64(since, 0);
	first = module;
	module = second = jit_next(&modules, module);
	more(three + 2, sizeof three - 3);
	CHECK(!jit_replaced(module, &since));   /* nothing of it has run since: the newest there is is meant */
	CHECK_STR(at(first, 0x1010), "old");
	CHECK_STR(at(first, 0x2010), "x");
	CHECK_STR(at(second, 0x1010), "newest");
	end();
}

static void
map_written_anew(void)
{
	static const char one[] = "1000 40 old\n2000 40 x\n", two[] = "1000 40 new\n";
	uint64_t since;

	begin(one, sizeof one - 1, NULL, 0);
	jit_ran(module, 0x1010);
	CHECK(!ftruncate(fileno(file), 0));
	rewind(file);
	more(two, sizeof two - 1);
	CHECK(!jit_replaced(module, &since));
	CHECK_STR(at(module, 0x1010), "new");
	end();
}

/* Names that are written after the last look are newer than all samples, so they name only code that had no name before. */
static void
written_after_the_last_look(void)
{
	static const char one[] = "1000 40 old\n", two[] = "1000 40 new\n2000 40 elsewhere\n";
	struct dump d;
	uint64_t since;
	size_t n;

	begin(one, sizeof one - 1, NULL, 0);
	jit_ran(module, 0x1010);
	CHECK(!jit_replaced(module, &since));
	more(two, sizeof two - 1);
	CHECK_STR(at(module, 0x1010), "old");
	CHECK_STR(at(module, 0x2010), "elsewhere");
	end();
	dump_begin(&d, false, 0);
	dump_load(&d, 1000, 0x1000, 0x40, 1, "old");
	n = d.n;
	begin(NULL, 0, d.bytes, d.n);
	jit_ran(module, 0x1010);
	CHECK(!jit_replaced(module, &since));
	dump_load(&d, 2000, 0x1000, 0x40, 2, "new");
	dump_load(&d, 3000, 0x2000, 0x40, 3, "elsewhere");
	more(d.bytes + n, d.n - n);
	CHECK_STR(at(module, 0x1010), "old");
	CHECK_STR(at(module, 0x2010), "elsewhere");
	end();
}

/* 2^20 pieces of code, each with a name and a place of its own: their number is bounded, and so is the memory meanwhile. */
static void
very_many_loads(void)
{
	struct dump d;
	size_t used = mem_used();
	uint32_t n = 0;

	dump_begin(&d, false, 0);
	begin(NULL, 0, d.bytes, d.n);
	for (unsigned i = 0; i < 1 << 20; i++) {
		d.n = 0;
		dump_load(&d, i, 0x1000 + (uint64_t)((i * 7919) % (1 << 20)) * 64, 32, i, "piece");
		fwrite(d.bytes, 1, d.n, file);
	}
	fflush(file);
	work_begin(&module->work);
	CHECK_STR(at(module, 0x1000), "piece");
	CHECK(jitcode_cut(module->jit->dump));
	n = jitcode_count(module->jit->dump);
	CHECK(n >= 1 << 18 && n <= 1 << 19);
	CHECK(mem_used() - used < 48 << 20);
	work_end();
	end();
	CHECK_U64(mem_used(), 0);
}

/* A hostile process cannot make it exceed its bounds. */
static void
generations_end(void)
{
	uint64_t since;
	struct module *m;

	begin("1000 40 f\n", 10, NULL, 0);
	m = module;
	for (unsigned i = 0; i < JIT_GENERATIONS + 100; i++) {
		jit_ran(m, 0x1010);
		more("1000 40 f\n", 10);
		if (jit_replaced(m, &since))
			m = jit_next(&modules, m);
	}
	CHECK_U64(modules.n, JIT_GENERATIONS + 3);
	CHECK_STR(at(module, 0x1010), "f");
	end();
}

int
main(void)
{
	RUN("jit", records);
	RUN("jit", lines_behind_a_header);
	RUN("jit", lines_not_believed);
	RUN("jit", frames);
	RUN("jit", not_written_yet);
	RUN("jit", replaced);
	RUN("jit", seen_once);
	RUN("jit", too_soon_for_a_look);
	RUN("jit", replaced_in_a_map);
	RUN("jit", map_written_anew);
	RUN("jit", written_after_the_last_look);
	RUN("jit", very_many_loads);
	RUN("jit", generations_end);
	return TEST_STATUS;
}

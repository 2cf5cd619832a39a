/* Recordings made here, in both byte orders and forms; of other machines, from samples that were recorded there (tests/data/record). */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfwrite.h"
#include "recorded.h"
#include "test.h"

#include "cmd/capture/recording.c"
#include "lib/msg.h"
#include "sample/perfdata/queue.h"
#include "sample/tasks/foreign.h"

enum { SAMPLE = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
enum { USER = PERF_RECORD_MISC_USER, KERNEL = PERF_RECORD_MISC_KERNEL };

static char dir[64];           /* a sysroot */

static int
no_kallsyms(const struct recording_how *how, const char *id)
{
	(void)how, (void)id;
	return -1;
}

/* The profile of FILE, which is given back; N bytes of it (0: all). */
static bool
read_file(struct bytes *file, size_t n, struct profile *p)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC), root = foreign_directory(dir);
	struct recording_how how = { .kallsyms_fd = -1, .own_fd = -1, .kept = no_kallsyms, .dirs.sysroot = dir };
	struct modules places;
	struct source source;
	bool ok;

	n = n && n < file->n ? n : file->n;
	CHECK(fd >= 0 && write(fd, file->p, n) == (ssize_t)n && !lseek(fd, 0, SEEK_SET));
	CHECK(modules_init(&places));
	places.open = foreign_file;
	if (root >= 0)
		places.places.sysroot = modules_root(&places, root);
	how.places = &places;
	profile_init(p);
	source_open(&source, fd);
	ok = recording_read(p, "perf.data", &source, &how);
	source_free(&source);
	modules_free(&places);
	close(root);
	close(fd);
	return ok;
}

/* The stack of thread T's first sample, outermost first, as text. */
static const char *
stack_of(const struct profile *p, uint32_t t)
{
	static char text[512];
	struct run_reader reader;
	struct run run;
	uint32_t stack[64], n;

	*text = 0;
	runs_open(&reader, p, &p->thread[t]);
	if (!runs_next(&reader, &run) || run.node == NODE_NONE)
		return "nothing";
	n = tree_stack(&p->tree, run.node, stack, 64);
	for (uint32_t i = 0; i < n && i < 64; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? ";" : "", p->function[stack[i]].name);
	return text;
}

static void
put_chain(struct perfwrite *w, const uint64_t *chain, size_t n)
{
	bytes_uint(&w->data, n, 8);
	for (size_t i = 0; i < n; i++)
		bytes_uint(&w->data, chain[i], 8);
}

/* Two events, two threads, a callchain with its markers; out of order by rounds. */
static struct bytes
two_events(bool big, bool pipe)
{
	static const uint64_t user[] = { PERF_CONTEXT_USER, 0x401010, 0x402021, 0x403031 };
	const struct perfwrite_event one = { "cycles", 0, 0, 1000, SAMPLE | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CALLCHAIN, 0, 77, true };
	const struct perfwrite_event other = { "faults", 1, 2, 1, SAMPLE | PERF_SAMPLE_IDENTIFIER, 0, 78, false };
	struct perfwrite w = perfwrite_new(big, pipe);
	size_t at;

	perfwrite_event(&w, &one);
	perfwrite_event(&w, &other);
	perfwrite_feature(&w, 3, "elsewhere");
	perfwrite_feature(&w, 6, "s390x");
	at = perfwrite_sample(&w, 0, USER, 0x401010, 10, 11, 2000);   /* before the records that explain it, but later */
	put_chain(&w, user, 4);
	perfwrite_end(&w, at);
	at = perfwrite_sample(&w, 1, USER, 0x401018, 10, 10, 2100);
	perfwrite_end(&w, at);
	perfwrite_comm(&w, 10, 10, "leader", 1000);
	perfwrite_comm(&w, 10, 11, "worker", 1001);
	perfwrite_map(&w, 10, 0x400000, 0x4000, 0, "/not/there", 1002);
	perfwrite_round(&w);
	at = perfwrite_sample(&w, 0, USER, 0x401010, 10, 11, 3000);
	put_chain(&w, user, 2);
	perfwrite_end(&w, at);
	return perfwrite_finish(&w);
}

static void
check_two_events(const struct profile *p)
{
	CHECK_U64(p->nevent, 2);
	CHECK_U64(p->samples, 3);
	CHECK_U64(p->nthread, 2);
	if (p->nthread != 2 || p->nevent != 2)
		return;
	CHECK_STR(p->event[0].name, "cycles");
	CHECK_U64(p->event[0].period_ns, 1000000);
	CHECK_STR(p->event[1].name, "faults");
	CHECK_STR(p->thread[0].comm, "worker");
	CHECK_U64(p->thread[0].samples, 2);
	CHECK_STR(stack_of(p, 0), "[truncated];[there+0x3030];[there+0x2020];[there+0x1010]");
	CHECK_STR(p->thread[1].comm, "leader");
	CHECK_STR(stack_of(p, 1), "[there+0x1018]");
}

static void
both_byte_orders_and_forms(void)
{
	for (unsigned form = 0; form < 4; form++) {
		struct bytes file = two_events(form & 1, form & 2);
		struct profile p;

		CHECK(read_file(&file, 0, &p));
		check_two_events(&p);
		profile_free(&p);
		bytes_free(&file);
	}
}

/* For each length of the file, prof finds no more than was recorded, and at the end all of it. */
static void
cut_anywhere(void)
{
	struct bytes file = two_events(false, true);
	uint64_t last = 0;

	for (size_t n = 1; n <= file.n; n++) {
		struct profile p;

		read_file(&file, n, &p);
		CHECK(p.samples <= 3 && p.samples >= last);
		last = p.samples;
		profile_free(&p);
	}
	CHECK_U64(last, 3);
	bytes_free(&file);
	file = two_events(false, false);
	for (size_t n = 1; n < file.n; n += 3) {
		struct profile p;

		read_file(&file, n, &p);
		CHECK(p.samples <= 3);
		profile_free(&p);
	}
	bytes_free(&file);
}

static const struct perfwrite_event plain = { "cpu-clock", 1, 0, 250000, SAMPLE, 0, 1, false };

static void
sizes_that_lie(void)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		struct perfwrite_event e = plain;
		struct perfwrite w = perfwrite_new(false, false);
		struct bytes file;
		struct profile p;
		size_t at;

		e.sample_type |= kind == 0 ? PERF_SAMPLE_CALLCHAIN : kind == 1 ? PERF_SAMPLE_STACK_USER : kind == 2 ? PERF_SAMPLE_RAW : PERF_SAMPLE_REGS_USER;
		e.regs = UINT64_MAX;
		perfwrite_event(&w, &e);
		at = perfwrite_sample(&w, 0, USER, 0x1000, 5, 5, 100);
		bytes_uint(&w.data, kind == 3 ? 2 : UINT64_MAX, 8);
		perfwrite_end(&w, at);
		file = perfwrite_finish(&w);
		CHECK(!read_file(&file, 0, &p));
		profile_free(&p);
		bytes_free(&file);
	}
}

static void
a_child_has_its_parents_maps(void)
{
	struct perfwrite w = perfwrite_new(false, false);
	struct bytes file;
	struct profile p;
	size_t at;

	perfwrite_event(&w, &plain);
	perfwrite_comm(&w, 20, 20, "parent", 10);
	perfwrite_map(&w, 20, 0x400000, 0x4000, 0, "/not/there", 11);
	at = perfwrite_record(&w, PERF_RECORD_FORK, 0);
	bytes_uint(&w.data, 21, 4);
	bytes_uint(&w.data, 20, 4);
	bytes_uint(&w.data, 21, 4);
	bytes_uint(&w.data, 20, 4);
	bytes_uint(&w.data, 12, 8);
	perfwrite_trailer(&w, 21, 21, 12);
	perfwrite_end(&w, at);
	perfwrite_end(&w, perfwrite_sample(&w, 0, USER, 0x400123, 21, 21, 20));
	perfwrite_end(&w, perfwrite_sample(&w, 0, KERNEL, UINT64_C(0xffffffff81000000), 0, 0, 21));
	file = perfwrite_finish(&w);
	CHECK(read_file(&file, 0, &p) && p.nthread == 2);
	CHECK_STR(p.thread[0].comm, "parent");
	CHECK_STR(stack_of(&p, 0), "[there+0x123]");
	CHECK_STR(p.thread[1].comm, "swapper");
	CHECK_STR(stack_of(&p, 1), "[kernel]");
	CHECK_U64(p.event[0].period_ns, 250000);
	profile_free(&p);
	bytes_free(&file);
}

/* More records than the queue holds: memory stays bounded, whatever the size of the file. */
static void
memory_is_bounded(void)
{
	const struct perfwrite_event e = { "cpu-clock", 1, 0, 1, SAMPLE | PERF_SAMPLE_STACK_USER, 0, 1, false };
	struct perfwrite w = perfwrite_new(false, false);
	struct bytes file;
	struct profile p;
	size_t used = mem_used();

	perfwrite_event(&w, &e);
	for (unsigned i = 0; i < 2000; i++) {
		size_t at = perfwrite_sample(&w, 0, USER, 0x1000, 5, 5, i * 10);

		bytes_uint(&w.data, 60000, 8);
		bytes_room(&w.data, w.data.n + 60000);
		bytes_uint(&w.data, 60000, 8);
		perfwrite_end(&w, at);
	}
	file = perfwrite_finish(&w);
	CHECK(file.n > 4u * QUEUE_BYTES);
	mem_cap(used + 3u * QUEUE_BYTES);
	CHECK(read_file(&file, 0, &p));
	CHECK_U64(p.samples, 2000);
	mem_cap(SIZE_MAX);
	profile_free(&p);
	bytes_free(&file);
}

/* ---- the kernel ---- */

static void
put_file(const char *path, struct bytes *b)
{
	char name[128];
	FILE *f;

	snprintf(name, sizeof name, "%s%s", dir, path);
	CHECK((f = fopen(name, "wb")) && fwrite(b->p, b->n, 1, f) == 1 && !fclose(f));
	bytes_free(b);
}

static void
put_build_id(struct elfwrite *w, const uint8_t *id)
{
	struct bytes note = { 0 };

	bytes_uint(&note, 4, 4);
	bytes_uint(&note, 20, 4);
	bytes_uint(&note, 3, 4);
	bytes_put(&note, "GNU", 4);
	bytes_put(&note, id, 20);
	elfwrite_section(w, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, w->base + 0x3000, note.p, note.n);
	bytes_free(&note);
}

/* A kernel of one function, and a module of one function; both have that build-id. */
static void
put_kernel(const uint8_t *id)
{
	static const uint8_t code[0x100];
	struct elfwrite v = elfwrite_new(true, false), m = elfwrite_new(true, false);
	struct bytes file;
	unsigned text;

	v.base = 0xffffffff81000000;
	text = elfwrite_section(&v, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, v.base + 0x1000, code, sizeof code);
	elfwrite_symbol(&v, "_stext", v.base + 0x1000, sizeof code, STB_GLOBAL << 4 | STT_FUNC, text);
	put_build_id(&v, id);
	file = elfwrite_finish(&v);
	put_file("/boot/vmlinux-1.2", &file);
	m.type = ET_REL;
	text = elfwrite_section(&m, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof code);
	put_build_id(&m, id);
	elfwrite_symbol(&m, "nf_eval", 0, sizeof code, STT_FUNC, text);
	file = elfwrite_finish(&m);
	put_file("/lib/nf-x.ko", &file);
}

/* The header of a pipe's build-id: a pid, 20 bytes, their number. */
static void
perfwrite_build(struct perfwrite *w, const char *path, const uint8_t *id)
{
	size_t at = perfwrite_record(w, 67, KERNEL | 1 << 15);

	bytes_uint(&w->data, UINT32_MAX, 4);
	bytes_put(&w->data, id, 20);
	bytes_uint(&w->data, 20, 4);
	bytes_str(&w->data, path);
	perfwrite_end(w, at);
}

/* A sample in that module, whose file PATH is, and one in the kernel; the recording says which build-id one of them has. */
static struct bytes
kernel_samples(const char *release, const char *path, const char *built, const uint8_t *id)
{
	const struct perfwrite_event e = { "cycles", 0, 0, 1000, SAMPLE, 0, 1, false };
	struct perfwrite w = perfwrite_new(false, false);
	size_t at;

	perfwrite_event(&w, &e);
	perfwrite_feature(&w, 4, release);
	perfwrite_build(&w, built, id);
	perfwrite_map(&w, UINT32_MAX, 0xffffffff91001000, 0x1000, 0xffffffff91001000, "[kernel.kallsyms]_stext", 1);
	perfwrite_map(&w, UINT32_MAX, 0xffffffffc0100000, 0x1000, 0, path, 1);
	at = perfwrite_sample(&w, 0, KERNEL, 0xffffffffc0100010, 5, 5, 10);
	perfwrite_end(&w, at);
	at = perfwrite_sample(&w, 0, KERNEL, 0xffffffff91001010, 5, 6, 11);
	perfwrite_end(&w, at);
	return perfwrite_finish(&w);
}

static void
compressed_kernel_modules(void)
{
	static const char *const by[][2] = { { "true", "" }, { "gzip -nkf", ".gz" }, { "xz -kf --check=crc32", ".xz" }, { "zstd -qkf", ".zst" } };
	static const uint8_t id[20] = { 1, 2, 3 }, another[20] = { 9 };
	char command[160], path[32];
	struct profile p;

	snprintf(command, sizeof command, "mkdir -p %s/boot %s/lib", dir, dir);
	CHECK(!system(command));
	put_kernel(id);
	for (unsigned i = 0; i < 4; i++) {
		struct bytes file;

		snprintf(path, sizeof path, "/lib/nf-x.ko%s", by[i][1]);
		snprintf(command, sizeof command, "%s %s/lib/nf-x.ko", by[i][0], dir);
		if (system(command))
			continue;   /* this machine has no such program */
		file = kernel_samples("1.2", path, path, id);
		CHECK(read_file(&file, 0, &p));
		CHECK_STR(stack_of(&p, 0), "nf_eval");
		CHECK_STR(stack_of(&p, 1), "_stext");
		profile_free(&p);
		bytes_free(&file);
		file = kernel_samples("1.2", path, path, another);
		CHECK(read_file(&file, 0, &p));
		CHECK_STR(stack_of(&p, 0), "[kernel]");
		CHECK_STR(stack_of(&p, 1), "_stext");
		profile_free(&p);
		bytes_free(&file);
	}
	snprintf(command, sizeof command, "rm -r %s/boot %s/lib", dir, dir);
	CHECK(!system(command));
}

/* Where perf itself found a vmlinux, it names the kernel by that path. */
static void
vmlinux_where_perf_found_it(void)
{
	static const uint8_t id[20] = { 1, 2, 3 }, another[20] = { 9 };
	char command[160];

	snprintf(command, sizeof command, "mkdir -p %s/boot %s/lib", dir, dir);
	CHECK(!system(command));
	put_kernel(id);
	for (unsigned i = 0; i < 3; i++) {
		struct bytes file = kernel_samples("3.4", "/none", i < 2 ? "/boot/vmlinux-1.2" : "/boot/other", i ? another : id);
		struct profile p;

		CHECK(read_file(&file, 0, &p));
		CHECK_STR(stack_of(&p, 1), i ? "[kernel]" : "_stext");
		profile_free(&p);
		bytes_free(&file);
	}
	snprintf(command, sizeof command, "rm -r %s/boot %s/lib", dir, dir);
	CHECK(!system(command));
}

/* ---- samples of other machines ---- */

struct truth {
	uint64_t frame[64];
	uint32_t n;
};

/* One of tests/data's samples, of words of that size: its record, and what is true of it. */
static bool
put_sample(struct perfwrite *w, const struct arch *a, struct cursor *c, unsigned n, unsigned word, struct truth *t)
{
	uint64_t regs[34] = { 0 }, size;
	const uint8_t *bytes;
	size_t at;

	for (unsigned i = 0; i < n; i++)
		regs[i] = cur_uint(c, word);
	size = cur_uint(c, word);
	bytes = cur_take(c, size);
	t->n = (uint32_t)cur_uint(c, word);
	if (c->bad || t->n > 64)
		return false;
	for (unsigned i = 0; i < t->n; i++)
		t->frame[i] = cur_uint(c, word);
	if (size > 30000)
		return true;
	at = perfwrite_sample(w, 0, USER, regs[a->pc], 30, 30, w->data.n + 100);
	bytes_uint(&w->data, a->word == 8 ? 2 : 1, 8);
	for (uint64_t bits = a->sample, k = 0; bits; bits &= bits - 1, k++)
		bytes_uint(&w->data, regs[a->dwarf[k]], 8);
	bytes_uint(&w->data, (size + 7) & ~UINT64_C(7), 8);
	bytes_put(&w->data, bytes, size);
	while (w->data.n % 8)
		bytes_uint(&w->data, 0, 1);
	bytes_uint(&w->data, size, 8);
	perfwrite_end(w, at);
	return true;
}

/* Below that is the page of a signal's return, as recorded.h has it. */
enum { TRAMPOLINES = 0x2000 };

static struct truth truth[4096];

/* Compares the samples in their order; how many are complete, in percent. */
static unsigned
compare(const struct profile *p, unsigned n)
{
	struct run_reader reader;
	struct run run;
	unsigned i = 0, complete = 0, wrong = 0;

	runs_open(&reader, p, &p->thread[0]);
	reader.raw = true;
	while (runs_next(&reader, &run))
		for (uint64_t k = 0; k < run.samples && i < n; k++, i++) {
			uint32_t stack[64], depth = run.node == NODE_NONE ? 0 : tree_stack(&p->raw, run.node, stack, 64);
			bool cut = depth && !strcmp(p->function[p->site[p->location[stack[0]].site].function].name, "[truncated]");

			complete += !cut;
			for (uint32_t f = 0; f + cut < depth; f++)
				if (f < truth[i].n && truth[i].frame[f] < TRAMPOLINES) {
					complete -= !cut;
					cut = true;   /* the recording lacks the kernel's page, and nobody else has it */
					break;
				} else if (f >= truth[i].n || p->location[stack[depth - 1 - f]].address != truth[i].frame[f]) {
					if (wrong++ < 3)
						printf("sample %u, frame %u of %u (truth %u): %#llx, not %#llx\n", i, f, depth, truth[i].n,
						       (unsigned long long)p->location[stack[depth - 1 - f]].address, (unsigned long long)truth[i].frame[f]);
					break;
				}
			if (!cut && depth != truth[i].n && wrong++ < 3)
				printf("sample %u: %u frames, not %u\n", i, depth, truth[i].n);
		}
	CHECK_U64(i, n);
	CHECK_U64(wrong, 0);
	return n ? complete * 100 / n : 0;
}

static void
machine(const struct arch *a, const char *name, const uint8_t *program, size_t nprogram, struct cursor c, unsigned nregs, unsigned word,
        unsigned least)
{
	const struct perfwrite_event e = { "cpu-clock", 1, 0, 1000000, SAMPLE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, a->sample, 1, false };
	struct perfwrite w = perfwrite_new(false, false);
	struct arena arena = { 0 };
	struct bytes file;
	struct profile p;
	char path[96];
	struct elf elf;
	unsigned n = 0, percent;
	FILE *f;

	snprintf(path, sizeof path, "%s/program", dir);
	f = fopen(path, "wb");
	CHECK(f && fwrite(program, 1, nprogram, f) == nprogram && !fclose(f));
	CHECK(!elf_open(&elf, cur_of(program, nprogram, false), false, &arena));
	perfwrite_event(&w, &e);
	perfwrite_feature(&w, 3, "a board");
	perfwrite_feature(&w, 6, name);
	perfwrite_comm(&w, 30, 30, "program", 1);
	for (uint32_t i = 0; i < elf.nload; i++)
		if (elf.load[i].exec) {
			uint64_t off = elf.load[i].off & ~UINT64_C(4095);

			perfwrite_map(&w, 30, elf.load[i].vaddr - elf.load[i].off + off, elf.load[i].off - off + elf.load[i].memsz, off, "/program", 2);
		}
	while (cur_left(&c) && n < 4096 && put_sample(&w, a, &c, nregs, word, &truth[n]))
		n++;
	CHECK(n > 100);
	file = perfwrite_finish(&w);
	CHECK(read_file(&file, 0, &p) && p.nthread == 1);
	CHECK_U64(p.samples, n);
	percent = compare(&p, n);
	if (percent < least)
		printf("%s: %u%% of %u complete\n", name, percent, n);
	CHECK(percent >= least);
	profile_free(&p);
	bytes_free(&file);
	arena_free(&arena);
}

static void
machine64(const struct arch *a, const char *name, unsigned least)
{
	struct sink program, stacks;
	char path[96];

	snprintf(path, sizeof path, "tests/data/%s/walkthrough.xz", name);
	CHECK(unpack(path, &program));
	snprintf(path, sizeof path, "tests/data/%s/walkthrough.stacks.xz", name);
	CHECK(unpack(path, &stacks));
	machine(a, name, (const uint8_t *)program.buf, program.len, cur_of(stacks.buf, stacks.len, false), 33, 8, least);
	sink_close(&program);
	sink_close(&stacks);
}

static void
machine32(const struct arch *a, const char *room, const char *name, const char *machine_name)
{
	static uint8_t program[1 << 16], samples[1 << 18];
	size_t n[2] = { 0 };
	char path[96];

	for (unsigned i = 0; i < 2; i++) {
		FILE *f;

		snprintf(path, sizeof path, "tests/data/%s/%s%s", room, name, i ? ".samples" : "");
		if ((f = fopen(path, "rb"))) {
			n[i] = i ? fread(samples, 1, sizeof samples, f) : fread(program, 1, sizeof program, f);
			fclose(f);
		}
	}
	machine(a, machine_name, program, n[0], cur_of(samples, n[1], false), a->pc + 1u, 4, 95);
}

static void
other_machines(void)
{
	machine64(&arch_aarch64, "aarch64", 90);
	machine64(&arch_riscv64, "riscv64", 90);
	machine32(&arch_armv7, "armv7", "t32-debug", "armv7l");
	machine32(&arch_armv7, "armv7", "a32-O0", "aarch64");   /* a 32-bit task there */
	machine32(&arch_i686, "i686", "cfi", "i686");
	machine32(&arch_i686, "i686", "O0", "x86_64");
}

int
main(void)
{
	char path[80];

	msg_level = -2;
	snprintf(dir, sizeof dir, "/tmp/perfdata-%d", (int)getpid());
	if (mkdir(dir, 0700))
		return 1;
	RUN("perfdata", both_byte_orders_and_forms);
	RUN("perfdata", cut_anywhere);
	RUN("perfdata", sizes_that_lie);
	RUN("perfdata", a_child_has_its_parents_maps);
	RUN("perfdata", memory_is_bounded);
	RUN("perfdata", compressed_kernel_modules);
	RUN("perfdata", vmlinux_where_perf_found_it);
	RUN("perfdata", other_machines);
	snprintf(path, sizeof path, "%s/program", dir);
	unlink(path);
	rmdir(dir);
	return TEST_STATUS;
}

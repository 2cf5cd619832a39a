#include "sym/kernel/kcore.c"

#include <sys/mman.h>

#include "ktables.h"
#include "test.h"

static struct kline line[] = {
	{ 0xffff800010000000, 'T', "_text" }, { 0xffff800010001000, 'T', "_stext" }, { 0xffff800010001100, 't', "function" },
	{ 0xffff800010002000, 'D', "data" },
};

static int
file_of(const struct kimage *f)
{
	int fd = memfd_create("kcore", 0);

	if (fd < 0 || write(fd, f->bytes, f->n) != (ssize_t)f->n)
		abort();
	return fd;
}

static struct kimage
image(unsigned word)
{
	uint64_t lo = word == 8 ? 0xffff800010004000 : 0xc0104000;

	return kimage_of(line, sizeof line / sizeof *line, lo, false, word);
}

/* prof reads the tables, and not a byte outside of them. */
static void
tables_alone(unsigned word)
{
	struct kimage k = image(word), f = kimage_core(&k);
	uint64_t table[KCORE_TABLES];
	uint8_t bytes[64];
	struct kcore c;
	int fd = file_of(&f);

	kcore_open(&c, fd);
	CHECK_U64(c.fd, fd);
	CHECK_U64(kcore_read(&c, 0, table, sizeof table), sizeof table);
	CHECK(!memcmp(table, k.table, sizeof table));
	CHECK_U64(kcore_read(&c, 0, table, 8), 8);
	CHECK_U64(kcore_read(&c, k.lo, bytes, sizeof bytes), sizeof bytes);
	CHECK(!memcmp(bytes, k.bytes, sizeof bytes));
	CHECK_U64(kcore_read(&c, k.lo + 100, bytes, sizeof bytes), sizeof bytes);
	CHECK(!memcmp(bytes, k.bytes + 100, sizeof bytes));
	CHECK_U64(kcore_read(&c, k.lo + k.n - 3, bytes, sizeof bytes), 3);
	CHECK(!memcmp(bytes, k.bytes + k.n - 3, 3));
	CHECK_U64(kcore_read(&c, k.lo + k.n, bytes, sizeof bytes), 0);
	CHECK_U64(kcore_read(&c, k.lo - 1, bytes, sizeof bytes), 0);
	CHECK_U64(kcore_read(&c, 1, bytes, sizeof bytes), 0);
	CHECK_U64(kcore_read(&c, UINT64_MAX, bytes, sizeof bytes), 0);
	close(fd);
	free(k.bytes);
	free(f.bytes);
}

static void
of_both_classes(void)
{
	tables_alone(8);
	tables_alone(4);
}

/* A file that is cut anywhere, or lacks a line that prof needs: prof reads nothing of it. */
static void
broken(void)
{
	struct kimage k = image(8), f = kimage_core(&k);
	const size_t notes = f.n - k.n, whole = f.n;
	struct kcore c;
	uint64_t table[KCORE_TABLES];
	int fd;

	for (f.n = 0; f.n < notes - 24; f.n += f.n < 300 ? 1 : 30) {
		fd = file_of(&f);
		kcore_open(&c, fd);
		CHECK(f.n > notes - 60 || c.fd < 0);   /* the last line's end does not matter */
		CHECK(c.fd >= 0 || !kcore_read(&c, 0, table, sizeof table));
		CHECK(c.opened && (c.fd == fd ? !close(fd) : close(fd) < 0));   /* it does not stay open */
	}
	f.n = whole;
	for (const char *line_of = "kallsyms_names\0kallsyms_num_syms\0kallsyms_relative_base\0_stext\0VMCOREINFO\0"; *line_of;
	     line_of += strlen(line_of) + 1) {
		char *at = memmem(f.bytes, f.n, line_of, strlen(line_of));

		CHECK(at);
		if (!at)
			continue;
		*at ^= 1;
		fd = file_of(&f);
		kcore_open(&c, fd);
		CHECK_U64(c.fd, -1);
		CHECK(close(fd) < 0);
		*at ^= 1;
	}
	kcore_open(&c, -1);
	CHECK_U64(c.fd, -1);
	free(k.bytes);
	free(f.bytes);
}

int
main(void)
{
	RUN("kcore", of_both_classes);
	RUN("kcore", broken);
	return TEST_STATUS;
}

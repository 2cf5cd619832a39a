/* What annotate reads of source files that debug information names. */
#include "test.h"
#include "cmd/annotate/annotate_source.c"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static int file;

static int
opened(int root, const char *path)
{
	(void)root;
	(void)path;
	return fcntl(file, F_DUPFD_CLOEXEC, 3);
}

static const struct foreign_door door = { .source = opened };

/* Each file is small enough, but there are ever more of them. */
static void
many_files_are_not_all_read(void)
{
	static char names[20][8], text[1 << 20];
	struct sources s = { .sysroot = -1 };
	unsigned read = 0;
	size_t n;

	file = memfd_create("source", MFD_CLOEXEC);
	memset(text, 'x', sizeof text);
	text[4] = '\n';
	for (unsigned i = 0; i < 40; i++)
		CHECK(write(file, text, sizeof text) == sizeof text);
	for (unsigned i = 0; i < 20; i++) {
		snprintf(names[i], sizeof names[i], "/%u.c", i);
		read += source_text(&s, names[i], 1, &n) != NULL;
	}
	CHECK_U64(read, 256 / 40);
	CHECK(source_text(&s, names[0], 1, &n) && n == 4);
	sources_close(&s);
	CHECK_U64(mem_used(), 0);
	close(file);
}

int
main(void)
{
	foreign_door = &door;
	RUN("annotate_source", many_files_are_not_all_read);
	return TEST_STATUS;
}

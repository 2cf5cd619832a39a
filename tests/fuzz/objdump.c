/* What objdump says: instructions come in order and in bounds, each with a text of some length and without tabs. */
#include <assert.h>
#include <stdlib.h>

#include "cmd/annotate/annotate_objdump.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t last;
static uint32_t added;

bool
annotation_instruction(struct annotation *a, uint32_t mapping, uint64_t address, const char *text)
{
	(void)a;
	assert(mapping == 7 && address >= 0x1000 && address < 0x200000 && (!added || address > last));
	assert(*text && *text != ' ' && strlen(text) <= TEXT_MAX && !strchr(text, '\t'));
	last = address;
	return ++added < 1000;
}

static void
one_line(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);   /* just as long as it is */
	const char *text = NULL;
	uint64_t at;

	memcpy(line, data, size);
	line[size] = 0;
	if (objdump_line(line, &at, &text))
		assert(text >= line && text <= line + size && *text);
	free(line);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct objdump r = { .arena = &arena };
	int fd = memfd_create("objdump", MFD_CLOEXEC);

	added = 0;
	one_line(data, size);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0)
		take_lines(&r, fd, 7, 0x1000, 0x200000, &(bool){ false });
	close(fd);
	arena_free(&arena);
	return 0;
}

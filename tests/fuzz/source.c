/* Source files for annotate, with any bytes in them, under any name that a #line gives: each line lies in its file and ends where the
 * next newline is; what is shown of them is text; and no name leads where it may not.  Input: a byte for which of them, the name up to
 * a 0xfe byte, then the file, with holes. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "cmd/annotate/annotate_source.c"
#include "tests/fuzz/harness/holes.h"
#include "out/profile/profile_names.h"
#include "out/report/annotate_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NAME_MOST = 300, PROC_MAGIC = 0x9fa0, LINES = 24, SOURCE_MOST = 64 << 20 };

static int input = -1;
static uint64_t input_size;

static int
from_input(int root, const char *path)
{
	(void)root;
	(void)path;
	return fcntl(input, F_DUPFD_CLOEXEC, 3);
}

static const struct foreign_door door = { .source = from_input };

static void
check_line(struct sources *s, const char *name, uint32_t line)
{
	size_t n = 0;
	const char *text = source_text(s, name, line, &n);
	const struct filemap *f = s->n ? &s->file[s->n - 1]->map : NULL;
	const char *lo, *hi;

	if (!text)
		return;
	lo = (const char *)f->data;
	hi = lo + f->size;
	if (input_size > SOURCE_MOST || text < lo || text > hi || n > (size_t)(hi - text))
		abort();
	if ((text > lo && text[-1] != '\n') || (text + n < hi && text[n] != '\n') || memchr(text, '\n', n))
		abort();
}

/* The length of a UTF-8 sequence; 0 for none. */
static unsigned
sequence(const char *s)
{
	unsigned char c = (unsigned char)*s;
	unsigned n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;

	for (unsigned i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* A function with lines of that file, as text. */
static void
check_text(struct sources *s, const char *name, uint8_t how)
{
	struct annotation_view view = { .context = how & 3, .width = how & 4 ? 40 + how : 0, .lines = true, .source = source_text, .ctx = s };
	struct function f = { .name = name, .module = "m", .file = name, .line = 1, .kind = FUNCTION_USER };
	struct annotation a;
	struct profile p;
	struct sink out;
	uint32_t code;

	profile_init(&p);
	p.nevent = 1;
	p.event[0] = (struct event_info){ "cpu-clock", 1000000, false };
	for (unsigned i = 0; i < LINES; i++) {
		struct location where = { .address = 0x1000 + i, .mapping = MAPPING_NONE };
		struct site site = { profile_function(&p, &f), i < LINES - 1 ? 1 + i * (how >> 3) : UINT32_MAX };

		code = profile_location(&p, &where, &site, 1);
		profile_add(&p, profile_thread(&p, 1, 1, "t", 0), 0, 1 + i, &code, 1);
	}
	profile_name(&p, NULL, NULL);
	sink_open(&out, -1);
	if (!annotation_open(&a, &p) || (a.ncalled && (!annotation_choose(&a, 0) || !annotation_weigh(&a, 0))))
		abort();
	if (a.ncalled)
		annotation_write(&out, &a, &view, 0);
	sink_char(&out, 0);
	if (out.err || out.len > 100000)
		abort();
	for (const char *t = (const char *)out.buf, *end = t + out.len - 1; t < end;) {
		unsigned n = sequence(t);

		if (!n || ((unsigned char)*t < ' ' && *t != '\n') || *t == 0x7f)
			abort();
		t += n;
	}
	sink_close(&out);
	annotation_close(&a);
	profile_free(&p);
}

/* Without the keeper: below a directory names stay there, and elsewhere prof reads only what everybody may read. */
static void
check_places(struct sources *s, const char *name)
{
	static int proc = -1;
	struct statfs fs;
	struct stat st;
	int fd;

	if (proc < 0)
		proc = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if ((fd = open_by_suffix(s, proc, name)) >= 0) {
		if (fstat(fd, &st) || !S_ISREG(st.st_mode) || fstatfs(fd, &fs) || fs.f_type != PROC_MAGIC)
			abort();
		close(fd);
	}
	if ((fd = open_source(s, name)) >= 0) {
		if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (!geteuid() && !(st.st_mode & S_IROTH) && st.st_uid != FOREIGN_NOBODY))
			abort();
		close(fd);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *stop = size ? memchr(data + 1, 0xfe, size - 1) : NULL;
	struct sources s = { .sysroot = -1, .uid = FOREIGN_NOBODY, .gid = FOREIGN_NOBODY };
	uint8_t how = size ? data[0] : 0;
	char name[NAME_MOST] = "";
	uint64_t blocks;
	size_t n;

	if (!stop)
		return 0;
	s.handed_on = how & 64;
	n = (size_t)(stop - data) - 1;
	memcpy(name, data + 1, n < sizeof name ? n : sizeof name - 1);
	foreign_door = NULL;
	if (how & 128)
		check_places(&s, name);
	foreign_door = &door;
	input = holes_file(stop + 1, (size_t)(data + size - stop - 1));
	input_size = (uint64_t)lseek(input, 0, SEEK_END);
	blocks = holes_blocks(input);
	for (uint32_t line = 0; line < LINES; line++)
		check_line(&s, name, line);
	check_line(&s, name, s.n ? s.file[0]->lines : 0);
	check_line(&s, name, s.n ? s.file[0]->lines + 1 : 0);
	check_line(&s, name, UINT32_MAX);
	check_text(&s, name, how);
	if (holes_blocks(input) > blocks)   /* a hole became memory */
		abort();
	sources_close(&s);
	close(input);
	foreign_door = NULL;
	if (mem_used())
		abort();
	return 0;
}

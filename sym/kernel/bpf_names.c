/* See bpf_names.h.  bpf(2); bpf-helpers(7): bpf_snprintf takes at most 12 values, and a format in a map that nobody can write any
 * more; Documentation/core-api/printk-formats.rst: %pS. */
#include "bpf_names.h"

#include <string.h>
#include <unistd.h>

#include "lib/bpf.h"
#include "lib/text.h"

enum { AT_ONCE = 12, LINE_MOST = 640, SLEEPABLE = 1 << 4 };   /* a line: a name of 512, offset, size, a module of 64 */

struct data {
	uint64_t addr[AT_ONCE];
	char text[AT_ONCE * LINE_MOST];
};

static int
make_format(void)
{
	char format[AT_ONCE * 4 + 8] = "";
	int map = bpf_map(BPF_MAP_TYPE_ARRAY, sizeof format, 1, BPF_F_RDONLY_PROG);

	for (unsigned i = 0; i < AT_ONCE; i++)
		memcpy(format + i * 4, "%pS\n", 4);
	if (map >= 0 && (!bpf_map_set(map, 0, format) || !bpf_map_freeze(map))) {
		close(map);
		return -1;
	}
	return map;
}

/* bpf_snprintf(text, sizeof text, format, addr, sizeof addr) */
static int
make_program(int map, int format)
{
	enum { MAP, FORMAT };
	static const struct bpf_insn code[] = {
		BPF_VALUE(BPF_REG_1, MAP, offsetof(struct data, text)),
		BPF_SET(BPF_REG_2, sizeof((struct data *)0)->text),
		BPF_VALUE(BPF_REG_3, FORMAT, 0),
		BPF_VALUE(BPF_REG_4, MAP, 0),
		BPF_SET(BPF_REG_5, sizeof((struct data *)0)->addr),
		BPF_ASK(BPF_FUNC_snprintf),
		BPF_LEAVE,
	};

	return bpf_program(BPF_PROG_TYPE_SYSCALL, code, sizeof code / sizeof *code, (const int[]){ map, format }, SLEEPABLE, "prof_names");
}

/* 0: not asked for yet; -1: there is none. */
static int program, data;

static void
start(void)
{
	int format = make_format();

	program = -1;
	if ((data = bpf_map(BPF_MAP_TYPE_ARRAY, sizeof(struct data), 1, 0)) >= 0 && format >= 0)
		program = make_program(data, format);
	if (format >= 0)
		close(format);
}

/* The lines of D's addresses. */
static bool
run(struct data *d)
{
	return bpf_map_set(data, 0, d) && bpf_run(program) && bpf_map_get(data, 0, d);
}

size_t
bpf_names(const char *addrs, char *text, size_t size)
{
	size_t used = 0;

	if (!program)
		start();
	while (program >= 0 && *addrs && size - used >= sizeof((struct data *)0)->text) {
		static struct data d;   /* too large for a small stack */
		const char *p = d.text, *end;
		unsigned n = 0;

		memset(&d, 0, sizeof d);

		while (n < AT_ONCE && text_hex(&addrs, &d.addr[n])) {
			n++;
			addrs += *addrs == ' ';
		}
		if (!n || !run(&d))
			break;
		while (n-- && (end = memchr(p, '\n', (size_t)(d.text + sizeof d.text - p))))
			p = end + 1;
		memcpy(text + used, d.text, (size_t)(p - d.text));
		used += (size_t)(p - d.text);
	}
	return used;
}

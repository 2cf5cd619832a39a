/* See stack_text.h.  A process, and below it its stacks, innermost frame first; threads with equal ones stand together. */
#include "stack_text.h"

#include <string.h>

#include "lib/columns.h"
#include "lib/sink.h"
#include "lib/text.h"
#include "sample/core/core.h"
#include "core_words.h"
#include "thread_stacks.h"

/* Columns of a function's name before its line; threads that are listed by name. */
enum { NAME_WIDTH = 40, LISTED = 8 };

struct frames {
	struct sink *out;
	unsigned n;
};

static void
put_frame(void *ctx, const struct function *f, uint32_t line, const struct location *where)
{
	struct frames *of = ctx;
	const char *slash = f->file ? strrchr(f->file, '/') : NULL, *file = slash ? slash + 1 : f->file;
	unsigned width;

	(void)where;
	sink_fmt(of->out, "  %s%u  ", of->n < 10 ? " " : "", of->n);
	of->n++;
	width = columns_cut(of->out, f->name, 0);
	if (f->kind == FUNCTION_MARK || (!file && !*f->module)) {
		sink_char(of->out, '\n');
		return;
	}
	columns_pad(of->out, width < NAME_WIDTH ? NAME_WIDTH - width : 0);
	sink_str(of->out, "  ");
	if (file) {
		columns_cut(of->out, file, 0);
		if (line)
			sink_fmt(of->out, ":%u", line);
		sink_str(of->out, f->kind == FUNCTION_INLINED ? " (inlined)" : "");
		sink_str(of->out, "  ");
	} else if (f->kind == FUNCTION_INLINED) {
		sink_str(of->out, "(inlined)  ");
	}
	columns_cut(of->out, f->module, 0);
	sink_char(of->out, '\n');
}

static uint32_t
count(const struct thread_stacks *s, uint32_t of)
{
	uint32_t n = 0;

	for (uint32_t i = of; i < s->n; i++)
		n += s->thread[i].same == of;
	return n;
}

static bool
same_name(const struct stack_thread *a, const struct stack_thread *b)
{
	return !strcmp(a->name ? a->name : a->comm, b->name ? b->name : b->comm);
}

/* "4711 worker" for each; those that follow one another and have the same name become "4711-4718 worker". */
static void
put_names(struct sink *out, const struct thread_stacks *s, uint32_t of)
{
	unsigned listed = 0;
	uint32_t i = of, left = count(s, of);

	while (left && listed < LISTED) {
		const struct stack_thread *t = &s->thread[i];
		int32_t last = t->tid;

		if (t->same != of) {
			i++;
			continue;
		}
		for (left--, i++; i < s->n && s->thread[i].same == of && s->thread[i].tid == last + 1 && same_name(&s->thread[i], t); i++, left--)
			last++;
		sink_str(out, listed++ ? ", " : "");
		sink_fmt(out, "%d", (int)t->tid);
		if (last != t->tid)
			sink_fmt(out, "-%d", (int)last);
		sink_char(out, ' ');
		columns_cut(out, t->name ? t->name : t->comm, 0);
	}
	if (left)
		sink_fmt(out, " and %u more", left);
}

static void
put_moved(struct sink *out, const struct stack_thread *t)
{
	if (!t->again)
		return;
	if (!t->moved) {
		sink_str(out, "; has not moved");
		return;
	}
	sink_str(out, "; has moved");
	if (t->between) {
		sink_str(out, " (");
		sink_decimal(out, t->between / 1000000 * 1000 + t->between / 1000 % 1000, 3);
		sink_str(out, " ms of CPU)");
	}
}

static void
put_group(struct sink *out, const struct thread_stacks *s, uint32_t i)
{
	const struct stack_thread *t = &s->thread[i];
	struct frames frames = { out, 0 };
	uint32_t n = count(s, i);

	sink_char(out, '\n');
	if (n > 1)
		sink_fmt(out, "%u threads: ", n);
	else
		sink_str(out, "thread ");
	put_names(out, s, i);
	if (t->waits) {
		sink_str(out, ": ");
		columns_cut(out, t->waits, 0);
	}
	put_moved(out, t);
	sink_char(out, '\n');
	thread_stacks_frames(s, t, put_frame, &frames);
	if (t->why)
		sink_fmt(out, "      (no stack: %s)\n", t->why);
}

static void
put_process(struct sink *out, const struct thread_stacks *s, uint32_t from)
{
	const struct stack_thread *t = &s->thread[from];
	uint32_t n = 0;

	for (uint32_t i = from; i < s->n; i++)
		n += s->thread[i].pid == t->pid;
	if (s->core) {
		core_words(out, s->core);
	} else {
		sink_fmt(out, "process %d (", (int)t->pid);
		columns_cut(out, t->comm, 0);
		sink_char(out, ')');
	}
	sink_fmt(out, ": %u thread%s\n", n, plural(n));
	for (uint32_t i = from; i < s->n; i++)
		if (s->thread[i].pid == t->pid && s->thread[i].same == i)
			put_group(out, s, i);
}

void
stack_text(struct sink *out, const struct thread_stacks *s)
{
	for (uint32_t i = s->first; i < s->n; i++)
		if (i == s->first || s->thread[i].pid != s->thread[i - 1].pid) {
			sink_str(out, i == s->first ? "" : "\n");
			put_process(out, s, i);
		}
}

/* See stack_text.h. {"core":{…}, "processes":[{"pid","comm","threads":[{…,"stack":N}]}],
 * "stacks":{"N":{"complete","frames":[…]}}}. Threads with equal stacks have the same number. */
#include "stack_text.h"

#include "lib/sink.h"
#include "sample/core/core.h"
#include "core_words.h"
#include "thread_stacks.h"
#include "waits_for.h"

static void
member(struct sink *out, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	sink_fmt(out, ",\"%s\":", key);
	sink_json(out, value);
}

static void
put_thread(struct sink *out, const struct stack_thread *t, uint32_t stack)
{
	sink_fmt(out, "{\"tid\":%d,\"comm\":", (int)t->tid);
	sink_json(out, t->comm);
	if (t->state)
		sink_fmt(out, ",\"state\":\"%c\",\"cpu_ns\":%llu", t->state, (unsigned long long)t->ran);
	member(out, "name", t->name);
	member(out, "waits", t->waits);
	if (t->lock)
		member(out, "gil", t->lock == LOCK_HELD ? "held" : t->lock == LOCK_WANTED ? "wanted" : "not held");
	member(out, "call", waits_call(t));
	member(out, "file", waits_file(t));
	member(out, "wchan", t->wchan);
	member(out, "no_stack", t->why);
	if (t->again)
		sink_fmt(out, ",\"moved\":%s,\"between_ns\":%llu", t->moved ? "true" : "false", (unsigned long long)t->between);
	sink_fmt(out, ",\"stack\":%u}", stack);
}

struct frames {
	struct sink *out;
	const struct profile *profile;
	unsigned n;
};

static void
put_frame(void *ctx, const struct function *f, uint32_t line, const struct location *where)
{
	struct frames *of = ctx;
	struct sink *out = of->out;

	sink_str(out, of->n++ ? ",\n{\"function\":" : "\n{\"function\":");
	sink_json(out, f->name);
	member(out, "module", f->module);
	member(out, "file", f->file);
	if (line)
		sink_fmt(out, ",\"line\":%u", line);
	if (f->kind == FUNCTION_INLINED)
		sink_str(out, ",\"inlined\":true");
	if (where->mapping < of->profile->nmapping)
		sink_fmt(out, ",\"address\":\"0x%llx\"", (unsigned long long)where->address);
	sink_char(out, '}');
}

static void
put_core(struct sink *out, const struct core *core)
{
	sink_fmt(out, "\"core\":{\"signal\":%d,\"signal_name\":", (int)core->signal);
	sink_json(out, core_signal(core->signal));
	sink_fmt(out, ",\"code\":%d", (int)core->code);
	if (core->faulted)
		sink_fmt(out, ",\"fault\":\"0x%llx\"", (unsigned long long)core->fault);
	sink_fmt(out, ",\"thread\":%d,\"cut\":%s,\"command\":", (int)core->thread[0].tid, core->cut ? "true" : "false");
	sink_json(out, core->args);
	sink_str(out, "},\n");
}

void
stack_json(struct sink *out, const struct thread_stacks *s)
{
	uint32_t stacks = 0;
	int32_t pid = 0;

	sink_char(out, '{');
	if (s->core)
		put_core(out, s->core);
	sink_str(out, "\"processes\":[");
	for (uint32_t i = s->first; i < s->n; i++) {
		const struct stack_thread *t = &s->thread[i];

		if (t->pid != pid || i == s->first) {
			sink_fmt(out, "%s\n{\"pid\":%d,\"comm\":", i == s->first ? "" : "]},", (int)t->pid);
			sink_json(out, t->comm);
			sink_str(out, ",\"threads\":[");
		}
		sink_str(out, t->pid != pid || i == s->first ? "\n" : ",\n");
		pid = t->pid;
		put_thread(out, t, t->same - s->first);
	}
	sink_fmt(out, "%s],\n\"stacks\":{", s->n > s->first ? "]}" : "");
	for (uint32_t i = s->first; i < s->n; i++) {
		struct frames frames = { out, &s->collector.profile, 0 };

		if (s->thread[i].same != i)
			continue;
		sink_fmt(out, "%s\n\"%u\":{\"complete\":%s,\"frames\":[", stacks++ ? "," : "", i - s->first, s->thread[i].complete ? "true" : "false");
		thread_stacks_frames(s, &s->thread[i], put_frame, &frames);
		sink_str(out, "]}");
	}
	sink_str(out, "}}\n");
}

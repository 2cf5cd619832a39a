/* See stack_core.h. */
#include "stack_core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core_words.h"
#include "lib/msg.h"
#include "sample/events/open_event.h"

static const struct arch *const machines[] = { &arch_x86_64, &arch_aarch64, &arch_riscv64, &arch_armv7, &arch_i686 };

/* Bytes of a stack that prof reads first, and if the stack goes on. */
enum { SHORT = 64 << 10, LONG = 16 << 20 };

bool
stack_core_open(struct stack_core *s)
{
	struct stat st;

	s->fd = strcmp(s->path, "-") ? open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : STDIN_FILENO;
	if (s->fd < 0)
		error(!*s->path || s->path[strspn(s->path, "0123456789")] ? "%s: %s" : "%s: %s; to see the stacks of process %s, write -p %s", s->path, strerror(errno),
		      s->path, s->path);
	s->own = s->fd >= 0 && !fstat(s->fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid();
	return s->fd >= 0;
}

static const struct arch *
arch_of(const struct core *core)
{
	for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++)
		if (machines[i]->machine == core->machine && (machines[i]->word == 8) == core->is64)
			return machines[i];
	return NULL;
}

/* The registers in the order of a sample's. */
static unsigned
registers(const struct arch *a, const struct core_thread *t, uint64_t *to)
{
	unsigned n = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (a->sample >> bit & 1) {
			unsigned at = a->prstatus && bit < REGS_EXTENDED ? a->prstatus[n] : bit;

			to[n++] = bit < REGS_EXTENDED && at < t->nword ? t->word[at] : 0;
		}
	return n;
}

static uint64_t
register_of(const struct arch *a, const uint64_t *regs, uint8_t number)
{
	unsigned n = 0;

	while (a->dwarf[n] != number)
		n++;
	return regs[n];
}

static uint64_t
stack_pointer(const struct core *core, const struct core_thread *t)
{
	const struct arch *a = arch_of(core);
	uint64_t regs[64];

	if (!a)
		return 0;
	registers(a, t, regs);
	return register_of(a, regs, a->sp);
}

static bool
follow(struct stack_core *s, struct thread_stacks *out, const struct arch *a, uint32_t i)
{
	struct core *core = &s->core;
	const struct core_thread *from = &core->thread[i];
	struct task task = { .pid = core->pid, .tid = from->tid, .process = &s->process.process };
	struct stack_thread t = { .pid = core->pid, .tid = from->tid, .comm = core->comm, .call = "", .file = "", .wchan = "" };
	struct sample sample = { .task = &task, .still = true };
	uint64_t regs[64];
	char words[64];
	uint32_t n = 0;

	memcpy(task.comm, core->comm, sizeof task.comm);
	sample.nregs = (uint8_t)registers(a, from, regs);
	sample.regs = regs;
	sample.regs32 = a->word == 4;
	sample.ip = register_of(a, regs, a->pc);
	if (!i && core->signal && snprintf(words, sizeof words, "got %s", core_signal(core->signal)) > 4)
		t.waits = arena_str(&out->collector.profile.arena, words, strlen(words));
	for (uint64_t most = SHORT; most <= LONG && (most == SHORT || out->collector.walk.end == WALK_STACK_SHORT); most *= LONG / SHORT) {
		sample.stack = core_stack(core, register_of(a, regs, a->sp), most, &sample.stack_size);
		n = collector_stack(&out->collector, &sample);
	}
	return thread_stacks_add(out, &t, n) != NULL;
}

bool
stack_core_follow(struct stack_core *s, struct thread_stacks *out)
{
	const char *why = core_open(&s->core, s->fd, stack_pointer);
	const struct arch *a = why ? NULL : arch_of(&s->core);

	if (!why && !a)
		why = "is of a machine that prof does not know";
	if (why) {
		error("%s: %s", strcmp(s->path, "-") ? s->path : "stdin", why);
		return false;
	}
	out->core = &s->core;
	out->collector.arch = a;
	out->collector.compat = a;
	if (!core_process_init(&s->process, &s->core, &out->collector.modules))
		return false;
	for (uint32_t i = 0; i < s->core.nthread; i++)
		if (!follow(s, out, a, i))
			return false;
	return true;
}

void
stack_core_free(struct stack_core *s)
{
	core_process_free(&s->process);
	core_close(&s->core);
}

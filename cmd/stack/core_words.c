/* See core_words.h.  Numbers of signals as on the machines that prof knows, signal(7); codes: sigaction(2). */
#include "core_words.h"

#include "lib/columns.h"
#include "lib/sink.h"
#include "sample/core/core.h"

static const char *const signals[] = {
	"", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2",
	"SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU",
	"SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
};

static const struct { int32_t signal, code; const char *words; } codes[] = {
	{ 11, 1, "no memory there" },
	{ 11, 2, "not allowed there" },
	{ 11, 128, "an impossible address" },
	{ 7, 1, "not aligned" },
	{ 7, 2, "beyond the end of a file" },
	{ 8, 1, "division by zero" },
	{ 8, 2, "an integer is too large" },
	{ 4, 2, "not an instruction" },
};

const char *
core_signal(int32_t number)
{
	return number > 0 && number < (int32_t)(sizeof signals / sizeof *signals) ? signals[number] : "";
}

void
core_words(struct sink *out, const struct core *core)
{
	const char *name = core_signal(core->signal);

	sink_fmt(out, "core of process %d (", (int)core->pid);
	columns_cut(out, core->comm, 0);
	sink_char(out, ')');
	if (!core->signal)
		return;
	if (*name)
		sink_fmt(out, ", ended by %s", name);
	else
		sink_fmt(out, ", ended by signal %d", (int)core->signal);
	if (core->faulted)
		sink_fmt(out, " at 0x%llx", (unsigned long long)core->fault);
	for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
		if (codes[i].signal == core->signal && codes[i].code == core->code)
			sink_fmt(out, " (%s)", codes[i].words);
	sink_fmt(out, " in thread %d", (int)core->thread[0].tid);
	if (core->cut)
		sink_str(out, "; the file is cut");
}

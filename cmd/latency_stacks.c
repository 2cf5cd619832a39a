/* See latency_stacks.h.  The programs of prof latency choose the calls, and give a sample for each as an event of the kind bpf-output:
 * the kernel adds registers and stack, as it does for any sample.  So the other process does what prof record -a does with this
 * event, without rights and in its sandbox, and keeps the slowest. */
#include "latency_stacks.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/options/exit.h"
#include "cmd/options/refused.h"
#include "lib/bpf.h"
#include "lib/msg.h"
#include "out/formats.h"
#include "record.h"
#include "sample/latency/latency_code.h"

bool
latency_stacks_are(const char *file)
{
	const struct format *f = format_of_file(file);

	return f && f != &format_table;
}

static void
add_event(void *stacks, struct plan *p)
{
	(void)stacks;
	p->event[0] = latency_slow_event();
	p->nevent = 1;
}

static void
take_event(void *stacks, int fd, int32_t cpu)
{
	struct latency_stacks *l = stacks;

	bpf_map_set(l->map, (uint32_t)cpu, &fd);
}

/* The events are on from here: the programs may write. */
static void
opened(void *stacks, struct session *s)
{
	struct latency_stacks *l = stacks;

	session_events(s, take_event, l);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != l->caller || write(l->ready, "", 1) != 1)
		raise(SIGTERM);   /* it has ended meanwhile */
	close(l->ready);
}

static void
closed(void *stacks, const struct session_counts *n)
{
	const struct latency_stacks *l = stacks;

	if (n->lost)
		warn("%s: the stacks of %llu slow calls were lost", l->output, (unsigned long long)n->lost);
}

__attribute__((noreturn)) static void
record(struct latency_stacks *l)
{
	const struct slowest slowest = { .most = l->most, .name = l->name, .ctx = l->ctx };
	const struct record_use use = { .ctx = l, .events = add_event, .slowest = &slowest, .opened = opened, .closed = closed };
	/* The copies keep their size: an event that is opened again is not the one in the map. */
	char *words[] = { "latency", "-a", "--stack-size=32768", "-o", (char *)(uintptr_t)l->output, l->quiet ? "-q" : l->verbose ? "-v" : "-g", NULL };

	/* Only prof latency ends it.  Ctrl-C is for that one, or for a command that goes on. */
	setpgid(0, 0);
	signal(SIGTTOU, SIG_IGN);   /* it may say something all the same */
	_exit(record_for(6, words, &use));
}

bool
latency_stacks_start(struct latency_stacks *l)
{
	ssize_t n = 0;
	int pipes[2];
	char ready;

	if (pipe(pipes)) {
		error("cannot make a pipe: %s", strerror(errno));
		return false;
	}
	l->ready = pipes[1];
	l->caller = getpid();
	if (!(l->pid = fork())) {
		close(pipes[0]);
		record(l);
	}
	close(pipes[1]);
	if (l->pid < 0)
		refused_process("");
	while (l->pid > 0 && (n = read(pipes[0], &ready, 1)) < 0 && errno == EINTR)
		;
	close(pipes[0]);
	if (n != 1)
		latency_stacks_drop(l);   /* it has said why */
	return n == 1;
}

/* Its exit status; its keeper removes what it did not finish. */
static int
end_by(struct latency_stacks *l, int sig)
{
	int status = -1;

	kill(l->pid, sig);
	while (waitpid(l->pid, &status, 0) < 0 && errno == EINTR)
		;
	l->pid = 0;
	return status;
}

bool
latency_stacks_end(struct latency_stacks *l)
{
	int status = l->pid > 0 ? end_by(l, SIGTERM) : 0;

	if (status)
		error("%s: the process that records the slowest calls failed", l->output);
	return !status;
}

void
latency_stacks_drop(struct latency_stacks *l)
{
	if (l->pid > 0)
		end_by(l, SIGKILL);
}

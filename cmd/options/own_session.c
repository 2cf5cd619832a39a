/* See own_session.h.  sched(7), "The autogroup feature". */
#include "own_session.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/file.h"
#include "sample/events/cpu.h"
#include "sample/events/priority.h"

/* Threads that want to run, for each CPU, from which on prof's part as one of them is too little. */
enum { CROWD = 8 };

static bool
crowded(void)
{
	int32_t cpu[CPUS_MAX];

	return cpu_wanted() / CROWD >= cpu_online(cpu);
}

static bool
kernel_shares(void)
{
	char text[8];

	return file_text(AT_FDCWD, "/proc/sys/kernel/sched_autogroup_enabled", text, sizeof text) > 0 && *text == '1';
}

static _Noreturn void
end_as(int status)
{
	int number = WTERMSIG(status);
	sigset_t set;

	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });   /* the child has written one */
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + number);
}

static bool
stops(int number)
{
	struct sigaction a;

	return (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU) && !sigaction(number, NULL, &a) && a.sa_handler == SIG_DFL;
}

static _Noreturn void
stand_for(pid_t child, const sigset_t *all)
{
	int number, status;

	for (;;) {
		if (waitpid(child, &status, WNOHANG) == child)
			end_as(status);
		if (sigwait(all, &number) || number == SIGCHLD)
			continue;
		if (stops(number)) {
			kill(child, SIGSTOP);
			raise(SIGSTOP);
			number = SIGCONT;
		}
		kill(child, number);
	}
}

void
own_session_begin(void)
{
	pid_t started = getpid(), child;
	sigset_t all, before;

	if (!crowded() || !kernel_shares() || priority_may())
		return;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	child = fork();
	if (child > 0)
		stand_for(child, &all);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != started)
			_exit(1);
		setsid();
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

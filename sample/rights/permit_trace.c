/* See permit_trace.h.  ptrace(2), "Ptrace access mode checking"; Yama's ptrace_scope:
 * Documentation/admin-guide/LSM/Yama.rst. */
#include "permit_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/file.h"
#include "permit.h"
#include "sample/tasks/target.h"

/* kernel.yama.ptrace_scope; 0: any process of the same user. */
static unsigned
ptrace_scope(void)
{
	char buf[16];

	return file_text(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", buf, sizeof buf) > 0 ? (unsigned)(*buf - '0') : 0;
}

void
permit_trace_explain(struct refusal *r, const struct capture *c, int32_t whom, int err)
{
	bool denied = err == EPERM || err == EACCES;
	unsigned scope = denied ? ptrace_scope() : 0;
	char name[64];

	*r->what = *r->mend = 0;
	if (err == EBUSY)
		snprintf(r->what, sizeof r->what, "cannot trace it: process %d (%s) traces it already, and only one process can", (int)whom,
		         target_comm(whom, name, sizeof name));
	else if (denied && permit_explain_target(r, c, whom, err))
		return;
	else if (scope - 1 < 3) {
		snprintf(r->what, sizeof r->what, "cannot trace it (%s): kernel.yama.ptrace_scope is %u: %s", strerror(err), scope,
		         scope == 1 ? "only the ancestors of a process may trace it" : scope == 2 ? "only a process with CAP_SYS_PTRACE may trace it"
		         : "nobody may trace it until the machine restarts");
		if (scope < 3)
			snprintf(r->mend, sizeof r->mend, "sudo sysctl kernel.yama.ptrace_scope=%u, or give prof CAP_SYS_PTRACE%s", scope - 1,
			         scope == 1 ? ", or let prof start the command" : "");
	} else {
		bool forbidden = denied || err == ENOSYS;

		snprintf(r->what, sizeof r->what, "cannot trace it (%s)%s", strerror(err),
		         forbidden ? ": a seccomp filter or a security module forbids it" : "");
		if (forbidden)
			permit_give_ptrace(r);
	}
}

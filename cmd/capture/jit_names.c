/* See jit_names.h. */
#include "jit_names.h"

#include "cmd/options/refused.h"
#include "lib/msg.h"

bool
jit_names_begin(struct jvm_attach *a, const struct target_options *t, int32_t command)
{
	bool well = t->command && t->kind == TARGET_COMMAND ? jvm_attach_start(a, &command, 1, true)
	                                                    : jvm_attach_start(a, t->pid, t->npid, false);

	if (!well)
		refused_process("--jit-names: ");
	return well;
}

void
jit_names_end(struct jvm_attach *a)
{
	static const char *const words[JVM_ANSWERS] = {
		[JVM_NOT_YOURS] = "belongs to another user, or hides from prof (sudo may help)",
		[JVM_DEAF] = "takes no questions (-XX:+DisableAttachMechanism, or it does not catch SIGQUIT)",
		[JVM_SILENT] = "did not answer in time",
		[JVM_REFUSED] = "has no command Compiler.perfmap: that needs Java 17 or later",
		[JVM_KERNEL] = "was not asked: this kernel has no safe way to ask (Linux 5.6 or later has one)",
	};
	struct jvm_answers answers;
	bool any = false;

	if (!jvm_attach_end(a, &answers)) {
		warn("--jit-names: the process that asks for names did not answer in time");
		return;
	}
	for (unsigned i = 0; i < JVM_ANSWERS; i++) {
		any |= i != JVM_NONE && answers.n[i];
		if (words[i] && answers.n[i])
			warn("--jit-names: %u %sprocess%s: %s", answers.n[i], i == JVM_NOT_YOURS || i == JVM_KERNEL ? "" : "Java ",
			     answers.n[i] == 1 ? "" : "es", words[i]);   /* what prof could not look into may be no machine */
	}
	if (answers.n[JVM_WROTE])
		verbose("--jit-names: %u Java process%s wrote the names of compiled code", answers.n[JVM_WROTE], answers.n[JVM_WROTE] == 1 ? "" : "es");
	if (!any)
		warn("--jit-names: there was no Java process to ask (one that runs for less than half a second is not asked)");
}

/* prof doctor: says what works here and now, what blocks the rest, how to enable it, and what else that would allow. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/msg.h"
#include "lib/sink.h"
#include "sample/rights/doctor.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/target.h"
#include "sample/tasks/whose.h"

/* The most bytes of a finding's side effects, and of the verdict. */
enum { JSON = 300, TEXT = 512 };

static const struct option table[] = {
	{ 'p', "pid=PID", "examine this process (default: commands of your own)" },
	{ JSON, "json", "print JSON" },
	{ 'h', "help", "show this help" },
	{ 0 },
};

/* Side effects: words of a mend, and what they allow others to do. */
static const struct opening {
	const char *word, *what;
} openings[] = {
	{ "paranoid=-1", "every user may watch all processes and the kernel" },
	{ "paranoid=0", "every user may see what runs on all CPUs" },
	{ "paranoid=1", "every user may see the kernel side of their own processes" },
	{ "kptr_restrict=0", "every user may see where the kernel's functions lie, which helps to attack it" },
	{ "ptrace_scope=0", "each process may read and change other processes of the same user" },
	{ "setcap", "everybody who may execute that file has these rights over all processes, so let only a group execute it (chgrp, chmod 750)" },
	{ "PERFMON", "the container may watch the whole machine" },
	{ "SYS_PTRACE", "the container may read and change every process that it sees" },
	{ "SYS_ADMIN", "the container may do nearly everything that the machine's root may do" },
};

/* The side effects of MEND, one after the other; "" if it has none. */
static const char *
opens(const char *mend, char *text, size_t size)
{
	int n = 0;

	*text = 0;
	for (unsigned i = 0; i < sizeof openings / sizeof *openings; i++)
		if (strstr(mend, openings[i].word) && (size_t)n < size)
			n += snprintf(text + n, size - (size_t)n, "%s%s", n ? "; " : "", openings[i].what);
	return text;
}

static const char *
verdict(const struct examination *e, char *text, size_t size)
{
	char comm[64], whom[96] = "your own commands";

	if (e->pid)
		snprintf(whom, sizeof whom, "process %d (%s)", (int)e->pid, target_comm(e->pid, comm, sizeof comm));
	snprintf(text, size, "%s %s%s", whom,
	         e->user ? e->kernel ? "can be profiled, user and kernel side" : "can be profiled, user side only"
	         : e->stop ? "can be profiled by stopping threads for a moment (ptrace), user side only" : "cannot be profiled",
	         e->user && e->system ? "; the whole system, too" : "");
	return text;
}

/* Settings keep the system's names; all other keys become words. */
static void
put_key(struct sink *s, const struct finding *f)
{
	for (const char *key = f->key; *key; key++)
		sink_char(s, *key == '_' && f->kind != FINDING_FACT ? ' ' : *key);
}

/* Anybody can choose these names, so they must not send escape sequences to the terminal. */
static void
put_plain(struct sink *s, const char *text)
{
	for (unsigned n; *text; text += n) {
		unsigned char c = (unsigned char)*text;

		n = utf8_len(text);
		if (!n || c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)text[1] < 0xa0))
			sink_char(s, '?');
		else
			sink_put(s, text, n);
		n += !n;
	}
}

static void
put_row(struct sink *s, const struct finding *f)
{
	static const char *const word[] = { "yes  ", "no   ", "" };
	size_t n = strlen(f->key);

	sink_str(s, "  ");
	put_key(s, f);
	do
		sink_char(s, ' ');
	while (++n < 28);
	sink_str(s, word[f->kind]);
	put_plain(s, f->text);
	sink_char(s, '\n');
}

/* The command changes nothing: it may show who refused. */
static bool
only_shows(const char *mend)
{
	return strstr(mend, "dmesg");
}

/* Writes each mend once, with all that it enables; those that only show a cause under a heading of their own. */
static void
put_mends(struct sink *s, const struct examination *e, bool show)
{
	char text[TEXT];
	bool any = false;

	for (unsigned i = 0; i < e->n; i++) {
		const char *mend = e->finding[i].mend, *comma = show ? "      about: " : "      enables: ";
		bool again = !*mend || only_shows(mend) != show;

		for (unsigned k = 0; k < i; k++)
			again |= strcmp(e->finding[k].mend, mend) == 0;
		if (again)
			continue;
		sink_fmt(s, "%s  %s\n", any ? "" : show ? "\nTo find the cause\n" : "\nTo enable more\n", mend);
		any = true;
		for (unsigned k = i; k < e->n; k++)
			if (strcmp(e->finding[k].mend, mend) == 0) {
				sink_str(s, comma);
				put_key(s, &e->finding[k]);
				comma = ", ";
			}
		opens(mend, text, sizeof text);
		sink_fmt(s, "%s%s\n", *text ? "\n      side effect: " : "", text);
	}
}

static void
put_text(struct sink *s, const struct examination *e)
{
	const char *group = "";
	char text[TEXT];

	put_plain(s, verdict(e, text, sizeof text));
	sink_char(s, '\n');
	for (unsigned i = 0; i < e->n; i++) {
		const char *its = e->finding[i].group ? e->finding[i].group : "facts";

		if (strcmp(its, group) != 0)
			sink_fmt(s, "\n%s\n", its);
		put_row(s, &e->finding[i]);
		group = its;
	}
	put_mends(s, e, false);
	put_mends(s, e, true);
}

static void
put_member(struct sink *s, const char *before, const char *key, const char *text)
{
	if (!*text)
		return;
	sink_fmt(s, "%s\"%s\": ", before, key);
	sink_json(s, text);
}

static void
put_finding(struct sink *s, const struct finding *f)
{
	char text[TEXT];

	sink_fmt(s, "    \"%s\": ", f->key);
	if (f->kind == FINDING_FACT) {
		if (f->number)
			sink_str(s, f->text);
		else
			sink_json(s, f->text);
		return;
	}
	sink_fmt(s, "{\"works\": %s", f->kind == FINDING_WORKS ? "true" : "false");
	put_member(s, ", ", f->kind == FINDING_WORKS ? "how" : "why", f->text);
	put_member(s, ", ", "mend", f->mend);
	put_member(s, ", ", "opens", opens(f->mend, text, sizeof text));
	sink_char(s, '}');
}

static void
put_json(struct sink *s, const struct examination *e)
{
	const char *group = NULL, *its;
	char text[TEXT];

	sink_fmt(s, "{\n  \"works\": %s,\n  \"engine\": \"%s\",\n  \"pid\": %d", e->user || e->stop ? "true" : "false",
	         e->user ? "perf" : e->stop ? "ptrace" : "none", (int)e->pid);
	put_member(s, ",\n  ", "verdict", verdict(e, text, sizeof text));
	for (unsigned i = 0; i < e->n; i++, group = its) {
		its = e->finding[i].group ? e->finding[i].group : "facts";
		if (!group || strcmp(its, group) != 0)
			sink_fmt(s, "%s,\n  \"%s\": {\n", group ? "\n  }" : "", its);
		else
			sink_str(s, ",\n");
		put_finding(s, &e->finding[i]);
	}
	sink_str(s, "\n  }\n}\n");
}

static int
cmd_doctor(int argc, char **argv)
{
	static struct examination e;
	struct options o;
	struct sink out;
	bool json = false;
	int32_t pid = 0;
	int id;

	options_open(&o, table, argc, argv);
	while ((id = options_next(&o)) != OPTION_END) {
		if (id == OPTION_BAD || (id == 'p' && !option_pids(&o, &pid, 1)))
			return EXIT_FAILED;
		json |= id == JSON;
	}
	if (o.at < argc) {
		error("doctor takes -p PID and --json, not '%s'", argv[o.at]);
		return EXIT_FAILED;
	}
	if (pid && !target_pid_exists(pid)) {
		error("-p %d: no such process", (int)pid);
		return EXIT_FAILED;
	}
	if (pid && sandbox_lent() && !whose_may(pid)) {
		error("-p %d: the process is not yours, and prof has more rights here than you", (int)pid);
		return EXIT_FAILED;
	}
	doctor_examine(&e, pid);
	sink_open(&out, STDOUT_FILENO);
	(json ? put_json : put_text)(&out, &e);
	if (sink_close(&out)) {
		error("stdout: %s", strerror(out.err));
		return EXIT_FAILED;
	}
	return e.user || e.stop ? 0 : 1;
}

const struct command command_doctor = { .name = "doctor", .synopsis = "[-p PID] [--json]",
	.summary = "tell what works here, what blocks the rest, and how to enable it",
	.options = table, .run = cmd_doctor, .rights = true };

/* prof doctor: what works here and now, what blocks the rest, what would mend it, and what else that would open. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/msg.h"
#include "lib/sink.h"
#include "sample/tasks/container.h"
#include "sample/rights/examination.h"
#include "sample/tasks/target.h"
#include "cmd/options/options.h"

/* Bytes of what one finding opens, and of the verdict, at most. */
enum { JSON = 300, TEXT = 512 };

static const struct option table[] = {
	{ 'p', "pid=PID", "about that process; else about commands of one's own" },
	{ JSON, "json", "as JSON" },
	{ 'h', "help", "this" },
	{ 0 },
};
const struct option *const doctor_options = table;

/* What mends open to others: words in them, and behind each what it is. */
static const char opening[] =
	"paranoid=-1\0every user may watch all processes and the kernel\0"
	"paranoid=0\0every user may see what runs on all CPUs\0"
	"paranoid=1\0every user may see the kernel's side of own processes\0"
	"kptr_restrict=0\0every user may see where the kernel's functions lie, which helps to attack it\0"
	"ptrace_scope=0\0each process may read and change the others of its user\0"
	"setcap\0whoever may execute that file has these rights over all processes: keep it to a group (chgrp, chmod 750)\0"
	"PERFMON\0the container may watch the whole machine\0"
	"SYS_PTRACE\0the container may read and change every process that it sees\0"
	"SYS_ADMIN\0the container may do nearly all that the machine's root may\0";

/* What MEND opens, one thing behind the other; "" for nothing. */
static const char *
opens(const char *mend, char *text, size_t size)
{
	int n = 0;

	*text = 0;
	for (const char *word = opening, *what; *word; word = what + strlen(what) + 1) {
		what = word + strlen(word) + 1;
		if (strstr(mend, word) && (size_t)n < size)
			n += snprintf(text + n, size - (size_t)n, "%s%s", n ? "; " : "", what);
	}
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

static void
put_row(struct sink *s, const struct finding *f)
{
	static const char *const word[] = { "yes  ", "no   ", "" };
	size_t n = strlen(f->key);

	sink_str(s, "  ");
	for (const char *key = f->key; *key; key++)
		sink_char(s, *key == '_' && f->kind != FINDING_FACT ? ' ' : *key);
	do
		sink_char(s, ' ');
	while (++n < 28);
	sink_fmt(s, "%s%s\n", word[f->kind], f->text);
}

/* Each mend once, with all that it is good for. */
static void
put_mends(struct sink *s, const struct examination *e)
{
	char text[TEXT];
	bool any = false;

	for (unsigned i = 0; i < e->n; i++) {
		const char *mend = e->finding[i].mend, *comma = "      for ";
		bool again = !*mend;

		for (unsigned k = 0; k < i; k++)
			again |= strcmp(e->finding[k].mend, mend) == 0;
		if (again)
			continue;
		sink_fmt(s, "%s  %s\n", any ? "" : "\nwhat would open more\n", mend);
		any = true;
		for (unsigned k = i; k < e->n; k++)
			if (strcmp(e->finding[k].mend, mend) == 0) {
				sink_fmt(s, "%s%s", comma, e->finding[k].key);
				comma = ", ";
			}
		opens(mend, text, sizeof text);
		sink_fmt(s, "%s%s\n", *text ? "\n      opens: " : "", text);
	}
}

static void
put_text(struct sink *s, const struct examination *e)
{
	const char *group = "";
	char text[TEXT];

	sink_fmt(s, "%s\n", verdict(e, text, sizeof text));
	for (unsigned i = 0; i < e->n; i++) {
		const char *its = e->finding[i].group ? e->finding[i].group : "facts";

		if (strcmp(its, group) != 0)
			sink_fmt(s, "\n%s\n", its);
		put_row(s, &e->finding[i]);
		group = its;
	}
	put_mends(s, e);
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

int
cmd_doctor(int argc, char **argv)
{
	static struct examination e;
	struct options o;
	struct sink out;
	bool json = false;
	int32_t pid = 0;
	int id;

	options_open(&o, doctor_options, argc, argv);
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
	doctor_examine(&e, pid);
	sink_open(&out, STDOUT_FILENO);
	(json ? put_json : put_text)(&out, &e);
	if (sink_close(&out)) {
		error("stdout: %s", strerror(out.err));
		return EXIT_FAILED;
	}
	return e.user || e.stop ? 0 : 1;
}

#include "test.h"

#include <unistd.h>

#include "cmd/options/target_options.c"

static const struct option table[] = { TARGET_OPTIONS, { 'F', "freq=HZ", "" }, { 0 } };

/* The targets that the words name, up to the first mistake; *FINE: there is no mistake. */
static struct target_options *
said(char **argv, bool *fine)
{
	static struct target_options t;
	static struct arena arena;
	struct options o;
	int argc = 0, id;

	while (argv[argc])
		argc++;
	t = (struct target_options){ .kind = TARGET_COMMAND };
	arena_free(&arena);
	options_open(&o, table, argc, argv);
	for (*fine = true; *fine && (id = options_next(&o)) != OPTION_END;)
		*fine = id != OPTION_BAD && target_options_has(id) && target_options_take(&t, &o, id, &arena);
	*fine = *fine && target_options_check(&t, &o);
	return &t;
}
#define SAID(fine, ...) said((char *[]){ "record", __VA_ARGS__, NULL }, fine)

static void
who_is_told(void)
{
	struct target_options *t;
	bool fine;

	t = SAID(&fine, "ls", "-l");
	CHECK(fine && t->kind == TARGET_COMMAND && !t->attached);
	CHECK_STR(t->command[1], "-l");
	t = SAID(&fine, "-p", "7,8", "-p9");
	CHECK(fine && t->kind == TARGET_PROCESSES && t->attached && t->npid == 3 && t->pid[2] == 9 && !t->command);
	t = SAID(&fine, "-t1", "--", "sleep", "3");
	CHECK(fine && t->kind == TARGET_THREADS && t->npid == 1);
	CHECK_STR(t->command[0], "sleep");
	t = SAID(&fine, "-n", "x", "--all", "--wait");
	CHECK(fine && t->kind == TARGET_PROCESSES && !t->newest && t->wait_named);
	(void)SAID(&fine, "-n", "x", "--all", "--newest");
	CHECK(!fine);
	t = SAID(&fine, "-G", "docker/x");
	CHECK(fine && t->kind == TARGET_SYSTEM);
	CHECK_STR(t->cgroup, "docker/x");
	t = SAID(&fine, "-C", "0");
	CHECK(fine && t->kind == TARGET_SYSTEM && t->attached && t->ncpu == 1 && t->cpu[0] == 0);
	t = SAID(&fine, "-C0", "ls");
	CHECK(fine && t->kind == TARGET_COMMAND && !t->attached);
}

static void
what_does_not_go_together_is_said(void)
{
	bool fine;

	(void)SAID(&fine, "-a", "-p1");
	CHECK(!fine);
	(void)SAID(&fine, "-p1", "ls");
	CHECK(!fine);
	(void)SAID(&fine, "--all", "ls");
	CHECK(!fine);
	(void)SAID(&fine, "--wait", "-p1");
	CHECK(!fine);
	(void)SAID(&fine, "-C", "nothing");
	CHECK(!fine);
	(void)SAID(&fine, "--", NULL);
	CHECK(!fine);
	(void)SAID(&fine, "-F9", "ls");   /* not one of these */
	CHECK(!fine);
}

static void
only_who_is_there_is_found(void)
{
	char self[16], parent[16];
	bool fine;

	snprintf(self, sizeof self, "%d", (int)getpid());
	snprintf(parent, sizeof parent, "%d", (int)getppid());
	CHECK(target_options_find(SAID(&fine, "-p", parent)) == 0 && fine);
	CHECK_U64(target_options_find(SAID(&fine, "-p", self)), EXIT_FAILED);
	CHECK_U64(target_options_find(SAID(&fine, "-p", "2147483647")), EXIT_FAILED);
	CHECK_U64(target_options_find(SAID(&fine, "-t", "2147483647")), EXIT_FAILED);
	CHECK_U64(target_options_find(SAID(&fine, "-n", "no process is called like this")), EXIT_FAILED);
	CHECK_U64(target_options_find(SAID(&fine, "./not-there")), 127);
}

int
main(void)
{
	RUN("target_options", who_is_told);
	RUN("target_options", what_does_not_go_together_is_said);
	RUN("target_options", only_who_is_there_is_found);
	return TEST_STATUS;
}

/* The first process of a board: it mounts what prof needs, does what the table in /$MODE says (/checks), and prints on the console
 * "@ ok NAME", "@ not ok NAME: why" and at last "@ end".  There is no shell; init knows only the words of the table:
 *	check NAME             a test begins; the following lines up to the next test belong to it
 *	board PATTERN...       only on these boards (a pattern ends in * or is a name; !PATTERN: not on them)
 *	user | root            runs the following programs as that user (root)
 *	sysctl NAME N          like the command of that name; init restores the value when the next test begins
 *	start PROGRAM ARG...   runs until the test ends; %p is its pid
 *	kill                   ends what was started, by SIGKILL
 *	until FILE REGEX       waits until a line matches; gone FILE REGEX: until none does
 *	run PROGRAM ARG...     runs to its end; its output goes to "out" and "err".  Words in '' may have blanks
 *	status N               the program's exit status (0 without this line)
 *	has FILE REGEX         lacks FILE REGEX
 *	json FILE KEY MIN MAX  a number of a flat JSON object
 *	share FILE REGEX PERCENT   at least so many of a folded file's samples have stacks that match
 *	most FILE REGEX PERCENT    at most so many
 *	truth FILE STACKS      each stack of the folded FILE is possible: STACKS has lines "NAME CHILD...", the outermost name first; "*"
 *	                       is any name without a line.  The kernel's frames may follow any name, and only more of them may follow them
 *	tell FILE REGEX        prints the line that matches after the test's name
 *	note NAME FILE KEY...  prints such numbers: "@ note NAME VALUE..."
 *	bring FILE             prints all its lines, as "@ data LINE"
 *	wants PATH             leaves the test out if there is no such file, and says so
 * init also prints each number that it compared: "@ got TEST KEY VALUE".
 * To try it on any machine: init TABLE BOARD; then it mounts nothing. */
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 48, STARTED = 8, USER = 1000, SECONDS = 60 };

static struct test {
	char name[64];
	char *told;
	bool on, failed, user, ran;
	int status;
	int pid[STARTED], npid;
	struct timespec begun;
} test;
static const char *board = "", *only;   /* ONLY=NAME: tests whose names begin so */
static unsigned passed, failed, skipped;

/* ---- telling ---- */

static char *
slurp(const char *path)
{
	size_t n = 0, cap = 1 << 16;
	char *s = malloc(cap + 1);
	int fd = open(path, O_RDONLY);

	for (ssize_t got; s && fd >= 0 && (got = read(fd, s + n, cap - n)) > 0;) {
		n += (size_t)got;
		if (n == cap)
			s = realloc(s, (cap *= 2) + 1);
	}
	if (fd >= 0)
		close(fd);
	if (s)
		s[n] = 0;
	return s;
}

static bool
spill(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool good = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (!good)
		printf("%s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return good;
}

static void
show(const char *path)
{
	char *s = slurp(path);

	if (s && *s)
		printf("--- %s\n%.3000s\n", path, strlen(s) > 3000 ? s + strlen(s) - 3000 : s);
	free(s);
}

/* The last words of a program mostly say why it failed. */
static void
last_line(const char *path)
{
	char *s = slurp(path), *rest = s, *last = NULL;

	for (char *line; s && (line = strsep(&rest, "\n"));)
		if (line[strspn(line, " \t\r")])
			last = line;
	if (last)
		printf("; %s: %.500s", path, last);
	free(s);
}

#define FAIL(...) \
	do { \
		if (!test.failed) { \
			printf("@ not ok %s: ", test.name); \
			printf(__VA_ARGS__); \
			last_line("out"); \
			last_line("err"); \
			printf("\n"); \
			show("err"); \
			show("out"); \
		} \
		test.failed = true; \
	} while (0)

/* ---- conditions ---- */

static bool
matches(const char *regex, const char *text)
{
	regex_t r;
	bool yes;

	if (regcomp(&r, regex, REG_EXTENDED | REG_NOSUB | REG_NEWLINE)) {
		FAIL("%s is no regular expression", regex);
		return false;
	}
	yes = !regexec(&r, text, 0, NULL, 0);
	regfree(&r);
	return yes;
}

static void
has(const char *file, const char *regex, bool wanted)
{
	char *s = slurp(file);

	if (!s || matches(regex, s) != wanted)
		FAIL("%s %s %s", file, wanted ? "lacks" : "has", regex);
	free(s);
}

/* Its value; -1 where there is none. */
static double
json(const char *file, const char *key)
{
	char *s = slurp(file), quoted[80], *at;
	double v = -1;

	snprintf(quoted, sizeof quoted, "\"%s\"", key);
	if (s && (at = strstr(s, quoted)) && (at = strchr(at + strlen(quoted), ':')))
		v = strtod(at + 1, NULL);
	free(s);
	return v;
}

/* The share in percent of a folded file's samples whose stacks match; -1 for an empty file. */
static double
share(const char *file, const char *regex)
{
	char *s = slurp(file), *rest = s, *count;
	double all = 0, some = 0;

	for (char *line; s && (line = strsep(&rest, "\n"));) {
		if (!(count = strrchr(line, ' ')))
			continue;
		*count++ = 0;
		all += strtod(count, NULL);
		if (matches(regex, line))
			some += strtod(count, NULL);
	}
	free(s);
	return all > 0 ? 100 * some / all : -1;
}

static bool
is_word(const char *at, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(at, word, n) && (!at[n] || at[n] == ' ' || at[n] == '\n');
}

/* The line of STACKS that NAME has, or NULL. */
static const char *
line_of(const char *stacks, const char *name)
{
	while (stacks && !is_word(stacks, name))
		if ((stacks = strchr(stacks, '\n')))
			stacks++;
	return stacks && *stacks ? stacks : NULL;
}

static bool
calls(const char *line, const char *name)
{
	for (const char *end = line + strcspn(line, "\n"); (line += strcspn(line, " \n")) < end;)
		if (is_word(++line, name))
			return true;
	return false;
}

static bool
is_kernel(const char *name)
{
	size_t n = strlen(name);

	return !strcmp(name, "[kernel]") || (n > 4 && !strcmp(name + n - 4, "_[k]"));
}

/* Whether a stack is possible; it is already split into names. */
static bool
can_be(char *stack, const char *stacks)
{
	char *last = strsep(&stack, ";");

	if (!is_word(stacks, last))
		return false;
	for (char *name; (name = strsep(&stack, ";")); last = name) {
		const char *line = line_of(stacks, last);

		if (is_kernel(name))
			continue;
		if (is_kernel(last) || !calls(line ? line : line_of(stacks, "*"), line_of(stacks, name) ? name : "*"))
			return false;
	}
	return true;
}

static void
tell(const char *file, const char *regex)
{
	char *s = slurp(file), *rest = s;

	for (char *line; s && !test.told && (line = strsep(&rest, "\n"));)
		if (matches(regex, line))
			test.told = strdup(line);
	free(s);
}

static void
note(char **w)
{
	printf("@ note %s", w[1]);
	for (unsigned i = 3; w[i]; i++)
		printf(" %g", json(w[2], w[i]));
	printf("\n");
}

static void
bring(const char *file)
{
	char *s = slurp(file), *rest = s;

	for (char *line; s && (line = strsep(&rest, "\n"));)
		printf("@ data %s\n", line);
	free(s);
}

static void
truth(const char *file, const char *stacks)
{
	char *s = slurp(file), *rest = s, *allowed = slurp(stacks), *count, *whole;
	unsigned lines = 0;

	for (char *line; s && allowed && (line = strsep(&rest, "\n"));) {
		if (!(count = strrchr(line, ' ')))
			continue;
		*count++ = 0;
		lines++;
		whole = strdup(line);
		if (!whole || !can_be(line, allowed)) {
			FAIL("%s times this stack, which cannot be: %s", count, whole);
			break;
		}
		free(whole);
	}
	if (!lines)
		FAIL("%s has no stacks", file);
	free(s);
	free(allowed);
}

/* ---- running ---- */

static int
spawn(char **argv, bool user, bool quiet)
{
	int pid = fork(), fd;

	if (pid)
		return pid;
	setsid();
	if ((fd = open("/dev/null", O_RDONLY)) >= 0)
		dup2(fd, 0);
	if ((fd = open(quiet ? "/dev/null" : "out", O_WRONLY | O_CREAT | O_TRUNC, 0644)) >= 0)
		dup2(fd, 1);
	if ((fd = open(quiet ? "/dev/null" : "err", O_WRONLY | O_CREAT | O_TRUNC, 0644)) >= 0)
		dup2(fd, 2);
	if (user && (setgid(USER) || setuid(USER)))
		_exit(120);
	execvp(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(121);
}

/* Its wait status, or -1 if init had to kill it. */
static int
finish(int pid)
{
	static const struct timespec limit = { SECONDS, 0 };
	sigset_t child;
	int status;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		int got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return status;
		if (sigtimedwait(&child, NULL, &limit) < 0 && errno == EAGAIN) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
	}
}

static void
run(char **argv)
{
	int status = finish(spawn(argv, test.user, false));

	test.ran = true;
	test.status = WIFEXITED(status) ? WEXITSTATUS(status) : status < 0 ? -1 : 128 + WTERMSIG(status);
}

static void
start(char **argv)
{
	if (test.npid < STARTED)
		test.pid[test.npid++] = spawn(argv, test.user, true);
	usleep(100000);
}

static void
kill_started(void)
{
	for (int i = 0; i < test.npid; i++) {
		kill(-test.pid[i], SIGKILL);
		waitpid(test.pid[i], NULL, 0);
	}
	test.npid = 0;
}

static void
wait_until(const char *file, const char *regex, bool wanted)
{
	for (int i = 0; i < SECONDS * 100; i++) {
		char *s = slurp(file);
		bool yes = s && matches(regex, s) == wanted;

		free(s);
		if (yes || test.failed)
			return;
		usleep(10000);
	}
	FAIL("%s still %s %s", file, wanted ? "lacks" : "has", regex);
}

/* ---- the table ---- */

static void
status_ok(int wanted)
{
	if (test.ran && test.status != wanted)
		FAIL("status %d, not %d", test.status, wanted);
	test.ran = false;
}

static void
end_test(void)
{
	struct timespec now;

	if (!*test.name)
		return;
	if (test.on)
		status_ok(0);
	kill_started();
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (test.on && !test.failed)
		printf("@ ok %s%s%s\n", test.name, test.told ? ": " : "", test.told ? test.told : "");
	free(test.told);
	passed += test.on && !test.failed;
	failed += test.failed;
	test.name[0] = 0;
}

/* What tests find. */
static const struct { const char *name, *value; } fresh[] = {
	{ "kernel.perf_event_paranoid", "-1" }, { "kernel.yama.ptrace_scope", "0" },
};

static void
set(const char *name, const char *value)
{
	char path[80];

	snprintf(path, sizeof path, "/proc/sys/%s", name);
	for (char *p = path; *p; p++)
		*p = *p == '.' ? '/' : *p;
	if (!spill(path, value))
		FAIL("%s cannot be %s", name, value);
}

static void
begin_test(const char *name)
{
	static unsigned number;
	char dir[32];

	end_test();
	test = (struct test){ .on = !only || !strncmp(name, only, strlen(only)) };
	snprintf(test.name, sizeof test.name, "%s", name);
	clock_gettime(CLOCK_MONOTONIC, &test.begun);
	if (!test.on)
		return;
	snprintf(dir, sizeof dir, "/tmp/%u", ++number);
	mkdir(dir, 0777);
	chmod(dir, 0777);
	if (chdir(dir))
		FAIL("%s: %s", dir, strerror(errno));
	for (unsigned i = 0; getpid() == 1 && i < sizeof fresh / sizeof *fresh; i++)
		set(fresh[i].name, fresh[i].value);
}

static bool
is_board(const char *pattern)
{
	size_t n = strlen(pattern);

	return pattern[n - 1] == '*' ? !strncmp(board, pattern, n - 1) : !strcmp(board, pattern);
}

static bool
here(char **pattern)
{
	bool yes = pattern[0] && pattern[0][0] == '!';

	for (; *pattern; pattern++) {
		if (**pattern == '!' && is_board(*pattern + 1))
			return false;
		yes |= **pattern != '!' && is_board(*pattern);
	}
	return yes;
}

/* Splits a line in place; %p becomes the first started program's pid. */
static unsigned
split(char *line, char **word)
{
	static char pids[16];
	unsigned n = 0;

	for (char *p = line; n < WORDS - 1;) {
		char end = ' ';

		p += strspn(p, " \t");
		if (!*p || *p == '#')
			break;
		if (*p == '\'')
			end = *p++;
		word[n++] = p;
		while (*p && *p != end && (*p != '\t' || end != ' '))
			p++;
		if (*p)
			*p++ = 0;
		if (!strcmp(word[n - 1], "%p")) {
			snprintf(pids, sizeof pids, "%d", test.pid[0]);
			word[n - 1] = pids;
		}
	}
	word[n] = NULL;
	return n;
}

static double
got(const char *key, double value)
{
	printf("@ got %s %s %g\n", test.name, key, value);
	return value;
}

static void
expect(char **w, unsigned n)
{
	const char *what = w[0];
	double v;

	status_ok(0);
	if (test.failed)
		return;
	if (!strcmp(what, "has") && n == 3)
		has(w[1], w[2], true);
	else if (!strcmp(what, "lacks") && n == 3)
		has(w[1], w[2], false);
	else if (!strcmp(what, "json") && n == 5) {
		if ((v = got(w[2], json(w[1], w[2]))) < strtod(w[3], NULL) || v > strtod(w[4], NULL))
			FAIL("%s is %g, not %s to %s", w[2], v, w[3], w[4]);
	} else if (!strcmp(what, "share") && n == 4) {
		if ((v = got(w[2], share(w[1], w[2]))) < strtod(w[3], NULL))
			FAIL("%.1f%% of %s are %s, not %s", v, w[1], w[2], w[3]);
	} else if (!strcmp(what, "most") && n == 4) {
		if ((v = got(w[2], share(w[1], w[2]))) > strtod(w[3], NULL) || v < 0)
			FAIL("%.1f%% of %s are %s, more than %s", v, w[1], w[2], w[3]);
	} else if (!strcmp(what, "truth") && n == 3)
		truth(w[1], w[2]);
	else if (!strcmp(what, "note") && n > 3)
		note(w);
	else if (!strcmp(what, "bring") && n == 2)
		bring(w[1]);
	else if (!strcmp(what, "tell") && n == 3)
		tell(w[1], w[2]);
	else
		FAIL("the table says \"%s\", which nobody understands", what);
}

static void
act(char **w, unsigned n)
{
	if (!strcmp(w[0], "check") && n == 2)
		begin_test(w[1]);
	else if (!test.on || test.failed)
		return;
	else if (!strcmp(w[0], "board"))
		test.on = here(w + 1);
	else if (!strcmp(w[0], "user"))
		test.user = true;
	else if (!strcmp(w[0], "root"))
		test.user = false;
	else if (!strcmp(w[0], "sysctl") && n == 3)
		set(w[1], w[2]);
	else if (!strcmp(w[0], "wants") && n == 2) {
		if (access(w[1], F_OK)) {
			printf("@ skip %s: no %s\n", test.name, w[1]);
			skipped++;
			test.on = false;
		}
	} else if (!strcmp(w[0], "start") && n > 1)
		start(w + 1);
	else if (!strcmp(w[0], "kill") && n == 1)
		kill_started();
	else if ((!strcmp(w[0], "until") || !strcmp(w[0], "gone")) && n == 3)
		wait_until(w[1], w[2], *w[0] == 'u');
	else if (!strcmp(w[0], "run") && n > 1) {
		status_ok(0);
		if (!test.failed)
			run(w + 1);
	} else if (!strcmp(w[0], "status") && n == 2)
		status_ok(atoi(w[1]));
	else
		expect(w, n);
}

static void
table(const char *path)
{
	char *text = slurp(path), *rest = text, *word[WORDS];

	for (char *line; text && (line = strsep(&rest, "\n"));) {
		unsigned n = split(line, word);

		if (n)
			act(word, n);
	}
	end_test();
	free(text);
}

static void
set_up(void)
{
	static const struct { const char *what, *where; } mounts[] = {
		{ "proc", "/proc" }, { "sysfs", "/sys" }, { "devtmpfs", "/dev" }, { "tmpfs", "/tmp" },
		{ "tracefs", "/sys/kernel/tracing" }, { "securityfs", "/sys/kernel/security" }, { "cgroup2", "/sys/fs/cgroup" },
		{ "debugfs", "/sys/kernel/debug" },
	};

	for (unsigned i = 0; i < sizeof mounts / sizeof *mounts; i++) {
		mkdir(mounts[i].where, 0755);
		if (mount(mounts[i].what, mounts[i].where, mounts[i].what, 0, NULL))
			printf("%s: %s\n", mounts[i].where, strerror(errno));
	}
	chmod("/tmp", 01777);
	/* Emulated interrupts take long by the virtual clock, and the kernel would throttle sampling for that. */
	spill("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	setenv("PATH", "/bin", 1);
	setenv("HOME", "/tmp", 1);
	setenv("LANG", "C.UTF-8", 1);
}

int
main(int argc, char **argv)
{
	bool first = getpid() == 1;
	const char *mode;
	char name[32];
	sigset_t child;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	if (first) {
		set_up();
		board = getenv("BOARD") ? getenv("BOARD") : "";
		only = getenv("ONLY");
	} else if (argc == 3)
		board = argv[2];
	else
		return 2;
	mode = first && getenv("MODE") ? getenv("MODE") : "checks";
	snprintf(name, sizeof name, "/%s", mode);
	table(first ? name : argv[1]);
	printf("@ end %u passed, %u failed, %u skipped\n", passed, failed, skipped);
	if (!first)
		return failed > 0;
	sync();
	reboot(RB_POWER_OFF);
	return 0;
}

#include "test.h"

#include "lib/mem.h"
#include "out/output.c"
#include "out/place.c"

#include <grp.h>
#include <signal.h>
#include <sys/wait.h>

static char place[40];   /* a directory of our own */

static void
text_write(struct sink *s, const struct profile *p)
{
	(void)p;
	sink_str(s, "the profile\n");
}

static void
big_write(struct sink *s, const struct profile *p)
{
	(void)p;
	for (unsigned i = 0; i < 100000; i++)
		sink_str(s, "0123456789abcde\n");
}

static const struct format text = { .name = "text", .suffixes = ".text", .write = text_write },
                           big = { .name = "big", .suffixes = ".big", .write = big_write };

/* NAME in our directory; several may be in use at once. */
static const char *
at(const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned turn;
	char *p = path[turn++ % 4];

	snprintf(p, PATH_MAX, "%s/%s", place, name);
	return p;
}

static const char *
content(const char *path)
{
	static char buf[256];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof buf - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = 0;
	return n < 0 ? "(none)" : buf;
}

static void
put_file(const char *path, const char *s, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(write(fd, s, strlen(s)) == (ssize_t)strlen(s));
	fchmod(fd, mode);
	close(fd);
}

/* No temporary file stays behind. */
static unsigned
leftovers(void)
{
	char command[128];
	FILE *f;
	unsigned n = 99;

	snprintf(command, sizeof command, "ls -A %s | grep -c '^.prof-'", place);
	f = popen(command, "r");
	if (fscanf(f, "%u", &n) != 1)
		n = 99;
	pclose(f);
	return n;
}

static const char *
check(const char *path)
{
	static struct place_words words;
	const char *why = output_check(&(struct output){ .path = path, .format = &text }, &words);

	return why ? why : "";
}

static const char *
write_it(const char *path, const struct format *format)
{
	static struct place_words words;
	struct output o = { .path = path, .format = format };
	const char *why = output_write(&o, NULL, &words);

	CHECK_U64(o.size, why ? 0 : format == &text ? 12 : 1600000);
	return why ? why : "";
}

static void
a_new_file(void)
{
	struct stat st;

	umask(022);
	CHECK_STR(check(at("new.text")), "");
	CHECK_STR(content(at("new.text")), "(none)");
	CHECK_STR(write_it(at("new.text"), &text), "");
	CHECK_STR(content(at("new.text")), "the profile\n");
	CHECK(stat(at("new.text"), &st) == 0 && (st.st_mode & 0777) == 0644);
	umask(077);
	CHECK_STR(write_it(at("private.text"), &text), "");
	CHECK(stat(at("private.text"), &st) == 0 && (st.st_mode & 0777) == 0600);
	umask(022);
	CHECK_U64(leftovers(), 0);
}

/* Packed by the name's suffix, whatever the format. */
static void
a_name_in_gz_is_packed(void)
{
	struct output o = { .path = at("big.gz"), .format = &big };
	struct place_words words;
	char command[128];

	CHECK_STR(check(o.path), "");
	CHECK(!output_write(&o, NULL, &words));
	snprintf(command, sizeof command, "test $(gzip -dc %s | wc -c) = 1600000", o.path);
	CHECK(system(command) == 0);
	snprintf(command, sizeof command, "test $(wc -c <%s) = %llu", o.path, (unsigned long long)o.size);
	CHECK(system(command) == 0);
	mem_cap(mem_used() + (64 << 10) + (200 << 10));   /* a buffer, but no room to pack in */
	CHECK_STR(output_write(&o, NULL, &words), "cannot write it: Cannot allocate memory");
	mem_cap(SIZE_MAX);
	CHECK_U64(leftovers(), 0);
	CHECK_U64(mem_used(), 0);
}

static void
an_old_file_is_replaced_whole(void)
{
	struct stat st;
	int fd;
	char buf[8] = "";

	put_file(at("old.text"), "old one", 0640);
	fd = open(at("old.text"), O_RDONLY);
	CHECK_STR(check(at("old.text")), "");
	CHECK_STR(write_it(at("old.text"), &text), "");
	CHECK_STR(content(at("old.text")), "the profile\n");
	CHECK(stat(at("old.text"), &st) == 0 && (st.st_mode & 0777) == 0640);
	CHECK(read(fd, buf, 7) == 7);
	CHECK_STR(buf, "old one");   /* a reader still has all of it */
	close(fd);
}

static void
links_are_written_through(void)
{
	struct stat st;

	put_file(at("target"), "a longer text than the profile is", 0644);
	CHECK(symlink("target", at("link")) == 0);
	CHECK_STR(check(at("link")), "");
	CHECK_STR(write_it(at("link"), &text), "");
	CHECK(lstat(at("link"), &st) == 0 && S_ISLNK(st.st_mode));
	CHECK_STR(content(at("target")), "the profile\n");
	CHECK(symlink("yet-to-come", at("dangling")) == 0);
	CHECK(symlink("dangling", at("twice")) == 0);
	CHECK_STR(check(at("twice")), "");
	CHECK_STR(write_it(at("twice"), &text), "");
	CHECK_STR(content(at("yet-to-come")), "the profile\n");
	CHECK(symlink("no/such/place", at("lost")) == 0);
	CHECK(strstr(check(at("lost")), "no/such: No such file or directory") != NULL);
	CHECK(symlink("ring", at("ring")) == 0);
	CHECK_STR(check(at("ring")), "cannot open it: Too many levels of symbolic links");
	CHECK(symlink(".", at("here")) == 0);
	CHECK_STR(check(at("here")), "is a directory");
}

static void
fifos_and_devices_are_written_through(void)
{
	char path[PATH_MAX];
	pid_t pid;
	int status;
	struct stat st;

	snprintf(path, sizeof path, "%s", at("fifo"));
	CHECK(mkfifo(path, 0600) == 0);
	CHECK_STR(check(path), "");
	if (!(pid = fork()))
		_exit(strcmp(content(path), "the profile\n") != 0);
	CHECK_STR(write_it(path, &text), "");
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(lstat(path, &st) == 0 && S_ISFIFO(st.st_mode));
	CHECK_STR(check("/dev/null"), "");
	CHECK_STR(write_it("/dev/null", &text), "");
	CHECK_STR(check("/dev/full"), "");
	CHECK_STR(write_it("/dev/full", &text), "cannot write it: No space left on device");
	CHECK_STR(write_it("/dev/full", &big), "cannot write it: No space left on device");
}

static void
descriptors_keep_their_place(void)
{
	char name[32];
	int p[2], fd = open(at("appended"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	CHECK(write(fd, "before ", 7) == 7);
	snprintf(name, sizeof name, "/dev/fd/%d", fd);
	CHECK_STR(check(name), "");
	CHECK_STR(write_it(name, &text), "");
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	CHECK_STR(write_it(name, &text), "");
	close(fd);
	CHECK_STR(content(at("appended")), "before the profile\nthe profile\n");
	CHECK_STR(check(name), "cannot use it: Bad file descriptor");
	fd = open("/dev/null", O_RDONLY);
	snprintf(name, sizeof name, "/dev/fd/%d", fd);
	CHECK_STR(check(name), "the descriptor is not open for writing");
	close(fd);
	signal(SIGPIPE, SIG_IGN);
	CHECK(pipe(p) == 0);
	close(p[0]);
	snprintf(name, sizeof name, "/dev/fd/%d", p[1]);
	CHECK_STR(write_it(name, &text), "cannot write it: Broken pipe");
	close(p[1]);
	CHECK_STR(check("-"), "");
}

static void
what_cannot_be_is_said_before(void)
{
	char name[400], want[512];

	snprintf(want, sizeof want, "cannot write to directory %s/none: No such file or directory", place);
	CHECK_STR(check(at("none/x.text")), want);
	put_file(at("file"), "", 0644);
	CHECK(strstr(check(at("file/x.text")), "Not a directory") != NULL);
	CHECK_STR(check(place), "is a directory");
	CHECK(strstr(check(at("new/")), "irectory") != NULL);
	CHECK(strstr(check(at("")), "is a directory") != NULL);
	CHECK_STR(check(""), "the file name is empty");
	memset(name, 'n', 300);
	name[300] = 0;
	CHECK(strstr(check(at(name)), "name too long") != NULL);
	memset(name, 'm', 250);
	name[250] = 0;   /* a long name is no reason to fail: the temporary one is short */
	CHECK_STR(write_it(at(name), &text), "");
	CHECK_STR(write_it(at("gone/x.text"), &text), "cannot create it: No such file or directory");
}

/* FN in a child that is an ordinary user; true where it returned true. */
static bool
as_nobody(bool (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(2);
		_exit(fn() ? 0 : 1);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool
is_refused(void)
{
	return strstr(check(at("new.text2")), "Permission denied") && strstr(check(at("sticky/theirs")), "cannot replace it: Operation not permitted") &&
	       strstr(check(at("readonly")), "Permission denied") && !*check(at("open/x.text")) &&
	       strcmp(write_it(at("x.text"), &text), "cannot create it: Permission denied") == 0;
}

static void
without_permission(void)
{
	CHECK(mkdir(at("sticky"), 0700) == 0 && chmod(at("sticky"), 01777) == 0);
	CHECK(mkdir(at("open"), 0700) == 0 && chmod(at("open"), 0777) == 0);
	put_file(at("sticky/theirs"), "", 0666);
	put_file(at("secret"), "", 0600);
	CHECK(symlink("secret", at("readonly")) == 0);
	CHECK(chmod(place, 0755) == 0);
	CHECK(as_nobody(is_refused));
}

static bool
mount_small(void)
{
	char command[256];

	snprintf(command, sizeof command, "mkdir %s/full && mount -t tmpfs -o size=256k none %s/full 2>/dev/null", place, place);
	return system(command) == 0;
}

static void
a_full_disk_leaves_the_old_file(void)
{
	char command[256];
	int status;
	pid_t pid;

	put_file(at("full/x.big"), "old one", 0644);
	if (!(pid = fork()))
		_exit(strcmp(write_it(at("full/x.big"), &big), "cannot write it: No space left on device") != 0);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK_STR(content(at("full/x.big")), "old one");
	snprintf(command, sizeof command, "test $(ls -A %s/full | wc -l) = 1", place);
	CHECK(system(command) == 0);
	snprintf(command, sizeof command, "umount %s/full", place);
	CHECK(system(command) == 0);
}

static void
under_sudo_files_are_the_callers(void)
{
	struct stat st;

	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "1235", 1);
	CHECK_STR(write_it(at("sudo.text"), &text), "");
	CHECK(stat(at("sudo.text"), &st) == 0 && st.st_uid == 1234 && st.st_gid == 1235);
	CHECK(symlink("sudo2.text", at("sudo-link")) == 0);
	CHECK_STR(write_it(at("sudo-link"), &text), "");
	CHECK(stat(at("sudo2.text"), &st) == 0 && st.st_uid == 1234);
	put_file(at("others.text"), "", 0600);   /* not made by us: it stays whose it is */
	CHECK(chown(at("others.text"), 77, 78) == 0);
	CHECK_STR(write_it(at("others.text"), &text), "");
	CHECK(stat(at("others.text"), &st) == 0 && st.st_uid == 77 && st.st_gid == 78 && (st.st_mode & 0777) == 0600);
	setenv("SUDO_UID", "12x", 1);
	CHECK_STR(write_it(at("sudo3.text"), &text), "");
	CHECK(stat(at("sudo3.text"), &st) == 0 && st.st_uid == 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

static void
fresh_names_are_not_there_yet(void)
{
	struct fresh_name f = { .suffix = "json" }, dot = { .suffix = ".json" };

	snprintf(f.stem, sizeof f.stem, "%s", at("prof-12"));
	memcpy(dot.stem, f.stem, sizeof f.stem);
	fresh_name(&f);
	CHECK_STR(f.path, at("prof-12.json"));
	put_file(f.path, "", 0600);
	fresh_name(&dot);
	CHECK_STR(dot.path, at("prof-12.2.json"));
	CHECK(symlink("nowhere", dot.path) == 0);
	fresh_name(&f);
	CHECK_STR(f.path, at("prof-12.3.json"));
}

/* A file that gets the name meanwhile stays, and prof takes the next name. */
static void
fresh_names_that_are_taken_meanwhile_are_stepped_over(void)
{
	struct fresh_name f = { .suffix = "text" };
	struct output o = { .path = f.path, .format = &text, .fresh = &f, .private = true };
	struct place_words words;
	struct stat st;

	snprintf(f.stem, sizeof f.stem, "%s", at("prof-13"));
	fresh_name(&f);
	put_file(f.path, "theirs", 0644);
	CHECK(!output_write(&o, NULL, &words));
	CHECK_STR(f.path, at("prof-13.2.text"));
	CHECK_STR(content(f.path), "the profile\n");
	CHECK_STR(content(at("prof-13.text")), "theirs");
	CHECK(stat(f.path, &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK_U64(leftovers(), 0);
}

static void
stale_temporary_names_are_stepped_over(void)
{
	char name[64];

	snprintf(name, sizeof name, ".prof-%d-0.tmp", (int)getpid());
	CHECK(symlink("/etc/passwd-no", at(name)) == 0);
	CHECK_STR(write_it(at("beside.text"), &text), "");
	CHECK_STR(content(at("beside.text")), "the profile\n");
	CHECK(unlink(at(name)) == 0);
	CHECK_U64(leftovers(), 0);
}

static unsigned opened;

static const char *
open_counted(struct output *o, int *fd, struct place_words *words)
{
	opened++;
	return output_here.open(o, fd, words);
}

/* The process that opened the first file has ended when prof writes it. */
static const char *
done_by_another(struct output *o, bool well, struct place_words *words)
{
	o->file.again = opened == 1;
	return opened == 1 ? "is gone" : output_here.done(o, well, words);
}

static void
what_nobody_can_put_in_its_place_is_written_anew(void)
{
	static const struct output_door door = { open_counted, done_by_another };
	struct place_words words;
	struct output o = { .path = at("anew.text"), .format = &text, .door = &door };

	CHECK(!output_write(&o, NULL, &words));
	CHECK_U64(opened, 2);
	CHECK_STR(content(at("anew.text")), "the profile\n");
	CHECK_U64(leftovers(), 0);
	opened = 0;
	CHECK(!mkfifo(at("anew.fifo"), 0600));
	o.path = at("anew.fifo");
	if (!fork()) {   /* it reads once */
		char got[100];
		int fd = open(o.path, O_RDONLY);

		_exit(read(fd, got, sizeof got) != 12);
	}
	CHECK(!output_write(&o, NULL, &words));
	CHECK_U64(opened, 1);
	CHECK(wait(&(int){ 0 }) > 0);
	unlink(at("anew.fifo"));
}

/* Files that prof opens ahead have no name until prof writes them, and leave nothing if prof drops them. If somebody removes one,
 * prof writes it again, into the directory that had the name at first, whatever has that name later. */
static void
what_is_opened_ahead(void)
{
	struct place_words words;
	struct output o = { .path = at("ahead.text"), .format = &text }, two = o;
	char name[64], command[256];

	CHECK(!output_ahead(&o, 0, &words));
	CHECK_STR(content(at("ahead.text")), "(none)");
	CHECK_U64(leftovers(), 1);
	output_drop(&o);
	output_drop(&o);
	CHECK_U64(leftovers(), 0);

	CHECK(!output_ahead(&o, 0, &words));
	CHECK(!output_write(&o, NULL, &words));
	CHECK_STR(content(at("ahead.text")), "the profile\n");
	CHECK_U64(leftovers(), 0);

	CHECK(!output_ahead(&o, 0, &words));
	snprintf(name, sizeof name, ".prof-%d-0.tmp", (int)getpid());
	CHECK(!unlink(at(name)) && !unlink(at("ahead.text")));
	CHECK(!output_write(&o, NULL, &words));
	CHECK_STR(content(at("ahead.text")), "the profile\n");
	CHECK_U64(leftovers(), 0);

	snprintf(command, sizeof command, "cd %s && mkdir was other", place);
	CHECK(!system(command));
	o.path = at("was/x.text");
	CHECK(!output_ahead(&o, 0, &words));
	snprintf(command, sizeof command, "cd %s && mv was is && ln -s other was", place);
	CHECK(!system(command));
	CHECK(!output_write(&o, NULL, &words));
	CHECK_STR(content(at("is/x.text")), "the profile\n");
	CHECK_STR(content(at("other/x.text")), "(none)");
	o.path = at("two.text");   /* one does not take the other's name */
	two.path = at("three.text");
	CHECK(!output_ahead(&o, 0, &words) && !output_ahead(&two, 1, &words));
	CHECK(!output_write(&o, NULL, &words) && !output_write(&two, NULL, &words));
	CHECK_STR(content(at("two.text")), "the profile\n");
	o.path = at("none/x.text");
	CHECK_STR(output_ahead(&o, 0, &words), "cannot create it: No such file or directory");
	snprintf(command, sizeof command, "cd %s && rm -r is other was *.text", place);
	CHECK(!system(command));

	o.path = at("ahead.fifo");   /* nobody reads it yet */
	CHECK(!mkfifo(o.path, 0600));
	CHECK(!output_ahead(&o, 0, &words) && !o.file.ahead);
	unlink(at("ahead.fifo"));
}

int
main(void)
{
	char command[128];
	bool root = geteuid() == 0;

	snprintf(place, sizeof place, "/tmp/output-XXXXXX");
	if (!mkdtemp(place))
		return 1;
	RUN("output", a_new_file);
	RUN("output", a_name_in_gz_is_packed);
	RUN("output", an_old_file_is_replaced_whole);
	RUN("output", links_are_written_through);
	RUN("output", fifos_and_devices_are_written_through);
	RUN("output", descriptors_keep_their_place);
	RUN("output", what_cannot_be_is_said_before);
	if (root)
		RUN("output", without_permission);
	else
		puts("skip output/without_permission: not root");
	if (root && mount_small())
		RUN("output", a_full_disk_leaves_the_old_file);
	else
		puts("skip output/a_full_disk_leaves_the_old_file: cannot mount a small file system here");
	if (root)
		RUN("output", under_sudo_files_are_the_callers);
	else
		puts("skip output/under_sudo_files_are_the_callers: not root");
	RUN("output", fresh_names_are_not_there_yet);
	RUN("output", fresh_names_that_are_taken_meanwhile_are_stepped_over);
	RUN("output", stale_temporary_names_are_stepped_over);
	RUN("output", what_is_opened_ahead);
	RUN("output", what_nobody_can_put_in_its_place_is_written_anew);
	snprintf(command, sizeof command, "rm -rf %s", place);
	return system(command) || TEST_STATUS;
}

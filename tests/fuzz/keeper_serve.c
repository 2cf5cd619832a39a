/* Requests to the keeper, one after the other, as an attacker inside prof would send them. Whatever they ask for, the keeper hands
 * out only files of the capture's process, or files that everybody may read. Each request: a byte for its kind, one for the
 * process, one for the descriptor that comes with it, and a path up to its NUL, in which % is the process's number and # the
 * fuzzer's. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "sample/rights/keeper_serve.c"
#include "sample/rights/keeper_whom.c"

#include "sample/rights/keeper_ask.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DIRS = 4 };

static pid_t target;
static struct opener opener;
static int dir[DIRS];

static long
caller(void *ctx, const struct ask *a, int with, int *fd, char *text, size_t size)
{
	(void)ctx;
	(void)a;
	(void)with;
	(void)fd;
	memset(text, 0, size);
	return 0;
}

static void
begin(void)
{
	static const struct keeper_also also = { .serve = caller };
	char path[PROC_PATH_MAX], byte;
	int ready[2];

	if (pipe(ready))
		abort();
	if (!(target = fork())) {
		if (!getuid() && (setgid(65534) || setuid(65534)))
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_DUMPABLE, 1);
		for (byte = write(ready[1], "", 1) == 1;;)
			pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		abort();
	opener.capture = (struct capture){ .target = TARGET_PROCESSES, .pid = &target, .npid = 1 };
	kept.opener = &opener;
	kept.also = &also;
	kept.prof = getpid();
	whom_choose(&opener, NULL);
	dir[0] = open(proc_path(path, target, "root"), O_PATH | O_DIRECTORY | O_CLOEXEC);
	dir[1] = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	dir[2] = open("/etc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	dir[3] = open("/sys/fs/cgroup", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Files that only the process in question may see. */
static void
check(const struct ask *a, int fd)
{
	static const char *const closed[] = { "/mem", "/maps", "/root", "/environ", "/exe", "/map_files", "/ns/", "/wchan" };
	char self[32], link[PATH_MAX];
	int32_t pid = 0;
	struct stat st;
	uint8_t head[8] = { 0 };
	ssize_t n;

	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	if ((n = readlink(self, link, sizeof link - 1)) < 0 || fstat(fd, &st))
		abort();
	link[n] = 0;
	if (a->what == ASK_SMALL && sscanf(a->path, "/proc/%d/", &pid) == 1 && pid != target && !getuid())
		for (unsigned i = 0; i < sizeof closed / sizeof *closed; i++)
			if (strstr(a->path, closed[i]))
				abort();
	if (a->what == ASK_FILE && S_ISREG(st.st_mode) && !ask_jit(a->path) &&
	    (pread(fd, head, sizeof head, 0) < 4 || (memcmp(head, ELFMAG, 4) && !packed_module_is(a->path, head, sizeof head))))
		abort();
	if (a->what == ASK_SOURCE && !getuid() && !(st.st_mode & S_IROTH) && st.st_uid != 65534)
		abort();
	if (!strcmp(link, "/etc/shadow") || !strcmp(link, "/proc/kcore"))
		abort();
}

/* The path at *DATA, which goes on behind it. */
static void
take_path(struct ask *a, const uint8_t **data, const uint8_t *end)
{
	size_t n = 0;

	while (*data < end && **data && n < sizeof a->path - 16) {
		uint8_t c = *(*data)++;

		if (c == '%' || c == '#')
			n += (size_t)snprintf(a->path + n, 16, "%d", c == '%' ? target : getpid());
		else
			a->path[n++] = (char)c;
	}
	a->path[n] = 0;
	*data += *data < end;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	static struct answer r;
	static struct ask a;

	if (!target)
		begin();
	for (unsigned asked = 0; end - data > 3 && asked < 64; asked++) {
		int fd = -1, with = data[2] % (DIRS + 1) ? dir[data[2] % (DIRS + 1) - 1] : -1;

		a = (struct ask){ .what = data[0] % ASKS, .pid = data[1] & 1 ? target : data[1] & 2 ? getpid() : getppid(), .size = 64,
		                  .at = (uintptr_t)&opener };
		data += 3;
		take_path(&a, &data, end);
		if (a.what == ASK_HELPER || a.what == ASK_SPARE || a.what == ASK_SAYS || !ask_check(&a, offsetof(struct ask, path) + strlen(a.path) + 1))
			continue;
		if (serve(&a, -1, with, &fd, r.bytes) >= 0 && a.what == ASK_READ && a.pid != target && !getuid())
			abort();
		if (fd >= 0) {
			check(&a, fd);
			close(fd);
		}
	}
	return 0;
}

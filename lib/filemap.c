/* See file.h. */
#include "filemap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open maps, for the fault handler: a list, because the handler must not allocate. */
enum { MAPS_MAX = 8192, MAPS_MANY = 64 };
static struct filemap *open_map[MAPS_MAX];
static unsigned open_maps;

/* Bytes of a file that one page fault brings in, at most: the kernel takes those around it along. */
enum { FAULT_MOST = 64 << 10, LARGE = 64 << 20 };

/* A page of a mapped file went away: put zeros in its place and go on. */
static void
on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr, page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)context;
	for (unsigned i = 0; i < open_maps; i++) {
		uintptr_t lo = (uintptr_t)open_map[i]->data;

		if (at < lo || at - lo >= open_map[i]->size)
			continue;
		if (mmap((void *)(at & ~(page - 1)), page, PROT_READ,
		         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			break;
		open_map[i]->cut = true;
		return;
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
catch_sigbus(void)
{
	static bool done;
	struct sigaction sa = { .sa_flags = SA_SIGINFO };

	if (done)
		return;
	sa.sa_sigaction = on_sigbus;
	sigaction(SIGBUS, &sa, NULL);
	done = true;
}

/* A file's pages and one more. */
static size_t
with_end(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return ((size + page - 1) & ~(page - 1)) + page;
}

const char *
filemap_open(struct filemap *m, int fd)
{
	struct stat st;
	size_t room;
	char *p;

	*m = (struct filemap){ 0 };
	if (fstat(fd, &st))
		return "cannot be examined";
	if (!S_ISREG(st.st_mode))
		return "is not a regular file";
	if (st.st_size <= 0)
		return "is empty";
	if ((uint64_t)st.st_size > SIZE_MAX / 2)
		return "is too large to map";
	if (open_maps == MAPS_MAX)
		return "is one file too many";
	/* Behind it a page of zeros, so that a string ends even where its end is overwritten after a look at it. */
	room = with_end((size_t)st.st_size);
	if ((p = mmap(NULL, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) == MAP_FAILED)
		return "cannot be mapped";
	if (mmap(p, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
		munmap(p, room);
		return "cannot be mapped";
	}
	catch_sigbus();
	m->data = (const uint8_t *)p;
	m->size = (size_t)st.st_size;
	if (m->size >= LARGE && (m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3)) < 0)
		m->fd = 0;
	open_map[open_maps++] = m;
	return NULL;
}

void
filemap_close(struct filemap *m)
{
	for (unsigned i = 0; i < open_maps; i++)
		if (open_map[i] == m) {
			open_map[i] = open_map[--open_maps];
			break;
		}
	if (m->data)
		munmap((void *)(uintptr_t)m->data, with_end(m->size));
	if (m->fd)
		close(m->fd);
	*m = (struct filemap){ 0 };
}

static int
open_here(int dirfd, const char *path, int flags)
{
	return openat(dirfd, path, flags);
}

int (*file_open)(int dirfd, const char *path, int flags) = open_here;

/* Bytes of files in this process's memory, rings and prof itself among them: proc(5), the third field of statm.  UINT64_MAX
 * where it does not tell. */
static uint64_t
resident(void)
{
	char statm[128];
	const char *p = statm;
	uint64_t pages = 0;

	if (file_text(AT_FDCWD, "/proc/self/statm", statm, sizeof statm) <= 0)
		return UINT64_MAX;
	for (unsigned i = 0; i < 3; i++, p += *p == ' ')
		if (!text_dec(&p, &pages))
			return UINT64_MAX;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Each fault may have brought FAULT_MOST; of many maps, where giving back and bringing again would take long, as many faults more
 * are waited for, and it is asked how much there really is. */
void
filemap_trim(size_t bytes)
{
	static long trimmed;      /* page faults until then */
	static uint64_t others;   /* what was resident all the same */
	struct rusage r;
	bool many = open_maps >= MAPS_MANY;

	if (getrusage(RUSAGE_SELF, &r) || (size_t)(r.ru_minflt + r.ru_majflt - trimmed) <= bytes / FAULT_MOST + (many ? open_maps : 0))
		return;
	trimmed = r.ru_minflt + r.ru_majflt;
	if (many && bytes && resident() <= others + bytes)
		return;
	for (unsigned i = 0; i < open_maps; i++)
		madvise((void *)(uintptr_t)open_map[i]->data, open_map[i]->size, MADV_DONTNEED);
	if (many && (others = resident()) == UINT64_MAX)
		others = 0;
}

long
file_text(int dirfd, const char *path, char *buf, size_t cap)
{
	int fd = file_open(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t len = 0;
	int err = 0;

	if (fd < 0)
		return -1;
	while (len < cap - 1) {
		ssize_t n = read(fd, buf + len, cap - 1 - len);

		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err = errno;
			break;
		}
		len += (size_t)n;
	}
	buf[len] = 0;
	close(fd);
	errno = err;
	return err ? -1 : (long)len;
}

const char *proc_root = "/proc";

const char *
proc_path(char *path, int32_t pid, const char *name, ...)
{
	int n = snprintf(path, PROC_PATH_MAX, "%.*s/%d/", PROC_ROOT_MAX, proc_root, (int)pid);
	va_list ap;

	va_start(ap, name);
	vsnprintf(path + n, PROC_PATH_MAX - (size_t)n, name, ap);
	va_end(ap);
	return path;
}

bool
proc_there(void)
{
	char path[PROC_PATH_MAX];
	int fd;

	snprintf(path, sizeof path, "%.*s/self/stat", PROC_ROOT_MAX, proc_root);
	if ((fd = file_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC)) >= 0)
		close(fd);
	return fd >= 0 || errno != ENOENT;
}

long
file_proc(int32_t pid, const char *name, char *buf, size_t cap)
{
	char path[PROC_PATH_MAX];

	return file_text(AT_FDCWD, proc_path(path, pid, "%s", name), buf, cap);
}

void
lines_open(struct lines *l, int fd)
{
	l->fd = fd;
	l->eof = false;
	l->lo = l->hi = 0;
	l->left = UINT64_MAX;
}

static bool
lines_fill(struct lines *l)
{
	size_t room = sizeof l->buf - 1 - (l->hi - l->lo);
	ssize_t n;

	memmove(l->buf, l->buf + l->lo, l->hi - l->lo);
	l->hi -= l->lo;
	l->lo = 0;
	do
		n = read(l->fd, l->buf + l->hi, room < l->left ? room : (size_t)l->left);
	while (n < 0 && errno == EINTR);
	if (n <= 0) {
		l->eof = true;
	} else {
		l->hi += (uint32_t)n;
		l->left -= (uint64_t)n;
	}
	return n > 0;
}

char *
lines_next(struct lines *l)
{
	for (;;) {
		char *line = l->buf + l->lo, *nl = memchr(line, '\n', l->hi - l->lo);

		if (nl) {
			*nl = 0;
			l->lo = (uint32_t)(nl + 1 - l->buf);
			return line;
		}
		if (l->hi - l->lo == sizeof l->buf - 1) {   /* too long: give its head, skip its tail */
			static char head[sizeof l->buf];

			memcpy(head, line, sizeof l->buf - 1);
			head[sizeof l->buf - 1] = 0;
			do {
				l->lo = l->hi;
				if (!lines_fill(l))
					return head;
			} while (!(nl = memchr(l->buf, '\n', l->hi)));
			l->lo = (uint32_t)(nl + 1 - l->buf);
			return head;
		}
		if (l->eof || !lines_fill(l)) {
			if (l->hi == l->lo)
				return NULL;
			line = l->buf + l->lo;
			l->buf[l->hi] = 0;
			l->lo = l->hi;
			return line;
		}
	}
}

bool
text_hex(const char **p, uint64_t *v)
{
	const char *s = *p;
	uint64_t n = 0;

	for (;; s++) {
		unsigned d = (unsigned)*s - '0', letter = ((unsigned)*s | 32) - 'a';

		if (d > 9 && letter > 5)
			break;
		if (n >> 60)
			return false;
		n = n << 4 | (d > 9 ? letter + 10 : d);
	}
	*v = n;
	if (s == *p)
		return false;
	*p = s;
	return true;
}

bool
text_dec(const char **p, uint64_t *v)
{
	const char *s = *p;

	for (*v = 0; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, (uint64_t)(*s - '0'), v))
			return false;
	if (s == *p)
		return false;
	*p = s;
	return true;
}

bool
text_decimal(const char **p, unsigned places, uint64_t *v)
{
	const char *s = *p, *digits;
	bool whole = text_dec(&s, v);

	if (!whole && (*s != '.' || *v))   /* none, or more than fits */
		return false;
	digits = *s == '.' ? ++s : s;
	while (digits > *p && digits[-1] == '.' && *s >= '0' && *s <= '9')
		s++;
	if (!whole && s == digits)
		return false;
	for (; places; places--) {
		uint64_t digit = digits < s ? (uint64_t)(*digits++ - '0') : 0;

		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, digit, v))
			return false;
	}
	*p = s;
	return true;
}

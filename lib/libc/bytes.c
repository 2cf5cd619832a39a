/* Smaller stand-ins for functions of libc, for a static program whose bytes count: what musl's would bring along is said
 * at each.  They keep the standard's promises as far as prof asks for them, and trap beyond that. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- sorting items of words of 4 bytes: heap sort, in place and n log n whatever comes (musl: 2 KiB) ---- */

struct sorting {
	unsigned char *base;
	size_t size;
	int (*compare)(const void *, const void *, void *);
	void *ctx;
};

static void
swap(const struct sorting *s, size_t i, size_t j)
{
	unsigned char *a = s->base + i * s->size, *b = s->base + j * s->size;
	uint32_t x, y;

	for (size_t at = 0; at < s->size; at += sizeof x) {
		__builtin_memcpy(&x, a + at, sizeof x);
		__builtin_memcpy(&y, b + at, sizeof y);
		__builtin_memcpy(a + at, &y, sizeof y);
		__builtin_memcpy(b + at, &x, sizeof x);
	}
}

static bool
less(const struct sorting *s, size_t i, size_t j)
{
	return s->compare(s->base + i * s->size, s->base + j * s->size, s->ctx) < 0;
}

/* Lets item I sink below larger children, among the first N: the larger ones are followed to the bottom, near which it mostly
 * belongs, and from there its place is looked for upwards: half the comparisons. */
static void
sink(const struct sorting *s, size_t i, size_t n)
{
	size_t at = i;

	for (size_t child; (child = 2 * at + 1) < n; at = child)
		child += child + 1 < n && less(s, child, child + 1);
	while (at > i && less(s, at, i))
		at = (at - 1) / 2;
	for (; at > i; at = (at - 1) / 2)
		swap(s, i, at);
}

void
qsort_r(void *base, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *ctx)
{
	struct sorting s = { base, size, compare, ctx };

	if (size % 4)
		__builtin_trap();
	for (size_t i = n / 2; i-- > 0;)
		sink(&s, i, n);
	for (size_t i = n; i-- > 1;) {
		swap(&s, 0, i);
		sink(&s, 0, i);
	}
}

struct plain {
	int (*compare)(const void *, const void *);
};

static int
compare_plain(const void *a, const void *b, void *plain)
{
	return ((const struct plain *)plain)->compare(a, b);
}

void
qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	struct plain plain = { compare };

	qsort_r(base, n, size, compare_plain, &plain);
}

/* ---- text ---- */

/* Words at a time: what is read back is lines that are looked for and compared.  (musl: a byte at a time.) */
int
memcmp(const void *va, const void *vb, size_t n)
{
	const unsigned char *a = va, *b = vb;
	uint64_t x, y;

	for (; n >= sizeof x; a += sizeof x, b += sizeof x, n -= sizeof x) {
		__builtin_memcpy(&x, a, sizeof x);
		__builtin_memcpy(&y, b, sizeof y);
		if (x != y)
			break;
	}
	for (; n && *a == *b; n--)
		a++, b++;
	return n ? *a - *b : 0;
}

void *
memchr(const void *bytes, int c, size_t n)
{
	const uint64_t ones = 0x0101010101010101u, each = ones * (unsigned char)c;
	const unsigned char *p = bytes;
	uint64_t x;

	for (; n >= sizeof x; p += sizeof x, n -= sizeof x) {
		__builtin_memcpy(&x, p, sizeof x);
		x ^= each;
		if ((x - ones) & ~x & ones << 7)   /* a byte of it is zero */
			break;
	}
	for (; n && *p != (unsigned char)c; n--)
		p++;
	return n ? (void *)(uintptr_t)p : NULL;
}

/* (musl: 1.3 KiB of two-way search.) */
char *
strstr(const char *in, const char *what)
{
	size_t n = strlen(what);

	for (; strncmp(in, what, n) != 0; in++)
		if (!*in)
			return NULL;
	return (char *)(uintptr_t)in;
}

/* (musl: 1.2 KiB for words at a time, of these and what uses them.) */
char *
strchrnul(const char *s, int c)
{
	while (*s && *s != (char)c)
		s++;
	return (char *)(uintptr_t)s;
}

char *
strchr(const char *s, int c)
{
	char *at = strchrnul(s, c);

	return *at == (char)c ? at : NULL;
}

/* How many of S's first bytes are (or, where not, are not) among those of OF. */
static size_t
span(const char *s, const char *of, bool among)
{
	uint8_t in[32] = { 0 };
	size_t n = 0;

	for (; *of; of++)
		in[(uint8_t)*of >> 3] |= (uint8_t)(1 << (*of & 7));
	while (s[n] && (in[(uint8_t)s[n] >> 3] >> (s[n] & 7) & 1) == among)
		n++;
	return n;
}

size_t
strspn(const char *s, const char *of)
{
	return span(s, of, true);
}

size_t
strcspn(const char *s, const char *of)
{
	return span(s, of, false);
}

char *
strcpy(char *restrict to, const char *restrict s)
{
	return memcpy(to, s, strlen(s) + 1);
}

char *
getenv(const char *name)
{
	size_t n = strlen(name);

	for (char **e = environ; e && *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

/* Digits to a number no larger than MOST; 0 and *END at S where there are none.  (musl: 3 KiB of streams.) */
static unsigned long
digits(const char *restrict s, char **restrict end, unsigned long most)
{
	const char *p = s;
	unsigned long v = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		unsigned long digit = (unsigned long)(*p - '0');

		if (v > (most - digit) / 10) {
			errno = ERANGE;
			v = most;
			while (*p >= '0' && *p <= '9')
				p++;
			break;
		}
		v = v * 10 + digit;
	}
	if (end)
		*end = (char *)(uintptr_t)p;
	return v;
}

/* Decimal, and without blanks before it: all that prof reads so. */
unsigned long
strtoul(const char *restrict s, char **restrict end, int base)
{
	if (base != 10)
		__builtin_trap();
	return digits(s, end, ULONG_MAX);
}

long
strtol(const char *restrict s, char **restrict end, int base)
{
	char *stop;
	bool minus = *s == '-';
	long v;

	if (base != 10)
		__builtin_trap();
	v = (long)digits(s + minus, &stop, LONG_MAX);
	if (end)
		*end = stop == s + minus ? (char *)(uintptr_t)s : stop;
	return minus ? -v : v;
}

/* ---- the system ---- */

/* (musl: 1 KiB.) */
long
sysconf(int name)
{
	if (name != _SC_PAGESIZE)
		__builtin_trap();
	return (long)getauxval(AT_PAGESZ);
}

#ifndef __GLIBC__
/* (musl: 2 KiB, that all threads may have it at once; prof has but one.) */
int
setrlimit(int resource, const struct rlimit *limit)
{
	return prlimit(0, resource, limit, NULL);
}

int
getrlimit(int resource, struct rlimit *limit)
{
	return prlimit(0, resource, NULL, limit);
}

/* (musl: 1 KiB for the vdso's; prof asks a few times for each time that it wakes up.)  Kernels of 32 bits before Linux 5.1 tell
 * it in words of 32 bits. */
int
clock_gettime(clockid_t clock, struct timespec *t)
{
#ifdef SYS_clock_gettime64
	long err = syscall(SYS_clock_gettime64, clock, t), words[2];

	if (err && errno == ENOSYS && !(err = syscall(SYS_clock_gettime32, clock, words))) {
		t->tv_sec = words[0];
		t->tv_nsec = words[1];
	}
	return (int)err;
#else
	return (int)syscall(SYS_clock_gettime, clock, t);
#endif
}

/* (musl: 0.9 KiB, with a process of its own where the kernel is older than Linux 5.8; there the real ids do, which are
 * others in set-user-id programs alone.) */
int
faccessat(int dir, const char *path, int mode, int flags)
{
	long err = syscall(SYS_faccessat2, dir, path, mode, flags);

	return err && errno == ENOSYS ? (int)syscall(SYS_faccessat, dir, path, mode) : (int)err;
}

/* (musl: 2 KiB for the locks of threads.) */
pid_t
fork(void)
{
	return _Fork();
}

/* (musl: 0.7 KiB, mostly for kernels before Linux 2.6.27 and descriptors without a file.) */
int
socketpair(int domain, int type, int protocol, int fd[2])
{
	return (int)syscall(SYS_socketpair, domain, type, protocol, fd);
}

int
pipe2(int fd[2], int flags)
{
	return (int)syscall(SYS_pipe2, fd, flags);
}

int
fchmod(int fd, mode_t mode)
{
	return (int)syscall(SYS_fchmod, fd, mode);
}

int
fchown(int fd, uid_t uid, gid_t gid)
{
	return (int)syscall(SYS_fchown, fd, uid, gid);
}

/* (musl: 0.4 KiB for owners and old kernels.) */
int
fcntl(int fd, int what, ...)
{
	va_list ap;
	long with;

	va_start(ap, what);
	with = va_arg(ap, long);
	va_end(ap);
#ifdef SYS_fcntl64
	return (int)syscall(SYS_fcntl64, fd, what, with);
#else
	return (int)syscall(SYS_fcntl, fd, what, with);
#endif
}

/* What the system says about its errors, as far as prof meets them.  (musl: 2.2 KiB for all, in all languages.) */
char *
strerror(int err)
{
	static const uint8_t known[] = {
		EPERM, ENOENT, ESRCH, EINTR, EIO, ENXIO, E2BIG, ENOEXEC, EBADF, EAGAIN, ENOMEM, EACCES, EFAULT, EBUSY, EEXIST,
		ENODEV, ENOTDIR, EISDIR, EINVAL, ENFILE, EMFILE, ETXTBSY, EFBIG, ENOSPC, EROFS, EPIPE, ENAMETOOLONG, ENOSYS,
		ELOOP, EOPNOTSUPP, EOVERFLOW, EDQUOT, ESTALE,
	};
	static const char words[] =
		"Operation not permitted\0No such file or directory\0No such process\0Interrupted system call\0I/O error\0"
		"No such device or address\0Argument list too long\0Exec format error\0Bad file descriptor\0"
		"Resource temporarily unavailable\0Out of memory\0Permission denied\0Bad address\0Resource busy\0File exists\0"
		"No such device\0Not a directory\0Is a directory\0Invalid argument\0Too many open files in system\0"
		"No file descriptors available\0Text file busy\0File too large\0No space left on device\0"
		"Read-only file system\0Broken pipe\0Filename too long\0Function not implemented\0Symbolic link loop\0"
		"Not supported\0Value too large for data type\0Quota exceeded\0Stale file handle";
	static char other[32];
	const char *at = words;

	for (unsigned i = 0; i < sizeof known; i++, at += strlen(at) + 1)
		if (known[i] == err)
			return (char *)(uintptr_t)at;
	snprintf(other, sizeof other, "error %d", err);
	return other;
}
#endif

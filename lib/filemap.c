/* See filemap.h. */
#include "filemap.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asked_file.h"
#include "file.h"
#include "text.h"

/* Open maps, for the fault handler: a list, because the handler must not allocate. */
enum { MAPS_MAX = 8192, MAPS_MANY = 64 };
static struct filemap *open_map[MAPS_MAX];
static unsigned open_maps;

/* The bytes of a file that one page fault reads at most: the kernel also reads the pages around. */
enum { FAULT_MOST = 64 << 10, LARGE = 64 << 20, OFTEN_MOST = 16 << 20 };
/* Bytes of holes that a file may have even if they are more than half of it, and how many holes. */
enum { HOLES_MOST = 16 << 20, HOLES_MANY = 1024 };

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
	struct sigaction sa = { .sa_flags = SA_SIGINFO };

	sa.sa_sigaction = on_sigbus;
	sigaction(SIGBUS, &sa, NULL);
}

/* A file's pages and one more. */
static size_t
with_end(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return ((size + page - 1) & ~(page - 1)) + page;
}

/* lseek(2) tells holes by SEEK_DATA and SEEK_HOLE; a file system that does not know them says that all is data.  prof maps each hole
 * as zeros without a file, so that reading it brings nothing into memory: in a tmpfs a hole's page would take one of the machine's.
 * P: the file's map.  False if there is more hole than an honest file has, or if prof cannot map it. */
static bool
fill_holes(char *p, int fd, const struct stat *st)
{
	off_t size = st->st_size, page = (off_t)sysconf(_SC_PAGESIZE), lo = 0, hi, holes = 0;

	if ((uint64_t)st->st_blocks * 512 >= (uint64_t)size)
		return true;
	for (unsigned n = 0; lo < size; n++) {
		if ((lo = lseek(fd, lo, SEEK_HOLE)) < 0 || lo >= size)
			return true;
		if ((hi = lseek(fd, lo, SEEK_DATA)) < 0)
			hi = size;
		holes += hi - lo;
		if (n == HOLES_MANY || (holes > HOLES_MOST && holes > size / 2))
			return false;
		lo = (lo + page - 1) & ~(page - 1);
		hi = hi == size ? (hi + page - 1) & ~(page - 1) : hi & ~(page - 1);
		if (lo < hi && mmap(p + lo, (size_t)(hi - lo), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			return false;
		lo = hi > lo ? hi : lo;
	}
	return true;
}

static const char *
open_asked(struct filemap *m, int fd, size_t size)
{
	if ((m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3)) < 0 || !asked_map_open(&m->asked, m->fd, size)) {
		if (m->fd > 0)
			close(m->fd);
		m->fd = 0;
		return "cannot be mapped";
	}
	m->data = m->asked.base;
	m->size = size;
	return NULL;
}

const char *
filemap_open(struct filemap *m, int fd)
{
	struct stat st;
	size_t room;
	char *p;

	*m = (struct filemap){ 0 };
	if (!asked_file_stat(fd, &st))
		return "cannot be examined";
	if (!S_ISREG(st.st_mode))
		return "is not a regular file";
	if (st.st_size <= 0)
		return "is empty";
	if ((uint64_t)st.st_size > SIZE_MAX / 2)
		return "is too large to map";
	if (asked_file(fd))
		return open_asked(m, fd, (size_t)st.st_size);
	if (open_maps == MAPS_MAX)
		return "cannot be mapped: prof has too many files mapped";
	/* A page of zeros follows, so that a string ends even if somebody overwrites its end after a look at it. */
	room = with_end((size_t)st.st_size);
	if ((p = mmap(NULL, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) == MAP_FAILED)
		return "cannot be mapped";
	if (mmap(p, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
		munmap(p, room);
		return "cannot be mapped";
	}
	if (!fill_holes(p, fd, &st)) {
		munmap(p, room);
		return "has more holes than data";
	}
	if (!open_maps)
		catch_sigbus();
	m->data = (const uint8_t *)p;
	m->size = (size_t)st.st_size;
	if (m->size >= LARGE && (m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3)) < 0)
		m->fd = 0;
	open_map[open_maps] = m;
	atomic_signal_fence(memory_order_seq_cst);
	open_maps++;
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
	atomic_signal_fence(memory_order_seq_cst);
	if (m->asked.base)
		asked_map_close(&m->asked);
	else if (m->data)
		munmap((void *)(uintptr_t)m->data, with_end(m->size));
	if (m->fd)
		close(m->fd);
	*m = (struct filemap){ 0 };
}

/* Bytes of files in this process's memory, rings and prof itself among them: proc(5), the third field of statm.  UINT64_MAX
 * where it does not tell.  The file stays open: to open it may take a question to another process. */
static uint64_t
resident(void)
{
	static int statm_fd = -1;
	char statm[128];
	const char *p = statm;
	uint64_t pages = 0;
	ssize_t n;

	if (statm_fd < 0)
		statm_fd = file_open(AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if ((n = pread(statm_fd, statm, sizeof statm - 1, 0)) <= 0)
		return UINT64_MAX;
	statm[n] = 0;
	for (unsigned i = 0; i < 3; i++, p += *p == ' ')
		if (!text_dec(&p, &pages))
			return UINT64_MAX;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void
trim(void)
{
	for (unsigned i = 0; i < open_maps; i++)
		madvise((void *)(uintptr_t)open_map[i]->data, open_map[i]->size, MADV_DONTNEED);
}

void
filemap_trim_often(void)
{
	static long seen;
	struct rusage r;

	if (getrusage(RUSAGE_SELF, &r) || (size_t)(r.ru_minflt + r.ru_majflt - seen) <= OFTEN_MOST / FAULT_MOST)
		return;
	seen = r.ru_minflt + r.ru_majflt;
	trim();
}

/* Each fault may have brought FAULT_MOST, but most are no file's, or bring less.  So prof asks how much there really is; with many
 * maps it waits for as many faults more. */
void
filemap_trim(size_t bytes)
{
	static long trimmed;      /* page faults until then */
	static uint64_t others;   /* what stayed resident all the same */
	struct rusage r;
	bool many = open_maps >= MAPS_MANY;

	if (getrusage(RUSAGE_SELF, &r) || (size_t)(r.ru_minflt + r.ru_majflt - trimmed) <= bytes / FAULT_MOST + (many ? open_maps : 0))
		return;
	trimmed = r.ru_minflt + r.ru_majflt;
	if (bytes && resident() <= others + bytes)
		return;
	trim();
	asked_map_trim();
	if (bytes && (others = resident()) == UINT64_MAX)
		others = 0;
}

#include "test.h"
#include "lib/clock.h"
#include "sample/tasks/container_image.h"
#include "sample/tasks/process.c"
#include "sym/jit/jit.h"

#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Numbers that no process has, so that /proc is of no help. */
enum { A = 1 << 23, B, C, D };
/* When files are mapped. */
enum { MAPPED = 150 };

static struct modules modules;
static struct processes *ps;

static void
begin(void)
{
	CHECK(modules_init(&modules));
	ps = processes_new(&modules);
	CHECK(ps != NULL);
}

static void
end(void)
{
	processes_free(ps);
	modules_free(&modules);
	CHECK_U64(mem_used(), 0);
}

static void
map(int32_t pid, uint64_t lo, uint64_t hi, const char *path)
{
	struct file_id id = { .path = path, .ino = lo };

	processes_map(ps, pid, pid, lo, hi, 0, &id, MAPPED);
}

/* The path of PID's mapping at ADDR, as the next sample sees it. */
static const char *
at(int32_t pid, uint64_t addr)
{
	struct process *p = processes_find(ps, pid);

	if (!p)
		return "no process";
	process_ready(p, 0);
	for (uint32_t i = 0; i < p->maps.space.n; i++)
		if (addr >= p->maps.space.map[i].lo && addr < p->maps.space.map[i].hi)
			return ps->maps.files.file[p->maps.space.map[i].file].id.path;
	return "none";
}

static void
exec_begins_anew(void)
{
	struct task *t;

	begin();
	processes_comm(ps, A, A, "sh", true, 1);
	map(A, 0x1000, 0x2000, "/bin/sh");
	t = processes_task(ps, A, A);
	CHECK_STR(t->comm, "sh");
	CHECK_STR(at(A, 0x1800), "/bin/sh");
	t->named.thread = 7;
	processes_comm(ps, A, A, "sh", false, 2);
	CHECK_U64(t->named.thread, 7);
	processes_comm(ps, A, A, "cc1", true, 3);
	CHECK_U64(t->named.thread, 0);
	CHECK(processes_task(ps, A, A) == t);
	CHECK_STR(at(A, 0x1800), "none");
	CHECK(t->process->starting > 3);
	map(A, 0x1000, 0x3000, "/bin/cc1");
	CHECK_STR(at(A, 0x1800), "/bin/cc1");
	map(A, 0x7000, 0x8000, "[vdso]");
	CHECK(t->process->starting <= MAPPED + EXEC_RESTS);
	processes_comm(ps, A, A, "a name that is far too long", false, 4);
	CHECK_STR(t->comm, "a name that is ");
	end();
}

/* Whoever looks for an interpreter among the modules must hear of one that was opened before a sample lay in it. */
static void
a_file_that_is_opened_at_once_is_told(void)
{
	struct space *s;
	uint32_t bound;

	begin();
	processes_comm(ps, A, A, "sh", true, 1);
	map(A, 0x1000, 0x2000, "/bin/sh");
	s = &processes_find(ps, A)->maps.space;
	bound = s->bound;
	map(A, 0x3000, 0x4000, "/bin/an_interpreter");
	CHECK(s->n == 2 && s->map[1].module);
	CHECK(s->bound != bound);
	end();
}

static void
children_have_their_parents_maps(void)
{
	uint32_t epoch;

	begin();
	processes_comm(ps, A, A, "sh", true, 1);
	map(A, 0x1000, 0x2000, "/bin/sh");
	processes_fork(ps, B, B, A, A, 10);
	CHECK(processes_find(ps, B)->maps.lender == &processes_find(ps, A)->maps);
	processes_fork(ps, C, C, B, B, 11);
	processes_fork(ps, D, D, A, A, 12);
	processes_comm(ps, D, D, "true", true, 13);   /* never needed its parent's */
	CHECK_U64(processes_find(ps, D)->maps.space.cap, 0);
	map(A, 0x1000, 0x2000, "/lib/new");
	CHECK_STR(at(A, 0x1000), "/lib/new");
	CHECK_STR(at(B, 0x1000), "/bin/sh");
	CHECK_STR(at(C, 0x1000), "/bin/sh");
	CHECK_STR(at(D, 0x1000), "none");
	CHECK_STR(processes_task(ps, C, C)->comm, "sh");
	epoch = processes_find(ps, B)->maps.space.epoch;
	CHECK(epoch != processes_find(ps, A)->maps.space.epoch && epoch != processes_find(ps, C)->maps.space.epoch);
	map(B, 0x5000, 0x6000, "/lib/b");
	CHECK_STR(at(C, 0x5000), "none");
	end();
}

static void
parents_may_end_first(void)
{
	begin();
	processes_comm(ps, A, A, "sh", true, 1);
	map(A, 0x1000, 0x2000, "/bin/sh");
	processes_fork(ps, B, B, A, A, 10);
	processes_exit(ps, A, A, 20);
	CHECK(processes_find(ps, A) != NULL);
	CHECK(processes_task(ps, A, A)->dead);
	processes_tidy(ps, 21 + DEAD_KEPT, false);
	CHECK(processes_find(ps, A) == NULL);
	CHECK_STR(at(B, 0x1000), "/bin/sh");
	end();
}

/* A process that has ended borrows no maps any more, also if it ends before the lender changes. */
static void
children_may_end_first(void)
{
	begin();
	processes_comm(ps, A, A, "sh", true, 1);
	map(A, 0x1000, 0x2000, "/bin/sh");
	for (int32_t i = 0; i < 1000; i++) {
		processes_fork(ps, B + i, B + i, A, A, 10 + (uint64_t)i);
		processes_exit(ps, B + i, B + i, 10 + (uint64_t)i);
		if (i % 7 == 0)
			map(A, 0x10000 + 0x1000 * (uint64_t)i, 0x11000 + 0x1000 * (uint64_t)i, "/lib/x");
		if (i % 10 == 0)
			processes_tidy(ps, 10 + (uint64_t)i + DEAD_KEPT, false);
	}
	processes_tidy(ps, 100000 + DEAD_KEPT, false);
	CHECK(processes_find(ps, B) == NULL && processes_find(ps, B + 999) == NULL);
	CHECK(processes_find(ps, A)->maps.borrowers == NULL);
	CHECK_U64(processes_find(ps, A)->threads, 1);
	end();
}

static unsigned freed;

static void
count_freed(struct module_owned *o)
{
	(void)o;
	freed++;
}

/* What prof keeps of the code that a process runs, to look at it again, goes with the process, or when it executes another program. */
static void
what_ran_is_forgotten(void)
{
	static struct module_owned language = { .free = count_freed };

	begin();
	freed = 0;
	for (unsigned i = 0; i < 2; i++) {
		struct process_maps *p;
		size_t before;

		CHECK(processes_task(ps, A, A) != NULL);
		p = &processes_find(ps, A)->maps;
		CHECK((p->jit = jit_module(&modules, A, NULL)) != NULL);
		p->space.language = &language;
		before = mem_used();
		for (unsigned j = 0; j < 2000; j++)
			jit_ran(p->jit, j * 16);
		CHECK(mem_used() >= before + 32000);
		if (i) {
			processes_exit(ps, A, A, 1);
			processes_tidy(ps, 2 + DEAD_KEPT, false);
		} else {
			processes_comm(ps, A, A, "other", true, 1);
		}
		CHECK_U64(freed, i + 1);
		CHECK(mem_used() <= before);
	}
	CHECK(!processes_find(ps, A));
	end();
}

static void
threads(void)
{
	struct task *t;

	begin();
	processes_comm(ps, A, A, "java", true, 1);
	processes_fork(ps, A, B, A, A, 2);
	t = processes_task(ps, A, B);
	CHECK_STR(t->comm, "java");
	CHECK(t->process == processes_find(ps, A));
	CHECK_U64(t->process->threads, 2);
	processes_comm(ps, A, B, "worker", false, 3);
	CHECK_STR(processes_task(ps, A, B)->comm, "worker");
	CHECK_STR(processes_task(ps, A, A)->comm, "java");
	processes_exit(ps, A, A, 4);
	CHECK_U64(t->process->threads, 1);
	processes_exit(ps, A, A, 4);
	CHECK_U64(t->process->threads, 1);
	processes_tidy(ps, 5 + DEAD_KEPT, false);
	CHECK(processes_find(ps, A) == t->process);
	processes_fork(ps, A, C, A, B, 6);   /* by the thread that is left */
	CHECK_STR(processes_task(ps, A, C)->comm, "worker");
	end();
}

static void
numbers_come_again(void)
{
	begin();
	processes_comm(ps, A, A, "sh", true, 1);
	map(A, 0x1000, 0x2000, "/bin/sh");
	processes_fork(ps, B, B, A, A, 10);
	processes_comm(ps, B, B, "one", true, 11);
	map(B, 0x3000, 0x4000, "/bin/one");
	processes_task(ps, B, B)->named.thread = 5;
	processes_exit(ps, B, B, 20);
	processes_fork(ps, B, B, A, A, SAME_FORK + 30);
	CHECK(!processes_task(ps, B, B)->dead);
	CHECK_U64(processes_task(ps, B, B)->named.thread, 0);
	CHECK_STR(processes_task(ps, B, B)->comm, "sh");
	CHECK_STR(at(B, 0x1000), "/bin/sh");
	CHECK_STR(at(B, 0x3000), "none");
	processes_tidy(ps, 40 + DEAD_KEPT, false);   /* buries the first */
	CHECK(processes_find(ps, B) != NULL);
	CHECK(!processes_task(ps, B, B)->dead);
	CHECK_STR(at(B, 0x1000), "/bin/sh");
	/* Its EXIT was lost. */
	processes_comm(ps, B, B, "two", true, SAME_FORK + 31);
	processes_fork(ps, B, B, A, A, 3 * SAME_FORK);
	CHECK_STR(processes_task(ps, B, B)->comm, "sh");
	CHECK_STR(at(B, 0x1000), "/bin/sh");
	end();
}

/* The same fork told twice, by events of two sets, changes nothing. */
static void
told_twice(void)
{
	begin();
	processes_comm(ps, A, A, "sh", true, 1);
	processes_fork(ps, B, B, A, A, 10);
	processes_comm(ps, B, B, "true", true, 11);
	map(B, 0x1000, 0x2000, "/bin/true");
	processes_fork(ps, B, B, A, A, 12);
	processes_comm(ps, B, B, "true", false, 13);
	CHECK_STR(at(B, 0x1000), "/bin/true");
	CHECK_U64(processes_find(ps, B)->threads, 1);
	end();
}

static void
only_known_ones(void)
{
	begin();
	CHECK(processes_task(ps, A, A) != NULL);
	processes_only_known(ps, true);
	CHECK(processes_task(ps, B, B) == NULL);
	CHECK(processes_task(ps, A, C) != NULL);
	processes_fork(ps, D, D, B, B, 1);
	CHECK(processes_find(ps, D) == NULL);
	map(B, 0x1000, 0x2000, "/x");
	processes_comm(ps, B, B, "x", true, 1);
	CHECK(processes_find(ps, B) == NULL);
	processes_fork(ps, D, D, A, C, 1);
	CHECK(processes_find(ps, D) != NULL);
	processes_only_known(ps, false);
	processes_fork(ps, B, B, A, A, 2);
	CHECK(processes_find(ps, B) == NULL);
	processes_fork(ps, A, B, A, A, 3);
	CHECK(processes_task(ps, A, B) != NULL);
	end();
}

/* Samples are from the past: what /proc shows now does not change what the records have said, unless records are missing. */
static void
only_gaps_are_filled(void)
{
	char *code = mmap(NULL, 5 * 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t past = (uintptr_t)code, now = past + 2 * 4096;
	int32_t pid = getpid();
	struct process *p;

	if (access("/proc/self/maps", R_OK)) {
		printf("skip process/only_gaps_are_filled: no /proc\n");
		return;
	}
	munmap(code + 4096, 4096);
	munmap(code + 3 * 4096, 4096);
	begin();
	processes_comm(ps, pid, pid, "x", true, 1);
	map(pid, past, past + 4096, "/lib/past");
	p = processes_find(ps, pid);
	p->maps.rescanned = 0;
	CHECK(space_find(&p->maps.space, now) != NULL);
	CHECK_U64(processes_reread(ps), 1);
	CHECK_STR(at(pid, past), "/lib/past");
	CHECK_STR(at(pid, now), "");
	map(pid, now, now + 4096, "/lib/now");   /* its record comes in its turn */
	CHECK_STR(at(pid, now), "/lib/now");
	processes_partial(ps);
	p->maps.rescanned = 0;
	CHECK(space_find(&p->maps.space, 0x1234567) == NULL);
	CHECK_STR(at(pid, past), "");
	for (int i = 0; i < 5; i += 2)   /* the address between them now belongs to another mapping */
		munmap(code + i * 4096, 4096);
	end();
}

static unsigned roots_opened, memories_opened;
static int (*open_there)(int, const char *, int);

static int
count_opened(int dir, const char *path, int flags)
{
	const char *slash = strrchr(path, '/');

	roots_opened += slash && !strcmp(slash, "/root");
	memories_opened += slash && !strcmp(slash, "/mem");
	return open_there(dir, path, flags);
}

static void
count_from_now(void)
{
	roots_opened = memories_opened = 0;
	open_there = file_open;
	file_open = count_opened;
}

/* A program that executes programs all the time costs no look at the root of each. */
static void
a_storm_of_known_programs(void)
{
	int32_t pid = getpid();
	struct process *p;

	if (access("/proc/self/root", F_OK)) {
		printf("skip process/a_storm_of_known_programs: no /proc\n");
		return;
	}
	begin();
	processes_comm(ps, pid, pid, "x", true, 1);
	map(pid, 0x1000, 0x2000, "/bin/sh");
	p = processes_find(ps, pid);
	CHECK(space_find(&p->maps.space, 0x1000) != NULL);
	ps->maps.files.file[p->maps.space.map[0].file].module = module_lost(&modules, "/bin/sh", "known");   /* as if it had been opened */
	CHECK(p->maps.root);
	count_from_now();
	for (unsigned i = 0; i < 100; i++) {
		processes_comm(ps, pid, pid, "x", true, 2 + i);
		map(pid, 0x1000, 0x2000, "/bin/sh");
	}
	CHECK(roots_opened <= 1);
	roots_opened = 0;
	map(pid, 0x5000, 0x6000, "/bin/new");   /* it may be gone when prof opens the file */
	CHECK(roots_opened >= 1);
	file_open = open_there;
	end();
}

/* prof asks for code that a process makes again and again. */
static void
memory_that_is_read_often(void)
{
	static const char text[] = "some bytes of this program";
	int32_t pid = getpid();
	struct process *p;
	char copy[sizeof text];

	if (access("/proc/self/mem", R_OK)) {
		printf("skip process/memory_that_is_read_often: no /proc\n");
		return;
	}
	begin();
	processes_comm(ps, pid, pid, "x", true, 1);
	p = processes_find(ps, pid);
	count_from_now();
	for (unsigned i = 0; i < 10; i++) {
		CHECK_U64(memories_opened, i > 2);
		memset(copy, 0, sizeof copy);
		CHECK_U64(p->maps.space.read(&p->maps.space, (uintptr_t)text, copy, sizeof copy), sizeof copy);
		CHECK_STR(copy, text);
	}
	processes_comm(ps, pid, pid, "y", true, 2);   /* another program, another memory */
	CHECK_U64(ps->maps.memories, 0);
	file_open = open_there;
	end();
}

static void
a_process_that_was_there(void)
{
	struct process *p;
	struct task *t;
	char comm[32];
	int32_t pid = getpid();
	void *code;

	if (access("/proc/self/maps", R_OK)) {
		printf("skip process/a_process_that_was_there: no /proc\n");
		return;
	}
	begin();
	t = processes_task(ps, pid, pid);
	file_text(AT_FDCWD, "/proc/self/comm", comm, sizeof comm);
	comm[strcspn(comm, "\n")] = 0;
	CHECK_STR(t->comm, comm);
	p = t->process;
	CHECK(!p->maps.scanned);
	process_ready(p, 0);
	CHECK(p->maps.scanned);
	CHECK(space_find(&p->maps.space, (uintptr_t)begin) != NULL);
	CHECK(space_find(&p->maps.space, (uintptr_t)begin)->module->kind == MODULE_FILE);
	CHECK_U64(processes_reread(ps), 0);
	/* prof finds a newer mapping when it misses it. */
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p->maps.rescanned = 0;
	CHECK(space_find(&p->maps.space, (uintptr_t)code) != NULL);
	CHECK_U64(processes_reread(ps), 1);
	CHECK(p->maps.jit != NULL && space_find(&p->maps.space, (uintptr_t)code)->module == p->maps.jit);
	/* prof asks only now and then for an address that nobody maps. */
	for (int i = 0; i < 1000; i++)
		CHECK(space_find(&p->maps.space, 0x1234567) == NULL);
	CHECK(processes_reread(ps) <= 2);
	munmap(code, 4096);
	/* Records are lost: prof sees the program that was executed instead. */
	space_clear(&p->maps.space);
	map(pid, 0x1000, 0x2000, "/bin/old");
	processes_lost(ps, 1);
	p->maps.rescanned = 0;
	CHECK(!process_ready(p, 0));
	CHECK_STR(at(pid, 0x1000), "none");
	CHECK(space_find(&p->maps.space, (uintptr_t)begin) != NULL);
	end();
}

/* What was mapped between a loss and the time when prof reads the maps nobody knows. */
static void
losses_leave_doubt(void)
{
	int32_t pid = getpid();
	struct process *p;
	uint64_t now;

	if (access("/proc/self/maps", R_OK)) {
		printf("skip process/losses_leave_doubt: no /proc\n");
		return;
	}
	begin();
	p = processes_task(ps, pid, pid)->process;
	CHECK(process_ready(p, 10));
	processes_lost(ps, 20);
	p->maps.took = 0;   /* prof need not wait until it reads them again */
	CHECK(process_ready(p, 19) && process_ready(p, 21));   /* it maps the files that it had, and no others were in their places */
	CHECK_U64(processes_reread(ps), 1);
	processes_lost(ps, 20);   /* known already */
	CHECK(process_ready(p, 22));
	CHECK_U64(processes_reread(ps), 1);
	/* A record from before that reading is no news.  But if another file was there meanwhile, who knows? */
	map(pid, 0x1000, 0x2000, "/lib/gone");
	CHECK_STR(at(pid, 0x1000), "none");
	CHECK(process_ready(p, 23));
	map(pid, (uintptr_t)begin, (uintptr_t)begin + 1, "/lib/gone");
	CHECK(!process_ready(p, 23) && process_ready(p, p->maps.sure));
	/* A file that is no longer there, and one that has lain where another one lay. */
	for (unsigned i = 0; i < 2; i++) {
		now = clock_now();
		if (i)
			processes_comm(ps, pid, pid, "x", true, now);
		processes_map(ps, pid, pid, 0x1000, 0x2000, 0, &(struct file_id){ .path = "/lib/a" }, now);
		if (i)
			processes_map(ps, pid, pid, 0x1000, 0x2000, 0, &(struct file_id){ .path = "/lib/b" }, now);
		CHECK(process_ready(p, now));
		CHECK_U64(p->maps.replaced, 1);
		processes_lost(ps, now + 1);
		p->maps.took = 0;
		CHECK(!process_ready(p, now + 1));
		CHECK_STR(at(pid, 0x1000), "none");
		CHECK(process_ready(p, clock_now()));
	}
	end();
}

/* Also the beginning of a process, or of a program, may be among what is lost. */
static void
losses_of_beginnings(void)
{
	struct process *p;
	int32_t pid = getpid();

	begin();
	processes_comm(ps, A, A, "sh", true, 1);
	map(A, 0x1000, 0x2000, "/bin/sh");
	CHECK(process_ready(processes_find(ps, A), MAPPED));
	processes_lost(ps, 200);
	CHECK(!process_ready(processes_find(ps, A), 300));   /* nobody can be asked */
	processes_fork(ps, B, B, A, A, 400);
	CHECK(!process_ready(processes_find(ps, B), 500));
	processes_comm(ps, B, B, "true", true, 600);   /* all that it maps is told */
	CHECK(process_ready(processes_find(ps, B), 600));
	processes_lost(ps, 800);
	processes_comm(ps, B, B, "true", true, 700);   /* but not here */
	CHECK(!process_ready(processes_find(ps, B), 900));
	if (!access("/proc/self/maps", R_OK)) {
		p = processes_task(ps, pid, pid)->process;   /* it was there before, or its fork is lost */
		CHECK(!process_ready(p, 900) && process_ready(p, clock_now()));
		processes_fork(ps, C, C, pid, pid, 900);   /* that was before, so that its parent's maps may be too new for it */
		CHECK(!process_ready(processes_find(ps, C), 901));
	}
	end();
}

static void
mapped_files(void)
{
	struct file_id one = { .path = "/lib/a", .ino = 5 }, two = { .path = "/lib/a", .ino = 6 }, b = { .path = "/lib/a" };
	struct mapped_files *bs;

	begin();
	bs = &ps->maps.files;
	memcpy(b.build_id, "abcd", 4);
	b.build_id_len = 4;
	CHECK_U64(mapped_file_number(bs, &(struct file_id){ .path = "//anon" }), 0);
	CHECK_U64(mapped_file_number(bs, &(struct file_id){ .path = "" }), 0);
	CHECK_U64(mapped_file_number(bs, &one), 1);
	CHECK_U64(mapped_file_number(bs, &two), 2);
	CHECK_U64(mapped_file_number(bs, &b), 3);
	b.build_id[0] = 'x';
	CHECK_U64(mapped_file_number(bs, &b), 4);
	CHECK_U64(mapped_file_number(bs, &one), 1);
	CHECK(bs->file[mapped_file_number(bs, &(struct file_id){ .path = "/memfd:jit (deleted)" })].memory);
	CHECK(bs->file[mapped_file_number(bs, &(struct file_id){ .path = "/dev/zero (deleted)" })].memory);
	CHECK(!bs->file[mapped_file_number(bs, &(struct file_id){ .path = "[vdso]" })].memory);
	/* Of a file that cannot be opened the path stays. */
	CHECK(mapped_file_module(bs, 1, A, 0x1000, 0x2000, -1)->kind == MODULE_LOST);
	CHECK(mapped_file_module(bs, 0, A, 0x1000, 0x2000, -1) == NULL);
	end();
}

/* However often prof missed a file, it looks for it in each new root directory, and otherwise now and then. */
static void
missed_files(void)
{
	char dir[] = "/tmp/process-XXXXXX";
	struct file_id id = { .path = "/file" };
	struct mapped_file *f;
	struct stat st;
	int root = -1, fd;

	begin();
	CHECK(mkdtemp(dir) && (root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC)) >= 0);
	CHECK((fd = openat(root, "file", O_RDWR | O_CREAT, 0600)) >= 0 && !fstat(fd, &st));
	id.ino = st.st_ino;
	id.maj = major(st.st_dev);
	id.min = minor(st.st_dev);
	f = &ps->maps.files.file[mapped_file_number(&ps->maps.files, &id)];
	for (unsigned i = 1; i < 20; i++) {
		f->tried = 0;
		CHECK(mapped_file_module(&ps->maps.files, 1, A, 0x1000, 0x2000, -1) == f->lost);
		CHECK_U64(processes_places(ps), i);
	}
	CHECK(mapped_file_module(&ps->maps.files, 1, A, 0x1000, 0x2000, -1) == f->lost && !mapped_file_is_due(&ps->maps.files, 1));
	CHECK_U64(processes_places(ps), 19);
	f->tried = 0;
	CHECK(mapped_file_is_due(&ps->maps.files, 1));
	f->tried = clock_now();
	CHECK(mapped_file_module(&ps->maps.files, 1, A, 0x1000, 0x2000, root)->kind == MODULE_FILE);
	CHECK(!unlinkat(root, "file", 0) && !rmdir(dir));
	close(fd);
	close(root);
	end();
}

/* A deleted file is in the memory of who has mapped it; what lies there by now may be another. */
static void
deleted_files(void)
{
	char path[] = "/tmp/process-XXXXXX";
	struct file_id id = { .path = path }, other;
	struct module *m;
	struct stat st;
	int fd = mkstemp(path), own = open("/bin/sh", O_RDONLY | O_CLOEXEC);
	void *lo;

	begin();
	CHECK(fd >= 0 && own >= 0 && !fstat(own, &st) && sendfile(fd, own, NULL, (size_t)st.st_size) == st.st_size && !unlink(path));
	lo = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	CHECK(lo != MAP_FAILED && !fstat(fd, &st));
	id.ino = st.st_ino;
	id.maj = major(st.st_dev);
	id.min = minor(st.st_dev);
	CHECK((m = container_image(&modules, getpid(), (uintptr_t)lo, &id)) && m->kind == MODULE_IMAGE);
	other = id;
	other.ino++;
	CHECK(!container_image(&modules, getpid(), (uintptr_t)lo, &other));
	other.ino += UINT64_C(0xffffffff);   /* as overlayfs has it */
	CHECK(!container_image(&modules, getpid(), (uintptr_t)lo, &other));
	other.maj = 0;
	other.min++;
	CHECK(container_image(&modules, getpid(), (uintptr_t)lo, &other) == m);
	if (m && m->elf.build_id_len) {
		id.ino = 0;
		id.build_id_len = m->elf.build_id_len;
		memcpy(id.build_id, m->elf.build_id, sizeof id.build_id);
		CHECK(container_image(&modules, getpid(), (uintptr_t)lo, &id) == m);
		id.build_id[3] ^= 1;
		CHECK(!container_image(&modules, getpid(), (uintptr_t)lo, &id));
	}
	munmap(lo, (size_t)st.st_size);
	close(own);
	close(fd);
	end();
}

static void
own_vdso(void)
{
	uint64_t lo = 0x7fff00000000;
	struct module *m;

	begin();
	m = mapped_file_module(&ps->maps.files, mapped_file_number(&ps->maps.files, &(struct file_id){ .path = "[vdso]" }), A, lo, lo + 0x2000, -1);
	if (getauxval(AT_SYSINFO_EHDR)) {
		CHECK(m && m->kind == MODULE_IMAGE && !m->bad);
		CHECK(m->elf.nsection > 0);
	}
	end();
}

/* At the memory cap prof leaves things out, and nothing is broken. */
static void
little_memory(void)
{
	for (size_t cap = 40 << 10; cap < 400 << 10; cap += 3001) {
		mem_cap(cap);
		if (!modules_init(&modules) || !(ps = processes_new(&modules))) {
			modules_free(&modules);
			continue;
		}
		for (int32_t i = 0; i < 300; i++) {
			processes_comm(ps, A + i, A + i, "sh", true, 1);
			for (uint64_t j = 1; j < 20; j++)
				map(A + i, j << 12, (j + 1) << 12, i % 2 ? "/lib/a" : "/lib/b");
			processes_fork(ps, B + 1000 + i, B + 1000 + i, A + i, A + i, 2);
			at(B + 1000 + i, 0x1000);
			if (i % 3)
				processes_exit(ps, A + i, A + i, 3);
		}
		processes_tidy(ps, 4 + DEAD_KEPT, true);
		processes_free(ps);
		modules_free(&modules);
		CHECK_U64(mem_used(), 0);
	}
	mem_cap(SIZE_MAX);
}

int
main(void)
{
	RUN("process", exec_begins_anew);
	RUN("process", a_file_that_is_opened_at_once_is_told);
	RUN("process", children_have_their_parents_maps);
	RUN("process", parents_may_end_first);
	RUN("process", children_may_end_first);
	RUN("process", what_ran_is_forgotten);
	RUN("process", threads);
	RUN("process", numbers_come_again);
	RUN("process", told_twice);
	RUN("process", only_known_ones);
	RUN("process", only_gaps_are_filled);
	RUN("process", a_storm_of_known_programs);
	RUN("process", memory_that_is_read_often);
	RUN("process", a_process_that_was_there);
	RUN("process", losses_leave_doubt);
	RUN("process", losses_of_beginnings);
	RUN("process", mapped_files);
	RUN("process", missed_files);
	RUN("process", deleted_files);
	RUN("process", own_vdso);
	RUN("process", little_memory);
	return TEST_STATUS;
}

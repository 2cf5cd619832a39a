/* reuse map|dump SECONDS: machine code in one place, called first_code and then, written anew, second_code, each for half of
 * that CPU time; told by a perf map or by a jitdump in the working directory, which is mapped to be found. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined __x86_64__
static const uint8_t spin[] = {
	0x55,                               /* push %rbp */
	0x48, 0x89, 0xe5,                   /* mov %rsp, %rbp */
	0xb9, 0x40, 0x42, 0x0f, 0x00,       /* mov $1000000, %ecx */
	0xff, 0xc9,                         /* dec %ecx */
	0x75, 0xfc,                         /* jnz back to it */
	0x5d,                               /* pop %rbp */
	0xc3,                               /* ret */
};
#else
static const uint8_t spin[1];
#endif

static char path[64];
static FILE *file;

static double
seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
put(uint64_t v, size_t size)
{
	fwrite(&v, size, 1, file);   /* of a little-endian machine */
}

static void
record(uint32_t type, uint32_t size)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	put(type, 4);
	put(16 + size, 4);
	put((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec, 8);
}

static void
begin_dump(void)
{
	snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
	file = fopen(path, "w+");
	put(0x4A695444, 4);
	put(1, 4);
	put(40, 4);
	put(62, 4);
	put(0, 4);
	put((uint64_t)getpid(), 4);
	put(0, 8);
	put(0, 8);
	fflush(file);
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0) == MAP_FAILED)
		exit(77);
}

static void
tell_dump(uint64_t addr, const char *name, const char *source, uint32_t line, uint64_t number)
{
	record(2, 16 + 16 + (uint32_t)strlen(source) + 1);
	put(addr, 8);
	put(1, 8);
	put(addr, 8);
	put(line, 4);
	put(0, 4);
	fwrite(source, strlen(source) + 1, 1, file);
	record(0, 40 + (uint32_t)strlen(name) + 1 + sizeof spin);
	put((uint64_t)getpid(), 4);
	put((uint64_t)getpid(), 4);
	put(addr, 8);
	put(addr, 8);
	put(sizeof spin, 8);
	put(number, 8);
	fwrite(name, strlen(name) + 1, 1, file);
	fwrite(spin, sizeof spin, 1, file);
}

int
main(int argc, char **argv)
{
	static const struct { const char *name, *source; uint32_t line; } what[] = {
		{ "first_code", "/src/first.xx", 7 }, { "second_code", "/src/second.xx", 11 },
	};
	int dump = argc > 1 && !strcmp(argv[1], "dump");
	double half = (argc > 2 ? atof(argv[2]) : 1) / 2, until;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*code)(void);

	if (page == MAP_FAILED || sizeof spin == 1)
		return 77;
	memcpy(&code, &page, sizeof code);
	if (dump) {
		begin_dump();
	} else {
		snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
		file = fopen(path, "w");
	}
	for (unsigned i = 0; i < 2; i++) {
		memcpy(page, spin, sizeof spin);
		if (dump)
			tell_dump((uintptr_t)page, what[i].name, what[i].source, what[i].line, i);
		else
			fprintf(file, "%llx %zx %s\n", (unsigned long long)(uintptr_t)page, sizeof spin, what[i].name);
		fflush(file);
		until = seconds_of(CLOCK_THREAD_CPUTIME_ID) + half;
		while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < until)
			code();
	}
	usleep(200000);
	unlink(path);
	return 0;
}

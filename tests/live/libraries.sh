#!/bin/sh
# A library that is opened, deleted, run for 5 ms and closed keeps the names that only its file has.
. "$(dirname "$0")/../lib.sh"
need_root
cat >library.c <<'END'
#include <time.h>

static volatile unsigned sum;

__attribute__((noinline)) static void
local_work(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 200;

	while (clock() < end)
		for (unsigned i = 0; i < 5000; i++)
			sum += i;
}

__attribute__((noinline)) void
work(void)
{
	local_work();
	sum++;
}
END
cat >comes.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int
main(void)
{
	for (int i = 0; i < 100; i++) {
		void *library;
		char name[32];

		snprintf(name, sizeof name, "./comes%d.so", i);
		if (!(library = dlopen(name, RTLD_NOW)))
			return 1;
		unlink(name);
		((void (*)(void))dlsym(library, "work"))();
		dlclose(library);
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	return 0;
}
END
${CC:-cc} -O2 -fPIC -shared -o library.so library.c && ${CC:-cc} -O2 -o comes comes.c -ldl || exit 1
i=0
while [ $i -lt 100 ]; do cp library.so comes$i.so; i=$((i + 1)); done
"$PROF" -q -F 999 -o comes.folded -- ./comes
named=$(samples comes.folded ';local_work') all=$(samples comes.folded ';(local_work|work|\[comes[0-9]|\[unknown\])')
echo "libraries: $named of $all samples with names"
check seen "$all" -ge 200
check named $((named * 100)) -ge $((all * 95))

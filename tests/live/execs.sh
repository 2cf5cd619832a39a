#!/bin/sh
# A hundred recordings of a command behind fork and exec (what perf loses libc's frames of): none with a hole.  Most of
# the command's time is spent in libc and in what libc calls back.
# alone: samples of what lives for 50 milliseconds are counted
. "$(dirname "$0")/../lib.sh"
RUNS=${RUNS:-100}
cat >sorts.c <<'END'
#include <stdlib.h>
#include <time.h>

static volatile unsigned sum;

__attribute__((noinline)) static int
compare(const void *a, const void *b)
{
	sum++;
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void
sorts(void)
{
	static int v[2000];

	for (unsigned i = 0; i < 2000; i++)
		v[i] = rand();
	qsort(v, 2000, sizeof *v, compare);
}

int
main(void)
{
	const clock_t end = clock() + CLOCKS_PER_SEC / 20;   /* the shell that became this program had some, too */

	while (clock() < end)
		sorts();
	return 0;
}
END
${CC:-cc} -O2 -g -o sorts sorts.c || exit 1
holes=0 all=0 complete=0 few=0 short=0 i=0
while [ $i -lt "$RUNS" ]; do
	i=$((i + 1)) stolen=$(stolen)
	case $((i % 4)) in
	0) "$PROF" -q -F 4999 -o x.folded --stats s.json -- sh -c ./sorts ;;
	1) "$PROF" -q -F 4999 -o x.folded --stats s.json -- sh -c './sorts; true' ;;
	2) "$PROF" -q -F 4999 -o x.folded --stats s.json -- sh -c 'sh -c "./sorts; :"; :' ;;
	3) "$PROF" -q -F 4999 -o x.folded --stats s.json -- sh -c './sorts & wait' ;;
	esac >out 2>err || { not_ok runs "recording $i failed" err; exit 1; }
	# Libc lies between the start and main, and between main and compare.
	sorting=$(samples x.folded '^sorts;_start;__libc_start_main;.*;main;qsort')
	holes_here=$(samples x.folded '^sorts;.*;(main|compare|qsort_r)(;|$)')
	holes_here=$((holes_here - $(samples x.folded '^sorts;_start;__libc_start_main;.*;main(;|$)')))
	holes_here=$((holes_here + $(samples x.folded '^sorts;.*main;compare$') + $(samples x.folded '^sorts;.*\[unknown\]')))
	here=$(field s.json samples)
	if [ "$here" -lt 60 ]; then
		short=$((short + 1))
	elif [ "$sorting" -lt $((here / 2)) ] && [ "$(stolen)" -le "$stolen" ]; then
		few=$((few + 1))
		cp x.folded few.folded
	fi
	[ $holes_here = 0 ] || { holes=$((holes + 1)); cp x.folded hole.folded; }
	all=$((all + here))
	complete=$((complete + $(field s.json stacks_complete)))
	cut=$((${cut:-0} + $(field s.json stacks_truncated) + $(field s.json stacks_no_unwind_info)))
done
# If the virtual machine stood still for a while, the kernel counts that time as the command's, with one sample for it.
check long $short -le $((RUNS / 20))
[ $few = 0 ] && ok samples || not_ok samples "sorts is less than half of $few of $RUNS recordings" few.folded
if [ $holes = 0 ]; then ok no-hole; else not_ok no-hole "$holes of $RUNS recordings have stacks without libc" hole.folded; fi
echo "$all samples, $complete stacks complete, $cut not"
check complete $((complete * 1000)) -ge $(((complete + cut) * 995))
exit $failed

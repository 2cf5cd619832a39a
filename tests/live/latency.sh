#!/bin/sh
# prof latency counts each call once, nests recursion, measures the time that a call slept, and leaves nothing behind.
. "$(dirname "$0")/../lib.sh"
need_root

cat >calls.c <<'C'
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define FAR __attribute__((noinline))
static jmp_buf out;
FAR int leaf(int x) { __asm__ volatile(""); return x + 1; }
FAR int fib(int n) { __asm__ volatile(""); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
FAR int nap(long ms) { usleep(ms * 1000); return (int)ms; }
FAR void thrower(int n) { if (n) thrower(n - 1); longjmp(out, 1); }
FAR int guarded(int n) { if (!setjmp(out)) thrower(n); return leaf(n); }
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000, status;
	for (volatile int i = 0; i < n; i++)
		leaf(i);
	fib(12);
	for (int i = 0; i < 10; i++)
		nap(i % 2 ? 5 : 20);
	for (int i = 0; i < 20; i++)
		guarded(5);
	if (!fork()) {
		leaf(1);
		_exit(0);
	}
	wait(&status);
	while (argc > 2) {
		leaf(1);
		usleep(1000);
	}
	return 3;
}
C
cc -g -O0 -o calls calls.c || exit 1

# of FIELD NAME: from the JSON of the last run.
of() { sed -nE "s/.*\"name\": \"$2\".*\"$1\": ([0-9]+).*/\1/p" out; }

"$PROF" latency --json -o out -e "uprobe:$PWD/calls:leaf" -e "uprobe:$PWD/calls:fib" -e "uprobe:$PWD/calls:nap" -e "uprobe:$PWD/calls:guarded" \
	-e "uprobe:$PWD/calls:thrower" ./calls 1000 2>err
check exit_status $? -eq 3
show=err
check every_call "$(of count leaf)" -eq 1021
check recursion_nests "$(of count fib)" -eq 465
check left_by_longjmp "$(of count guarded)" -eq 20
check never_returned "$(of count thrower)" = ""
has left_is_told err '^prof: 120 calls did not return'
check sleeps "$(of p50_ns nap)" -ge 5000000 -a "$(of p99_ns nap)" -ge 19000000 -a "$(of max_ns nap)" -ge 20000000
check total "$(of total_ns nap)" -ge 125000000

"$PROF" latency --by arg0 -o out --json -e "uprobe:$PWD/calls:nap" ./calls 1 2>err
check by_argument "$(of count 'nap arg0=5')" -eq 5 -a "$(of count 'nap arg0=20')" -eq 5
"$PROF" latency --by retval -o out --json -e "uprobe:calls:fib" ./calls 1 2>err
check by_value "$(of count 'fib retval=144')" -eq 1

# By a variable, also in memory; by an argument in perf's words; by what the function returned, with its sign.
cat >by.c <<'C'
#include <unistd.h>
#define FAR __attribute__((noinline))
struct node { int kind; struct node *next; };
FAR int work(int n, struct node *at, signed char small) { __asm__ volatile("" ::: "memory"); return n + at->kind + small; }
FAR int other(struct node *at, int n) { __asm__ volatile("" ::: "memory"); return n + at->kind; }
int main(void)
{
	struct node b = { 7, 0 }, a = { -3, &b };
	int x = 0;
	for (int i = 0; i < 12; i++)
		x += work(i % 4, i % 2 ? &a : &b, (signed char)(i % 3 - 1)) + other(&a, i);
	getpgid(0); getpgid(0); getpgid(1);
	return x == 1;
}
C
for level in 0 2; do
	cc -g -O$level -o by$level by.c || exit 1
	by() { "$PROF" latency --by "$1" -o out --json -e "uprobe:$PWD/by$level:work" ./by$level 2>err; }
	show="out err"
	if [ "$(uname -m)" != i686 ]; then
		by n
		check by_variable-O$level "$(of count 'work n=3')" -eq 3
		by small
		check by_signed_variable-O$level "$(of count 'work small=-1')" -eq 4
		by 'at->kind'
		check by_member-O$level "$(of count 'work at->kind=-3')" -eq 6 -a "$(of count 'work at->kind=7')" -eq 6
		by 'next=at->next->kind'
		check by_memory_that_is_not_there-O$level "$(of count 'work next=[?]')" -eq 6 -a "$(of count 'work next=7')" -eq 6
		by 'kind=+0($arg2):s32'
		check by_words_of_perf-O$level "$(of count 'work kind=-3')" -eq 6
		by '$retval:s32'
		check by_signed_value-O$level "$(of count 'work [$]retval=-3')" -eq 1
		"$PROF" latency --by n -o out --json -e "uprobe:$PWD/by$level:by.c:4..uretprobe:$PWD/by$level:work" ./by$level 2>err
		check by_variable_of_a_pair-O$level "$(grep -o 'n=[0-3]"' out | sort -u | grep -c .)" -eq 4
	fi
	status by_misspelt-O$level 125 "$PROF" latency --by smal -e "uprobe:$PWD/by$level:work" ./by$level
	has by_misspelt_why-O$level err '^prof: --by smal: .*there is no variable smal: did you mean small\?'
	status by_word_misspelt-O$level 125 "$PROF" latency --by thred -e "uprobe:$PWD/by$level:work" ./by$level
	has by_word_misspelt_why-O$level err '^prof: --by thred: did you mean thread\?'
done
show=err
status by_a_text 125 "$PROF" latency --by 'x=+0($arg2):string' -e "uprobe:$PWD/by0:work" ./by0
status by_two_places 125 "$PROF" latency --by n -e "uprobe:$PWD/by0:work" -e "uprobe:$PWD/by0:other" ./by0
has by_two_places_why err 'not at the same place in all functions'
"$PROF" latency --by pid -o out --json -e syscall:getpgid ./by0 2>err
check by_field_of_a_system_call "$(of count 'getpgid pid=0')" -eq 2 -a "$(of count 'getpgid pid=1')" -eq 1
rm out
"$PROF" latency --by pid -o out --json -e syscalls:sys_enter_getpgid..syscalls:sys_exit_getpgid ./by0 2>err
check by_field_of_a_tracepoint "$(grep -o 'pid=[01]", "count": [12]' out | grep -c .)" -eq 2
# As fast as a program can: each call counts, in all threads.
counted=$(program counted) || exit 1
"$PROF" latency -o out --json -e syscall:getppid sh -c "'$counted' 1 400000 1 & '$counted' 1 400000 1; wait" 2>err
within as_fast_as_it_can "$(of count getppid)" 800000 800002   # shells call it, too
lacks as_fast_as_it_can_all err 'did not|missed'
status tracepoint_misspelt 125 "$PROF" latency -e sched:sched_swich..sched:sched_switch ./by0
has tracepoint_misspelt_why err 'no tracepoint sched:sched_swich: did you mean sched:sched_switch\?$'
status by_common_field 125 "$PROF" latency --by common_pid -e syscalls:sys_enter_getpgid..syscalls:sys_exit_getpgid ./by0
has by_common_field_said err 'shows this field to nobody'
status by_no_tracepoint 125 "$PROF" latency --by pid -e syscalls:sys_enter_getpgit..syscalls:sys_exit_getpgid ./by0
has by_no_tracepoint_said err '^prof: -e syscalls:sys_enter_getpgit[.].*no tracepoint syscalls:sys_enter_getpgit: did you mean syscalls:sys_enter_getpgid\?$'
status by_result_too_soon 125 "$PROF" latency --by '$retval' -e "uprobe:$PWD/by0:work..uretprobe:$PWD/by0:work" ./by0
has by_result_too_soon_said err 'write retval'
status by_word_of_a_system_call 125 "$PROF" latency --by proces -e syscall:getpgid ./by0
has by_word_of_a_system_call_why err '^prof: --by proces: did you mean process\?$'
"$PROF" latency --by dfd -o out --json -e syscall:openat cat /dev/null 2>err
show="out err"
check by_signed_argument "$(of count 'openat dfd=-100')" -ge 1
# read takes an unsigned fd, recvfrom a signed one.
"$PROF" latency --by fd -o out --json -e syscall:read -e syscall:recvfrom cat /dev/null 2>err
check by_fields_of_both_signs "$(of count 'read fd=3')" -ge 1
status unknown_system_call 125 "$PROF" latency -e syscalls:sys_enter_raed true
has unknown_system_call_near err 'did you mean read?'
"$PROF" latency --by dfd -o out --json -e syscalls:sys_enter_openat..syscalls:sys_exit_openat cat /dev/null 2>err
check by_signed_field "$(grep -o 'openat dfd=-100", "count": [0-9]*' out | grep -c .)" -eq 1
show=err
status by_field_misspelt 125 "$PROF" latency --by pit -e syscall:getpgid ./by0
has by_field_misspelt_why err 'did you mean pid\?'

# prof does not count its own calls that start the command.
"$PROF" latency -o out --json -e "syscall:*" ./calls 1 2>err
check searches_are_not_counted "$(of count stat)$(of count faccessat2)$(of count open)" = ""
lacks own_read_is_not_told err "but not the beginning"
"$PROF" latency -o out --json -e syscall:clock_nanosleep -e syscall:wait4 ./calls 1 2>err
check system_calls "$(of count clock_nanosleep)" -eq 10 -a "$(of count wait4)" -eq 1
check no_others "$(grep -c '"name"' out)" -eq 2

"$PROF" latency -o out --json -e "uprobe:$PWD/calls:leaf..uretprobe:$PWD/calls:leaf" ./calls 100 2>err
check a_pair "$(sed -nE 's/.*"count": ([0-9]+).*/\1/p' out)" -eq 121

"$PROF" latency -o out -e "uprobe:$PWD/calls:calls.c:8" ./calls 50 2>err
has source_line out '^calls\.c:8 +71 '

status no_return_within 125 "$PROF" latency -e "uprobe:$PWD/calls:leaf+4" ./calls
has no_return_within_why err "prof knows no function that begins at .*leaf\+4"

# prof finds a deleted program, and one in another root directory, by the process that runs it.
cp calls gone && ./gone 1 stay >/dev/null & p=$!
started="$started $p"
wait_for 10 grep -q /gone /proc/$p/maps
rm gone
"$PROF" latency -o out --json -d 1 -p $p -e uprobe:gone:leaf 2>err
check deleted_file "$(of count leaf)" -ge 10
kill $p

# The look of the text. A sleeper may also wait for a CPU, so a busy machine shows other rows.
"$PROF" latency -e "uprobe:$PWD/calls:nap" ./calls 1 2>err
has table err '^nap +10 +[0-9]+ ms'
has chart err '^ +[0-9.]+ ms \.\. +[0-9.]+ m?s  .* [1-9] +[1-9]0\.0% .*p90'
lacks chart_has_no_shorter err '^ +(1\.04|2\.09) ms \.\. .* [1-9] +[0-9.]+%'

# The stacks of the slowest, whatever came before and after.
cat >slow.c <<'C'
#include <unistd.h>
#define FAR __attribute__((noinline))
FAR int nap(long ms) { usleep(ms * 1000); return (int)ms; }
FAR int quick(int i) { return nap(i % 2) + 1; }
FAR int slow(int i) { return nap(500 + i) + 1; }
int main(void) { for (int i = 0; i < 300; i++) quick(i); slow(1); slow(2); for (int i = 0; i < 300; i++) quick(i); return 3; }
C
cc -O0 -o slow slow.c || exit 1
"$PROF" latency --slowest 2 -o s.folded -e "uprobe:$PWD/slow:nap" ./slow 2>err
check slowest_status $? -eq 3
show="err s.folded"
within slowest_stacks "$(samples s.folded '^slow;_start;.*;main;slow;nap$')" 1003000 60000000
check slowest_alone "$(samples s.folded ';quick;')" -eq 0
has slowest_is_told err 's\.folded has the stacks of the slowest calls, 2 at most$'
"$PROF" latency -q --slowest 2 -o s.pb.gz -e syscall:clock_nanosleep ./slow 2>err
"$PROF" report -o y.folded s.pb.gz
within slowest_system_calls "$(samples y.folded ';main;slow;nap;.*;clock_nanosleep$')" 1003000 60000000
check slowest_no_kernel "$(grep -c '_\[k\]' y.folded)" -eq 0
show=err

# prof tells an ordinary user who may do it.
cp "$PROF" ./prof && chmod 755 . calls prof   # only root may enter the folders above
su -s /bin/sh nobody -c './prof latency -e uprobe:./calls:leaf ./calls' >out 2>err
check nobody_status $? -eq 125
has nobody err 'only root, or a user with CAP_BPF and CAP_PERFMON, may load'
has nobody_mend err '^prof: try: sudo prof latency'

# After SIGKILL a call costs the same as before: no probe is left.
"$PROF" latency -a -e "uprobe:$PWD/calls:leaf" >out 2>err & p=$!
started="$started $p"
wait_for 10 sh -c "ls -l /proc/$p/fd | grep -q bpf.link || ls -l /proc/$p/fd | grep -c bpf | grep -q '[6-9]'"
offset=$(nm calls | sed -nE 's/^0*([0-9a-f]+) T leaf$/\1/p')
start ./calls 1 stay
c=$!
breakpoint() { dd if=/proc/$c/mem bs=1 skip=$((0x$(sed -nE "s|^([0-9a-f]+)-.* 00000000 .*calls$|\1|p" /proc/$c/maps | head -1) + 0x$offset)) count=1 2>/dev/null | od -An -tx1 | tr -d ' '; }
if [ "$(uname -m)" = x86_64 ]; then
	is_set() { [ "$(breakpoint)" = cc ]; }
	wait_for 10 is_set
	check set "$(breakpoint)" = cc
	kill -9 $p
	gone() { [ "$(breakpoint)" != cc ]; }
	wait_for 10 gone
	check gone_after_sigkill "$(breakpoint)" != cc
fi

# After SIGKILL the recorder of the slowest calls ends, too, also with other ids; Ctrl-C does not end it before its command.
SUDO_UID=65534 SUDO_GID=65534 "$PROF" latency -q -a -o killed.folded -e "uprobe:$PWD/slow:nap" >/dev/null 2>&1 & p=$!
started="$started $p"
recorder() { r=$(pgrep -P $p -x prof) && grep -q '^Uid:.65534' "/proc/$r/status"; }
wait_for 10 recorder
kill -9 $p
recorder_gone() { [ ! -e "/proc/$r" ] || grep -q '^State:.Z' "/proc/$r/status"; }
wait_for 10 recorder_gone && ok slowest_ends_with_prof || not_ok slowest_ends_with_prof "process $r lives on"
setsid "$PROF" latency -q -o late.folded --slowest 2 -e "uprobe:$PWD/slow:nap" sh -c 'trap : INT; echo >begun; sleep 2; ./slow' >/dev/null 2>&1 & p=$!
started="$started $p"
wait_for 10 test -e begun
kill -INT -$p
wait $p
within slowest_after_interrupt "$(samples late.folded ';main;slow;nap$')" 1003000 60000000

# Another prof that samples the same tracepoint still gets all occurrences.
"$PROF" latency -a -q -o beside -e 'syscall:*' -d 60 & p=$!
started="$started $p"
wait_for 10 sh -c "ls -l /proc/$p/fd | grep -c bpf.link | grep -q '[3-9]' || ls -l /proc/$p/fd | grep -c bpf | grep -q '[6-9]'"
"$PROF" -q -e raw_syscalls:sys_exit --stack-size 4096 --stats t.json -o t.folded ./calls 1 2>err
check beside_others $(($(samples t.folded ';main;nap;') + $(field t.json lost))) -ge 10 -a "$(samples t.folded ';main;nap;')" -ge 1
kill -INT $p

# A thousand places, set and removed at once.
{ i=0; while [ $i -lt 1000 ]; do echo "int many_$i(int x) { return x + $i; }"; i=$((i + 1)); done; echo 'int main(void) { return many_1(1) + many_999(2) == 7; }'; } >many.c
cc -O0 -o many many.c || exit 1
"$PROF" latency -o out --json -e "uprobe:$PWD/many:many_*" ./many 2>err
check a_thousand "$(of count many_1)" -eq 1 -a "$(of count many_999)" -eq 1

#!/bin/sh
# Probes that sample: every call is a sample with its whole stack. USDT probes have semaphores and arguments. prof leaves no probe
# behind.
# alone: samples are counted, one for each call
. "$(dirname "$0")/../lib.sh"
need_root

cat >calls.c <<'C'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#define FAR __attribute__((noinline))
/* What <sys/sdt.h> makes of DTRACE_PROBE2(shop, sale, i, word). */
__attribute__((section(".probes"), used)) volatile unsigned short shop_sale_semaphore;
#define SALE(i, word) __asm__ volatile("990: nop\n" \
	".pushsection .note.stapsdt,\"\",\"note\"\n .balign 4\n .4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n 992: .balign 4\n" \
	"993: .8byte 990b, _.stapsdt.base, shop_sale_semaphore\n .asciz \"shop\"\n .asciz \"sale\"\n .asciz \"-4@%0 8@%1\"\n 994: .balign 4\n" \
	".popsection\n" \
	".ifndef _.stapsdt.base\n .pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n .weak _.stapsdt.base\n .hidden _.stapsdt.base\n" \
	"_.stapsdt.base: .space 1\n .size _.stapsdt.base, 1\n .popsection\n .endif\n" : : "r"(i), "r"(word))
/* OpenTelemetry's otel_memory:alloc(user, size, weighted_bytes). */
#define ALLOC(p, n, weight) __asm__ volatile("990: nop\n" \
	".pushsection .note.stapsdt,\"\",\"note\"\n .balign 4\n .4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n 992: .balign 4\n" \
	"993: .8byte 990b, _.stapsdt.base, 0\n .asciz \"otel_memory\"\n .asciz \"alloc\"\n .asciz \"8@%0 8@%1 8@%2\"\n 994: .balign 4\n" \
	".popsection\n" : : "r"(p), "r"(n), "r"(weight))
struct point { int x, y; };
FAR int leaf(long n, const char *word, const struct point *at) { __asm__ volatile(""); return (int)n + word[0] + at->y; }
FAR int mid(int n) { struct point at = { n, -n }; return leaf(n % 4, n % 2 ? "odd" : "even", &at) + 1; }
int main(int argc, char **argv)
{
	int x = 0, sales = 0;
	for (int i = 0; i < 200 || argc > 1; i++) {
		x += mid(i);
		if (shop_sale_semaphore) {
			SALE(i % 5 - 2, i % 2 ? "tea" : "salt");
			sales++;
		}
		if (argc > 1)
			usleep(1000);
	}
	ALLOC((void *)&x, 4000L, 524288L);
	ALLOC((void *)&x, 1L << 20, 1L << 20);
	printf("%d sales\n", sales);
	return x == 1;
}
C
cc -g -O0 -o calls calls.c || exit 1

# lines FILE REGEX: the sum of the counts of the stacks that match.
lines() { awk -v r="$2" '$0 ~ r { n += $NF } END { print n + 0 }' "$1"; }

"$PROF" -q -e "uprobe:$PWD/calls:leaf" -o x.folded -- ./calls >out
check every_call "$(lines x.folded '^calls;_start;.*main;mid;leaf 200$')" -eq 200
# Threads and children of a process with a probe: the kernel would not let them inherit it, and fork would fail.
cat >forks.sh <<'S'
while [ ! -e enough ]; do i=$((i + 1)); /bin/true && n=$((n + 1)); sleep 0.05; done
echo $i $n >forked
S
start sh forks.sh; forks=$pid
wait_for 10 grep -q 'libc\.' /proc/$forks/maps
"$PROF" -q -e uprobe:libc:malloc -p $forks -d 1 -o x.folded
check forks-probed "$(lines x.folded ';malloc ')" -gt 0
touch enough
wait $forks
read -r tries forked <forked
check forks-go-on "$forked" = "${tries:-0}"
"$PROF" stat -e uprobe:libc:malloc -- sh -c '/bin/true && /bin/true && echo ok' >out 2>err
check stat-forks-go-on "$(cat out)" = ok
"$PROF" stat -e '{page-faults,uprobe:libc:malloc}' -- sh -c '/bin/true && /bin/true && echo ok' >out 2>err
check stat-group-forks-go-on "$(cat out)" = ok
start ./calls many; calls=$pid
"$PROF" -q -e uprobe:./calls:leaf -p $calls -d 0.3 -o x.folded
check relative "$(lines x.folded ';leaf ')" -gt 0
kill $calls
"$PROF" -q -e "uretprobe:calls:leaf" -o x.folded -- ./calls >out
check returns "$(lines x.folded ';main;mid 200$')" -eq 200
"$PROF" -q -e "uprobe:$PWD/calls:calls.c:21" -o x.folded -- ./calls >out
check a_line "$(lines x.folded ';main;mid;leaf ')" -eq 200
if [ "$(uname -m)" = x86_64 ]; then   # sub of four bytes, at -O0
	cc -O1 -c -o wide.o -x assembler - <<'S' && cc -o wide wide.o || exit 1
	.globl main
	.type main, @function
main:	.cfi_startproc
	nop
	movl $0x90909090, %eax
	xorl %eax, %eax
	ret
	.cfi_endproc
	.size main, .-main
	.section .note.GNU-stack,"",@progbits
S
	at=$(nm wide | awk '$3 == "main" { print $1 }')
	for place in "main+3" "$(printf '0x%x' $((0x$at + 3)))"; do
		status "within-$place" 125 "$PROF" stat -e "uprobe:$PWD/wide:$place" ./wide
		has "within-says-$place" err "is within an instruction, which begins at ([+]1|$(printf '0x%x' $((0x$at + 1))))\$"
	done
	strip -o bare_wide wide
	status within-stripped 125 "$PROF" -e "uprobe:$PWD/bare_wide:$place" ./bare_wide
	status begins 0 "$PROF" stat -e "uprobe:$PWD/wide:main+6" ./wide
	has counted err '^ *1 +uprobe'
fi
"$PROF" -q -e "uprobe:$PWD/calls:*i*" -o x.folded -- ./calls >out
check a_glob "$(lines x.folded ';main;mid ')" -eq 200 -a "$(lines x.folded ';main ')" -ge 1
has semaphore_is_off out '^0 sales$'
"$PROF" -q -e "usdt:$PWD/calls:shop:sale" -o x.folded -- ./calls >out
has semaphore_is_on out '^200 sales$'
check usdt "$(lines x.folded ';main ')" -eq 200
"$PROF" -q -e "usdt:$PWD/calls:shop:sale" --leaf arg1 -o x.folded -- ./calls >out
check usdt_number "$(lines x.folded ';arg1=-2 40$')" -eq 40
if [ "$(uname -m)" != i686 ]; then
	"$PROF" latency --by arg1 --json -o l -e "usdt:$PWD/calls:shop:sale..uprobe:$PWD/calls:leaf" -- ./calls >out 2>err
	has latency_by_usdt_number l 'arg1=-2", "count": 40,'
	"$PROF" -q -e "uprobe:$PWD/calls:leaf" --leaf 'n=$arg1:s64' -o x.folded -- ./calls >out
	check argument "$(lines x.folded ';leaf;n=3 50$')" -eq 50
	"$PROF" -q -e "uprobe:$PWD/calls:leaf" --leaf 'y=+4($arg3):s32' -o x.folded -- ./calls >out
	check argument_on_the_stack "$(lines x.folded ';leaf;y=-7 1$')" -eq 1
fi
"$PROF" -q -e "uretprobe:$PWD/calls:leaf" --leaf '$retval:s32' -o x.folded -- ./calls >out
check value "$(lines x.folded 'mid;[$]retval=-?[0-9]+ ')" -eq 200
status variable_misspelt 125 "$PROF" -e "uprobe:$PWD/calls:leaf" --leaf wrod ./calls
has variable_misspelt_named err "^prof: --leaf 'wrod' of uprobe:.*no variable wrod: did you mean word\?\$"
status argument_misspelt 125 "$PROF" -e "uprobe:$PWD/calls:leaf" --leaf '$arg' true
has argument_misspelt_why err 'write an argument as %REGISTER'
"$PROF" -e "usdt:$PWD/calls:otel_memory:alloc" -o x.folded -- ./calls >out 2>err
check heap_in_bytes "$(lines x.folded ';main ')" -eq $((524288 + 1048576))
has heap_unit err 'otel_memory:alloc bytes every 1'
"$PROF" -q -e "uprobe:$PWD/calls:leaf,page-faults" -o x.folded -- ./calls >out
check with_another_event "$(lines x.folded ';main;mid;leaf ')" -ge 200

# Names and lines in a detached debug file, which prof finds by its link, and by the build-id below a directory of the system.
mkdir -p bare/.debug && objcopy --only-keep-debug calls bare/.debug/calls.debug && strip -o bare/calls calls && objcopy --add-gnu-debuglink=bare/.debug/calls.debug bare/calls || exit 1
"$PROF" -q -e "uprobe:$PWD/bare/calls:leaf" -o x.folded -- ./bare/calls >out 2>err
check debug_file_name "$(lines x.folded ';main;mid;leaf 200$')" -eq 200
"$PROF" stat -x, -o c -e "uprobe:$PWD/bare/calls:calls.c:21" -- ./bare/calls >out 2>err
has debug_file_line c '^200,,uprobe:.*:calls.c:21,'
chmod 600 bare/.debug/calls.debug
status debug_file_of_others 125 "$PROF" stat -e "uprobe:$PWD/bare/calls:leaf" ./bare/calls

# Counted, not sampled.
"$PROF" stat -x, -o c -e "uprobe:$PWD/calls:leaf,uretprobe:calls:mid" -e "usdt:$PWD/calls:shop:sale" -- ./calls >out
has stat_counts c '^200,,uprobe:.*:leaf,'
has stat_returns c '^200,,uretprobe:calls:mid,'
has stat_usdt c '^200,,usdt:.*:shop:sale,'
status stat_misspelt 125 "$PROF" stat -e "uprobe:$PWD/calls:laef" true
has stat_misspelt_near err 'did you mean leaf\?'

# Root in a container has files of its own root directory and pids of its own; then the same program from outside.
mkdir -p root/proc root/sys root/tmp
cc -g -O0 -static -o root/calls calls.c && cp "$PROF" root/prof || exit 1
inside() { unshare -mpf sh -c 'mount -t proc none root/proc && mount --rbind /sys root/sys && exec chroot root "$@"' sh "$@"; }
inside /prof -q -e uprobe:/calls:leaf -o /x.folded -- /calls >out 2>err
check in_a_container "$(lines root/x.folded ';main;mid;leaf 200$')" -eq 200
inside /prof stat -x, -o /c -e uprobe:calls:leaf -- /calls >out 2>err
has stat_in_a_container root/c '^200,,uprobe:calls:leaf,'
start unshare -mpf chroot root /calls stay
of_container() { contained=$(pgrep -P "$pid" -x calls); [ "$contained" ]; }
wait_for 10 of_container
"$PROF" -q -e uprobe:/calls:leaf -d 1 -p "$contained" -o x.folded
check of_a_container "$(lines x.folded ';main;mid;leaf ')" -ge 50
kill -9 "$contained"

# A process that runs already; afterwards it has no probe any more.
"$PROF" -q -e "uprobe:$PWD/calls:leaf" -d 100 -a -o x.folded >out 2>err & p=$!
started="$started $p"
start ./calls stay >out
c=$pid
if [ "$(uname -m)" = x86_64 ]; then
	offset=$(nm calls | sed -nE 's/^0*([0-9a-f]+) T leaf$/\1/p')
	breakpoint() { dd if=/proc/$c/mem bs=1 skip=$((0x$(sed -nE "s|^([0-9a-f]+)-.* 00000000 .*calls$|\1|p" /proc/$c/maps | head -1) + 0x$offset)) count=1 2>/dev/null | od -An -tx1 | tr -d ' '; }
	is_set() { [ "$(breakpoint)" = cc ]; }
	is_gone() { ! is_set; }
	check set "$(wait_for 10 is_set && echo yes)" = yes
	kill -9 $p
	check gone_after_sigkill "$(wait_for 10 is_gone && echo yes)" = yes
fi
kill -9 $p 2>/dev/null
"$PROF" -q -e "uprobe:calls:leaf" -d 1 -p $c -o x.folded
check of_a_process "$(lines x.folded 'main;mid;leaf ')" -ge 50
"$PROF" -q -e "usdt:calls:shop:sale" --leaf 'word=+0(arg2):string' -d 1 -p $c -o x.folded
salt=$(lines x.folded ';word="salt" ') tea=$(lines x.folded ';word="tea" ')
check usdt_text "$salt" -ge 20 -a "$tea" -ge 20 -a $((salt - tea)) -le 2 -a $((tea - salt)) -le 2
kill $c

status too_many 125 "$PROF" -e 'uprobe:libc:*str*' true
has too_many_why err 'record and stat take 20 in all.*; use prof latency for more'
status misspelt 125 "$PROF" -e "uprobe:$PWD/calls:laef" true
has misspelt_near err 'did you mean leaf\?'
chmod 755 calls
su -s /bin/sh nobody -c "'$PROF' -e uprobe:$PWD/calls:leaf -o - ./calls" >out 2>err
check nobody $? -eq 125
has nobody_why err 'probes need CAP_PERFMON'
su -s /bin/sh nobody -c "'$PROF' stat -e cycles,uprobe:$PWD/calls:leaf ./calls" >out 2>err
check nobody_stat $? -eq 125
has nobody_stat_why err 'probes need CAP_PERFMON'

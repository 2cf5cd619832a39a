#!/bin/sh
# --growth: what makes a process larger, in bytes, by stack; and memory in use by OpenTelemetry's probes.
. "$(dirname "$0")/../lib.sh"
need_root
grows=$(program grows) || exit 1

# These tests compare bytes, and count each once. Copies of stacks keep their size, so that prof does not open events again
# meanwhile.
once=--stack-size=16384 show="g.folded p.folded b.folded perr"
# Bytes of the stacks that match.
bytes() { awk -v r="$2" '$0 ~ r { n += $NF } END { printf "%d\n", n }' "$1"; }
page=$(getconf PAGESIZE)

"$PROF" -q $once --growth -o g.folded -o g.json -o g.pb.gz -o g.html -o g.svg -o g.txt --stats s.json "$grows" >out
check nothing-is-lost "$(field s.json lost)" = 0
check mapped "$(bytes g.folded ';main;maps;.*[[]anonymous[]] ')" = $((10 * ((1 << 20) + page)))
check heap "$(bytes g.folded ';main;heap;.*[[]brk[]] ')" = $((8 << 18))
check moved "$(bytes g.folded ';main;moves;.*[[]mremap[]] ')" = $((2 << 20))
check reserved "$(bytes g.folded ';main;reserves;.*[[]reserved[]] ')" = $((64 << 20))
check fixed-places-and-failures-are-none "$(grep -c ';main;reserves;' g.folded)" = 1
has files g.folded ';\[file\] [0-9]+$'
# main's growth is what the process prints about itself, except for the memory that it gave back.
check all-of-it $(($(bytes g.folded ';main;(maps|heap|moves|reserves);') - (1 << 18))) = $(($(cat out) * 1024))
has speedscope-unit g.json '"unit":"bytes"'
has svg-name g.svg 'growth bytes'
has table-name g.txt '\(growth bytes\)'
for f in g.json g.pb.gz g.html g.svg; do
	check "round-trip-${f#g.}" "$("$PROF" report -o - -f folded "$f" | bytes - ';main;maps;')" = $((10 * ((1 << 20) + page)))
done
# Attached: prof knows the end of the heap before the first brk.
start "$grows" later
runs "$pid" grows
"$PROF" $once --growth -p "$pid" -o p.folded 2>perr
check attached-heap "$(bytes p.folded ';main;heap;.*[[]brk[]] ')" = $((8 << 18))
check attached-maps "$(bytes p.folded ';main;maps;')" = $((10 * ((1 << 20) + page)))
# With other events: each has its own weight.
"$PROF" -q $once -e page-faults/period=20/ --growth -o b.folded "$grows" >out
check beside-another "$(bytes b.folded '[[]growth bytes[]].*;main;reserves;')" = $((64 << 20))
status no-filter 125 "$PROF" --growth --filter 'id > 3' true
status needs-registers 125 "$PROF" --growth --call-graph fp true
cp "$PROF" ./prof && chmod 755 prof . 2>/dev/null
status nobody 125 su nobody -s /bin/sh -c './prof --growth -o - true'
has nobody-is-told-who-may err 'root'

# OpenTelemetry's probes: the allocated bytes, and those still in use.
cat >heap.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
#define PROBE(name, args, ...) __asm__ volatile("990: nop\n" \
	".pushsection .note.stapsdt,\"\",\"note\"\n .balign 4\n .4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n 992: .balign 4\n" \
	"993: .8byte 990b, 0, 0\n .asciz \"otel_memory\"\n .asciz \"" name "\"\n .asciz \"" args "\"\n 994: .balign 4\n" \
	".popsection\n" : : __VA_ARGS__)
#define FAR __attribute__((noinline, noclone))
static char place[64];
FAR static void allocates(long at, long weight) { PROBE("alloc", "8@%0 8@%1 8@%2", "r"(place + at), "r"(100L), "r"(weight)); }
FAR static void frees(long at) { PROBE("free", "8@%0", "r"(place + at)); }
FAR static void leaks(void) { for (long i = 0; i < 10; i++) allocates(i, 1 << 19); frees(3); frees(4); frees(3); }
FAR static void gives_back(void) { for (long i = 0; i < 100; i++) { allocates(20, 1 << 20); frees(20); } }
FAR static void child(void) { allocates(30, 1 << 21); }
FAR static void parent(void) { allocates(31, 1 << 20); }
int main(int argc, char **argv)
{
	if (argc > 1) {
		if (!fork()) {
			child();
			_exit(0);
		}
		wait(NULL);
		parent();
	}
	if (argc > 2)
		execl(argv[0], argv[0], (char *)0);
	if (argc == 1) {
		leaks();
		gives_back();
	}
	return 0;
}
C
cc -g -O0 -o heap heap.c || exit 1
"$PROF" $once -e "usdt:$PWD/heap:otel_memory:alloc,usdt:$PWD/heap:otel_memory:free" -o h.folded ./heap 2>err
check allocated "$(bytes h.folded 'alloc bytes[]].*;main;')" = $(((10 << 19) + (100 << 20)))
check in-use "$(bytes h.folded 'free in-use bytes[]].*;main;leaks;allocates ')" = $((8 << 19))
check given-back "$(bytes h.folded 'free in-use bytes[]].*;main;gives_back;')" = 0
has unknown-is-told err 'freed 1 block of which prof did not see the allocation'
"$PROF" stat -x, -o c -e "usdt:$PWD/heap:otel_memory:alloc,usdt:$PWD/heap:otel_memory:free" ./heap
has stat-counts-calls c '^110,,usdt:.*:otel_memory:alloc,'
status several-weights 125 "$PROF" -e "usdt:$PWD/heap:otel_memory:*" ./heap
# Memory that is gone: of a child that has ended; of a program in whose place another one runs.
memory="usdt:$PWD/heap:otel_memory:alloc,usdt:$PWD/heap:otel_memory:free"
"$PROF" -q $once -e "$memory" -o h.folded ./heap fork
check in-use-of-parent "$(bytes h.folded 'free in-use bytes[]].*;main;parent;')" = $((1 << 20))
check in-use-of-child "$(bytes h.folded 'free in-use bytes[]].*;main;child;')" = 0
check allocated-by-child "$(bytes h.folded 'alloc bytes[]].*;main;child;')" = $((1 << 21))
"$PROF" -q $once -e "$memory" -o h.folded ./heap fork exec
check in-use-before-exec "$(bytes h.folded 'free in-use bytes[]].*;main;parent;')" = 0
check in-use-behind-exec "$(bytes h.folded 'free in-use bytes[]].*;main;leaks;')" = $((8 << 19))

# 32-bit programs on a 64-bit kernel have the calls by other numbers.
if [ "$(uname -m)" = x86_64 ]; then
	need i686-linux-gnu-gcc "gcc-i686-linux-gnu libc6-dev-i386-cross"
	i686-linux-gnu-gcc -O1 -g -static -o narrow "$TESTS/programs/grows.c" || exit 1
	"$PROF" -q $once --growth -o g.folded ./narrow >out
	# It ends before prof reads its vdso, by which its calls go: the mark tells what they were.
	check narrow-mapped "$(bytes g.folded ';[[]anonymous[]] ')" -ge $((10 * ((1 << 20) + page)))
	check narrow-heap "$(bytes g.folded ';main;heap;.*[[]brk[]] ')" = $((8 << 18))
	check narrow-moved "$(bytes g.folded ';[[]mremap[]] ')" = $((2 << 20))
	check narrow-reserved "$(bytes g.folded ';[[]reserved[]] ')" = $((64 << 20))
fi

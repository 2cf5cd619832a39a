#!/bin/sh
# How much memory prof uses besides the rings, on the same work each time: with packed debug information that is larger than the
# bound, and with ever new stacks.
# alone: what prof holds depends on how soon it may run
. "$(dirname "$0")/../lib.sh"
need gcc gcc
need objcopy binutils

rss() { "$PROF" -q -F 999 --stats s.json -o x.folded -- "$@" >out 2>err || not_ok "$1" "prof failed" err; field s.json max_rss_kib; }
busy=$(program busy) || exit 1
plain=$(rss "$busy" cpu 1)
echo "busy: $plain KiB"
within busy "$plain" 500 16384

# Units with six thousand types each; nobody asks for any of them.
awk 'BEGIN { for (i = 0; i < 6000; i++) printf "struct s%d { int a%d; struct s%d *b%d[%d]; char long_name_of_a_member_%d[%d]; };\n", i, i, i ? i - 1 : 0, i, i % 9 + 1, i, i % 50 + 1 }' >types.h
i=0
while [ $i -lt 24 ]; do
	{
		echo '#include "types.h"'
		echo "static inline __attribute__((always_inline)) unsigned in$i(unsigned v) { for (unsigned k = 0; k < 200; k++) v = v * 25214903917u + k; return v; }"
		echo "struct s5999 x$i; __attribute__((noinline)) unsigned f$i(unsigned v) { return in$i(v) + 1; }"
	} >u$i.c
	echo "unsigned f$i(unsigned);" >>all.h
	echo "v += f$i(v);" >>calls.h
	i=$((i + 1))
done
cat >main.c <<'END'
#include <time.h>
#include "all.h"
volatile unsigned sink;
int main(void)
{
	unsigned v = 1;

	while (clock() < CLOCKS_PER_SEC) {
#include "calls.h"
	}
	sink = v;
}
END
gcc -O2 -g -fno-eliminate-unused-debug-types -gz=zlib -o large u*.c main.c || exit 1
bytes=$(gcc -O2 -g -fno-eliminate-unused-debug-types -c -o u.o u0.c && objcopy -O binary --only-section=.debug_info --set-section-flags .debug_info=alloc u.o u.info && wc -c <u.info)
echo "$((bytes * 24 >> 20)) MiB of .debug_info"
within size $((bytes * 24 >> 10)) 8192 65536
large=$(rss ./large)
echo "large: $large KiB"
has names x.folded 'main;f[0-9]+;in[0-9]+_\[i\]'
for f in 0 11 23; do has "f$f" x.folded "main;f$f;in${f}_\[i\]"; done
check large $((large - plain)) -le 6144
exit $failed

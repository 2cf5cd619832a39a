#!/bin/sh
# Recordings that perf 7.2 made on boards of other machines (tests/data/perfdata/record) are unwound and named here: all frames of copied
# stacks, and of frame pointers what perf recorded.
. "$(dirname "$0")/../lib.sh"
data=$TESTS/data/perfdata
whole='begin;one;two;two;two;two;two;two;three;four;leaf'
for machine in aarch64 armv7 riscv64; do
	mkdir -p $machine
	cp "$data/$machine.program" $machine/program
	"$PROF" report "$data/$machine.data" --sysroot $machine -o x.folded >out 2>told
	n=$(samples x.folded)
	export show="told x.folded"
	check $machine-samples "$n" -ge 20
	has $machine-complete told ' \(0 lost\); 100\.0% complete stacks'
	check $machine-frames "$(samples x.folded "^program;_start;$whole\$")" -ge $((n * 9 / 10))
	check $machine-start "$(samples x.folded '^program;_start(;|$)')" = "$n"
	"$PROF" report "$data/$machine-fp.data" --sysroot $machine -o x.folded >out 2>told
	check $machine-fp-samples "$(samples x.folded)" -ge 20
	check $machine-fp-named "$(samples x.folded '\[unknown\]|\[program')" = 0
done
# The innermost function has no frame: its caller is in the register that perf records.  The other kernels lose the way: in Thumb code, and where the innermost function saves no return address.
"$PROF" report "$data/aarch64-fp.data" --sysroot aarch64 -o x.folded >out 2>told
check aarch64-fp-frames "$(samples x.folded '^program;_start;begin;one;two;two;two;two;two;two;three;four;leaf$')" -ge $(($(samples x.folded) * 9 / 10))
has aarch64-fp-complete told '; 100\.0% complete stacks'
exit $failed

#!/bin/sh
# prof reads a recording of 300 MB, from a file and from a pipe, in as much memory as one of some MB, and a terminal shows that it works.
. "$(dirname "$0")/../lib.sh"
need perf linux-perf
need_terminal
perf record -q -N -B -e cpu-clock -o data true >out 2>err || { [ "${CI:-}" = true ] && not_ok perf "it cannot record" err || skip '' 'perf cannot record here'; exit $failed; }
burn=$(program demo -g)
for tool in repeat measure; do
	cc -std=c11 -O2 -D_GNU_SOURCE -o $tool "$TESTS/bench/$tool.c" 2>err || not_ok $tool 'cannot be built' err
done
perf record -q -N -B -F 500 -e cpu-clock:u --call-graph dwarf,16384 -o data timeout 1 "$burn" >out 2>err
perf record -q -F 500 -e cpu-clock:u --call-graph dwarf,16384 -o - timeout 1 "$burn" 2>err >piped

# kib: the memory that the last run of measure took.
kib() { tail -n 1 cost | cut -d ' ' -f 3; }
for from in data piped; do
	times=$((300000000 / $(stat -c %s $from) + 1))
	./repeat $times <$from >large || not_ok "$from-repeat" "it cannot read what perf wrote"
	cat $from | ./measure cost "$PROF" report -q $([ $from = data ] && echo data || echo -) -o small.folded 2>told
	small=$(kib) one=$(samples small.folded)
	show=told check "$from-one" "$one" -ge 20
	cat large | ./measure cost "$PROF" report -q $([ $from = data ] && echo large || echo -) -o large.folded 2>told
	large=$(kib)
	show=told check "$from-all" "$(samples large.folded)" = $((one * times))
	check "$from-memory" "$large" -le $((small + 8192))
	[ $from = piped ] || script -qec "\"$PROF\" report large -o large.folded" /dev/null >seen 2>&1
	[ $from = piped ] || has progress seen 'looking up names'
done

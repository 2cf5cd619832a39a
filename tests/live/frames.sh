#!/bin/sh
# prof's frames beside perf's with 64 KiB of stack, and libunwind's, on the same samples: tests/accuracy/frames compares.
# docs/accuracy.md explains the two ways in which they may come apart; of all frames these may be one in two hundred.
. "$(dirname "$0")/../lib.sh"
need perf linux-perf
need sqlite3 sqlite3
perf record -q -N -B -e cpu-clock --call-graph dwarf -o data true >out 2>err || { [ "${CI:-}" = true ] && not_ok perf "it cannot record" err || skip '' 'perf cannot record here'; exit $failed; }
"$TESTS/accuracy/frames" -s 20 cc1 cc1plus c++ python sqlite xz openssl git redis >told 2>err || { not_ok runs "tests/accuracy/frames failed" err told; exit 1; }
show=told check workloads "$(grep -c ' 0 of them not in perf' told)" -ge 6
ways='they stop (for a register that the leaf has popped|in code without a table)'
for other in perf libunwind; do
	sed -n "s/^[^ ]*: $other: //p" told >its
	alike=$(awk '/frames alike$/ { n += $1 } END { print n + 0 }' its)
	explained=$(awk -v ways="$ways" '/stacks,/ && $0 ~ ways { n += $3 } END { print n + 0 }' its)
	rest=$(awk -v ways="$ways" '/stacks,/ && $0 !~ ways { n += $3 } END { print n + 0 }' its)
	echo "$other: $alike frames alike, $explained explained, $rest others"
	show=told check $other-compared "$alike" -ge 15000
	show=told check $other-explained $((explained * 200)) -le "$alike"
	show=told check $other-others $((rest * 2000)) -le "$alike"
done
exit $failed

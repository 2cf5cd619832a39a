#!/bin/sh
# As root one busy thread at 10,000 Hz: nothing lost.
. "$(dirname "$0")/../lib.sh"
need_root
busy=$(program busy) || exit 1
rate=/proc/sys/kernel/perf_event_max_sample_rate
old=$(cat $rate)
[ "$old" -ge 10000 ] || { finally "echo $old >$rate"; echo 10000 >$rate; }
"$PROF" -F 10000 --stats s.json -o f.folded -- "$busy" cpu 3 2>err
check lost "$(field s.json lost)" = 0
within samples "$(field s.json samples)" 28000 31500
"$PROF" -F 10000 --stats s.json -o f.folded -- "$busy" recurse 2 300 2>err
check lost-deep "$(field s.json lost)" = 0
exit $failed

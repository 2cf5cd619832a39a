#!/bin/sh
# prof's reader avoids the CPU on which its target runs, wherever the target goes, and does not move the target.
# alone: on which CPU it runs is what is tested
. "$(dirname "$0")/../lib.sh"
need_root
need taskset util-linux
[ "$(nproc)" -gt 1 ] || { skip '' "there is one CPU"; exit 0; }
busy=$(program busy) || exit 1
cpus=$(taskset -cp $$ | sed 's/.*: //')
start taskset -c 0 "$busy" cpu 60
target=$pid
runs $target busy
start "$PROF" -F 4999 -q -o p.folded -p $target
on() { sed 's/.*) //' /proc/$pid/stat | cut -d' ' -f37; }
is_off() { [ "$(on)" != "$1" ]; }
# times_off CPU: of ten looks.  prof's keeper may push the reader to another CPU for one round.
times_off() { for look in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; is_off $1 && echo off; done | wc -l; }
for cpu in 0 1; do
	taskset -cp $cpu $target >/dev/null
	wait_for 10 is_off $cpu
	check off-$cpu "$(times_off $cpu)" -ge 7
done
check not-held "$(taskset -cp $pid | sed 's/.*: //')" = "$cpus"
taskset -cp 1 $pid >/dev/null
sleep 0.5
check where-told "$(taskset -cp $pid | sed 's/.*: //')" = 1
kill $target
wait $pid
check sampled "$(samples p.folded)" -gt 1000
"$PROF" -F 4999 -q -o p.folded -- sh -c "$busy cpu 1; taskset -cp \$\$ >own"
check command-untouched "$(sed 's/.*: //' own)" = "$cpus"

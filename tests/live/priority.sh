#!/bin/sh
# prof is real-time again once it has read a large file, also where root may not raise limits (no cap_sys_resource, as in containers).
# Threads that go before it and have all CPUs do not keep it from its rings (SVT-AV1's are such, if root runs it).
. "$(dirname "$0")/../lib.sh"
need_root
need setpriv util-linux
need chrt util-linux
chrt -f 1 true 2>/dev/null || { skip '' "no real-time priorities here"; exit 0; }
[ "$(nproc)" -gt 1 ] || { skip '' "one CPU"; exit 0; }
cc1=$(gcc -print-prog-name=cc1)
seq 3000 | sed 's/.*/int f&(int a, int b) { int s = 0; for (int i = 0; i < a; i++) s += i * b ^ &; return s; }/' >many.c
start "$cc1" -quiet -O2 many.c -o many.s; target=$pid
start setpriv --bounding-set=-sys_resource "$PROF" -q -d 4 -o x.folded -p $target; prof=$pid
capturing $prof
# policy_of PID: its nice, its real-time priority, and its policy (1: SCHED_FIFO).
policy_of() { sed 's/.*) //' /proc/$1/stat 2>/dev/null | cut -d ' ' -f 17,38,39; }
sleep 1
while [ -e /proc/$prof/cmdline ] && [ "$(policy_of $prof)" != '-20 1 1' ]; do sleep 0.05; done
policy_of $prof >policy
wait $prof
check status $? = 0
check samples "$(samples x.folded cc1)" -gt 0
check again "$(cat policy)" = '-20 1 1'

start "$(program busy)" many 8 $(($(nproc) * 2)); target=$pid
start "$PROF" -q -F 499 -d 4 --stats s.json -o x.folded -p $target; prof=$pid
capturing $prof
sleep 0.5
chrt -a -f -p 50 $target
sleep 2
policy_of $prof >policy
wait $prof
check urgent "$(cut -d ' ' -f 2 policy)" = 99
check urgent-lost "$(field s.json lost)" -eq 0
check urgent-samples "$(field s.json samples)" -gt $((499 * 3 * $(nproc)))
kill $target
exit $failed

#!/bin/sh
# prof is real-time again once it has read a large file, also where root may not raise limits (no cap_sys_resource, as in containers).
. "$(dirname "$0")/../lib.sh"
need_root
need setpriv util-linux
need chrt util-linux
chrt -f 1 true 2>/dev/null || { skip '' "no real-time priorities here"; exit 0; }
[ "$(nproc)" -gt 1 ] || { skip '' "one CPU"; exit 0; }
cc1=$(gcc -print-prog-name=cc1)
seq 3000 | sed 's/.*/int f&(int a, int b) { int s = 0; for (int i = 0; i < a; i++) s += i * b ^ &; return s; }/' >many.c
start "$cc1" -quiet -O2 many.c -o many.s; target=$pid
start setpriv --bounding-set=-sys_resource "$PROF" -q -d 2 -o x.folded -p $target; prof=$pid
capturing $prof
# policy_of PID: its nice, and its policy (1: SCHED_FIFO).
policy_of() { sed 's/.*) //' /proc/$1/stat | cut -d ' ' -f 17,39; }
sleep 1
i=0
while [ $i -lt 5 ]; do
	policy_of $prof
	sleep 0.1
	i=$((i + 1))
done >policies
wait $prof
check status $? = 0
check samples "$(samples x.folded cc1)" -gt 500
check again "$(grep -cx -e '-20 1' policies)" -ge 4
exit $failed

#!/bin/sh
# prof attaches to 500 threads, and to threads that start later.
# alone: five hundred threads want the CPUs
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1
mkfifo gate
exec 3<>gate   # for both ends: opening it never waits
start "$busy" many 0.008 500 <gate >ready; target=$pid
wait_for 10 grep -q ready ready
start "$PROF" --stats s.json -o many.folded -p $target; prof=$pid
capturing $prof
sleep 0.2
echo >&3
wait $prof
check status $? = 0
check all-500 "$(grep -oE '^t[0-9]+;' many.folded | sort -u | wc -l)" -ge 498
check stacks "$(samples many.folded '^t[0-9]+;.*waiter;burn;outer;middle;inner$')" -ge 3400
check none-lost "$(field s.json lost)" = 0

start "$busy" born 0.1 8 <gate >ready2; target=$pid
wait_for 10 grep -q ready ready2
start "$PROF" -q -o born.folded -p $target; prof=$pid
capturing $prof
sleep 0.2
echo >&3
wait $prof
check born-later "$(grep -oE '^born[0-9]+;' born.folded | sort -u | wc -l)" = 8
within born-samples "$(samples born.folded '^born[0-9]+;.*inner$')" 600 880

# With few descriptors.
start "$busy" many 0.008 500 <gate >ready3; target=$pid
wait_for 10 grep -q ready ready3
sh -c 'ulimit -n 700; exec "$0" -q -o few.folded -p "$1"' "$PROF" $target 2>err &
prof=$!
capturing $prof
sleep 0.2
echo >&3
wait $prof
got=$?
if [ $got = 125 ]; then has few-said err 'descriptor|open files|RLIMIT_NOFILE|ulimit'; else check few-all "$(grep -oE '^t[0-9]+;' few.folded | sort -u | wc -l)" -ge 498; fi

# With too few descriptors for so many threads, and with lost samples because prof does not run for a while, prof says what to do.
if [ "$(id -u)" = 0 ]; then
	many=$(program many) || exit 1
	start "$many" 200 5000
	target=$pid
	(ulimit -n 64 && exec "$PROF" -F 9999 -d 6 -o crowd.folded -p $target) 2>err &
	prof=$!
	capturing $prof
	kill -STOP $prof
	sleep 3
	kill -CONT $prof
	wait $prof
	has crowd err 'the limit of [0-9]+ file descriptors is too low for events on [0-9]+ threads \(ulimit -n\)'
fi
exit $failed

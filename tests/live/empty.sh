#!/bin/sh
# For a profile without samples prof says which event did not happen, or which processes ran all the same.
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1
many=$(program many) || exit 1
sleep=$(command -v sleep)

start "$sleep" 60; idle=$pid
"$PROF" -p $idle -d 0.3 -o x.folded 2>err
has idle err '^prof: the profile is empty: the target did not run on a CPU in that time'
"$PROF" -e page-faults -p $idle -d 0.3 -o x.folded 2>err
has no-event err '^prof: the profile is empty: the target had no page-faults (in that time$|on its user side, and prof may not see the kernel)'
lacks no-event-no-cpu err 'did not run'
if [ "$(id -u)" = 0 ]; then
	"$PROF" -e sched:sched_process_exec -p $idle -d 0.3 -o x.folded 2>err
	has no-tracepoint err '^prof: the profile is empty: the target had no sched:sched_process_exec in that time$'
	"$PROF" -e sched:sched_process_exec --filter 'pid < 0' -o x.folded true 2>err
	has none-passes err '^prof: the profile is empty: the target had no sched:sched_process_exec that --filter lets through in that time$'
fi
if [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" = 0 ] || [ "$(id -u)" = 0 ]; then
	"$PROF" --engine=ptrace -p $idle -d 0.3 -o x.folded 2>err
	has looked err '^prof: the profile is empty: prof looked [1-9][0-9]* times, and no thread of the target was on a CPU then'
fi
start "$PROF" -p $idle -o x.folded 2>err; prof=$pid
capturing $prof
kill $idle
wait $prof
has ended err '^prof: the profile is empty: the target ended before'
start "$sleep" 60
start "$PROF" -p $pid -o x.folded 2>err
capturing $pid
kill -INT $pid
wait $pid
has interrupted err '^prof: the profile is empty: the target did not run'

# A count of one has no plural behind it.
if [ "$(id -u)" = 0 ]; then
	"$PROF" -v -e syscalls:sys_enter_exit_group -o x.folded -- true 2>err
	has one-sample err '^prof: 1 sample \(0 lost\) in [0-9.]+ s, 1 thread; '
	lacks no-plural-behind-one err '(^|[^0-9.,])1 (samples|stacks|frames|threads|buffers|times|records|calls|files)'
fi

# If prof leaves children out, it says which of them ran.
start sh -c "\"$busy\" wall 60 & wait"; parent=$pid
child $parent busy
"$PROF" -p $parent --no-inherit -d 0.5 -o x.folded 2>err
has children err '^prof: the profile is empty: the target did not run, but 1 of its children did; .*--no-inherit'
has child err "^prof: process $child \\(busy\\) ran 0\\.[0-9]+ s$"
"$PROF" -p $parent -d 0.5 -o x.folded 2>err
check children-are-in "$(samples x.folded)" -ge 20
kill "$child"

# Threads that together ran long, but each of them less than the time between two samples.
start "$many" 400 300 >there
wait_for 20 grep -q there there
"$PROF" -F 99 -p $pid -d 1 -o x.folded 2>err
has too-little err "^prof: the profile is empty: the target's threads ran 0\\.[0-9]+ s together, but each of them less than the 10\\.10 ms|% of CPU time was in threads that ran too little"
lacks too-little-ran err 'did not run'

# Events that happen in the kernel, of which an ordinary user sees only the user side.
if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
	cp "$PROF" ./prof && chmod 755 prof && chmod 777 .
	setpriv --reuid=65534 --regid=65534 --clear-groups ./prof -e context-switches -c 1 -o n.folded sleep 0.2 2>err
	has kernel-side err "^prof: the profile is empty: the target had no context-switches.* on its user side, and prof may not see the kernel's side"
fi

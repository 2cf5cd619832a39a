#!/bin/sh
# The fate of the command, and of prof under signals.
# alone: it measures time
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1

for n in 0 1 2 42 125 126 127 128 200 255; do
	"$PROF" -q -o x.folded -- sh -c "exit $n" 2>err
	got=$?
	[ $got = $n ] || not_ok exit "status $got of a command that gave $n" err
done
[ $failed = 0 ] && ok exit
for s in TERM:143 KILL:137 SEGV:139 HUP:129 INT:130; do
	"$PROF" -q -o x.folded -- sh -c "kill -${s%:*} \$\$" 2>err
	got=$?
	[ $got = "${s#*:}" ] || not_ok signal "status $got of a command ended by SIG${s%:*}" err
done
[ $failed = 0 ] && ok signal
echo text >plain
status no-such-command 127 "$PROF" -o n.folded -- ./nothing-here
status no-such-in-path 127 "$PROF" -o n.folded -- nothing-here-either
status not-executable 126 "$PROF" -o n.folded -- ./plain
status a-directory 126 "$PROF" -o n.folded -- .
check nothing-written ! -e n.folded

[ "$(echo hello | "$PROF" -q -o x.folded -- cat)" = hello ] && ok stdin-stdout || not_ok stdin-stdout "not passed on"
"$PROF" -o x.folded -- echo out >got 2>err
check stdout-alone "$(cat got)" = out
"$PROF" -o x.folded -- sh -c 'echo out; echo err >&2' >got 2>err
has stderr err '^err$'
grep 'Sig[PBIC]' /proc/self/status >want
"$PROF" -q -o x.folded -- grep 'Sig[PBIC]' /proc/self/status >got
cmp -s got want && ok signals-alone || not_ok signals-alone "the command's signals are not as without prof" got want
cut -d' ' -f5,6,7,8 /proc/self/stat >want
"$PROF" -q -o x.folded -- cut -d' ' -f5,6,7,8 /proc/self/stat >got
cmp -s got want && ok terminal-alone || not_ok terminal-alone "another process group, session or terminal" got want
ls /proc/self/fd | wc -l >want
"$PROF" -q -o x.folded -- ls /proc/self/fd | wc -l >got
cmp -s got want && ok descriptors-alone || not_ok descriptors-alone "descriptors leak into the command" got want

# With a command SIGINT is the command's.
status int-with-command 3 "$PROF" -q -o x.folded -- sh -c 'kill -INT $PPID; sleep 0.2; exit 3'
# -d runs out: the file is there while the command runs on, and prof exits with the command's status.
"$PROF" -q -d 0.3 -o d.folded -- sh -c "'$busy' wall 2; [ -s d.folded ] && exit 9; exit 8"
check d-then-status $? = 9
"$PROF" -q -o t.folded -- sh -c "'$busy' cpu 0.2; kill -TERM \$PPID; sleep 1.5; [ -s t.folded ] && exit 9; exit 8"
check term-then-status $? = 9
check term-samples "$(samples t.folded inner)" -ge 100

# A second signal ends prof while it waits for the command's end.
for s in TERM:143 HUP:129; do
	start "$PROF" -q -o twice.folded -- "$busy" wall 3; prof=$pid
	capturing $prof
	kill -${s%:*} $prof
	wait_for 5 test -s twice.folded
	sleep 0.3
	kill -${s%:*} $prof
	wait $prof 2>/dev/null
	check wait-twice-${s%:*} $? = ${s#*:}
	rm -f twice.folded
done

start "$busy" wall 60; target=$pid
for s in INT TERM HUP; do
	start env --default-signal=$s "$PROF" -o $s.folded -p $target; prof=$pid
	capturing $prof
	sleep 0.7
	kill -$s $prof
	wait $prof
	check attach-$s $? = 0
	check attach-$s-samples "$(samples $s.folded inner)" -ge 10
done
# timeout(1) sends its signal twice: to prof, and to prof's process group.
start "$busy" cpu 60; spinning=$pid
for i in 1 2 3 4 5; do
	rm -f twice.folded
	timeout 0.5 "$PROF" -q -o twice.folded -p $spinning
	[ -s twice.folded ] || break
done
[ -s twice.folded ] && ok timeout || not_ok timeout "no profile in run $i"
timeout 0.5 "$PROF" stat -q -o twice.stat -p $spinning
[ -s twice.stat ] && ok timeout-stat || not_ok timeout-stat "no counts"
env --ignore-signal=HUP "$PROF" -q --stats hup.json -d 1 -o hup.folded -p $spinning & prof=$!
capturing $prof
kill -HUP $prof
wait $prof
check nohup "$(field hup.json seconds | cut -d. -f1)" -ge 1
kill $spinning
wait $spinning 2>/dev/null
# A second signal ends prof at once; here prof waits for a reader after the first one.
mkfifo fifo
start "$PROF" -q -f folded -o fifo -p $target; prof=$pid
capturing $prof
sleep 0.3
kill -TERM $prof
sleep 0.3
keepers=$(pgrep -x prof-keeper -P $prof)
kill -0 $prof && ok first-waits || not_ok first-waits "prof did not wait for the reader of a FIFO"
kill -TERM $prof
wait_for 2 sh -c "! kill -0 $prof" && ok second-leaves || not_ok second-leaves "still there after two SIGTERM"
wait $prof 2>/dev/null
wait_for 5 sh -c 'for k; do ! kill -0 $k || exit 1; done' - ${keepers:-$$} && ok keepers-leave-too || not_ok keepers-leave-too "one of prof's keepers is still there"
kill -0 $target && ok target-unharmed || not_ok target-unharmed "the target is gone"
kill $target
wait $target 2>/dev/null

# The profile of a command that never runs on a CPU.
"$PROF" -F 1 -o z.json -o z.folded -- true 2>err
check empty-status $? = 0
has empty-said err 'empty|no samples'
check empty-folded -e z.folded -a ! -s z.folded
has empty-json z.json '"profiles"'
# The command has ended before prof begins.
"$busy" cpu 0 & gone=$!
wait $gone
status gone 125 "$PROF" -o gone.folded -p $gone -d 1
has gone-said err 'no such process'
exit $failed

#!/bin/sh
# An ordinary prof among 300 busy threads of its own session: -d and signals hold. The process that was started stands for the one that works.
# alone: three hundred threads want the CPUs
. "$(dirname "$0")/../lib.sh"
need_root
need setpriv util-linux
[ "$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)" = 1 ] || { skip '' "the kernel does not share CPUs by session here"; exit 0; }
busy=$(program busy) || exit 1
mkdir -m 777 crowd
cp "$PROF" crowd/prof
cp "$busy" crowd/busy
cd crowd || exit 1
mkfifo -m 666 gate orders
exec 5<>gate 6<>orders
cat >session.sh <<'E'
./busy many 1000 300 <gate >ready & echo $! >target
while read -r name options <&6; do
	./prof $options >$name.out 2>&1 & echo $! >$name.pid
	wait $!
	echo $? >$name.status
done
E
# no job control: the shell starts background commands with SIGINT ignored, which prof takes all the same
start setsid -w setpriv --reuid=65534 --regid=65534 --clear-groups sh session.sh
finally 'kill -9 $(cat target)'
wait_for 20 grep -q ready ready
target=$(cat target)
echo >&5
sleep 1
# begin NAME OPTIONS...: in the session; the process that was started in $front, the one that works in $prof once it counts.
begin() {
	echo "$*" >&6
	wait_for 60 test -s "$1.pid"
	front=$(cat "$1.pid")
	wait_for 60 pgrep -x prof -P "$front"
	prof=$(pgrep -x prof -P "$front")
	capturing "$prof"
}
# ends NAME: its exit status in $status.
ends() { wait_for 60 test -s "$1.status"; status=$(cat "$1.status"); }
session_of() { sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 4; }

begin deadline -d 1 --stats s.json -o d.folded -p "$target"
check own-session "$(session_of "$prof")" = "$prof"
ends deadline
check status "$status" = 0
within milliseconds "$(awk -v s="$(field s.json seconds)" 'BEGIN { print int(s * 1000) }')" 1000 1300
check samples "$(samples d.folded 'waiter;burn;.*inner$')" -ge 100

for signal in INT TERM HUP; do
	begin $signal -o $signal.folded -p "$target"
	sleep 1
	kill -$signal "$front"
	ends $signal
	check $signal "$status" = 0
	check $signal-samples "$(samples $signal.folded 'waiter;burn;.*inner$')" -ge 100
done

begin stopped -d 600 -o stopped.folded -p "$target"
kill -TSTP "$front"
wait_for 20 grep -q '^State:.T' "/proc/$front/status"
check stopped "$(grep -c '^State:.T' "/proc/$prof/status")" = 1
kill -CONT "$front"
wait_for 20 sh -c "! grep -q '^State:.T' /proc/$prof/status"
check continued "$(grep -c '^State:.T' "/proc/$prof/status")" = 0
kill -KILL "$front"
ends stopped
check killed "$status" = 137
wait_for 20 sh -c "! [ -e /proc/$prof/cmdline ]"
check none-left "$(pgrep -c -u 65534 prof)" = 0
check nothing-written "$(ls | grep -c '^stopped.*folded')" = 0

begin dies -d 600 -o dies.folded -p "$target"
kill -SEGV "$prof"
ends dies
check dies "$status" = 139

echo fails -d 1 -o nowhere/x.folded -p "$target" >&6
ends fails
check fails "$status" = 125
has says fails.out 'nowhere'
echo counted stat -p "$target" >&6
wait_for 60 test -s counted.pid
wait_for 60 pgrep -x prof -P "$(cat counted.pid)"
sleep 1
kill -INT "$(cat counted.pid)"
ends counted
check counted "$status" = 0
has counts counted.out 'task-clock'
exit $failed

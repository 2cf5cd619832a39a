#!/bin/sh
# The ptrace engine: prof uses it where the kernel refuses perf_event_open, and says so. It shows the same as perf events do. Its
# targets notice nothing, even if somebody kills prof.
# alone: it measures time, and changes the kernel's settings
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) && noperf=$(program noperf) && torture=$(program torture) || exit 1
by_ptrace="$PROF --engine ptrace"

# The ladder.
$noperf "$PROF" -v -o x.folded --stats s.json -- $busy cpu 0.5 2>err
check stands-in $? = 0
within stands-in-samples "$(samples x.folded 'main;cpu;burn')" 400 550
has stands-in-says err 'by ptrace \(a seccomp filter refuses perf_event_open\), [0-9]+ stops, paused [0-9]+ us a sample'
has stands-in-errno err 'perf_event_open: Operation not permitted'
check stands-in-engine "$(field s.json engine)" = ptrace
"$PROF" -o x.folded --stats s.json -- $busy cpu 0.1 2>err
check perf-engine "$(field s.json engine)" = perf
status pinned-perf 125 $noperf "$PROF" --engine perf -o x.folded -- $busy cpu 0.1
has pinned-perf-said err 'seccomp'
status no-system 125 $by_ptrace -o x.folded -a -d 0.1
has no-system-said err 'not the whole system'
status no-events 125 $noperf "$PROF" -e page-faults -o x.folded -- $busy faults 10
has no-events-said err 'no other events'

# Stacks deeper than the longest copy: it reads on while the thread stands.  The first walks show how far, and a size that was asked
# for holds.
for size in 100 200 2000; do
	$by_ptrace -q -o x.folded --stats s.json -- $busy large 8 $size
	complete=$(field s.json stacks_complete) cut=$(field s.json stacks_truncated)
	show="s.json x.folded" check large-$size "$((complete * 100))" -ge "$(((complete + ${cut:-0} - 6) * 99))" -a "$complete" -ge 200
	check large-$size-right "$(samples x.folded ';main;large;burn')" -ge "$complete"
done
$by_ptrace -q --stack-size 65528 -o x.folded --stats s.json -- $busy large 0.3 100
check large-fixed "$(field s.json stacks_complete)" -lt 10

# Processes and threads that run already.
start $busy wall 60
target=$pid
$noperf "$PROF" -o x.folded -p $target -d 0.5 2>err
check attach "$(samples x.folded 'main;wall;outer')" -ge 20
$noperf "$PROF" -o x.folded -t $target -d 0.5 2>err
check attach-thread "$(samples x.folded 'main;wall;outer')" -ge 20
check let-go "$(awk '/TracerPid/ { print $2 }' /proc/$target/status)" = 0
kill $target
$by_ptrace -q -o x.folded -- $busy children 0.1 4
within children "$(samples x.folded 'main;cpu;burn')" 330 450
$by_ptrace -q --no-inherit -o x.folded -- $busy forks 0.2
check no-inherit "$(samples x.folded in_child)" = 0
start $torture debugger 30 >pid
wait_for 10 test -s pid
status debugger 125 $by_ptrace -o x.folded -p "$(cat pid)" -d 0.2
has debugger-named err 'process [0-9]+ \(torture\) traces it already'
# What traces other programs cannot under this engine, and prof says so.
if command -v strace >/dev/null; then
	$by_ptrace -o x.folded -- sh -c 'strace true' 2>err
	check tracer $? = 1
	has tracer-said err '^prof: strace can trace no program that it starts.*without strace, or use --engine=perf'
fi
"$PROF" -o x.folded -- sh -c 'strace true; true' 2>err
lacks tracer-of-perf err 'can trace no program'

if [ "$(id -u)" = 0 ]; then
	# /proc of another pid namespace, and no /proc.
	unshare -pf $by_ptrace -o x.folded -- $busy cpu 0.5 2>err
	within strange-proc "$(samples x.folded 'main;cpu;burn')" 400 550
	mkdir bare && cp "$PROF" bare/prof
	status no-proc 125 chroot bare /prof --engine ptrace -o /x.folded -- /prof version
	has no-proc-said err 'it needs /proc, which is not mounted: mount -t proc'
	start $busy wall 20
	chmod 777 . && cp "$PROF" "$noperf" .
	status foreign 125 setpriv --reuid=65534 --regid=65534 --clear-groups ./noperf ./prof -o y.folded -p $pid -d 0.2
	has foreign-said err 'it belongs to user 0'
	kill $pid
	# If prof has rights by its file, it does not look at a command that becomes another user by set-user-id. Without such
	# rights the command stays the same user.
	cp "$PROF" lent && cp "$busy" theirs && chmod u+s theirs
	if setcap cap_sys_ptrace,cap_perfmon+ep lent 2>/dev/null; then
		status lent 0 setpriv --reuid=65534 --regid=65534 --clear-groups ./lent --engine ptrace -o y.folded -- ./theirs cpu 0.2
		has lent-left-alone err '[^0-9]0 samples'
		status lent-own 0 setpriv --reuid=65534 --regid=65534 --clear-groups ./lent --engine ptrace -o y.folded -- "$T/bin/busy" cpu 0.2
		check lent-own-samples "$(samples y.folded 'main;cpu;burn')" -ge 100
	else
		skip lent "no setcap, or no file capabilities here"
	fi
fi

# Both engines find the same shares: a two-sample chi-square over functions, 6 of them, at one in ten millions; samples of this engine
# weigh more or less, so that they are worth half of as many.
"$PROF" --engine perf -q -o perf.folded -- $torture mix 20
$by_ptrace -q --stats s.json -o ptrace.folded -- $torture mix 40
chi=$(awk -v stops="$(field s.json stops)" '
{ n = $NF; f = match($0, /part_[a-e]+/) ? substr($0, RSTART, RLENGTH) : "rest"; v[FILENAME, f] += n; all[FILENAME] += n; name[f] }
END {
	n1 = all["perf.folded"]; n2 = stops / 2
	for (f in name) {
		a = v["perf.folded", f]; b = v["ptrace.folded", f] / all["ptrace.folded"] * n2
		if (a + b > 0) x += (sqrt(n2 / n1) * a - sqrt(n1 / n2) * b) ^ 2 / (a + b)
	}
	print int(x)
}' perf.folded ptrace.folded)
within as-perf "$chi" 0 40
check as-perf-stops "$(field s.json stops)" -ge 200

# The system treats the target as it would without prof.
for mode in signals sleeps jobs forks threads execs; do
	$torture $mode >want
	$by_ptrace -q -o x.folded -- $torture $mode >got 2>err
	check $mode-status $? = 0
	show="want got err" check $mode "$(cat got)" = "$(cat want)"
done
$by_ptrace -q --stats s.json -o x.folded -- $torture idle 5 >got
has idle got '^idle: 0 woken'
check idle-stops "$(field s.json stops)" -ge 20

# prof is killed at any moment, time and again.
random() { awk -v n="$1" 'BEGIN { srand(n); printf "%.3f", 0.005 + rand() / 10 }'; }
kills=0
for mode in signals sleeps jobs forks threads; do
	n=0
	: >got
	while [ $n -lt 10 ]; do
		$torture $mode >>got &
		target=$!
		while kill -0 $target 2>/dev/null && [ $n -lt 10 ]; do
			$by_ptrace -q -o x.folded -p $target 2>/dev/null &
			sleep "$(random $kills)"
			kill -9 $! 2>/dev/null && n=$((n + 1))
			wait $! 2>/dev/null
			kills=$((kills + 1))
		done
		wait $target
	done
	$torture $mode >want
	show="want got" check killed-$mode "$(sort -u got)" = "$(cat want)"
done
$by_ptrace -q -o x.folded -- $torture sleeps >got & p=$!
child $p torture
sleep 0.3
kill -9 $p
$torture sleeps >want
wait_for 30 test -s got
show="want got" check killed-over-command "$(cat got)" = "$(cat want)"

# Somebody kills the stopper: the target runs on, and prof writes a profile.
start $busy wall 20
target=$pid
$by_ptrace -o x.folded -p $target -d 1 2>err &
own=$!
wait_for 10 grep -q '^TracerPid:.[1-9]' /proc/$target/status
kill -9 "$(awk '/TracerPid/ { print $2 }' /proc/$target/status)"
wait $own
check stopper-killed $? = 0
check stopper-killed-target "$(awk '/^State/ { print $2 }' /proc/$target/status)" = R
kill $target

# Yama, where the kernel has it.
scope=/proc/sys/kernel/yama/ptrace_scope
if [ -e $scope ] && [ "$(id -u)" = 0 ]; then
	chmod 777 . && cp "$PROF" "$busy" "$noperf" .
	nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	sysctl_set kernel.yama.ptrace_scope 1
	nobody ./noperf ./prof -q -o y.folded -- ./busy cpu 0.3
	check yama1-command "$(samples y.folded 'main;cpu;burn')" -ge 200
	start setpriv --reuid=65534 --regid=65534 --clear-groups ./busy wall 20
	nobody ./noperf ./prof -o y.folded -p $pid -d 0.2 2>err
	check yama1-attach $? = 125
	has yama1-attach-said err 'ptrace_scope'
	echo 2 >$scope
	nobody ./noperf ./prof -o y.folded -- ./busy cpu 0.1 2>err
	check yama2-command $? = 125
	has yama2-said err 'ptrace_scope'
fi
exit $failed

#!/bin/sh
# An ordinary user to whom prof's file lends rights (setcap, or set-user-id) gets only the kernel's side of the user's own threads by it.
. "$(dirname "$0")/../lib.sh"
need_root
need setpriv util-linux
need setcap libcap2-bin
if findmnt -no OPTIONS -T . | grep -q nosuid; then
	skip '' "the file system is nosuid"
	exit 0
fi
busy=$(program busy) || exit 1
cp "$busy" busy && cp "$PROF" setcap && setcap cap_perfmon,cap_sys_ptrace+ep setcap && cp "$PROF" setuid && chmod 4755 setuid
# A set-user-id program of root, and one of another user.
cp "$busy" rootly && chmod 4755 rootly
cp "$busy" closed && chmod 4711 closed && chown 65533 closed && chmod 4711 closed
mkdir -m 777 theirs
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
sysctl_set kernel.perf_event_paranoid 2
# prof samples only the first one: the others need no CPU.
$nobody "$work/busy" wall 300 & own=$!
$nobody "$work/busy" secret 300 0 & hidden=$!
setpriv --reuid=65534 --regid=65533 --clear-groups "$work/busy" idle 300 & grouped=$!
finally "kill -9 $own $hidden $grouped"
runs $own busy && runs $hidden busy && wait_for 10 sh -c "[ \"\$(stat -c %u /proc/$hidden/maps)\" = 0 ]" && runs $grouped busy
# Some kernels have no namespaces of users for users, and no kernel has them in a chroot.
spaced=
if $nobody unshare -U true 2>/dev/null && [ "$($nobody unshare -U readlink /proc/self/ns/user)" != "$(readlink /proc/self/ns/user)" ]; then
	$nobody unshare -U "$work/busy" idle 300 & spaced=$!
	finally "kill -9 $spaced"
	runs $spaced busy
else
	skip namespace "users get no namespaces of users here"
fi
event_refused() { # TEST WORDS
	name=$1
	shift
	status "$with-$name" 125 $nobody ./$with -o theirs/no.folded "$@" -d 0.2 -p $own
}
for with in setcap setuid; do
	# Whose processes.
	for other in $hidden $grouped $spaced; do
		status $with-not-yours 125 $nobody ./$with -o theirs/no.folded -d 0.1 -p $other
		has $with-not-yours-said err 'not yours'
	done
	# Which events: only those on the list.
	event_refused raw -e r01c4
	has $with-raw-said err "only time and generic events"
	event_refused config -e 'software/config=2/,cpu/config=1/'
	event_refused tracepoint -e sched:sched_switch
	event_refused output -e bpf-output
	event_refused precise -e cycles:p
	if [ -e /sys/bus/event_source/devices/uprobe/type ]; then
		event_refused uprobe -e 'uprobe/config1=0x1,config2=0x1/'
		has $with-uprobe-said err "only time and generic events"
	fi
	event_refused period -e cpu-clock -c 10000
	has $with-period-said err '100000'
	status $with-period-enough 0 $nobody ./$with -q -o theirs/enough.folded -e cpu-clock -c 1000000 -d 0.3 -p $own
	check $with-period-enough-works "$(samples theirs/enough.folded 'inner$')" -ge 1
	# prof stat counts what prof may sample, and no more.
	status $with-stat 0 $nobody ./$with stat -x, -o theirs/c -e page-faults,cpu-clock -- ./busy cpu 0.1
	has $with-stat-counts theirs/c '^[1-9][0-9]*,,page-faults,'
	status $with-stat-own 0 $nobody ./$with stat -x, -o theirs/c -e cpu-clock --duration 0.2 -p $own
	for other in "-p $hidden" -a; do
		status "$with-stat-other$other" 125 $nobody ./$with stat -e cpu-clock --duration 0.1 $other
	done
	for event in uprobe:$PWD/busy:main r01c4 kprobe:vfs_read; do
		status "$with-stat-${event%%:*}" 125 $nobody ./$with stat -e $event -- true
		has "$with-stat-${event%%:*}-said" err 'only time and generic events'
	done
	# Never without the sandbox.
	status $with-no-sandbox 125 $nobody ./$with --no-sandbox -o theirs/no.folded -d 0.1 -p $own
	has $with-no-sandbox-said err 'only root may use --no-sandbox'
	check $with-nothing ! -e theirs/no.folded
	# On threads, never on CPUs, whatever the user asks for.
	for how in "-p $own" "-p $own -C 0" "-t $own" "--off-cpu -p $own" "--wall -p $own" "-F max -p $own"; do
		$nobody ./$with -v -o theirs/on.folded -d 0.2 $how 2>err
		has "$with-threads$(echo "$how" | tr -cd a-zA-Z-)" err 'events on the threads'
		lacks "$with-threads$(echo "$how" | tr -cd a-zA-Z-)-clean" err 'calls refused'
	done
	$nobody ./$with -v -o theirs/on.folded -- ./busy cpu 0.2 2>err
	has $with-threads-command err 'events on the threads'
	check $with-threads-command-works "$(samples theirs/on.folded 'inner$')" -ge 50
	$nobody ./$with -q --no-inherit -o theirs/on.folded -- ./busy cpu 0.2 2>err
	check $with-no-inherit "$(samples theirs/on.folded 'inner$')" -ge 50
	# prof does not look into a child that becomes root, or that the user may not look into.
	for graph in auto none fp; do
		$nobody ./$with -q --call-graph $graph --raw-addresses -o theirs/child.folded -- sh -c './rootly cpu 0.3; ./closed cpu 0.3; ./busy cpu 0.2' 2>err
		check $with-child-$graph "$(samples theirs/child.folded '^(rootly|closed);.*(rootly|closed)')" = 0
		check $with-child-$graph-works "$(samples theirs/child.folded '^busy')" -ge 50
	done
	# doctor says nothing about processes of others, and does not say that something works which prof refuses.
	for other in 1 $hidden $grouped; do
		status $with-doctor-other 125 $nobody ./$with doctor -p $other
		has $with-doctor-other-said err 'not yours'
		check $with-doctor-other-silent ! -s out
	done 2>/dev/null
	$nobody ./$with doctor >said
	has $with-doctor-system said '^  system wide +no'
	has $with-doctor-kernel said '^  kernel side +yes'
	# The process that reads files named by the caller has no rights.
	mkfifo pipe
	for command in "report -" "diff - -" "symbolize -" "annotate - x" "demangle"; do
		$nobody ./$with $command <pipe >/dev/null 2>&1 & p=$!
		exec 7>pipe
		wait_for 5 grep -q '^CapPrm:.0*$' /proc/$p/status
		grep -E '^(CapEff|CapPrm|Uid)' /proc/$p/status >status 2>/dev/null
		has "$with-$(echo $command | tr -cd a-z)-none" status '^CapPrm:.0000000000000000$'
		exec 7>&-
		wait $p
	done
	rm pipe
done
# prof uses no other capability of its file.
cp "$PROF" admin && setcap cap_sys_admin,cap_sys_nice,cap_perfmon+ep admin
$nobody ./admin -q -o theirs/held.folded -p $own & p=$!
wait_for 10 grep -q '^Seccomp:.*2' /proc/$p/status
keeper=$(pgrep -o -x prof-keeper -P $p)
check no-more-than-needed "$(sed -n 's/^CapPrm:.//p' /proc/$keeper/status)" = 0000004000000000
kill -INT $p
wait $p

# Root's own view of an exec that changes credentials: the thread goes on, and so do its stacks.
# (With -a it is in live/rights: what else runs can fill rings.)
"$PROF" -q -o whole.folded -- $nobody ./rootly cpu 1 2>err
all=$(samples whole.folded '^rootly')
check exec-samples "$all" -ge 500
within exec-whole "$(samples whole.folded '^rootly;.*main;cpu;burn;outer')" $((all * 97 / 100)) "$all"
exit $failed

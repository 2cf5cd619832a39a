#!/bin/sh
# perf_event_paranoid 2, 1, 0, -1 as root and as nobody; each refusal names its cause, and how to remove it.
# alone: it changes the kernel's settings
. "$(dirname "$0")/../lib.sh"
need_root
need setpriv util-linux
busy=$(program busy) || exit 1
noperf=$(program noperf) || exit 1
cp "$PROF" "$busy" "$noperf" .
chmod 755 prof busy noperf
chmod 777 .
paranoid=/proc/sys/kernel/perf_event_paranoid
old=$(cat $paranoid)
finally "echo $old >$paranoid"
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

for level in 2 1 0 -1; do
	echo $level >$paranoid
	for who in root nobody; do
		as=; [ $who = nobody ] && as=nobody
		t=$who-at$level
		rm -f x.folded k.folded
		$as ./prof -o x.folded -- ./busy cpu 0.3 2>err
		check $t-command "$(samples x.folded 'main;cpu;burn;outer;middle;inner$')" -ge 240
		$as ./prof -o k.folded -- ./busy kernel 0.3 2>err
		if [ $who = nobody ] && [ $level = 2 ]; then
			check $t-no-kernel "$(samples k.folded '_\[k\]$')" = 0
			has $t-share-said err '(9[0-9]|100)% of CPU time was in the kernel, not visible at perf_event_paranoid 2'
		else
			check $t-kernel "$(samples k.folded '(_\[k\]|\[kernel\])$')" -ge 200
			lacks $t-share err 'not visible'
		fi
		$as ./prof -o a.folded -a -d 0.3 2>err
		got=$?
		if [ $who = nobody ] && [ $level -ge 1 ]; then
			check $t-a-refused $got = 125
			has $t-a-why err "perf_event_paranoid.*$level"
			has $t-a-mend err 'sysctl|/proc/sys/kernel/perf_event_paranoid|CAP_PERFMON'
		else
			check $t-a $got = 0
		fi
	done
	# Anybody may attach to their own processes.
	start setpriv --reuid=65534 --regid=65534 --clear-groups ./busy wall 20; own=$pid
	runs $own busy
	nobody ./prof -q -o p.folded -p $own -d 0.4
	check nobody-at$level-p "$(samples p.folded 'inner$')" -ge 10
	kill $own
	wait $own 2>/dev/null
done

echo 2 >$paranoid
start ./busy wall 60; foreign=$pid
nobody ./prof stat -e mem:0x1000 true 2>err
has breakpoint-of-the-kernel err "^prof: cannot profile the command .*for the kernel's side it must be 1 or lower"
nobody ./prof -o p.folded -p $foreign -d 0.2 2>err
check foreign-status $? = 125
has foreign-said err "(root|uid 0|user 0|another user)"
check foreign-said-once "$(grep -c 'belongs to user' err)" = 1
# Of several processes of a name, a user gets their own.
cp busy permname
start ./permname wall 60; others=$pid
runs $others permname
start setpriv --reuid=65534 --regid=65534 --clear-groups ./permname two 60; own=$pid
runs $own permname
nobody ./prof -o n.folded -n permname -d 0.4 2>err
check named-status $? = 0
has named-said err '1 of 2 processes called permname are not yours'
check named-own "$(samples n.folded ';two;')" -ge 10 -a "$(samples n.folded ';wall;')" = 0
kill $own; wait $own 2>/dev/null
nobody ./prof -o nf.folded -n permname -d 0.2 2>err
check named-foreign $? = 125
kill $others; wait $others 2>/dev/null
start setpriv --reuid=65534 --regid=65534 --clear-groups ./busy secret 60; secret=$pid
runs $secret busy
sleep 0.2
nobody ./prof -o p.folded -p $secret -d 0.2 2>err
check secret-status $? = 125
has secret-said err 'dumpable'
./prof -q -o p.folded -p $secret -d 0.3
check secret-root "$(samples p.folded 'inner$')" -ge 10
./noperf ./prof --engine perf -o p.folded -- ./busy cpu 0.1 2>err
check seccomp-status $? = 125
has seccomp-said err '[Ss]eccomp'
./noperf ./prof --engine perf -o p.folded -p $$ -d 0.1 2>err
has seccomp-whom err "^prof: cannot profile process $$ \(.*seccomp"
# If there is no room for the file, prof says so before anything runs.
(mkdir shut && cd shut && chmod 555 . && exec setpriv --reuid=65534 --regid=65534 --clear-groups ../prof -- sh -c 'echo ran') >out 2>err
check no-room $? = 125 -a ! -s out
has no-room-said err '^prof: cannot write to the current directory: permission denied; use -o FILE$'
setpriv --bounding-set=-all --inh-caps=-all ./prof -o p.folded -a -d 0.2 2>err
check capability-status $? = 125
has capability-said err 'CAP_PERFMON|capabilit'
exit $failed

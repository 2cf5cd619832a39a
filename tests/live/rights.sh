#!/bin/sh
# prof gives its rights up where it reads other people's bytes. A prof with more rights than its caller uses them only for the
# caller's processes.
# alone: it changes the kernel's settings, and counts samples of the whole system
. "$(dirname "$0")/../lib.sh"
need_root
need setpriv util-linux
need setcap libcap2-bin
busy=$(program busy) || exit 1
cp "$PROF" "$busy" .
chmod 755 prof busy
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
other="setpriv --reuid=65533 --regid=65533 --clear-groups"

# /proc shows prof's rights while it captures: as root and as nobody, a command, a process, and the whole system.
held() { # TEST PID
	wait_for 10 grep -q '^Seccomp:.*2' /proc/$2/status
	grep -E '^(NoNewPrivs|Seccomp|CapEff|CapPrm|Uid):' /proc/$2/status >status
	has $1-no-new status '^NoNewPrivs:.1$'
	has $1-calls status '^Seccomp:.2$'
	has $1-effective status '^CapEff:.0000000000000000$'
	has $1-permitted status '^CapPrm:.0000000000000000$'
}
over() { kill -INT $pid 2>/dev/null || kill -TERM $pid; wait $pid 2>/dev/null; }
start ./busy wall 300
target=$pid
start $nobody ./busy wall 300
nobodys=$pid
runs $target busy && runs $nobodys busy
for how in "-p $target" "-p $nobodys" "-t $target" "-a" "--off-cpu -p $target" "--engine ptrace -p $target"; do
	start ./prof -q -o held.folded $how
	held "root$(echo "$how" | tr -cd a-z-)" $pid
	over
done
start ./prof -q -o held.folded -- ./busy cpu 2
held root-command $pid
# The command has all rights with which prof was started, and the keeper those that it needs; prof leaves neither process behind.
child=$(pgrep -x busy -P $pid)
grep -E '^(NoNewPrivs|Seccomp|CapEff):' /proc/$child/status >status
grep -E '^(NoNewPrivs|Seccomp|CapEff):' /proc/$$/status >own
check command-untouched "$(cat status)" = "$(cat own)"
keepers=$(pgrep -x prof-keeper -P $pid)
keeper=${keepers%%[!0-9]*}
check keeper-there "$keeper"
check keeper-no-filter "$(sed -n 's/^CapEff:.//p' /proc/$keeper/status)" = "$(sed -n 's/^CapEff:.//p' /proc/$$/status)"
over
for keeper in $keepers; do check keeper-gone ! -e /proc/$keeper; done
mkdir theirs && chown 65534:65534 theirs
start $nobody ./prof -q -o theirs/held.folded -p $nobodys
held nobody $pid
over
check nobody-works "$(samples theirs/held.folded 'inner$')" -ge 1
start env SUDO_UID=65533 SUDO_GID=65533 ./prof -q -o theirs/sudo.folded -p $target
held sudo $pid
has sudo-ids status '^Uid:.65533.65533.65533.65533$'
over
check sudo-file "$(stat -c %u theirs/sudo.folded)" = 65533
start ./prof -q --no-sandbox -o held.folded -p $target
sleep 0.3
has no-sandbox /proc/$pid/status '^Seccomp:.0$'
over
./prof -v -o held.folded -- ./busy cpu 0.2 2>err
has told err 'sandbox: no capabilities, no way to gain any, few system calls'
lacks nothing-refused err 'sandbox refused'

# Files that others may have prepared.  A default name is never followed, and with more rights than the target's owner has
# nobody else reads it.
mkdir shared && chmod 1777 shared
echo precious >precious
chmod 666 precious
(cd shared && exec ../prof -q -f folded -p $nobodys -d 1) &
sleep 0.4
$nobody ln -s ../precious shared/prof-$nobodys.folded
wait $!
check planted-not-followed "$(cat precious)" = precious
check planted-passed-by -s shared/prof-$nobodys.2.folded -a ! -L shared/prof-$nobodys.2.folded
check default-mode "$(stat -c %a shared/prof-$nobodys.2.folded)" = 600
$nobody ln -s ../precious shared/explicit.folded
status planted-explicit 125 ./prof -o shared/explicit.folded -p $nobodys -d 0.1
has planted-explicit-said err 'belongs to another user, in a directory that others can write to'
check planted-explicit-kept "$(cat precious)" = precious
$nobody sh -c 'echo old >shared/theirs.folded; chmod 666 shared/theirs.folded'
./prof -q -o shared/theirs.folded -p $nobodys -d 0.1
check theirs-not-theirs "$(stat -c %u:%a shared/theirs.folded)" = 0:600
./prof -q -o shared/own.folded -- ./busy cpu 0.1
check own-mode "$(stat -c %a shared/own.folded)" = 644
./prof -q -o elsewhere.folded -p $nobodys -d 0.1
check elsewhere-mode "$(stat -c %a elsewhere.folded)" = 644
ln -s elsewhere2.folded link.folded
./prof -q -o link.folded -p $nobodys -d 0.1
check elsewhere-link -L link.folded -a -s elsewhere2.folded

# A directory to which only root can write, and one to which the user of the capture cannot.
mkdir -m 700 closed
./prof -q -o closed/x.folded --stats closed/x.stats -- ./busy cpu 0.1
check closed -s closed/x.folded -a -s closed/x.stats

# The kernel's names, for every user who may ask for them: each is one that the kernel has.
asker=
for right in ask read; do
	$asker ./prof -q -o names.folded -- ./busy kernel 0.3
	grep -o '[^;]*_\[k\]' names.folded | sed 's/_\[k\]$//' | sort -u >names
	check names-$right "$(wc -l <names)" -ge 5
	awk '{ print $3 }' /proc/kallsyms | grep -Fxf names | sort -u | comm -3 - names >unknown
	check names-$right-known ! -s unknown
	has names-$right-read names '^(vfs_read|ksys_read)$'
	asker="setpriv --bounding-set -bpf,-sys_admin"
done

# prof with capabilities, or set-user-id, profiles the caller's processes, with the kernel's side, and nobody else's.
if findmnt -no OPTIONS -T . | grep -q nosuid; then
	skip installed "the file system is nosuid"
	exit $failed
fi
start $other ./busy secret 300
secret=$pid
start $other ./busy wall 300
others=$pid
start $nobody ./busy secret 300
hidden=$pid
for pid in $secret $others $hidden; do runs $pid busy; done
sleep 0.2
sysctl_set kernel.perf_event_paranoid 2
cp prof setcap && setcap cap_perfmon,cap_sys_ptrace+ep setcap
cp prof setuid && chmod 4755 setuid
for with in setcap setuid; do
	$nobody ./$with -q -o theirs/$with.folded -- ./busy kernel 0.4 2>err
	check $with-kernel "$(samples theirs/$with.folded '(_\[k\]|\[kernel\])$')" -ge 50
	check $with-file "$(stat -c %u theirs/$with.folded)" = 65534
	$nobody ./$with -q -o theirs/$with.p.folded -p $nobodys -d 0.5
	check $with-own "$(samples theirs/$with.p.folded 'inner$')" -ge 1
	for pid in 1 $others $secret $hidden; do
		status $with-refuses-$([ $pid = $hidden ] && echo hidden || echo other) 125 $nobody ./$with -o theirs/no.folded -p $pid -d 0.1
		has $with-refuses-said err 'not yours'
		status $with-refuses-thread 125 $nobody ./$with -o theirs/no.folded -t $pid -d 0.1
	done
	for how in -a "-C 0" "-G 1"; do
		status $with-refuses-system 125 $nobody ./$with -o theirs/no.folded $how -d 0.1
		has $with-refuses-system-said err "only root may see the stacks of other users"
	done
	status $with-refuses-wakers 125 $nobody ./$with -o theirs/no.folded --wakers -p $nobodys -d 0.1
	status $with-refuses-other-proc 125 $nobody ./$with --proc-root /proc/../proc -o theirs/no.folded -p $nobodys -d 0.1
	has $with-refuses-other-proc-said err "only root may use --proc-root"
	check $with-nothing-written ! -e theirs/no.folded
	status $with-closed 125 $nobody ./$with -o closed/no.folded -- ./busy cpu 0.1
	status $with-closed-report 125 $nobody ./$with report closed/x.folded
	start $nobody ./$with -q -o theirs/held.folded -- ./busy cpu 1.5
	held $with $pid
	has $with-ids status '^Uid:.65534.65534.65534.65534$'
	child=$(pgrep -x busy -P $pid)
	has $with-command /proc/$child/status '^CapPrm:.0000000000000000$'
	has $with-command-ids /proc/$child/status '^Uid:.65534.65534.65534.65534$'
	over
	# prof does not look into a set-user-id child.
	$nobody ./$with -q -o theirs/child.folded -- ./setuid version >/dev/null
	check $with-child-ran $? = 0
	# For root such a prof works as always.
	status $with-root 0 ./$with -q -o root.folded -p $others -d 0.2
done
# An exec that changes credentials, beside other threads: the thread goes on, and its stacks stay complete.
cp busy rootly && chmod 4755 rootly
"$PROF" -q -o whole.folded -a -- $nobody ./rootly cpu 1 2>err
all=$(samples whole.folded '^rootly')
check exec-samples "$all" -ge 500
within exec-whole "$(samples whole.folded '^rootly;.*main;cpu;burn;outer')" $((all * 97 / 100)) "$all"
exit $failed

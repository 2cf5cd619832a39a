#!/bin/sh
# --off-cpu and --wall, on programs whose waits are known: how long, in which function, and who ended them; and records that the
# test loses on purpose.
# alone: it measures waits; it changes the kernel's settings
. "$(dirname "$0")/../lib.sh"
need_root
waits=$(program waits) || exit 1
chmod 755 "$waits"
cp "$PROF" ./prof && chmod 755 prof
mkdir -m 777 n && cd n || exit 1

# Each function's waits differ by at most 2 % (and the steps of clocks) from its own measurement: FILE is the profile of a run that
# printed "out".
# The switches are a part of many short waits, but the kernel counts them as CPU time.
known() { # TEST FILE [SLACK]
	awk -v test="$1" -v name="$NAME" -v slack="${3:-1500}" '
	NR == FNR { own[$1] = $2; most[$1] = $1 ~ /disk|often/ ? $3 : $2; next }
	{ n = $NF; sub(/ [0-9]+$/, "") }
	!/;\[off-cpu\];_start;.*;main;wait_[a-z]*;/ { next }
	/;wait_child;wait_nanosleep;/ { next }
	{ sub(/.*;main;/, ""); sub(/;.*/, ""); seen[$0] += n }
	END {
		for (f in own) {
			ok = own[f] > 0 && seen[f] >= own[f] * 0.98 - slack && seen[f] <= most[f] * 1.02 + slack
			print (ok ? "ok " : "not ok ") name "/" test "-" f (ok ? "" : ": waits of " seen[f] " us, itself says " own[f])
			bad = bad || !ok
		}
		exit bad
	}' out "$2" || failed=1
}
[ -d /sys/kernel/tracing/events ] || { mount -t tracefs none /sys/kernel/tracing && finally "umount -l /sys/kernel/tracing"; }
micros() { field "$1" seconds | awk '{ printf "%.0f", $1 * 1000000 }'; }
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

"$PROF" --off-cpu -o r.folded -o r.html -o r.json -o r.pb.gz -o r.perf -o r.txt -o r.svg --stats r.stats -- "$waits" >out 2>err
known root r.folded
has root-line err 'prof: [0-9]+ samples \(0 lost\) in .*; cpu-clock, off-cpu at 999 Hz[^;]*; [0-9]+ waits, [0-9.]+ s'
check root-stacks "$(field r.stats waits_without_stack)" = 0 -a "$(field r.stats waits_unknown)" = 0
check kernel-side "$(samples r.folded ';wait_nanosleep;.*nanosleep.*_\[k\];schedule_\[k\]')" -gt 350000
check threads "$(samples r.folded ';start_thread;holder;.*nanosleep')" -gt 190000
check born-on-the-run-queue "$(samples r.folded ';\[off-cpu\];\[run queue\]$')" -gt 0

# The kernel's copy becomes long enough.
"$PROF" --off-cpu -q -o d.folded -- "$waits" deep
check deep "$(samples d.folded ';\[off-cpu\];_start;.*;main;deep;.*;wait_nanosleep;')" -ge 500000

# Off-CPU time without the tracepoint: tracefs is not mounted, and prof may not mount it.
unmounted() {
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel/tracing; mount -t tmpfs none /sys/kernel/debug 2>/dev/null
		exec "$@"' sh "$@"
}
unmounted setpriv --bounding-set=-sys_admin "$PROF" --off-cpu -q -o s.folded -- "$waits" >out 2>err
known software s.folded

# An ordinary user.
sysctl_set kernel.perf_event_paranoid 1
nobody ../prof --off-cpu -o u.folded -- "$waits" >out 2>err
known nobody u.folded
echo 2 >/proc/sys/kernel/perf_event_paranoid
nobody ../prof --off-cpu -o v.folded --stats v.stats -- "$waits" 0.1 >out 2>err
has no-stacks-told err '(perf_event_paranoid 2 hides|prof could not see) where threads wait'
sum=$(awk '$1 != "wait_join" { sum += $2 } END { print int(sum) }' out)
check no-stacks-but-times "$(samples v.folded ';\[off-cpu\];')" -ge "$sum"

# Without perf_event_open: as exactly as ticks show, and prof stops no thread that sleeps.
"$PROF" --engine ptrace --off-cpu -o p.folded --stats p.stats -- "$waits" >out 2>err
sed -i '/wait_disk/d' out   # a tick may see no short wait
known ptrace p.folded 10000
"$PROF" -q --engine ptrace --wall --threads -o pw.folded --stats pw.stats -- "$(program busy)" wall 0.5 2>err
total=$(samples pw.folded) length=$(micros pw.stats)
within ptrace-wall "$total" $((length * 80 / 100)) $((length * 101 / 100))

# All time of a thread; and a process that only waits.
start "$waits" forever >/dev/null; forever=$pid
start sleep 60; idle=$pid
runs $idle sleep
sleep 0.3
"$PROF" -q --wall --threads --stats w.stats -o w.folded -p $forever -d 1
total=$(samples w.folded "^waits-$forever/$forever;") length=$(micros w.stats)
within wall-complete "$total" $((length * 98 / 100)) $((length * 101 / 100))
"$PROF" --off-cpu -o i.folded -p $idle -d 0.5 2>err
has idle-told err '1 thread only waited'
"$PROF" -q --wall -o i.folded -p $idle -d 0.5
within wall-idle "$(samples i.folded '^sleep;\[off-cpu\];.*nanosleep;\[waiting since before\]$')" 480000 2000000
kill $forever $idle; wait $forever $idle 2>/dev/null

# Two threads want one CPU: each waits for as long as it does not run.
start taskset -c 0 "$(program busy)" wall 30; one=$pid
start taskset -c 0 "$(program busy)" wall 30; two=$pid
sleep 0.2
"$PROF" -q --wall -o q.folded -p $one,$two -d 1
total=$(samples q.folded) queue=$(samples q.folded '\[off-cpu\];.*burn|\[off-cpu\];.*wall;.*\[run queue\]$')
within run-queue $((queue * 100 / (total + 1))) 25 99
kill $one $two; wait $one $two 2>/dev/null

# A cgroup that may run for 3 ms of each 50 is throttled for the rest.
group=
if [ -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ] || [ -d /sys/fs/cgroup/cpu ]; then
	mkdir /sys/fs/cgroup/cpu/waits-$$ && group=/sys/fs/cgroup/cpu/waits-$$ &&
		echo 50000 >$group/cpu.cfs_period_us && echo 3000 >$group/cpu.cfs_quota_us
elif echo +cpu >/sys/fs/cgroup/cgroup.subtree_control; then
	mkdir /sys/fs/cgroup/waits-$$ && group=/sys/fs/cgroup/waits-$$ && echo "3000 50000" >$group/cpu.max
fi
if [ "$group" ]; then
	start "$(program busy)" wall 30
	echo $pid >$group/cgroup.procs
	sleep 0.2
	"$PROF" --off-cpu -o t.folded -p $pid -d 2 2>err
	throttled=$(samples t.folded '\[throttled\]$') all=$(samples t.folded ';\[off-cpu\];')
	within throttled $((throttled * 100 / (all + 1))) 30 100
	kill -9 $pid; wait $pid 2>/dev/null
	rmdir $group
else
	skip throttled "no CPU controller for cgroups"
fi

# The kernel loses records while prof does nothing: prof makes no wait of that.
"$PROF" --off-cpu --stats l.stats -o l.folded -- "$waits" pingpong 300000 >out 2>err &
sleep 0.5; kill -STOP $!; sleep 1; kill -CONT $!; wait $!
lost=$(field l.stats lost)
check lost "$lost" -gt 0 -a "$(field l.stats waits_unknown)" -gt 0
check lost-no-garbage "$(samples l.folded '^waits;\[off-cpu\];.*main;')" -le $(($(micros l.stats) * 2))

# Who ended the waits: behind "--", from the innermost function on.
"$PROF" -q --wakers -o k.folded --stats k.stats -- "$waits" >out
known wakers k.folded
# Threads of other processes that woke one of the target's do not count as running.
check wakers-ran "$(field k.stats threads_ran_ns)" -le $(($(micros k.stats) * 1000 * $(nproc)))
has waker-thread k.folded ';main;wait_pipe;.*;--;.*;write;writer;start_thread;.*;waits [0-9]{6}$'
has waker-process k.folded ';main;wait_child;.*;--;.*;do_exit_\[k\];.*;waits [0-9]{6}$'
lacks waker-own k.folded ';wait_nanosleep;.*;--;.*;wait_nanosleep'
nobody ../prof --wakers -o no.folded -- "$waits" >out 2>err
check wakers-refused $? = 125
has wakers-refused-why err '^prof: --wakers needs tracefs, which only root may read: sudo prof'
# If tracefs is not mounted, prof mounts it in no directory; if it may not, it says so.
unmounted "$PROF" -q --wakers -o u.folded -- "$waits" >out 2>err
check wakers-unmounted $? = 0
has wakers-own-mount u.folded ';main;wait_pipe;.*;--;.*;write;writer;start_thread;.*;waits [0-9]{6}$'
unmounted setpriv --bounding-set=-sys_admin "$PROF" --wakers -o no.folded -- "$waits" >out 2>err
check wakers-no-tracefs $? = 125
has wakers-no-tracefs-why err '^prof: --wakers needs tracefs: mount -t tracefs none /sys/kernel/tracing'

# Each format keeps waiting apart, and prof reads it back unchanged.
has folded r.folded '^waits;\[off-cpu\];_start;.*;main;wait_futex;syscall;.* [0-9]{6}$'
has table r.txt '^[0-9.]+ s \(off-cpu\) in '
has svg r.svg ' s waiting, '
has script r.perf '^waits +[0-9]+/[0-9]+ +[0-9.]+: +2[0-9]{8} off-cpu:'
# In speedscope a thread's gaps show the waiting stack below a frame of its own.
frame=$(awk '/^"?.*"shared":\{"frames":\[/ { first = NR + 1 } /^\{"name":"\[off-cpu\]"\}/ { print NR - first; exit }' r.json)
has speedscope r.json "\[${frame:-none},[0-9]+,[0-9]+"
"$PROF" report r.pb.gz -o again.folded && "$PROF" report r.json -o json.folded && "$PROF" report r.folded -o folded.folded
check pprof-again "$(samples again.folded ';\[off-cpu\];.*main;wait_pipe;')" = "$(samples r.folded ';\[off-cpu\];.*main;wait_pipe;')"
check speedscope-again "$(samples json.folded ';\[off-cpu\];.*main;wait_pipe;')" = "$(samples r.folded ';\[off-cpu\];.*main;wait_pipe;')"
check folded-again "$(samples folded.folded ';\[off-cpu\];.*main;wait_pipe;')" = "$(samples r.folded ';\[off-cpu\];.*main;wait_pipe;')"
exit $failed

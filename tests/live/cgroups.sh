#!/bin/sh
# -G on a cgroup by path and by process, --by-container, and what a cgroup with a CPU limit went through.
# alone: it measures time, and how long a cgroup waited
. "$(dirname "$0")/../lib.sh"
need_root
busy=$(program busy) || exit 1
cp "$busy" one; cp "$busy" two
# The hierarchy of events, and that of the cpu controller; in version 2 both are one directory.
two=$(sed -n 's|^[^ ]* [^ ]* [^ ]* / \([^ ]*\) .* - cgroup2 .*|\1|p' /proc/self/mountinfo | head -n 1)
events=$(sed -n 's|^[^ ]* [^ ]* [^ ]* / \([^ ]*\) .* - cgroup [^ ]* [^ ]*perf_event.*|\1|p' /proc/self/mountinfo | head -n 1)
events=${events:-$two}
cpu=$(sed -n 's|^[^ ]* [^ ]* [^ ]* / \([^ ]*\) .* - cgroup [^ ]* \(.*,\)*cpu\(,.*\)*$|\1|p' /proc/self/mountinfo | head -n 1)
id=4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970
name=docker-$id.scope
[ -n "$events" ] && mkdir "$events/$name" 2>/dev/null || { skip '' "no cgroup can be made here"; exit 0; }
finally "rmdir $events/$name"
cg=$events/$name

start ./one wall 60; one=$pid
start ./two wall 60; two_pid=$pid
echo "$one" >"$cg/cgroup.procs" || { not_ok enter "a process cannot be put into $cg"; exit 1; }
for how in "$cg" "$name" "/$name/" "$one"; do
	t=G-$(echo "${how#"$events"}" | tr -cd 0-9a-z/ | cut -c1-8 | tr / -)
	[ "$how" = "$one" ] && t=G-pid
	rm -f g.folded
	"$PROF" -q -o g.folded -G "$how" -d 0.5 2>err
	check "$t" "$(samples g.folded '^one;.*main;wall;outer;middle;inner$')" -ge 5 -a "$(samples g.folded '^two;')" = 0
done
# The root cgroup holds the whole machine, and prof says so.
"$PROF" -o g.folded -G "$name" -d 0.2 2>err
lacks G-no-root err 'root cgroup'
if [ -e "$two" ] && [ "$events" = "$two" ] && [ ! -e "$two/cgroup.events" ]; then
	"$PROF" -o g.folded -G "$two" -d 0.2 2>err
	has G-root err '^prof: -G [^ ]*: this is the root cgroup, which holds all processes; prof records the whole machine$'
fi
"$PROF" -q -G "$name" -d 0.5 2>err
check G-default-name -e prof-system.html
"$PROF" -o g.folded -G "$name" -- sh -c 'echo it ran; sleep 0.4; exit 7' >out 2>err
check G-command-status $? = 7
has G-command-ran out '^it ran$'
check G-command "$(samples g.folded '^one;')" -ge 5 -a "$(samples g.folded '^sh;')" = 0
status G-none 125 "$PROF" -o no.folded -G no/such/cgroup -d 0.2
has G-none-said err 'no such cgroup'
lacks G-none-alone err 'ptrace'
status G-no-pid 125 "$PROF" -o no.folded -G 999999999 -d 0.2
status G-no-cgroup 125 "$PROF" -o no.folded -G "$work" -d 0.2
has G-no-cgroup-said err 'not a cgroup'
"$PROF" -q -o root.folded -G / -d 0.5 2>err
check G-root "$(samples root.folded '^one;.*main;wall')" -ge 5 -a "$(samples root.folded '^two;.*main;wall')" -ge 5
check G-root-idle "$(samples root.folded '^swapper')" = 0
status G-and-p 125 "$PROF" -G "$name" -p "$one" -d 0.2
has G-and-p-said err 'cannot be combined'
if [ -n "$cpu" ] && [ "$cpu" != "$events" ]; then
	status G-hierarchy 125 "$PROF" -o no.folded -G "$cpu" -d 0.2
	has G-hierarchy-said err 'hierarchy'
fi

# The container stands where the name stands otherwise, and the name above it.
"$PROF" -q --by-container -o by.folded -p "$one,$two_pid" -d 0.4
check by-container "$(samples by.folded '^docker:4f797c539e6c;one;.*main;wall;outer;middle;inner$')" -ge 5
check by-container-other "$(samples by.folded '^docker.*;two;')" = 0 -a "$(samples by.folded '^[^;]*;two;.*main;wall')" -ge 5
"$PROF" -q --by-container -o by.folded -o by.json -o by.svg -o by.pb.gz -o by.txt -G "$name" -- sleep 0.5
has by-container-json by.json 'docker:4f797c539e6c'
has by-container-svg by.svg 'docker:4f797c539e6c'

# The capture ends when the cgroup is empty.
start "$PROF" -q -o e.folded -G "$name"; prof=$pid
capturing $prof
sleep 0.2
kill "$one"; wait "$one" 2>/dev/null
if [ -e "$cg/cgroup.events" ]; then
	wait_for 10 sh -c "! kill -0 $prof"
	check G-ends $? = 0
else
	kill -INT "$prof"
fi
wait "$prof"
check G-end-status $? = 0
kill "$two_pid"; wait "$two_pid" 2>/dev/null

# The cgroup may use a twentieth of a CPU; prof tells of it in the closing line, in --stats and in formats.
if [ -n "$cpu" ]; then
	mkdir -p "$cpu/$name" && echo 5000 >"$cpu/$name/cpu.cfs_quota_us"
	finally "rmdir $cpu/$name 2>/dev/null"
	limited=$cpu/$name
elif [ -e "$cg/cpu.max" ] || echo +cpu >"$events/cgroup.subtree_control" 2>/dev/null; then
	echo '5000 100000' >"$cg/cpu.max"
	limited=$cg
fi
if [ -n "${limited:-}" ]; then
	start ./one wall 60; one=$pid
	echo "$one" >"$limited/cgroup.procs"
	echo "$one" >"$cg/cgroup.procs"
	"$PROF" -o c.folded -o c.pb -o c.html --stats c.json -p "$one" -d 1.2 2>err
	has throttled err '^prof: (.*; )?the target.s CPU limit throttled it for [0-9.]+ m?s, in [0-9]+ of [0-9]+ periods'
	check throttled-periods "$(field c.json cgroup_throttled_periods)" -ge 3 -a "$(field c.json cgroup_periods)" -ge 5
	check throttled-time "$(field c.json cgroup_throttled_us)" -ge 20000
	has waited err '; the target waited [0-9.]+ m?s for a CPU'
	check waited-more "$(field c.json threads_waited_ns)" -gt "$(field c.json threads_ran_ns)"
	check noted "$(grep -ac 'CPU limit throttled it for' c.pb)" -ge 1
	if [ -e "$cg/cpu.pressure" ] && [ "$(cat "$cg/cgroup.pressure" 2>/dev/null)" != 0 ]; then
		check pressure "$(field c.json pressure_cpu_some_us)" -ge 300000
	fi
	"$PROF" -o c.folded --stats c.json -G "$one" -d 0.6 2>err
	has throttled-G err 'CPU limit throttled it for'
	kill "$one"; wait "$one" 2>/dev/null
	# A command belongs to prof's own cgroup, so the test puts prof into the limited one.
	sh -c "echo \$\$ >$limited/cgroup.procs; exec \"\$PROF\" -o k.folded --stats k.json -- ./one cpu 0.1" 2>err
	check throttled-command "$(field k.json cgroup_throttled_periods)" -ge 2
	has throttled-command-said err 'CPU limit throttled it for'
else
	skip throttled "no cpu controller"
fi
# Two children on one CPU have waited for two seconds together before prof comes: what they wait from then on counts.
start taskset -c 0 sh -c './one wall 60 & ./one wall 60 & wait'; family=$pid
sleep 2
"$PROF" -q -o f.folded --stats f.json -p "$family" -d 0.5
kill $(pgrep -P "$family") "$family"
check waited-since -n "$(field f.json threads_waited_ns)" -a "$(field f.json threads_waited_ns)" -le 1000000000
# prof does not speak of what did not happen.
"$PROF" -q -o n.folded --stats n.json -- ./one cpu 0.1
check not-throttled "$(field n.json cgroup_throttled_us)" = 0 -o -z "$(field n.json cgroup_throttled_us)"
exit $failed

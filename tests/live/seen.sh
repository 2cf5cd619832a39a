#!/bin/sh
# Short processes are sampled by what they run: as root through a cgroup of the command's own, or through CPUs where there
# is none; others by what the kernel says of each thread's end.  Bounds are the wanted share and three times the counting
# error.
# alone: all samples are counted; it changes the kernel's settings
. "$(dirname "$0")/../lib.sh"
need_root
need setpriv util-linux
kids=$(program kids) || exit 1
cp "$PROF" "$kids" .
chmod 755 prof kids
chmod 777 .
cgroups=$(awk '$9 == "cgroup2" || $8 == "cgroup2" { print $5; exit }' /proc/self/mountinfo)
own=$cgroups$(sed -n 's/^0:://p' /proc/self/cgroup)
# The cgroups of profs that have ended.
left() {
	for d in "$own"/prof-*; do
		p=${d##*/prof-} p=${p%-*}
		[ ! -d "$d" ] || [ -d "/proc/$p" ] || echo "$d"
	done | wc -l
}

# seen TEST HZ PERCENT WHAT...: records `kids WHAT`, compares the samples with the CPU time of all its processes; with
# BURNT (ms) with that, and only of "kid".
seen() {
	t=$1 hz=$2 percent=$3
	shift 3
	rm -f told s.json x.folded
	KIDS=told $as ./prof -v -F $hz --stats s.json -o x.folded -- ./kids "$@" 2>err || { not_ok "$t" "prof failed" err; return; }
	if [ "$burnt" ]; then
		ns=$((burnt * 1000000)) n=$(samples x.folded '^(kid|kids);.*burn')
	else
		ns=$(awk '{ printf "%.0f\n", $1 + $2 }' told) n=$(field s.json samples)
	fi
	echo "$t: $n samples of $((ns / 1000 * hz / 1000000))"
	awk -v n="$n" -v ns="$ns" -v hz="$hz" -v percent="$percent" 'BEGIN {
		e = ns * hz / 1e9; d = n - e; d = d < 0 ? -d : d
		exit d > e * percent / 100 + 3 * sqrt(e) / (e > 400 ? 3 : 1)
	}' && ok "$t" || not_ok "$t" "$n samples of $ns ns of CPU at $hz Hz" err
	check "$t-lost" "$(field s.json lost)" = 0
}
cases() { # NAME PERCENT
	seen "$1-true" 999 "$2" exec 800 /bin/true
	for ms in 0.5 5 25; do
		case $ms in 0.5) many=800 ;; 5) many=200 ;; 25) many=50 ;; esac
		for hz in 99 999; do
			[ $ms = 25 ] && [ $hz = 999 ] && continue
			seen "$1-$ms-ms-$hz" $hz "$2" burn $many $ms
		done
	done
}
nothing_left() { [ "$(left)" = 0 ]; }
as= burnt=
if [ -w "${cgroups:-/none}" ]; then
	cases root 5
	has root-by-cgroup err "cgroup of the command's own"
	check root-nothing-left "$(left)" = 0
	# A command that still runs goes back into prof's own cgroup.
	"$PROF" -q -o daemon.folded -- sh -c 'sleep 20 >/dev/null 2>&1 & echo $!' >pid
	started="${started:-} $(cat pid)"
	check daemon-back "$(sed -n 's/^0:://p' /proc/$(cat pid)/cgroup)" = "$(sed -n 's/^0:://p' /proc/self/cgroup)"
	check daemon-nothing-left "$(left)" = 0
	# Somebody kills prof: its keeper moves the command back, and removes the cgroup.
	start "$PROF" -q -o killed.folded -- sleep 1.5
	wait_for 5 pgrep -x sleep -P $pid
	kill -9 $pid
	wait_for 5 nothing_left
	check killed-removed-by-keeper "$(left)" = 0
	# Somebody kills the keeper, too: the cgroup stays as long as the command is in it, and the next prof removes it.
	start "$PROF" -q -o killed.folded -- sleep 1.5
	wait_for 5 pgrep -x sleep -P $pid
	kill -9 $(pgrep -x prof-keeper -P $pid) $pid
	wait $pid 2>/dev/null
	check killed-left "$(left)" = 1
	"$PROF" -q -o next.folded -- /bin/true
	check killed-stays "$(left)" = 1
	sleep 2
	"$PROF" -q -o next.folded -- /bin/true
	check killed-removed "$(left)" = 0
	"$PROF" -q -o none.folded -- ./nothing 2>/dev/null
	printf '\177ELF' >broken && chmod 755 broken
	"$PROF" -q -o none.folded -- ./broken 2>/dev/null
	check failed-nothing-left "$(left)" = 0
else
	skip root "no writable cgroup2"
fi
# Read-only cgroups, as in a container: CPUs, and nobody else's samples.
as="unshare -m sh -c 'mount -o remount,bind,ro ${cgroups:-/} && exec \"\$@\"' sh"
if [ "$cgroups" ] && eval "$as true" 2>/dev/null; then
	cat >readonly <<END
#!/bin/sh
exec $as "\$@"
END
	chmod 755 readonly
	as=./readonly
	start "$(program busy)" wall 60
	seen cpus-true 999 5 exec 500 /bin/true
	has cpus-why err 'prof leaves out samples of others \(no cgroup for it: .*read-only'
	lacks cpus-nobody-else x.folded '^busy;'
	seen cpus-5-ms 999 5 burn 200 5
	kill $pid
else
	skip cpus "cgroups cannot be made read-only here"
fi

as="setpriv --reuid=65534 --regid=65534 --clear-groups"
sysctl_set kernel.perf_event_paranoid 1
cases nobody 15
has nobody-by-threads err 'events on the threads'
echo 2 >/proc/sys/kernel/perf_event_paranoid
burnt=500; seen user-side-0.5-ms 999 15 burn 1000 0.5
burnt=1500; seen user-side-5-ms 99 15 burn 300 5
exit $failed

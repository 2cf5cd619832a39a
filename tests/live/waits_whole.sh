#!/bin/sh
# Off-CPU stacks that are deeper than their copies, or have holes: prof reads the rest while the thread sleeps.  It takes none of what it read too
# late.
# alone: it measures waits; it changes the kernel's settings
. "$(dirname "$0")/../lib.sh"
need_root
waits=$(program waits) || exit 1
chmod 755 "$waits"
cp "$PROF" ./prof && chmod 755 prof
mkdir -m 777 n && cd n || exit 1
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

# The sleeps that reach main, or the thread's first function, in percent of the time of all sleeps in that function.
complete() { # FILE FUNCTION
	awk -v f=";$2;" '{ n = $NF } /;\[off-cpu\];/ && !/\[run queue\]/ && index($0, f) { all += n; if (!/\[truncated\]/ && /;(_start|start_thread);|;__clone3?;/) whole += n }
		END { print all ? int(whole * 100 / all) : 0 }' "$1"
}
# TEST OPTIONS: a second of sleeps, beneath recursion and an array of each size.
sleeps() {
	test=$1
	shift
	for of in 'whole 400 0' 'whole 60 16' 'whole 200 100' 'whole 200 1024' 'whole 200 4096' 'filled 200 1024'; do
		"$@" -q -o x.folded --stats x.stats -- "$waits" $of
		show="x.stats" within "$test-$(echo "$of" | tr ' ' -)" "$(complete x.folded wait_nanosleep)" 99 100
	done
}
sleeps root ../prof --off-cpu
sleeps wall ../prof --wall
sleeps ptrace ../prof --engine ptrace --off-cpu
sysctl_set kernel.perf_event_paranoid 1
sleeps nobody nobody ../prof --off-cpu
../prof --wakers -q -o k.folded -- "$waits" whole 200 1024
within wakers "$(complete k.folded wait_nanosleep)" 99 100
../prof --off-cpu -q -o t.folded -- "$waits" whole 300 64 8
within threads "$(complete t.folded wait_nanosleep)" 75 100   # a short first wait of each thread's may be cut

# A size that was asked for holds.
../prof --off-cpu --stack-size 16384 -q -o s.folded -- "$waits" whole 200 0
check stack-size "$(complete s.folded wait_nanosleep)" = 0

# Two callers of one deep recursion, whose waits end before prof has read, while it reads, or later.
for us in 200 2000 10000 60000; do
	for engine in perf ptrace; do
		../prof --engine $engine --off-cpu -q -o r.folded -- "$waits" turns $us
		check "turns-$us-$engine" "$(samples r.folded ';left;.*;wait_right;|;right;.*;wait_left;')" = 0
	done
done
within turns-complete "$(awk '/;wait_(left|right);/ { n += $NF; if (/;turns;(left|right);/) m += $NF } END { print int(m * 100 / n) }' r.folded)" 50 100

# A program of others.
if command -v python3 >/dev/null; then
	cat >deep.py <<-'P'
	import sys, threading, time
	sys.setrecursionlimit(100000)
	threading.stack_size(256 << 20)
	def down(n, end=None):
	    if n: max([n], key=lambda _: down(n - 1) or 0)
	    else:
	        for _ in range(5): time.sleep(0.2)
	t = threading.Thread(target=down, args=(250,)); t.start(); t.join()
	P
	../prof --off-cpu -q -o p.folded -- python3 deep.py
	within python "$(complete p.folded clock_nanosleep)" 99 100
fi
exit $failed

#!/bin/sh
# Limits that are small: an error or a smaller profile, never a crash, a half file or one that is left behind.  LONG=1: at every step.
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1

# judged TEST: judges how the last prof ended ($got), and the files that it left
judged() {
	left=$(find . -name '.prof-*' | wc -l)
	echo "$1: status $got"
	if [ $got != 0 ] && [ $got != 125 ]; then
		not_ok "$1" "status $got" out
	elif [ $left != 0 ]; then
		not_ok "$1" "it left something behind: $(find . -name '.prof-*')"
	elif [ $got = 0 ] && ! [ "$(samples x.folded 2>/dev/null)" -ge 1 ] && ! grep -q 'the profile is empty' out; then
		not_ok "$1" "no samples, and no error" out
	elif [ $got = 125 ] && ! [ -s out ]; then
		not_ok "$1" "no word about why"
	elif [ -e x.html ] && ! tail -c 20 x.html | grep -q '</script>'; then
		not_ok "$1" "half a page"
	else
		ok "$1"
	fi
	rm -rf x.* .prof-*
}
# limited TEST LIMIT...: profiles a command, and then a process, under ulimit LIMIT
limited() {
	what=$1
	shift
	for how in command process; do
		[ $how = process ] && args="-p $target -d 0.2" || args="-- $busy cpu 0.2"
		{ timeout -s KILL 60 sh -c 'ulimit $0 2>/dev/null; exec "$@"' "$*" "$PROF" -F 999 -o x.folded -o x.html $args 2>&1 </dev/null; echo $? >got; } | cat >out
		got=$(cat got)
		judged $what/$how
	done
}
# steps SHORT LONG: the values to try
steps() { if [ "${LONG:-}" ]; then echo "$2"; else echo "$1"; fi; }

start "$busy" cpu 600
target=$pid
runs $target busy
for kib in $(steps '64 128' "$(seq 64 8 256)"); do limited stack-$kib -s $kib; done
for kib in $(steps '4096 65536' "$(seq 2048 1024 40960)"); do limited memory-$kib -v $kib; done
limited memory-16384 -v 16384
# Below a MiB the kernel ends prof before it begins.
for kib in $(steps '2048 4352' "$(seq 1024 256 8192)"); do limited data-$kib -d $kib; done
for n in $(steps '0 1 64' "$(seq 0 2 128)"); do limited file-size-$n -f $n; done
for n in $(steps '3 8 20 40' "$(seq 3 64)"); do limited files-$n -n $n; done

# Processes of another user, because root has no such limit.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 777 theirs
	for n in 1 3; do
		(cd theirs && exec setpriv --reuid=65531 --regid=65531 --clear-groups sh -c "ulimit -u $n 2>/dev/null; exec timeout -s KILL 60 '$PROF' -F 999 -o x.folded -- '$busy' cpu 0.2") >out 2>&1 </dev/null
		got=$?
		[ ! -e theirs/x.folded ] || mv theirs/x.folded .
		[ $got != 126 ] || got=125   # timeout itself may not fork
		judged processes-$n
	done
fi

# How long a real-time process may run: with such a limit prof is not real-time.
limited_time() {
	if ! prlimit --rttime=1000 true 2>/dev/null; then
		skip real-time "no prlimit: apt-get install util-linux"
		return
	fi
	prlimit --rttime=1000 timeout -s KILL 60 "$PROF" -F 4999 -o x.folded -- "$busy" cpu 0.5 >out 2>&1 </dev/null
	got=$?
	check real-time-samples "$(samples x.folded)" -ge 500
	judged real-time
}
limited_time

# CPU time: the capture ends by itself.
"$PROF" -F 999 -o x.folded -p $target >out 2>&1 </dev/null &
prof=$!
capturing $prof
sleep 0.3
for i in 1 2 3 4 5 6; do kill -XCPU $prof 2>/dev/null && sleep 0.05; done   # as the kernel sends it, each second
wait $prof
got=$?
has cpu-said out 'CPU time'
judged cpu

# Reports may not write files so large.
"$PROF" -q -o big.folded -o big.html -- "$busy" cpu 0.3 || not_ok report "no capture"
for format in folded html svg perf json pb.gz txt; do
	{ (ulimit -f 0; exec "$PROF" report -q big.html -o x.$format 2>&1); echo $? >got; } | cat >out
	got=$(cat got)
	judged report-$format
done
exit $failed

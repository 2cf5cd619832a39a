#!/bin/sh
# A user runs a file system (FUSE), and it stops answering while prof reads a file there.  The capture ends when it should, keeps its
# samples, and says which file prof gave up.  Nobody can kill a process that waits for such a file system.
# alone: it measures time
. "$(dirname "$0")/../lib.sh"
need_root
hostile=$(program hostile -w) && hangfs=$(program hangfs) && busy=$(program busy) || exit 1

ms() { awk -v f="\"$2\"" '$1 ~ f { gsub(/[^0-9.]/, "", $2); print int($2 * 1000) }' "$1"; }
now() { echo $(($(date +%s%N) / 1000000)); }
# serve FILE WHAT: FILE becomes d/x.so; the server's pid in $server
serve() {
	mkdir -p d
	start "$hangfs" d "$1" "$2"
	server=$pid
	wait_for 10 test -e d/x.so
}
unserve() {
	kill -9 $server $target 2>/dev/null
	umount -l oo o 2>/dev/null
	umount -l d
}
finally "umount -l $work/oo $work/o $work/d 2>/dev/null"

serve "$busy" never || { skip '' "no FUSE can be mounted here (/dev/fuse)"; exit 0; }
# A FUSE that answers: prof names functions as in any other file.
status honest 0 "$PROF" -F 999 -o honest.folded -o honest.json -- d/x.so cpu 0.5
check honest-names "$(samples honest.folded 'inner')" -ge 200
status honest-annotate 0 "$PROF" annotate inner -- d/x.so cpu 0.5
has honest-lines out '%'
# An overlayfs on that FUSE, of which prof knows nothing.
mkdir o oo empty
overlay="mount -t overlay overlay -o lowerdir=$work/d:$work/empty o"
start unshare -m sh -c "$overlay && exec o/x.so cpu 60"
target=$pid
runs $target x.so
status overlay 0 "$PROF" -F 999 -d 0.5 -o overlay.folded -p $target
check overlay-names "$(samples overlay.folded 'inner')" -ge 20
unserve
target=

"$hostile" make plain plain.so && dd if=/dev/zero bs=1M count=8 2>/dev/null >>plain.so || exit 1
# hung WHAT HOW [OVERLAY]: the FUSE no longer answers requests of that kind; the capture ends by -d or by a signal.  The target maps the
# file through an overlayfs that is mounted "here", or "apart" in the target's own namespace, or "twice": through one on another one.
hung() {
	serve plain.so "$1" || { not_ok "$1" "no file system"; return; }
	case ${3:-} in
	here) $overlay && start "$hostile" run o/x.so 60 ;;
	twice) mount -t overlay overlay -o "lowerdir=$work/d/1:$work/d/2" o && mount -t overlay overlay -o "xino=on,lowerdir=$work/o:$work/empty" oo && start "$hostile" run oo/x.so 60 ;;
	apart) start unshare -m sh -c "$overlay && exec '$hostile' run o/x.so 60" ;;
	*) start "$hostile" run d/x.so 60 ;;
	esac || { not_ok "$1" "no overlayfs"; return; }
	target=$pid
	wait_for 20 grep -q x.so /proc/$target/maps
	kill -USR1 $server
	sleep 0.1
	from=$(now)
	"$PROF" -v -F 999 ${2:-} --stats s.json -o x.folded -p $target 2>err &
	prof=$!
	most=1100
	if [ "${2:-}" ]; then
		from=$(($(now) + 1000))
	else
		capturing $prof
		sleep 0.5
		kill -TERM $prof
		most=$(($(now) - from + 100))   # the capture began after FROM
		from=$(now)
	fi
	( sleep 30; kill -9 $server ) 2>/dev/null &
	guard=$!
	wait $prof
	got=$?
	late=$(($(now) - from))
	kill $guard 2>/dev/null
	echo "$1: status $got, $(ms s.json seconds) ms, $late ms late, $(field s.json samples) samples, $(field s.json lost) lost"
	test=$1${2:+-d}${3:+-$3}
	check "$test/status" $got = 0
	check "$test/time" "$(ms s.json seconds)" -le $most
	check "$test/end" $late -le 2000
	check "$test/samples" "$(field s.json lost)" -le 10 -a "$(field s.json samples)" -ge 50
	case $1 in flush | release | lookup | lseek) ;; *) has "$test/told" err 'is on a file system that does not answer' ;; esac
	unserve
}
for kind in tables read open getattr statfs flush lookup all; do hung $kind -d1; done
hung tables
hung all
hung tables -d1 here
hung tables -d1 twice
hung tables -d1 apart
hung all -d1 apart

# A probe's debug file is there, and never comes.
mkdir p p/.debug
printf 'int inner(int n) { return n + 1; }\nint main(void) { return inner(-1); }\n' >y.c && gcc -g0 -rdynamic -o p/y y.c || exit 1
cp "$busy" p/x && cp "$busy" x.so && objcopy --add-gnu-debuglink=x.so p/x && strip p/x && objcopy --add-gnu-debuglink=x.so p/y && strip p/y && rm x.so
start "$hangfs" p/.debug "$busy" open
server=$pid
finally "umount -l $work/p/.debug 2>/dev/null"
wait_for 10 test -e p/.debug/x.so
status probe-answered 0 "$PROF" -q -e uprobe:p/x:inner -o probe.folded p/x cpu 0.1
kill -USR1 $server
sleep 0.1
( sleep 30; kill -9 $server ) 2>/dev/null &
guard=$!
from=$(now)
status probe-hung 125 timeout -s KILL 20 "$PROF" -q -e uprobe:p/x:inner -o probe.folded p/x cpu 0.1
check probe-time $(($(now) - from)) -le 2000
has probe-told err 'its debug file is on a file system that does not answer'
status probe-own-name 0 timeout -s KILL 20 "$PROF" -e uprobe:p/y:inner -o probe.folded p/y
has probe-own-name-told err 'its debug file is on a file system that does not answer'
kill $guard 2>/dev/null
kill -9 $server
umount -l p/.debug
# It comes, and the process that reads it hangs: whoever reads what prof says does not wait for that.
cp plain.so x.so && cp "$busy" p/x && objcopy --add-gnu-debuglink=x.so p/x && strip p/x && rm x.so
start "$hangfs" p/.debug plain.so tables
server=$pid
wait_for 10 test -e p/.debug/x.so
kill -USR1 $server
sleep 0.1
( sleep 12; kill -9 $server ) 2>/dev/null &
guard=$!
from=$(now)
timeout -s KILL 2 "$PROF" -q -e uprobe:p/x:inner -o probe.folded p/x cpu 0.1 2>&1 | cat >said
check output-is-free $(($(now) - from)) -le 4000
kill $guard 2>/dev/null
kill -9 $server
check litter "$(find . -name '.prof-*' -o -name '*.tmp' | wc -l)" = 0
exit $failed

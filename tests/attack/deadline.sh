#!/bin/sh
# A file takes longer to read than prof has patience.  The capture ends when it should and keeps its samples; prof gives the file up and
# names it.
# alone: it measures time
. "$(dirname "$0")/../lib.sh"
hostile=$(program hostile -w) || exit 1

# ms that a capture may take beyond its time: an ordinary user's prof may have to wait for a CPU.
LATE=100
[ "$(id -u)" = 0 ] || LATE=250
now() { echo $(($(date +%s%N) / 1000000)); }
ms() { awk -v f="\"$2\"" '$1 ~ f { gsub(/[^0-9.]/, "", $2); print int($2 * 1000) }' "$1"; }
judge() { # NAME MS-AT-MOST
	echo "$1: $(ms s.json seconds) ms, $(ms s.json cpu_seconds) ms of CPU, $(field s.json max_rss_kib) KiB, $(field s.json samples) samples, $(field s.json lost) lost"
	check "$1/time" "$(ms s.json seconds)" -le "$2"
	check "$1/cpu" "$(ms s.json cpu_seconds)" -le 2000
	check "$1/memory" "$(field s.json max_rss_kib)" -le 98304
	check "$1/samples" "$(field s.json lost)" -le 10 -a "$(field s.json samples)" -ge 100
	has "$1/told" err 'large.so: this file takes too long to read'
}
"$hostile" make large_debug_frame large.so || { skip '' "no room for a file of 1 GiB"; exit 0; }
start "$hostile" run large.so 60
wait_for 20 grep -q large.so /proc/$pid/maps

"$PROF" -v -F 999 -d 1 --stats s.json -o x.folded -p $pid 2>err
judge deadline $((1000 + LATE))

from=$(now)
"$PROF" -v -F 999 --stats s.json -o x.folded -p $pid 2>err &
prof=$!
capturing $prof
sleep 0.5
kill -TERM $prof
until=$(now)   # the capture began after FROM
wait $prof
judge signal $((until - from + LATE))
exit $failed

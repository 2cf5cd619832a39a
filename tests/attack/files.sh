#!/bin/sh
# Files that make much work out of few bytes.  The test compares CPU time and memory with the same capture of an honest file, and the
# capture must keep its samples.
# alone: prof's memory depends on how soon it gets a CPU
. "$(dirname "$0")/../lib.sh"
hostile=$(program hostile -w) || exit 1

CPU_MOST=2000 RSS_MOST=65536   # ms, KiB
ms() { awk '/"cpu_seconds"/ { gsub(/[^0-9.]/, "", $2); print int($2 * 1000) }' "$1"; }
# capture NAME COMMAND...: its profile in NAME.folded, numbers in NAME.json
capture() {
	n=$1
	shift
	timeout -s KILL 60 "$PROF" -v -F 999 --stats "$n.json" -o "$n.folded" -- "$@" >out 2>"$n.err"
}
# bounded NAME: what the capture of NAME took beyond that of plain
bounded() {
	cpu=$(($(ms "$1.json") - $(ms plain.json))) rss=$(($(field "$1.json" max_rss_kib) - $(field plain.json max_rss_kib)))
	echo "$1: $cpu ms, $rss KiB more; $(field "$1.json" samples) samples, $(field "$1.json" lost) lost"
	check "$1/cpu" "$cpu" -le $CPU_MOST
	check "$1/memory" "$rss" -le $RSS_MOST
	check "$1/samples" "$(field "$1.json" samples)" -ge 300 -a "$(field "$1.json" lost)" -le 10
}

"$hostile" make plain plain.so && capture plain "$hostile" run plain.so 0.5 || { not_ok plain "no capture" plain.err; exit 1; }
for kind in segments eh_frame debug_frame debug_info symbols dense_eh_frame dense_debug_frame dense_debug_info packed packed_little ranges; do
	"$hostile" make $kind $kind.so || { skip $kind "no such file can be made here"; continue; }
	if capture $kind "$hostile" run $kind.so 0.5; then
		bounded $kind
	else
		not_ok $kind "status $?" $kind.err
	fi
	rm -f $kind.so
done

# Files that name code without a file.  The capture begins while the program still writes them.
for kind in map_sparse map_line map_lines dump_sparse dump_zeros dump_loads; do
	capture $kind "$hostile" jit $kind 0.5
	case $? in
	0) bounded $kind ;;
	77) skip $kind "no such file can be made here" ;;
	*) not_ok $kind "status $?" $kind.err ;;
	esac
	rm -f jit-*.dump
done

# In a tmpfs, a page of a hole takes memory once somebody maps and reads it.
if mkdir /dev/shm/prof-attack.$$ 2>/dev/null; then
	finally "rm -rf /dev/shm/prof-attack.$$"
	cd /dev/shm/prof-attack.$$ || exit 1
	for kind in debug_info symbols; do
		"$hostile" make $kind $kind.so
		before=$(stat -c %b $kind.so)
		capture shm_$kind "$hostile" run $kind.so 0.5
		check shm_$kind $(($(stat -c %b $kind.so) - before)) -le 2048
	done
else
	skip shm "no /dev/shm to write to"
fi
exit $failed

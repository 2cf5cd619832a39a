#!/bin/sh
# Stacks of recordings, frame by frame as perf script has them: what this machine's perf recorded, and what a newer one did (ci/perf),
# by copied stacks and by frame pointers, of a program with threads, a compiler, an archiver and an interpreter.
# A frame is its file and the lower half of its address, so it does not matter where files lay, nor which of a function's names is shown.
. "$(dirname "$0")/../lib.sh"
need perf linux-perf
need xz xz-utils
need /usr/bin/python3 python3
perf record -q -N -B -e cpu-clock -o data true >out 2>err || { [ "${CI:-}" = true ] && not_ok perf "it cannot record" err || skip '' 'perf cannot record here'; exit $failed; }
newest_perf
perfs="perf $newer"
demo=$(program demo -g)
"$TESTS/bench/generate" 30 >code.c
"$TESTS/bench/generate" 4000 | head -c 1500000 >text
cat >code.py <<END
import json
def tree(n): return {"n": n, "next": [tree(n - 1), tree(n - 2)]} if n > 1 else {"n": n}
for i in range(300): json.loads(json.dumps(tree(15)))
END
workload() {
	case $1 in
	demo) echo "$demo 1" ;;
	cc1) echo "$(cc -print-prog-name=cc1) -quiet -O2 code.c -o code.s" ;;
	xz) echo "xz -6kc --threads=1 text" ;;
	python) echo "/usr/bin/python3 code.py" ;;
	esac
}
# recorded PERF NAME ARGUMENTS: the file NAME, and what that perf says of it.  perf 6.1 may abort: while it collects build-ids, and
# in its script.
recorded() {
	perf=$1 data=$2
	shift 2
	for ids in "" "" "-N -B" "-N -B" "-N -B" "-N -B" "-N -B" "-N -B" "-N -B" "-N -B"; do
		rm -f "$data"
		"$perf" record -q $ids -F 999 -e cpu-clock -o "$data" "$@" >out 2>err
		"$perf" script --no-inline -i "$data" -F comm,tid,time,ip,sym,dso >"$data.perf" 2>err && return
	done
	return 1
}
# compared PERF'S PROF'S: what becomes of each of perf's stacks, and which frames have names.  An address that lies in no file is where perf
# lost its way (these programs make no code), or ~0, its mark for an end: what stands there, and beyond, does not count.  perf leaves out
# one caller where code has no table (_fini at exit): so does this, once a stack.  A thread's samples come in the same order.  The kernel's
# callers may be addresses within the call.
compared() {
	awk '
	function hex(s,  i, v) { for (i = 1; i <= 3; i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
	function alike(a, b) { return a == b || (substr(a, 4) == substr(b, 4) && (hex(a) - hex(b) + 4096) % 4096 == 1) }
	function frame(s,  at, file, name) {
		sub(/^[ \t]+/, "", s)
		at = s; sub(/ .*/, "", at); at = substr("000" at, length(at) + 1)
		name = file = substr(s, index(s, " ") + 1)
		sub(/ \([^()]*\)$/, "", name); sub(/^.* \(/, "", file); sub(/\)$/, "", file); sub(/^.*\//, "", file)
		if (name == "[truncated]") return
		if (file ~ /^\[kernel/) file = "[kernel]"
		n++
		at_[n] = file == "[unknown]" ? "" : at file
		named[n] = name !~ /^\[/
	}
	function ends(  k, i) {
		if (tid == "") return
		for (i = 1; i <= n; i++) if (at_[i] == "") n = i - 1
		k = tid " " (++seen[side, tid])
		if (side == 1) order[++all] = k
		count[side, k] = n
		for (i = 1; i <= n; i++) { stack[side, k, i] = at_[i]; has[side, k, i] = named[i] }
		tid = ""; n = 0
	}
	FNR == 1 { ends(); side++ }
	/^#/ { next }
	/^$/ { ends(); next }
	/^[^ \t]/ {
		ends()
		for (i = NF; $i !~ /^[0-9]+\.[0-9]+:$/; i--) ;
		tid = $(i - 1); sub(/^.*\//, "", tid)
		if (side == 1 && i < NF) { s = $0; sub(/^.* [0-9]+\.[0-9]+: */, "", s); frame(s) }   # without callers
		next
	}
	{ frame($0) }
	END {
		ends()
		c["left"] = c["equal"] = c["longer"] = c["shorter"] = c["differs"] = c["missing"] = c["unnamed"] = c["frames"] = 0
		for (j = 1; j <= all; j++) {
			k = order[j]
			if (!((2, k) in count)) { c["missing"]++; continue }
			a = count[1, k]; b = count[2, k]
			left = 0
			for (m = 0; m < a && m + left < b; ) {
				if (!alike(stack[1, k, m + 1], stack[2, k, m + left + 1])) {
					if (left || m + 1 >= b || !alike(stack[1, k, m + 1], stack[2, k, m + 2])) break
					left = 1
				}
				m++
				c["frames"]++
				c["unnamed"] += has[1, k, m] && !has[2, k, m + left]
			}
			c["left"] += left && m == a
			c[m == a && m == b ? "equal" : m == a ? "longer" : m + left == b ? "shorter" : "differs"]++
		}
		for (k in c) print k, c[k]
		print "all", all + 0
	}' "$1" "$2" | sort
}
of() { sed -n "s/^$1 //p" "$2"; }
for perf in $perfs; do
	version=$("$perf" --version | tr -cd '0-9.' | cut -d . -f 1,2)
	for how in dwarf,16384 fp; do
		for w in demo cc1 xz python; do
			name=$version-${how%%,*}-$w
			recorded "$perf" data --call-graph $how $(workload $w) || { not_ok "$name" "perf cannot record it, or read it" err; continue; }
			"$PROF" report --no-inline data -f script -o data.prof 2>err || { not_ok "$name" "prof cannot read it" err; continue; }
			compared data.perf data.prof >counts
			echo "# $name: $(tr '\n' ' ' <counts)"
			all=$(of all counts) frames=$(of frames counts)
			export show="counts err"
			check "$name-samples" "$all" -ge 20 -a "$(of missing counts)" = 0
			# No stack ends before perf's does, nor goes another way, but for what perf makes up.
			check "$name-whole" $((($(of shorter counts) + $(of differs counts)) * 200)) -le "$all"
			# By frame pointers perf also shows, and names, what is no return address: the begin of a function.
			check "$name-names" $(($(of unnamed counts) * $([ "$how" = fp ] && echo 50 || echo 200))) -le "$frames"
			# At most one more than one in 200, because a program ends once.
			check "$name-left" $(($(of left counts) * 200)) -le $((all + 200))
			check "$name-equal" $(($(of equal counts) * 100)) -ge $((all * 97))
		done
	done
done
exit $failed

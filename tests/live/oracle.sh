#!/bin/sh
# prof's frames beside libunwind's, on stopped programs: it searches and reads the tables by itself.
. "$(dirname "$0")/../lib.sh"
need sqlite3 sqlite3
"$TESTS/bench/oracle" -n 100 -p cc1 python xz sqlite >out 2>err || { not_ok runs "tests/bench/oracle failed" err out; exit 1; }
for program in cc1 python xz sqlite; do
	awk -v p="$program:" '/^[a-z0-9]+: / { on = $1 == p } on' out >"$program"
	# At least five frames for each stack, and hardly any of them differs.
	verdict=$(awk '$3 == "frames" && $4 == "alike," { print ($2 >= 500 && $5 * 200 <= $2 ? "good" : $2 " alike, " $5 " others") }' "$program")
	if [ "$verdict" = good ]; then ok "$program"; else not_ok "$program" "${verdict:-no frames}" "$program" err; fi
	stacks=$(awk '$0 ~ /of stacks: alike to the end/ { print int($1) }' "$program")
	show=$program check "$program-stacks" "${stacks:-0}" -ge 95
done

# The share of frames that libunwind has to walk.
echo 'import json
for i in range(3000): json.loads(json.dumps(list(range(500))))' >work.py
"$PROF" -q -F 4999 -o /dev/null -f folded --stats stats -- python3 work.py
count() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" stats; }
show=stats check walked "$(count frames)" -ge 500
show=stats check by-libunwind $(($(count frames_by_libunwind) * 100)) -lt "$(count frames)"
exit $failed

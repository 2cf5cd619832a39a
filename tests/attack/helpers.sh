#!/bin/sh
# Processes that work for prof die while it captures: prof writes what it captured, and says what is missing.
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1

# killed NAME HOW-MANY: kills so many keepers of a capture
killed() {
	start "$busy" cpu 1   # of CPU time: as many samples on a busy machine
	target=$pid
	"$PROF" -o "$1.folded" --stats "$1.json" -p $target 2>err &
	prof=$!
	capturing $prof
	sleep 0.3
	for k in $(ps -o pid=,comm= --ppid $prof | awk '$2 == "prof-keeper" { print $1 }' | head -n "$2"); do kill -9 "$k"; done
	wait $prof
	got=$?
	kill $target 2>/dev/null
}
killed one 1
check one/status $got = 0
check one/samples "$(samples one.folded 'inner$')" -ge 100
has one/told err "keeps prof's rights was killed"
check one/litter "$(ls -A | grep -c tmp)" = 0

# All keepers at once: nobody can rename the files any more, but prof opened them before, and they hold all that it captured.
killed all 2
check all/status $got = 125
has all/told err "keep prof's rights were killed"
kept=$(sed -n 's/.*all.folded: .*it is complete: \([^ ]*\) in the same directory.*/\1/p' err)
check all/samples "$(samples "${kept:-none}" 'inner$')" -ge 100
[ -f "${kept:-none}" ] && rm "$kept"
kept=$(sed -n 's/.*all.json: .*it is complete: \([^ ]*\) in the same directory.*/\1/p' err)
check all/stats "$(grep -c '"samples"' "${kept:-none}")" -ge 1
[ -f "${kept:-none}" ] && rm "$kept"
check all/litter "$(ls -A | grep -c tmp)" = 0
# prof itself: the files that it had opened go with it, and another capture writes them anew.
start "$busy" wall 60
target=$pid
for how in prof files; do
	"$PROF" -d 30 -o $how.folded -p $target 2>err &
	prof=$!
	capturing $prof
	if [ $how = prof ]; then
		check open-ahead "$(ls -A | grep -c '^.prof-.*tmp$')" = 1
		kill -9 $prof
		wait $prof 2>/dev/null
		waited=0
		while ls -A | grep -q '^.prof-' && [ $waited -lt 50 ]; do sleep 0.1; waited=$((waited + 1)); done
		check prof/litter "$(ls -A | grep -c tmp)" = 0
	else
		rm .prof-*.tmp
		sleep 0.5
		kill -INT $prof
		wait $prof
		check files/status $? = 0
		check files/samples "$(samples files.folded)" -ge 20
	fi
done
kill $target
# If prof cannot start a command, it leaves nothing behind.
"$PROF" -o nothing.folded -- ./nosuch 2>err
check nosuch/status $? = 127
check nosuch/litter "$(ls -A | grep -cE 'tmp|nothing')" = 0
# The stopper of the ptrace engine.
start "$busy" wall 60
target=$pid
"$PROF" --engine ptrace -F 499 -d 1.5 -o stopper.folded -p $target 2>err &
prof=$!
capturing $prof
sleep 0.5
kill -9 "$(ps -o pid=,comm= --ppid $prof | awk '$2 == "prof-stopper" { print $1 }')"
wait $prof
check stopper/status $? = 0
check stopper/samples "$(samples stopper.folded)" -ge 5   # those before are kept; on a busy machine few come
has stopper/told err 'process that stops threads was killed'
has stopper/target /proc/$target/status 'TracerPid:.0$'

# Any of them at any time, also while prof writes the profile: 5 times, with LONG=1 60 times.
round=0
while [ $round -lt $([ "${LONG:-}" ] && echo 60 || echo 5) ]; do
	round=$((round + 1))
	[ $((round % 3)) = 0 ] && engine=ptrace || engine=perf
	"$PROF" --engine $engine -d 0.5 -o x.folded -o x.html -o x.json -o x.perf --stats s.json -p $target 2>err &
	prof=$!
	capturing $prof
	pause=$(awk -v s=$round$$ 'BEGIN { srand(s); printf "%.3f", rand() * 0.58 }')
	sleep "$pause"
	victim=$(ps -o pid=,comm= --ppid $prof | awk -v s=$round$$ '/prof-/ { p[n++] = $1; c[n - 1] = $2 } END { srand(s); if (n) { i = int(rand() * n); print p[i], c[i] } }')
	[ -z "$victim" ] || kill -9 ${victim% *} 2>/dev/null
	wait $prof
	got=$?
	echo "$engine, after $pause s ${victim:-nobody}: status $got, $(samples x.folded) samples"
	if [ $got != 0 ] || ! [ -s x.folded ] || ! [ -s x.html ] || ! [ -s x.json ] || ! [ -s x.perf ] || ! [ -s s.json ] || ls -A | grep -q tmp; then
		ls -la
		not_ok random/$round "$engine, $victim killed after $pause s: status $got" err
	fi
	rm -f x.* s.json .prof-*
done
[ $failed = 0 ] && ok random
exit $failed

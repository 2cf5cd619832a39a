#!/bin/sh
# Processes that work for prof are killed while it captures: what was captured is written, and what is missing is told.
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1

# killed NAME HOW-MANY: so many keepers of a capture
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

killed all 2
check all/status $got = 125
has all/told err "keep prof's rights were killed"
has all/why err 'all.folded: .*rights.* killed'
check all/litter "$(ls -A | grep -c tmp)" = 0
exit $failed

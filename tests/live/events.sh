#!/bin/sh
# Events by name: tracepoints and their fields, filters, globs, groups, breakpoints, several in one capture; prof list.
. "$(dirname "$0")/../lib.sh"
need_root
need taskset util-linux
counted=$(program counted) || exit 1
"$PROF" list 'syscalls:sys_enter_getppid' >list 2>&1
has list-has-tracepoints list '^    syscalls:sys_enter_getppid$'
"$PROF" list --json >all.json && python3 - <<'END' && ok list-json || not_ok list-json "not as it should be" all.json
import json
all = json.load(open("all.json"))
kinds = {e["kind"] for e in all}
assert {"hardware", "cache", "software", "raw", "breakpoint", "tracepoint"} <= kinds, kinds
assert all[[e["name"] for e in all].index("page-faults")]["opens"] is True
for e in all:
    assert e["opens"] is not False or e["why"], e
END
status list-of-nothing 125 "$PROF" list no-such-event-at-all
has list-fields-of-a-tracepoint err 'no event is called'
"$PROF" list -v sched:sched_switch >list 2>&1
has list-shows-fields list '^      next_comm: text of 16 bytes'

sum() { awk '{ n += $NF } END { print n + 0 }' "$1"; }
# Each occurrence is a sample; on a busy machine some may be lost, and counted.
"$PROF" -q -e syscalls:sys_enter_getppid --stats s.json -o a.folded "$counted" 10 4321 1
lost=$(field s.json lost)
check every-occurrence "$(grep -c main a.folded)" -ge 1 -a $(($(sum a.folded) + lost)) = 4321 -a "$lost" -le 3000
# Each CPU counts to a hundred by itself, so one CPU must get all occurrences.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
"$PROF" -q -e syscalls:sys_enter_getppid -c 100 -o b.folded taskset -c "$cpu" "$counted" 10 4321 1
check every-100th "$(sum b.folded)" = 43
"$PROF" -q -e 'syscalls:sys_enter_getpp?d/period=7/' -o c.folded "$counted" 1 10 1 2>err
check no-terms-of-tracepoints $? = 125
# Several in one capture, each with its weight, in formats that prof reads back; on a busy machine some may be lost, and counted.
"$PROF" -q -e 'syscalls:sys_enter_getppid,syscalls:sys_enter_clock_nano*,page-faults/period=1,name=pf/' --stats d.stats -o d.folded -o d.pb.gz -o d.json -o d.svg -o d.html "$counted" 1000 777 33
for e in 'syscalls:sys_enter_getppid 777 777' 'syscalls:sys_enter_clock_nano* 33 33' 'pf 1000 1200'; do
	set -f; set -- $e; set +f
	least=$(($2 - $(field d.stats lost)))
	for f in d.pb.gz d.json; do
		n=$("$PROF" report -e "$1" -o - -f folded "$f" | awk '{ n += $NF } END { print n + 0 }')
		check "weight-of-${1%%:*}-$2-in-$f" "$n" -ge "$least" -a "$n" -le "$3"
	done
	check "weight-of-${1%%:*}-$2-in-folded" "$(grep -F ";[$1];" d.folded | awk '{ n += $NF } END { print n + 0 }')" -ge "$least"
	has "name-of-${1%%:*}-$2-in-html" d.html "$(echo "$1" | sed 's/[*]/[*]/')"
done
# Alone: behind 1,777 other samples in the ring, all of these can be lost on a busy machine.
"$PROF" -q -e 'syscalls:sys_enter_clock_nano*' --stats g.stats -o g.folded "$counted" 1 1 33
check a-glob-tells-which "$(samples g.folded ';syscalls:sys_enter_clock_nanosleep$')" -eq 33 -a "$(sum g.folded)" -eq 33 -a "$(field g.stats lost)" -eq 0
# Fields as leaves, and the kernel's filter.
"$PROF" -q -e syscalls:sys_enter_write --filter 'count > 3' --leaf count -o e.folded sh -c 'echo 1; echo 12345; echo 123456789; echo 12345' >/dev/null
check filtered "$(sum e.folded)" = 3
check leaf-field "$(grep -c ';count=6 1$' e.folded)" = 2
has another-leaf-field e.folded ';count=10 1$'
status bad-filter 125 "$PROF" -e syscalls:sys_enter_write --filter 'cuont > 3' true
has bad-filter-says-why err "filter 'cuont > 3'.*does not understand"
"$PROF" -q -e syscalls:sys_enter_openat --leaf dfd -o e.folded cat /dev/null
has signed-leaf-field e.folded ';dfd=-100 [0-9]+$'
status system-call 125 "$PROF" -e syscall:write true
has system-call-near err "did you mean 'syscalls:sys_enter_write'\?"
status list-misspelt 125 "$PROF" list sched:sched_swich
has list-misspelt-near err "did you mean 'sched:sched_switch'\?"
status list-misspelt-clock 125 "$PROF" list cpu-clok
has list-misspelt-clock-near err "did you mean 'cpu-clock'\?"
if "$PROF" -q -e cycles -o c.folded true 2>err; then
	skip refused-event "this machine has a PMU"
else
	status refused-event 125 "$PROF" -e sched:sched_switch,cycles true
	has refused-event-named err "can sample 'cycles'"
	has refused-event-mend err 'try: leave cycles out of -e, or write cpu-clock in its place$'
fi
status bad-leaf 125 "$PROF" -e syscalls:sys_enter_write --leaf cuont true
has bad-leaf-says-which err 'did you mean count'
status filter-of-nothing 125 "$PROF" -e page-faults --filter 'x > 3' true
status misspelt-tracepoint 125 "$PROF" -e sched:sched_swich true
has misspelt-tracepoint-says-which err "did you mean 'sched:sched_switch'"
status misspelt-system 125 "$PROF" -e schd:sched_switch true
has misspelt-system-says-which err "did you mean 'sched:sched_switch'"
"$PROF" -q -e '{page-faults,context-switches}:u' -o f.folded "$counted" && ok group || not_ok group "it failed"
# prof leaves nothing behind, and nobody else sees its mount.
before=$(cat /proc/self/mountinfo)
"$PROF" -q -e sched:sched_switch -o g.folded true
check no-mount-is-left "$before" = "$(cat /proc/self/mountinfo)"
# A breakpoint on a variable that the program writes: every write is a sample, or is counted as lost on a busy machine.
cat >b.c <<'END'
#include <stdio.h>
volatile int watched;
void writes(void) { for (int i = 0; i < 250; i++) watched = i; }
int main(void) { writes(); return 0; }
END
if "${CC:-cc}" -O1 -g -no-pie -o b b.c && "$PROF" stat -q -e mem:0x400000/4:w true 2>&1 | grep -q '<not supported>'; then
	skip breakpoint "this machine has no breakpoints for perf events: none can be had"
elif perf stat -x, -e "mem:0x$(nm b | awk '$3 == "watched" { print $1 }')/4:w:u" ./b 2>&1 | grep -q '^0,'; then
	skip breakpoint "this machine's breakpoints for perf events never occur: perf counts none"
else
	"$PROF" -q -e "mem:0x$(nm b | awk '$3 == "watched" { print $1 }')/4:w:u" --stats b.json -o b.folded ./b
	came=$(grep -F ';main;writes ' b.folded | awk '{ n += $NF } END { print n + 0 }')
	check breakpoint "$came" -ge 100 -a $((came + $(field b.json lost))) = 250
fi
# At a million hits a second prof counts what it loses: samples and lost ones add up to the hits.
"$PROF" -q -e syscalls:sys_enter_getppid --call-graph none --stats s.json -o h.folded "$counted" 1 1500000 1
check loss-is-counted "$(($(sum h.folded) + $(field s.json lost)))" -ge 1485000 -a "$(($(sum h.folded) + $(field s.json lost)))" -le 1515000
chmod 755 . "$PROF" 2>/dev/null
cp "$PROF" ./prof && chmod 755 prof
status nobody 125 su nobody -s /bin/sh -c './prof -e sched:sched_switch -o - true'
has nobody-is-told-who-may err 'only root may'
exit $failed

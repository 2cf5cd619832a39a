#!/bin/sh
# prof stat, compared with perf stat, for a program that does a known number of things; its forms, targets and errors.
. "$(dirname "$0")/../lib.sh"
need_root
need perf linux-perf
counted=$(program counted) || exit 1
value() { awk -F, -v e="$2" '$3 == e || $4 == e { print $1; exit }' "$1"; }
near() { # TEST A B SLACK
	check "$1" "${2:-0}" -ge "$((${3:-0} - $4))" -a "${2:-0}" -le "$((${3:-0} + $4))"
}
events=page-faults,context-switches,syscalls:sys_enter_getppid,syscalls:sys_enter_clock_nanosleep,minor-faults
"$PROF" stat -x, -o ours -e "$events" "$counted" 3000 4321 50 switches >switches
"$PROF" -q -e sched:sched_switch -o x.folded true
[ -d /sys/kernel/tracing/events ] || { mount -t tracefs none /sys/kernel/tracing && finally "umount -l /sys/kernel/tracing"; }
perf stat -x, -o theirs -e "$events" "$counted" 3000 4321 50
near page-faults "$(value ours page-faults)" "$(value theirs page-faults)" 12
near minor-faults "$(value ours minor-faults)" "$(value theirs minor-faults)" 12
near switches "$(value ours context-switches)" "$(cat switches)" 6   # before exec, and at the end
check syscalls "$(value ours syscalls:sys_enter_getppid)" = 4321 -a "$(value theirs syscalls:sys_enter_getppid)" = 4321
check nanosleeps "$(value ours syscalls:sys_enter_clock_nanosleep)" = 50
# The text has perf's lines.
"$PROF" stat "$counted" 2>text
has head text "^ Performance counter stats for '.*counted'"
has clock text '^ +[0-9.]+ msec task-clock +# +[0-9.]+ CPUs utilized'
has faults text '^ +1,[0-9]{3} +page-faults +# +[0-9.]+ [KMG]?/sec'
has cycles text '^ +(<not supported>|[0-9,]+) +cycles'
has elapsed text '^ +[0-9]+\.[0-9]{9} seconds time elapsed$'
has user text '^ +[0-9]+\.[0-9]{9} seconds user$'
has memory text '^ +[0-9,]+ KiB peak memory$'
"$PROF" stat -r 3 -e page-faults "$counted" 2>text
has repeat-head text '\(3 runs\)'
has repeat-deviation text 'page-faults +\( \+- +[0-9.]+% \)'
has repeat-elapsed text 'seconds time elapsed +\( \+- +[0-9.]+% \)'
"$PROF" stat -ddd true 2>text
check detail "$(grep -cE 'L1-|LLC-|TLB-' text)" = 12
"$PROF" stat --json -o j -e page-faults,cycles "$counted" && python3 - <<'END' && ok json || not_ok json "not as it should be" j
import json
lines = [json.loads(l) for l in open("j")]
assert lines[0]["event"] == "page-faults" and 1000 <= float(lines[0]["counter-value"]) < 1300, lines
assert lines[-1]["seconds-elapsed"] > 0 and lines[-1]["peak-memory-kib"] > 0, lines
END
"$PROF" stat -x';' -e cs -I 100 -- sleep 0.35 2>text
check intervals "$(grep -cE '^ +0\.[0-9]{9};' text)" -ge 3
# Targets.
start sh -c 'while :; do :; done'
spin=$pid
# The milliseconds that it ran, by the scheduler: while the command does, and all in all.
ran() { echo $(($(cut -d ' ' -f 1 /proc/$spin/schedstat) / 1000000)); }
before=$(ran)
"$PROF" stat -x, -o p -e task-clock,page-faults -p "$spin" -- sh -c "read a b </proc/$spin/schedstat; sleep 0.5; read c d </proc/$spin/schedstat; echo \$(((c - a) / 1000000)) >during"
after=$(ran)
within process "$(value p task-clock | cut -d. -f1)" $(($(cat during) - 10)) $((after - before + 10))   # the scheduler counts by ticks
"$PROF" stat -x, -o p -e task-clock --per-thread -p "$spin" -- sleep 0.3
has per-thread p "^sh-$spin,"
"$PROF" stat -x, -o p -e cpu-clock -a --per-core --duration 200ms
has per-core p '^S[0-9]+-D[0-9]+-C[0-9]+,'
status no-such-process 125 "$PROF" stat -p 999999999
status exit-status 7 "$PROF" stat sh -c 'exit 7'
status killed 143 "$PROF" stat sh -c 'kill $$'
status no-command 127 "$PROF" stat no-such-command-anywhere
status per-thread-of-a-command 125 "$PROF" stat --per-thread true
status misspelt 125 "$PROF" stat -e page-fualts true
has misspelt-says-which err "did you mean 'page-faults'"
"$PROF" stat -e '{page-faults,context-switches},page-faults:u' true 2>text
has group text 'page-faults:u'
dir=$(awk '$9 == "cgroup2" || $8 == "cgroup2" || / - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
if [ "$dir" ] && mkdir -p "$dir/prof-test/one" "$dir/prof-test/two" 2>/dev/null; then
	finally "rmdir $dir/prof-test/one $dir/prof-test/two $dir/prof-test"
	start sh -c 'while :; do :; done'
	echo "$pid" >"$dir/prof-test/one/cgroup.procs"
	"$PROF" stat -x, -o c -e cpu-clock -G prof-test --per-cgroup --duration 300ms
	kill -9 "$pid"
	wait_for 10 sh -c "! grep -q . $dir/prof-test/one/cgroup.procs"
	status nothing-below 125 "$PROF" stat -e cpu-clock -G prof-test/one --per-cgroup --duration 300ms
	has nothing-below-why err '^prof: -G prof-test/one: there are no cgroups below it$'
	has cgroup-that-ran c '^one,[0-9.]+,msec'
	has cgroup-that-did-not c '^two,(<not counted>|0.00),msec'
fi
cp "$PROF" ./prof && chmod 755 prof . 2>/dev/null
su nobody -s /bin/sh -c './prof stat true' 2>text
has nobody text 'page-faults(:u)? '
status nobody-whole-system 125 su nobody -s /bin/sh -c './prof stat -a -- true'
has nobody-is-told-who-may err 'try: '
status nobody-anothers 125 su nobody -s /bin/sh -c './prof stat -p 1'
has nobody-anothers-line err 'try: sudo prof stat -p 1 \.\.\.$'
printf 'int work(int p) { return p + 1; }\nint main(void) { return work(1); }\n' >p.c && gcc -g -O0 -o p p.c || exit 1
for argument in p '$arg1'; do
	status "argument-$argument" 125 "$PROF" stat -e "uprobe:$PWD/p:work $argument" ./p
	has "argument-$argument-why" err 'prof stat counts; it shows no arguments$'
done
exit $failed

#!/bin/sh
# -d -D -F -c -e and the options for stacks: each changes a figure that the test looks at.
# alone: samples are counted, and it measures time
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1
prof() { "$PROF" "$@" 2>err; }

prof -F 99 -o f99.folded -- "$busy" cpu 1
prof -F 499 -o f499.folded -- "$busy" cpu 1
prof -o f999.folded -- "$busy" cpu 1
within F-99 "$(samples f99.folded)" 88 108
within F-499 "$(samples f499.folded)" 450 535
within F-default "$(samples f999.folded)" 900 1070
prof -F max -o fmax.folded -- "$busy" cpu 0.3
max=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
has F-max err "at ($max|$((max / 2))|$((max / 4))|$((max / 8))) Hz"   # half of them, in case prof's reader gets no CPU for a while
check F-max-more "$(samples fmax.folded)" -ge 600

# cpu-clock's period is in nanoseconds: every 10 ms of CPU time.
prof -e cpu-clock -c 10000000 -o c.folded -- "$busy" cpu 1
within c "$(samples c.folded)" 90 108
has c-said err 'cpu-clock every 10000000'
prof -e page-faults -c 10 -o pf.folded -- "$busy" faults 5000
within e-page-faults "$(samples pf.folded 'main;faults')" 450 520
prof -e page-faults/period=10/ -o pf.folded -- "$busy" faults 5000
within e-page-faults-own "$(samples pf.folded 'main;faults')" 450 520
prof -e page-faults,cpu-clock -c 100 -o two.folded -- true
check e-two-status $? = 0

prof -d 0.5 -o d.folded -- "$busy" wall 3
within d "$(samples d.folded)" 20 560
has d-said err 'in (0\.[5-9]|1\.[0-9]) s'
prof -o D0.folded -- "$busy" two 2
prof -D 1000 -o D1.folded -- "$busy" two 2
check D-without "$(samples D0.folded phase_one)" -ge 40
check D "$(samples D1.folded phase_one)" -le $(($(samples D0.folded phase_one) / 5))
check D-rest "$(samples D1.folded phase_two)" -ge 40

# The modifier u leaves out the kernel's samples, k the user's.
if [ "$(id -u)" = 0 ]; then
	prof -e cpu-clock -o uk.folded -- "$busy" kernel 0.5
	prof -e cpu-clock:u -o u.folded -- "$busy" kernel 0.5
	prof -e cpu-clock:k -o k.folded -- "$busy" cpu 0.5
	check both-sides "$(samples uk.folded '_\[k\]$')" -ge 300
	check u "$(samples u.folded '_\[k\]$')" = 0
	check k "$(samples k.folded 'inner$')" = 0
	has kernel-stack uk.folded 'main;kernel;.*read;.*_\[k\];.*_\[k\] '
fi

prof -o fork.folded -- "$busy" forks 0.4
prof --no-inherit -o nofork.folded -- "$busy" forks 0.4
within inherit "$(samples fork.folded in_child)" 300 440
check no-inherit "$(samples nofork.folded in_child)" = 0 -a "$(samples nofork.folded)" -ge 300

prof -o deep.folded -- "$busy" recurse 0.3 200
prof --max-stack 20 -o cut.folded -- "$busy" recurse 0.3 200
frames=$(awk '{ sub(/ [0-9]+$/, ""); n = split($0, f, ";"); if (n > max) max = n } END { print max }' deep.folded)
check deep "$frames" -ge 205
frames=$(sed -E 's/;[^;]*_\[k\]//g; s/ [0-9]+$//' cut.folded | awk -F';' 'NF > max { max = NF } END { print max }')
within max-stack "$frames" 10 23
has max-stack-ends cut.folded ';main;.*\[elided\].*;outer;middle;inner '
prof --call-graph none -o none.folded -- "$busy" cpu 0.3
within call-graph-none "$(samples none.folded '^busy;inner$')" 240 340
prof --call-graph fp -o fp.folded -- "$(program busy -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer)" cpu 0.3
check call-graph-fp "$(samples fp.folded 'main;cpu;burn;outer;(middle;)?inner$')" -ge 240
prof --call-graph dwarf -o dwarf.folded -- "$busy" cpu 0.3
check call-graph-dwarf "$(samples dwarf.folded 'main;cpu;burn;outer;middle;inner$')" -ge 240
prof -v --call-graph dwarf,256 -o small.folded -- "$busy" recurse 0.3 200
has stack-size-said err '; 256 bytes of stack per sample, no deeper than you asked for; '
has stack-size-cuts err '^prof: [0-9]+% of stacks are cut, mostly for this reason: stack deeper than the copy \(-v counts the reasons\)'
check stack-size "$(samples small.folded '\[truncated\]')" -ge 200

prof --threads -o th.folded -- "$busy" forks 0.2
prof --pids -o pid.folded -- "$busy" forks 0.2
check threads "$(cut -d';' -f1 th.folded | sort -u | wc -l)" -ge 2
check pids "$(cut -d';' -f1 pid.folded | sort -u | wc -l)" -ge 2
prof -q -o q.folded -- "$busy" cpu 0.1
check q ! -s err
prof -v -o v.folded -- "$busy" cpu 0.1
check v "$(wc -l <err)" -ge 3

prof --stats s.json -o s.folded -- "$busy" cpu 0.3
check stats-samples "$(field s.json samples)" = "$(samples s.folded)"
for key in lost seconds threads processes stacks_complete stacks_truncated stacks_no_unwind_info frames event freq engine cpu_seconds max_rss_kib; do
	[ "$(field s.json $key)" ] || not_ok stats "no $key in --stats" s.json
done
prof --freq=499 --output=long.folded --duration 0.2 -- "$busy" cpu 0.1 && ok long-options
prof -F499 -olong2.folded -- "$busy" cpu 0.1 && check short-attached -s long2.folded
exit $failed

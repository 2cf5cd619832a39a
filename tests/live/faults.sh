#!/bin/sh
# Whatever goes wrong during a capture, prof writes a whole profile or gives a clear error, and the target does the same as without
# prof.
# alone: a CPU goes, disks and rings run full
. "$(dirname "$0")/../lib.sh"
need_root
faults=$(program faults) && kids=$(program kids) && busy=$(program busy) || exit 1

# A profile is whole if prof reads it back.
whole() { [ -s "$1" ] && "$PROF" report -q -o /dev/null -f folded "$1" 2>why; }
# told TEST STATUS FILE: there is a whole profile, or status 125 and the reason, and no unfinished file.
told() {
	if [ "$2" = 125 ] || [ ! -e "$3" ]; then
		if grep -q '^prof: ' err && [ ! -e "$3" ]; then return 0; fi
	elif whole "$3"; then
		return 0
	fi
	not_ok "$1" "status $2, and neither a whole profile nor a reason" err
	return 1
}
litter() { check "$1" "$(find . -name '*.tmp*' -o -name '.*.prof*' | wc -l)" = 0; }

# unharmed MODE N: a command's result is the same with prof as without, and there are samples.
unharmed() {
	alone=$("$faults" "$1" "$2")
	"$PROF" -o "$1.folded" -- "$faults" "$1" "$2" >out 2>err
	check "$1-status" $? = 0
	check "$1-result" "$(cat out)" = "$alone"
	show=err check "$1-samples" "$(samples "$1.folded" ';(main|thread|round_of)')" -ge 20
}
unharmed execs 300
unharmed threads 1500
unharmed maps 20000

# As many processes as possible, each for about 0.5 ms.
"$PROF" -q -o short.folded --stats short.json -- "$kids" exec 2000 /bin/true >out 2>err
check short-status $? = 0
show=err check short-processes "$(field short.json processes)" -ge 100

# The target killed, at each phase of a capture: before prof has it, as it opens, as it samples, as it ends.
bad=0 profiles=0
for ms in 0 1 2 3 5 8 12 20 30 50 80 120 200; do
	for how in attach command; do
		rm -f killed.json
		if [ $how = attach ]; then
			start "$faults" work 1000000; target=$pid
			{ sleep "$(printf '0.%03d' $ms)"; kill -9 "$target"; } &
			timeout 20 "$PROF" -o killed.json -p "$target" -d 10 2>err
			st=$? want='0 125'
		else
			timeout 20 "$PROF" -o killed.json -- sh -c 'echo $$ >victim; exec "$@"' sh "$faults" work 1000000 >out 2>err & p=$!
			wait_for 10 [ -s victim ]
			sleep "$(printf '0.%03d' $ms)"
			kill -9 "$(cat victim)"
			wait $p
			st=$? want=137
			rm -f victim
		fi
		case " $want " in *" $st "*) ;; *) not_ok "killed-$how-$ms" "status $st, not $want" err; bad=1 ;; esac
		told "killed-$how-$ms" $st killed.json || bad=1
		[ -e killed.json ] && profiles=$((profiles + 1))
	done
done 2>/dev/null
wait 2>/dev/null
check killed-at-each-phase $bad = 0 -a $profiles -ge 8
litter killed-litter

# prof is stopped while its rings overflow: it says what it lost, and the later samples are there.
start "$busy" cpu 60; target=$pid
"$PROF" -o stopped.folded --stats stopped.json -F 20000 --stack-size 32768 -p "$target" -d 5 2>err & p=$!
capturing $p
sleep 0.7
kill -STOP $p
sleep 2
kill -CONT $p
wait $p
check stopped-status $? = 0
show=err check stopped-lost "$(field stopped.json lost)" -ge 1000
show=err check stopped-samples "$(samples stopped.folded ';middle;inner$')" -ge 500
has stopped-said err '\([0-9]+ lost'
check stopped-target "$(tr '\0' ' ' <"/proc/$target/stat" | cut -d' ' -f3)" = R

# The disk full at each write: for each room there is, the file is whole or is not there.
mkdir full
mount -t tmpfs -o size=4m none full && finally 'umount "$work/full"'
"$PROF" -q -o one.json -p "$target" -d 0.3
bad=0 fitted=0 refused=0
for kib in 3900 4000 4040 4064 4072 4076 4080 4084 4088 4092; do
	for f in json svg html pb folded; do
		dd if=/dev/zero of=full/filler bs=1k count=$kib 2>/dev/null
		"$PROF" report -q -o "full/x.$f" one.json 2>err
		st=$?
		if [ $st = 0 ] && [ -s full/x.$f ]; then
			"$PROF" report -q -o "again.$f" one.json
			cmp -s "full/x.$f" "again.$f" || { not_ok "full-$kib-$f" "not what it is elsewhere"; bad=1; }
			fitted=$((fitted + 1))
		elif [ $st = 125 ] && [ "$(ls -A full)" = filler ] && grep -q 'o space' err; then
			refused=$((refused + 1))
		else
			not_ok "full-$kib-$f" "status $st" err
			bad=1
		fi
		rm -f full/*
	done
done
check full-each $bad = 0 -a $fitted -ge 5 -a $refused -ge 5

# 64 descriptors, and 200 threads on several CPUs.
start "$busy" many 30 200; many=$pid
wait_for 10 sh -c "[ \$(ls /proc/$many/task | wc -l) -ge 200 ]"
(ulimit -n 64; "$PROF" -o few.json -p "$many" -d 0.5 2>err)
told descriptors $? few.json && ok descriptors
(ulimit -n 64; "$PROF" -o fewer.json -- "$faults" threads 300 2>err >out)
told descriptors-command $? fewer.json && check descriptors-command "$(cat out)" = "$("$faults" threads 300)"
kill -9 "$many" && wait "$many" 2>/dev/null   # two hundred threads would leave little of the CPUs to all later tests
# The helpers that hold events for prof read stacks as deeply as prof does.
start "$busy" recurse 30 1000; recursing=$pid
wait_for 10 sh -c "[ \$(cut -d' ' -f14 /proc/$recursing/stat) -ge 10 ]"
(ulimit -n 64; "$PROF" -q -o held.folded -t $recursing -d 0.5)
check descriptors-deep "$(samples held.folded '_start;.*;burn(;|$)')" -gt $((10 * $(samples held.folded truncated)))
kill $recursing; wait $recursing 2>/dev/null
# 64 MiB of addresses for prof, over a program of 30 MB.
(ulimit -v 65536; "$PROF" -o small.json -p "$target" -d 0.5 2>err)
told memory $? small.json && ok memory
cc1=$(cc -print-prog-name=cc1)
"$TESTS/bench/generate" 40 >code.c
"$cc1" -quiet -O2 code.c -o /dev/null & compiling=$!
(ulimit -v 65536; "$PROF" -o cc1.json -p $compiling -d 1 2>err)
told memory-large $? cc1.json && ok memory-large
wait $compiling
check memory-large-target $? = 0

# A CPU goes, and comes back.
cpu=/sys/devices/system/cpu/cpu1/online
if [ -w $cpu ] && [ "$(cat $cpu)" = 1 ]; then
	finally "echo 1 >$cpu"
	"$PROF" -o cpu.json -p "$target" -d 2 2>err & p=$!
	"$PROF" -o cpus.json -a -d 2 2>errs & q=$!
	sleep 0.5
	echo 0 >$cpu
	sleep 0.5
	echo 1 >$cpu
	wait $p
	told cpu-gone $? cpu.json && check cpu-gone -s cpu.json
	wait $q
	told cpu-gone-system $? cpus.json && check cpu-gone-system -s cpus.json
fi
kill -9 "$target"

# As many samples as minutes have at 999 Hz: what prof holds after the first tenth grows by the timeline alone, 6 bytes (1,055 KiB in all) a run of
# equal stacks, and by what few nodes are new.
"$PROF" -q -o long.folded -F 20000 -- "$busy" cpu 9 2>err & p=$!
rss() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$p/status"; }
child $p busy
tenth() { [ "$(cut -d' ' -f14 "/proc/$child/stat")" -ge $(($(getconf CLK_TCK) * 9 / 10)) ]; }
wait_for 60 tenth
sleep 0.3
early=$(rss)
running() { grep -q '^State:.[RSD]' "/proc/$child/status" 2>/dev/null; }   # this does not count the memory for names at the end
while late=$(rss) && running; do last=$late; sleep 0.2; done
wait $p
check flat "$(samples long.folded)" -ge 90000 -a "$last" -le $((early + 1024 + 1055))
litter litter
exit $failed

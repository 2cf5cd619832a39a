#!/bin/sh
# What -p -t -n -a -C and a command choose, and that they choose nothing else.
# alone: it also looks at the whole system, which must be idle
. "$(dirname "$0")/../lib.sh"
need_root
busy=$(program busy) || exit 1
stack='main;[^ ]*burn;outer;middle;inner$'
for n in one two three; do cp "$busy" $n; done

"$PROF" -q -o c.folded -- ./one cpu 0.5
within command "$(samples c.folded "^one;.*$stack")" 420 520
check command-alone "$(samples c.folded)" -le 560

start ./one wall 30; one=$pid
start ./two wall 30; two=$pid
start ./three cpu 0.6; three=$pid
"$PROF" -o p.folded -p $one -d 0.5 2>err
check p "$(samples p.folded '^one;.*main;wall;outer;middle;inner$')" -ge 10
check p-alone "$(samples p.folded '^(two|three);')" = 0
has p-seconds err 'prof: [0-9]+ samples \(0 lost\) in (0\.[5-9]|1\.[0-9]) s, 1 thread; (100|9[0-9.]+)% complete stacks; '
"$PROF" -q -o pp.folded -p $one,$two -d 0.5
check p-list "$(samples pp.folded '^one;')" -ge 10 -a "$(samples pp.folded '^two;')" -ge 10
"$PROF" -q -o ppp.folded -p $one -p $two -d 0.5
check p-twice "$(samples ppp.folded '^one;')" -ge 10 -a "$(samples ppp.folded '^two;')" -ge 10
"$PROF" -o pc.folded -p $one -- sleep 0.4 2>err
check p-command "$(samples pc.folded '^one;')" -ge 10
has p-command-seconds err 'in (0\.[4-9]|1\.[0-9]) s'
wait $three
kill $one $two; wait $one $two 2>/dev/null

# Ends when the target does.
start ./three wall 1
"$PROF" -o e.folded -p $pid 2>err
check p-end $? = 0
check p-end-samples "$(samples e.folded '^three;')" -ge 10

mkfifo gate
exec 3<>gate   # for both ends: opening it never waits
start ./one many 1 3 <gate >ready; many=$pid
wait_for 5 grep -q ready ready
for t in /proc/$many/task/*; do [ "$(cat $t/comm)" = t1 ] && tid=${t##*/}; done
(sleep 0.3; echo >&3) &
"$PROF" -q -o t.folded --stats t.stats -t $tid -d 2
check t "$(samples t.folded '^t1;.*worker|^t1;.*waiter;burn;outer;middle;inner$')" -ge 10
check t-alone "$(samples t.folded '^(t0|t2|one);')" = 0
check t-ran-alone "$(field t.stats threads_ran_ns)" -le $(($(samples t.folded .) * 1500000 + 50000000))

# The first thread has ended: its entry in /proc shows no maps, memory or root.
cp "$busy" headless
start ./headless headless 30
wait_for 5 grep -q ' Z ' /proc/$pid/stat
for engine in perf ptrace; do
	"$PROF" -q --engine $engine -o h.folded -p $pid -d 0.4
	check headless-$engine "$(samples h.folded ';worker;burn;outer;middle;inner$')" -ge 10
done
status headless-doctor 0 "$PROF" doctor -p $pid
status headless-name 0 "$PROF" -q -o hn.folded -n headless -d 0.1
kill $pid; wait $pid 2>/dev/null

# A server that only waits for workers that it has forked before: they and their children belong to the target, but not with
# --no-inherit.
cat >server <<'END'
./one wall 30 &
{ sh -c './two wall 30; :'; :; } &
wait
END
start sh ./server; server=$pid
wait_for 5 sh -c 'pgrep -x one && pgrep -x two'
for engine in perf ptrace; do
	"$PROF" -q --engine $engine -o w-$engine.folded -p $server -d 0.5
	check workers-$engine "$(samples w-$engine.folded '^one;')" -ge 10 -a "$(samples w-$engine.folded '^two;')" -ge 10
	"$PROF" -q --engine $engine --no-inherit -o wn.folded -p $server -d 0.3
	check workers-$engine-left-out "$(samples wn.folded)" = 0
done
(ulimit -n 60; exec "$PROF" -q -o wf.folded -p $server -d 0.5)
check workers-few-files "$(samples wf.folded '^one;')" -ge 5 -a "$(samples wf.folded '^two;')" -ge 5
# prof does not count as a child of the shell that has started it.
sh -c './one wall 3 & "$0" -q -F 4999 -o own.folded -p $$ -d 0.5' "$PROF"
check workers-not-prof "$(samples own.folded '^one;')" -ge 10 -a "$(samples own.folded '^prof')" = 0
pkill -P $server; pkill -x one; pkill -x two; wait $server 2>/dev/null

# All processes of a name, or the newest; and one that starts later.
cp "$busy" profname
start ./profname wall 30; old=$pid
sleep 1.1
start ./profname two 30; new=$pid
wait_for 5 grep -qx profname /proc/$new/comm
"$PROF" -o n.folded -n profname --newest -d 0.4 2>err
has n-newest-told err "2 processes are called profname; the newest is $new"
check n-newest "$(samples n.folded ';two;')" -ge 10 -a "$(samples n.folded ';wall;')" = 0
"$PROF" -o na.folded -n profname -d 0.4 2>err
has n-all-told err "2 processes are called profname"
check n-all "$(samples na.folded ';two;')" -ge 10 -a "$(samples na.folded ';wall;')" -ge 10
kill $old $new; wait $old $new 2>/dev/null
status n-none 125 "$PROF" -o no.folded -n profname -d 0.4
"$PROF" -q -o nw.folded -n profname --wait &
waiting=$!
sleep 0.3
start ./profname wall 1
wait $waiting
check n-wait "$(samples nw.folded '^profname;')" -ge 10
# It looks at all processes for at most a twentieth of the time, however many there are.
for i in $(seq 400); do sleep 30 & sleeping="$sleeping $!"; done
start "$PROF" -o nw.folded -n "no process is called like this" --wait 2>nw.err
sleep 2
read -r ticks <<-END
	$(awk '{ sub(/.*\) /, ""); print $12 + $13 }' /proc/$pid/stat)
END
kill $pid $sleeping
check n-wait-looks-seldom $((ticks * 1000 / $(getconf CLK_TCK))) -le 250
has n-wait-says nw.err '^prof: prof waits for a process called no process is called like this; Ctrl-C ends$'

cp "$busy" on0; cp "$busy" on1
start taskset -c 0 ./on0 wall 30; on0=$pid
start taskset -c 1 ./on1 wall 30; on1=$pid
"$PROF" -o a.folded -a -d 1 2>err
check a "$(samples a.folded '^on0;.*inner$')" -ge 10 -a "$(samples a.folded '^on1;.*inner$')" -ge 10
has a-busy err 'busy (9[0-9]|100)%'
if [ "$(nproc)" -ge 2 ]; then
	"$PROF" -q -o C.folded -C 0 -d 0.7
	check C "$(samples C.folded '^on0;')" -ge 5 -a "$(samples C.folded '^on1;')" = 0
	"$PROF" -q -o Cp.folded -C 1 -p $on0,$on1 -d 0.7
	check C-p "$(samples Cp.folded '^on1;')" -ge 5 -a "$(samples Cp.folded '^on0;')" = 0
fi
kill $on0 $on1; wait $on0 $on1 2>/dev/null
# A machine that is never idle shows nothing here, and one that other programs use is idle now and then.
for try in 1 2 3 4; do
	"$PROF" -q -o i.folded -a --idle -d 0.5
	"$PROF" -q --stats ni.json -o ni.folded -a -d 0.5
	idle=$(samples i.folded '^swapper') left_out=$(field ni.json samples_idle)
	[ "$idle" -lt 10 ] || break
done
if [ "$idle" -lt 10 ] && [ "$left_out" -lt 40 ]; then skip idle "no CPU was idle"; else check idle "$idle" -ge 10; fi
check idle-left-out "$(samples ni.folded '^swapper')" = 0
exit $failed

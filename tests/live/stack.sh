#!/bin/sh
# prof stack shows the same frames as gdb, for processes and core files. What it does to the target, and who may use it.
. "$(dirname "$0")/../lib.sh"
need gdb gdb
need gcore gdb
built=$(program stacks -O0) || exit 1
cp "$built" stacks && chmod 755 stacks
stacks=$PWD/stacks

start "$stacks"
target=$pid
wait_for 20 sh -c "[ \$(ls /proc/$target/task | wc -l) = 7 ]"
wait_for 20 grep -q poll /proc/$target/wchan
wait_for 20 sh -c "[ \$(grep -l futex /proc/$target/task/*/wchan | wc -l) = 4 ]"

# The functions of each thread, innermost first: those of the program itself, also inlined ones.
ours='^(main|level[0-9]|waiter|spinner|locker|sleeper|spin)$'
gdbs() { awk -v re="$ours" '/^Thread/ { print "thread" } /^#/ { f = $2 == "in" ? $3 : $4 == "in" ? $5 : $3 == "in" ? $4 : $2; if (f ~ re) print f }'; }
profs() { awk -v re="$ours" '/^ *[0-9]+  / && $2 ~ re { print $2 }'; }

"$PROF" stack -p "$target" >live 2>err
check ends $? = 0
has first-line live "^process $target \(stacks\): 7 threads$"
has equal-together live '^3 threads: [0-9].* stacks: waits for a condition \(futex\)'
has poll live "^thread $target stacks: waits for files, sockets or a time \(poll\)"
has mutex live ': waits for a mutex \(futex\)'
has running live ': runs$'
has inlined live '^ +[0-9]+  spin +stacks.c:[0-9]+ \(inlined\)'
[ "$(profs <live | sort | uniq -c | tr -s ' \n' ' ')" = ' 1 level1 1 level2 1 level3 1 locker 1 main 1 sleeper 1 spin 1 spinner 1 waiter ' ] && ok complete || not_ok complete "other functions" live err
"$PROF" stack -p "$target" --twice >twice 2>err
has moves twice ': runs; has moved \([0-9.]+ ms of CPU\)'
has stands twice 'waits for a mutex \(futex\); has not moved'
"$PROF" stack -p "$target" --json -o - >json 2>err
python3 -c 'import json; d = json.load(open("json")); p = d["processes"][0]; assert len(p["threads"]) == 7 and all(str(t["stack"]) in d["stacks"] for t in p["threads"])
assert all("file" not in t for t in p["threads"] if t.get("call") in ("futex", "clock_nanosleep", "nanosleep", "pause"))' &&
	ok json || not_ok json "cannot be read" json
"$PROF" stack -n stacks -q -o x.folded -o x.txt
check folded "$(samples x.folded)" = 7
check folded-wait "$(samples x.folded ';start_thread;waiter;')" = 3
has text-file x.txt '^process '

# prof does not stop a call that would return early. If somebody kills prof, at any time, the target is as before.
for i in 1 2 3 4 5 6 7 8; do
	"$PROF" stack --stop -p "$target" >/dev/null 2>&1 &
	sleep 0.0$i
	kill -9 $! 2>/dev/null
done
wait_for 5 sh -c "! grep -qE '^(State:.[tT]|TracerPid:.[1-9])' /proc/$target/task/*/status"
check runs-on $? = 0
if [ "$(id -u)" = 0 ]; then
	cp "$PROF" ./prof && chmod 755 . prof
	setpriv --reuid 65534 --regid 65534 --clear-groups ./prof stack -p "$target" >out 2>err
	check others-are-refused $? = 125
	has refusal err "^prof: cannot profile process $target \(.*: it belongs to user 0"
	has refusal-line err "^prof: try: sudo prof stack -p $target \."
	setpriv --reuid 65534 --regid 65534 --clear-groups "$stacks" & own=$!
	started="$started $own"
	wait_for 20 grep -q poll /proc/$own/wchan
	setpriv --reuid 65534 --regid 65534 --clear-groups ./prof stack -p "$own" >out 2>err
	has nobodys-own out '^3 threads: .*waits for'
	lacks nobody-sees-no-kernel out '_\[k\]'
fi

# A core file: the same frames as gdb's, from a file and from a pipe.
gcore -o core "$target" >/dev/null 2>&1
gdb -batch -ex 'thread apply all bt' "$stacks" "core.$target" 2>/dev/null | gdbs | grep -v thread | sort >want
"$PROF" stack "core.$target" >core.txt 2>err
awk -v re="$ours" '/^[0-9]+ threads/ { n = $1 } /^thread/ { n = 1 } /^ *[0-9]+  / && $2 ~ re { for (i = 0; i < n; i++) print $2 }' core.txt | sort >got
check some-frames "$(wc -l <want)" -ge 10
cmp -s want got && ok as-gdb || not_ok as-gdb "other frames" want got core.txt
head -c 300000 "core.$target" >cut
"$PROF" stack cut >out 2>err
has cut err 'is not|is cut|ends before'

ulimit -c unlimited 2>/dev/null
case $(cat /proc/sys/kernel/core_pattern) in
core)
	mkdir dump && cd dump || exit 1
	"$stacks" crash 2>/dev/null
	if [ -e core ]; then
		"$PROF" stack core >file 2>err
		has signal file '^core of process [0-9]+ \(stacks\), ended by SIGSEGV at 0x10 \(no memory there\) in thread [0-9]+: '
		has crashed file '^ +[0-9]+  level3 '
		"$PROF" stack --core - <core >seekable 2>err
		cat core | "$PROF" stack --core - >piped 2>err
		cmp -s file piped && cmp -s file seekable && ok pipe || not_ok pipe "other text" file piped
	else
		skip signal "no core was written here (ulimit -c)"
	fi
	;;
*) skip signal "core files go elsewhere: /proc/sys/kernel/core_pattern" ;;
esac

# Other languages: what runs and what waits, down to where each thread begins.
if ! missing go golang-go; then
	cat >going.go <<'END'
package main

import "time"

type counter struct{ sum int }

func (c *counter) spin() {
	for i := 0; c.sum >= 0; i++ {
		c.sum ^= i & 0xffff
	}
}

func main() {
	go new(counter).spin()
	time.Sleep(30 * time.Second)
}
END
	GOCACHE=$T/gocache GO111MODULE=off go build -o going going.go || exit 1
	start ./going
	wait_for 20 sh -c "[ \$(ls /proc/$pid/task | wc -l) -ge 3 ]"
	sleep 0.3
	"$PROF" stack -p $pid >go.txt 2>err
	has go go.txt '^ +[0-9]+  main.\(\*counter\).spin +going.go:[0-9]+  going$'
	has go-begins go.txt '  runtime.goexit.abi0 '
	has go-idle go.txt "waits for work \(a thread of Go's that is idle\)|waits for events \(epoll"
	lacks go-cut err 'ends? early'
	kill $pid
fi
if command -v rustc >/dev/null; then
	cat >rusty.rs <<'END'
use std::{sync::{Arc, Condvar, Mutex}, thread};
#[inline(never)]
fn until_told(pair: &(Mutex<bool>, Condvar)) {
    let mut told = pair.0.lock().unwrap();
    while !*told { told = pair.1.wait(told).unwrap(); }
}
fn main() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    for i in 0..3 {
        let pair = pair.clone();
        thread::Builder::new().name(format!("waiter")).spawn(move || until_told(&pair)).unwrap();
        let _ = i;
    }
    loop { thread::park(); }
}
END
	rustc -g -O -A warnings -o rusty rusty.rs || exit 1
	start ./rusty
	wait_for 20 sh -c "[ \$(grep -l futex /proc/$pid/task/*/wchan | wc -l) = 4 ]"
	"$PROF" stack -p $pid >rust.txt 2>err
	has rust rust.txt '^3 threads: .*waiter.*: waits for a condition \(futex\)$|^3 threads: .*waiter.* \(futex\)$'
	has rust-function rust.txt '^ +[0-9]+  rusty::until_told +rusty.rs:[0-9]+  rusty$'
	has rust-begins rust.txt '^ +[0-9]+  main +rusty$|^ +[0-9]+  std::rt::lang_start'
	lacks rust-cut err 'ends? early'
	kill $pid
else
	skip rust "no rustc"
fi
# A stack of 160 KiB is copied before the thread has stood for too long (where other work slows the machine down, not always).
start "$(program busy)" large 20 160
runs "$pid" busy
for i in 1 2 3 4 5 6 7 8 9 10; do "$PROF" stack -p "$pid" 2>err | grep '^ .* main '; done >large.txt
check large "$(grep -c . large.txt)" -ge 3
kill "$pid"
start "$(program busy)" large 4 4000   # more than that copy; --stop would take no more
runs "$pid" busy
"$PROF" stack -p "$pid" >large.txt 2>err
has large-cut err '1 of 1 stack ends early'
lacks large-no-stop err '--stop'
kill "$pid"
exit $failed

#!/bin/sh
# Python's threads: their names, who holds the interpreter lock and who waits for it, while they run and in prof stack; in another pid
# namespace, too.
. "$(dirname "$0")/../lib.sh"
need python3 python3-minimal
cat >work.py <<'END'
import os, sys, threading, time, zlib
data = os.urandom(1 << 23)
def python(end):
    n = 0
    while time.process_time() < end:
        for i in range(2000):
            n += i * i
def unlocked(end):   # zlib gives the lock away while it computes the checksum
    while time.process_time() < end:
        zlib.crc32(data)
def sleeper(end):
    while time.process_time() < end:
        time.sleep(0.2)
end = time.process_time() + float(sys.argv[1])
class Other(threading.Thread):
    def __init__(self, *args):
        self.before = 1
        super().__init__(target=python, args=(end,))
        self.name = 'the other holder'
threads = [threading.Thread(target=python, args=(end,), name='holder'), Other(), threading.Thread(target=unlocked, args=(end,), name='hasher'),
           threading.Thread(target=sleeper, args=(end,), name='sleeper')]
for t in threads:
    t.start()
for t in threads:
    t.join()
END
holders='^(holder|the other holder|python)[^;]*;'
tested=' '
for py in python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 ${PYTHONS:-} ~/.pyenv/versions/*/bin/python3; do
	v=$("$py" -c 'import sys; print("%d.%d%s" % (*sys.version_info[:2], sys.abiflags))' 2>/dev/null) || continue
	case $v in 3.[89] | 3.1[0-3] | 3.13t) ;; *) continue ;; esac   # 3.14 and later give the kernel the names
	case $tested in *" $v "*) continue ;; esac
	tested="$tested$v "
	"$PROF" -q --threads -o a.folded -o a.json -o a.html -- "$py" work.py 0.8
	check "$v-names" "$(samples a.folded '^the other holder-[0-9]+/[0-9]+;')" -gt 0 -a "$(samples a.folded '^hasher-[0-9]+/[0-9]+;')" -gt 0
	has "$v-speedscope" a.json '"name":"the other holder [0-9]+/[0-9]+'
	"$PROF" report -q --threads -o b.folded a.json && "$PROF" report -q --threads -o c.folded a.html
	check "$v-read-back" "$(samples b.folded '^hasher-')" = "$(samples a.folded '^hasher-')" -a "$(samples c.folded '^hasher-')" = "$(samples a.folded '^hasher-')"
	case $v in *t) continue ;; esac   # it has no lock
	"$PROF" --gil --threads --stats g.json -o g.folded -- "$py" work.py 0.8 2>err
	all=$(samples g.folded)
	check "$v-gil" "$all" -gt 20 -a "$(samples g.folded '^hasher-')" -le $((all / 10)) -a "$(field g.json samples_without_gil)" -gt 0
	start "$py" work.py 60
	target=$pid
	holds() { "$PROF" stack -q -p "$target" >stack.txt 2>err && grep -qE '^thread [0-9]+ (the other )?holder: runs, and holds Python.s interpreter lock' stack.txt; }
	waits() { "$PROF" stack -q -p "$target" >stack.txt 2>err && grep -qE "^thread [0-9]+ .*: waits for Python's interpreter lock" stack.txt; }
	wait_for 20 holds && ok "$v-stack-holds" || not_ok "$v-stack-holds" "nobody holds it" stack.txt err
	wait_for 20 waits && ok "$v-stack-waits" || not_ok "$v-stack-waits" "nobody waits for it" stack.txt err
	sleeps() { "$PROF" stack -q -p "$target" >stack.txt 2>err
		awk '/^$/ { on = 0 } /^(thread|[0-9]+ threads:).* sleeper/ { on = 1 } on' stack.txt >sleeper.txt
		grep -qE ' work.py:sleeper +work.py:13 ' sleeper.txt; }
	wait_for 20 sleeps && ok "$v-stack-functions" || not_ok "$v-stack-functions" "others" stack.txt err
	lacks "$v-stack-sure" sleeper.txt 'python[?]'
	if command -v gcore >/dev/null && gcore -o core "$target" >/dev/null 2>&1; then
		"$PROF" stack "core.$target" >core.txt 2>err
		has "$v-core" core.txt ' work.py:sleeper +work.py:13 '
		lacks "$v-core-sure" core.txt 'python[?]'
		rm -f "core.$target"
	else
		skip "$v-core" "no gcore here, or it failed"
	fi
	has "$v-stack-main" stack.txt ' work.py:<module> '
	kill $target
done
# A thousand threads: their frames are copied from the first sample on, and prof stack knows all of them.
cat >many.py <<'END'
import sys, threading, time
threading.stack_size(256 * 1024)
def work(n):
    return sum(i * i for i in range(n))
def body():
    while True:
        work(3000)
        time.sleep(0.3)
def waiter():
    threading.Event().wait()
for i in range(1000):
    threading.Thread(target=body if sys.argv[1] == 'body' else waiter, daemon=True).start()
open('ready', 'w')
time.sleep(600)
END
start python3 many.py waiter
wait_for 60 test -e ready
"$PROF" stack -q -p "$pid" >all.txt 2>err
check many-stack "$(awk '/^[0-9]+ threads:/ { n = $1 } / many.py:waiter / { if (n > most) most = n } END { print most + 0 }' all.txt)" = 1000
lacks many-stack-sure all.txt 'python[?]'
kill "$pid"
rm -f ready
if [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ]; then
	start python3 many.py body
	wait_for 60 test -e ready
	"$PROF" --stats s.json -q -o m.folded -p "$pid" -d 12
	kill "$pid"
	check many-sure "$(field s.json stacks_of_languages)" -gt 100 -a "$(($(field s.json stacks_of_languages_doubtful) * 50))" -le "$(field s.json stacks_of_languages)"
fi
"$PROF" -q --engine=ptrace --gil --threads -o g.folded -- python3 work.py 0.8
all=$(samples g.folded)
check gil-ptrace "$all" -gt 20 -a "$(samples g.folded '^hasher-')" -le $((all / 10))
start python3 work.py 60
target=$pid
wait_for 20 sh -c "[ \$(ls /proc/$target/task | wc -l) = 5 ]"
if [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ]; then
	"$PROF" -q --off-cpu --threads -o w.folded -p "$target" -d 1
	all=$(samples w.folded "$holders[[]off-cpu[]]") gil=$(samples w.folded "$holders[[]off-cpu[]];.*;[[]waits for the GIL[]]\$")
	check off-cpu "$gil" -ge $((all / 5)) -a "$gil" -gt 0
	check off-cpu-others "$(samples w.folded '^(sleeper|python3)[^;]*;[[]off-cpu[]].*GIL')" -le $(($(samples w.folded '^(sleeper|python3)[^;]*;[[]off-cpu[]]') / 2))
fi
"$PROF" -q --engine=ptrace --off-cpu --threads -o p.folded -p "$target" -d 1
check off-cpu-ptrace "$(samples p.folded "$holders[[]off-cpu[]];.*;[[]waits for the GIL[]]\$")" -gt 0
kill "$target"
if [ "$(id -u)" = 0 ] && unshare -fp --mount-proc true 2>/dev/null; then
	start unshare -fp --kill-child --mount-proc python3 work.py 60
	child "$pid" python3
	wait_for 20 sh -c "[ \$(ls /proc/$child/task | wc -l) = 5 ]"
	"$PROF" -q --threads -o n.folded -p "$child" -d 1
	check other-namespace "$(samples n.folded '^(the other )?holder-.*;work.py:python')" -gt 0 -a "$(samples n.folded '^hasher-.*;work.py:unlocked')" -gt 0
	check other-namespace-unmixed "$(samples n.folded '^(the other )?holder-.*;work.py:unlocked|^hasher-.*;work.py:python')" = 0
fi
exit $failed

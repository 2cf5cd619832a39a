#!/bin/sh
# Functions of Python in a program that does nothing for prof: names, lines, and no impossible stacks; and a program that only looks
# like Python.
# alone: if prof gets no CPU for a while, functions change before it reads them
. "$(dirname "$0")/../lib.sh"
need python3 python3-minimal
cat >work.py <<'END'
import time
class K:
    def inner(self, n):
        s = 0
        for i in range(n):
            s += i * i
        return s
def outer(k, n):
    return k.inner(n)
def other(n):
    t = ''
    for i in range(n):
        t = str(i) + 'x'
    return t
def caller(n):
    return other(n)
def key(x):
    return -x
def sorter(l):
    return sorted(l, key=key)
def gen(n):
    for i in range(n):
        yield other(3)
def consumer(n):
    return sum(len(x) for x in gen(n))
def main():
    k = K()
    l = list(range(200))
    end = time.process_time() + 1.5
    while time.process_time() < end:
        outer(k, 300); caller(300); sorter(l); consumer(40)
main()
END
# Coroutines that wait for each other, and a second interpreter with a thread in it.
cat >aio.py <<'END'
import asyncio, time
def compute(n):
    s = 0
    for i in range(n):
        s += i * i
    return s
async def leaf(n):
    for i in range(20):
        compute(n)
    await asyncio.sleep(0)
    for i in range(20):
        compute(n)
async def middle(n):
    await leaf(n)
async def numbers(n):
    for i in range(20):
        compute(n)
        yield i
async def outer(n):
    await middle(n)
    async for i in numbers(n):
        compute(n)
async def main(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        await asyncio.gather(*[asyncio.ensure_future(outer(200)) for i in range(4)])
asyncio.run(main(1))
END
cat >second.py <<'END'
import sys, threading, time
try:
    from concurrent import interpreters
    def run(code):
        interpreters.create().exec(code)
except ImportError:
    try:
        import _interpreters as low
        run = lambda code: low.exec(low.create('isolated'), code)
    except ImportError:
        import _xxsubinterpreters as low
        run = lambda code: low.run_string(low.create(), code)
code = """
import time
def within(n):
    s = 0
    for i in range(n):
        s += i * i
def second():
    end = time.time() + 2
    while time.time() < end:
        within(1000)
second()
"""
def entering():
    run(code)
def within_first(n):
    s = 0
    for i in range(n):
        s += i * i
t = threading.Thread(target=entering)
t.start()
end = time.time() + 2
while time.time() < end:
    within_first(1000)
t.join()
END
# Modules whose code is gone when it has run, and another one's takes its place.
mkdir -p mods
for i in $(seq 200); do
	{
		echo "def work(n):"
		echo "    for i in range(n): pass"
		echo "s = 0"
		seq -f 'v%g = 1' $((i * 7 % 90))
		echo "for i in range(20000): s += i"
		echo "work(80000)"
	} >mods/m$i.py
done
echo 'for i in range(1, 201): __import__("m%d" % i)' >mods/all.py
# The test knows who calls whom, and in which of the interpreter's functions each Python function can be.
impossible='work.py:outer;(.*;)?work.py:(other|key|gen)|work.py:caller;(.*;)?work.py:(K.)?inner|work.py:(K.)?inner;(.*;)?(PyUnicode_|PyObject_Str)|work.py:other;(.*;)?(list_sort|builtin_sum)|work.py:key;(.*;)?PyObject_Str'
tested=' '
# PYTHONS: others, as ones without the lock
for py in python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 python3.15 ${PYTHONS:-} ~/.pyenv/versions/*/bin/python3; do
	v=$("$py" -c 'import sys; print("%d.%d%s" % (*sys.version_info[:2], sys.abiflags))' 2>/dev/null) || continue
	case $v in 3.[89]* | 3.1*) ;; *) continue ;; esac
	case $tested in *" $v "*) continue ;; esac
	tested="$tested$v "
	"$PROF" --stats s.json -o w.folded -- "$py" work.py
	"$PROF" -q -o w.json --lines -- "$py" work.py
	all=$(samples w.folded 'work.py:main') doubt=$(samples w.folded 'work.py:main.*python[?]')
	check "$v-impossible" "$(samples w.folded "$impossible")" -le $((all / 200))
	check "$v-all" "$all" -ge $(($(samples w.folded) * 6 / 10))
	has "$v-lines" w.json '"name": *"work.py:(K.)?inner", *"file": *"[^"]*work.py", *"line": *[456]'
	if [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ]; then
		check "$v-inner" "$(samples w.folded 'work.py:main;(.*;)?work.py:outer;(.*;)?work.py:(K.)?inner')" -ge $((all / 20))
		check "$v-sure" "$doubt" -le $((all / 10))
	fi
	check "$v-counted" "$(field s.json stacks_of_languages)" -ge "$(field s.json stacks_of_languages_doubtful)" -a "$(field s.json stacks_of_languages)" -gt 0
	rm -rf mods/__pycache__
	"$PROF" -q -o m.folded -- "$py" mods/all.py
	grep -E 'all.py:<module>;(.*;)?m[0-9]+.py:' m.folded >bodies.folded
	check "$v-modules" "$(samples bodies.folded 'm[0-9]+.py:<module>;(.*;)?m[0-9]+.py:work')" -ge 150
	check "$v-modules-impossible" "$(sed -E '/m([0-9]+).py:<module>;(.*;)?m\1.py:work/d' bodies.folded | grep -cE 'm[0-9]+.py:<module>;(.*;)?m[0-9]+.py:')" = 0
	check "$v-modules-sure" "$(samples m.folded 'all.py:<module>;(.*;)?\[python\?\]')" -le $(($(samples m.folded 'all.py:<module>') / 10))
	"$PROF" -q -o a.folded -- "$py" aio.py
	check "$v-coroutines" "$(samples a.folded 'aio.py:outer;(.*;)?aio.py:middle;(.*;)?aio.py:leaf;(.*;)?aio.py:compute')" -ge 50 -a \
		"$(samples a.folded 'aio.py:outer;(.*;)?aio.py:numbers;(.*;)?aio.py:compute')" -ge 20
	check "$v-coroutines-impossible" "$(samples a.folded 'aio.py:leaf;(.*;)?aio.py:(middle|outer|numbers)|aio.py:middle;(.*;)?aio.py:(outer|numbers)|aio.py:numbers;(.*;)?aio.py:(leaf|middle|outer)')" = 0
	case $v in 3.1[2-9])
		"$PROF" -q --engine=ptrace -o i.folded -- "$py" second.py
		check "$v-interpreters" "$(samples i.folded 'second.py:entering;(.*;)?<(string|script)>:second;<(string|script)>:within')" -ge $(($(samples i.folded '>:within') / 2)) \
			-a "$(samples i.folded '>:within')" -ge 50 -a "$(samples i.folded 'second.py:within_first')" -ge 50
		check "$v-interpreters-unmixed" "$(samples i.folded 'within_first.*>:within|>:within.*within_first')" = 0 ;;
	esac
	"$PROF" -q --engine=ptrace -o p.folded -- "$py" work.py
	all=$(samples p.folded 'work.py:main')
	check "$v-ptrace" "$all" -ge $(($(samples p.folded) / 2)) -a "$(samples p.folded "$impossible")" -le $((all / 200))
	check "$v-ptrace-sure" "$(samples p.folded 'work.py:main.*python[?]')" -le $((all / 10))
done
# With --stack-size there is no BPF program for deep stacks, so prof reads the frames later.
"$PROF" --stack-size 16384 -o late.folded -- python3 work.py 2>err
has late-says-what-helps err '\[python\?\] instead \(use .*--engine=ptrace; see docs/languages.md\)'
"$PROF" -q --native-interpreter -o n.folded -- python3 work.py
check native-interpreter "$(samples n.folded '_PyEval_EvalFrameDefault;(.*;)?work.py:main')" -ge 100
# prof leaves out functions that only lead from one Python function to the next, but keeps those that Python calls on purpose: here
# libc's qsort, by ctypes.
cat >call.py <<'END'
import ctypes, time
libc = ctypes.CDLL(None)
compared = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
def compare(a, b):
    return sum(range(200)) * 0 + a[0] - b[0]
def caller():
    numbers = (ctypes.c_int * 500)(*[i * 7919 % 501 for i in range(500)])
    libc.qsort(numbers, 500, 4, compared(compare))
end = time.process_time() + 1
while time.process_time() < end:
    caller()
END
"$PROF" -q -o c.folded -o c.svg -- python3 call.py
"$PROF" -q --native-interpreter -o n.folded -- python3 call.py
check between "$(samples c.folded 'call.py:caller;.*qsort.*;call.py:compare')" -ge $(($(samples c.folded 'call.py:compare') / 2))
sed 's/;[^;]*_\[[ki]\]//g' c.folded >user.folded   # a sample in such a function keeps it
check leads-on "$(samples user.folded 'call.py:.*;(_PyEval_Vector|PyObject_Vectorcall|_PyFunction_Vectorcall|PyObject_Call|PyEval_EvalCode|Py_RunMain);')" = 0
check leads-on-kept "$(samples n.folded 'Py_RunMain;.*call.py')" -ge 100
has svg-legend c.svg '>Python<'
# By line.
line() { grep -n "$1" work.py | head -n 1 | cut -d: -f1; }
status annotate 0 "$PROF" annotate -q -o lines.txt work.py:main -- python3 work.py
has annotate-caller lines.txt "^ *[0-9.]+% +[1-9][0-9.]*% +$(line 'outer(k, 300)') .*outer\\(k, 300\\); caller\\(300\\)"
status annotate-inner 0 "$PROF" annotate -q -o lines.txt 'work.py:(K.)?inner' -- python3 work.py
lacks annotate-no-addresses lines.txt address
has annotate-inner-line lines.txt "^ *[1-9][0-9.]*% +[1-9][0-9.]*% +$(line 's += i') .*s \\+= i \\* i"

# prof must not confuse who calls whom: a calls b, c calls d, as fast as they can. LONG=1 takes a million samples.
cat >pairs.py <<'END'
import sys, time
def b(): return 1
def d(): return 2
def a(): return b()
def c(): return d()
def main(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        for i in range(1000): a(); c()
main(float(sys.argv[1]))
END
hz=5000 seconds=2
[ "${LONG:-}" ] && hz=25000 seconds=45
for how in '' --engine=ptrace; do
	"$PROF" -q $how -F $hz -o pairs.folded -- python3 pairs.py $seconds
	all=$(samples pairs.folded 'pairs.py:main')
	check "pairs$how" "$all" -ge 500 -a "$(samples pairs.folded 'pairs.py:a;(.*;)?pairs.py:d|pairs.py:c;(.*;)?pairs.py:b')" -le $((all / 200))
done

# Endless chains of frames, threads and interpreters.
liar=$(program liar -rdynamic) || exit 1
"$PROF" --stats s.json -o l.folded -- "$liar" 1 2>err
check liar-profiled "$(samples l.folded 'main;')" -ge 300
check liar-cheap "$(field s.json cpu_seconds | cut -d. -f1)" -lt 1
exit $failed

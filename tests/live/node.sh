#!/bin/sh
# Functions of JavaScript in a Node.js that was started without any flag: named as V8 itself names them; and a program that only looks like
# Node.js.
# alone: if prof gets no CPU for a while, functions move before it reads them
. "$(dirname "$0")/../lib.sh"
need node nodejs
need python3 python3-minimal
cat >work.js <<'END'
'use strict';
class Shape {
  constructor(n) { this.n = n; }
  area(k) {
    let s = 0;
    for (let i = 0; i < k; i++) s += (this.n * i) % 7;
    return s;
  }
}
function outer(n) { return inner(n) + 1; }
function inner(n) {
  let s = 0;
  for (let i = 0; i < n; i++) s += leaf(i);
  return s;
}
function leaf(i) { return (i * 31) ^ (i >> 3); }
const arrow = (n) => { let t = ''; for (let i = 0; i < n; i++) t = String(i) + 'x'; return t; };
function byValue(a, b) { return leaf(b) - leaf(a); }
function sorter(l) { return l.slice().sort(byValue); }
function build(n) {
  const o = {};
  for (let i = 0; i < n; i++) o['k' + (i % 50)] = { a: i, b: [i] };
  return Object.keys(o).length;
}
const named = { method(n) { return JSON.stringify({ n, l: new Array(20).fill(n) }).length; } };
named.assigned = function (n) { let s = 0; for (let i = 0; i < n; i++) s += named.method(i); return s; };
// New functions all the time, which are interpreted.
function fresh(n) { return new Function('x', 'let s = ' + n + '; for (let i = 0; i < 300; i++) s += i * x; return s;')(n); }
function cold(n) { let s = 0; for (let i = 0; i < n; i++) s += fresh(i); return s; }
function main(seconds) {
  const s = new Shape(3), l = Array.from({ length: 400 }, (_, i) => (i * 7919) % 211);
  const end = process.cpuUsage().user + seconds * 1e6;
  let k = 0, turn = 0;
  while (process.cpuUsage().user < end) {
    if (turn++ % 16 === 0) k += cold(2);
    for (let j = 0; j < 20; j++) {
      k += outer(300); k += s.area(300); k += arrow(100).length; for (let r = 0; r < 4; r++) k += sorter(l)[0];
      k += build(100); k += named.assigned(5);
      k += l.map(function mapper(x) { return x + 1; }).length;
    }
  }
  return k;
}
main(+process.argv[2] || 1.5);
END
# Five workers, each of which runs functions of its own, and a busy main thread.
cat >workers.js <<'END'
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');
function spin(f, until) { let n = 0; while (Date.now() < until) for (let i = 0; i < 50; i++) n += f(i + 1); return n; }
function zeroA(n) { return zeroB(n) + 1; }
function zeroB(n) { let s = 0; for (let i = 0; i < 200; i++) s += (i * n) % 7; return s; }
function oneA(n) { return oneB(n) + 1; }
function oneB(n) { let t = ''; for (let i = 0; i < 40; i++) t += String.fromCharCode(65 + (i * n) % 26); return t.length; }
function twoA(n) { return twoB(n).length; }
function twoB(n) { return JSON.stringify({ n, l: [1, 2, 3, n] }); }
function threeA(n) { return [3, 1, 2, n].sort(threeB)[0]; }
function threeB(a, b) { return a - b; }
function mainA(n) { return mainB(n) * 2; }
function mainB(n) { let s = 0; for (const c of String(n)) s += c.charCodeAt(0); return s; }
const all = [zeroA, oneA, twoA, threeA];
const seconds = +process.argv[2] || 2;
if (isMainThread) {
  for (let i = 0; i < 4; i++) new Worker(__filename, { workerData: i, argv: [String(seconds)] });
  new Worker(`const { workerData } = require('node:worker_threads');
function evalA(n) { return evalB(n) + 1; }
function evalB(n) { let s = 0; for (let i = 0; i < 300; i++) s ^= i * n; return s; }
const end = Date.now() + workerData; let k = 0; while (Date.now() < end) for (let i = 0; i < 50; i++) k += evalA(i);`, { eval: true, workerData: seconds * 1000 });
  (function busy() { spin(mainA, Date.now() + seconds * 1000); })();
} else {
  spin(all[workerData], Date.now() + seconds * 1000);
}
END
# Lines 10 to 14 of f: two loops that call nothing, and a call behind each.
cat >lines.js <<'END'
'use strict';
function spin(n) {
  let s = 0;
  for (let i = 0; i < n; i++)
    s += i % 7;
  return s;
}
function f(n) {
  let s = 0, t = 1;
  for (let i = 0; i < n; i++) s ^= i * t;
  s += spin(n);

  for (let i = 0; i < n; i++) t += (i ^ s) & 3;
  s += spin(n);
  return s + t;
}
function main(seconds) {
  const end = process.cpuUsage().user + seconds * 1e6;
  let k = 0;
  while (process.cpuUsage().user < end)
    k += f(3000);
  return k;
}
main(+process.argv[2]);
END
# Optimized code of outer, with inner in it, is left while inner calls work: V8 makes frames of its interpreter out of it.
cat >left.js <<'END'
function work(ms) { const e = Date.now() + ms; let k = 0; while (Date.now() < e) for (let i = 0; i < 1000; i++) k ^= i; return k; }
function inner(o) { return o.long ? work(o.ms) : o.a; }
function outer(o) { return inner(o) + 1; }
let s = 0;
for (let i = 0; i < 300000; i++) s += outer({ a: i, long: false, ms: 0 });
s += outer({ a: 1, long: true, ms: 1000 });
END
# Compares each function in a profile with those that V8 wrote into maps: its name, file and first line.  Functions that V8 read from its
# snapshot are in no map.
cat >compare.py <<'END'
import collections, json, re, sys
truth, places = set(), set()
for name in sys.argv[2:]:
    for line in open(name, errors='replace'):
        m = re.match(r"\S+ \S+ (?:LazyCompile|Function|Script|Eval|JS|InterpretedFunction):(?:[~^*+]'?)?(.*?) ?((?:/|node:)[^ ]*?):(\d+)(?::\d+)?$", line)
        if m:
            truth.add((m[1] or '(anonymous)', m[2], int(m[3])))
            places.add((m[2], int(m[3])))
profile = json.load(open(sys.argv[1]))
frames, counts = profile['shared']['frames'], collections.Counter(f for p in profile['profiles'] for s in p['samples'] for f in s)
right = wrong = 0
for i, f in enumerate(frames):
    file, line, name = f.get('file', ''), f.get('line', 0), f['name']
    if name in ('[javascript?]', '[unknown]'):
        wrong += counts[i]
    elif file.endswith('work.js') or (file, line) in places:
        if (name[len(file if file.startswith('node:') else 'work.js') + 1:], file, line) in truth:
            right += counts[i]
        else:
            wrong += counts[i]
            print('%d times %s, %s:%d' % (counts[i], name, file, line))
print(right, wrong)
END
# V8 reads /proc to map its own code near the code that it makes.
printf '#!/bin/sh\nmount -t proc proc "$1/proc" && exec chroot "$@"\n' >within && chmod +x within
# check_node NAME ROOT: of the Node.js in that root directory; '': this machine's.
check_node() {
	where=$2 run=${2:+unshare -m ./within $2}
	mkdir -p "$where/tmp/prof-node"; cp work.js workers.js lines.js "$where/tmp/prof-node/"
	js=/tmp/prof-node/work.js
	$run node --perf-basic-prof --interpreted-frames-native-stack $js 0.7 2>/dev/null & flagged=$!
	wait $flagged
	$run node --perf-basic-prof $js 0.7 2>/dev/null & unflagged=$!
	wait $unflagged
	for how in '' --engine=ptrace; do
		seconds=1.5
		[ -z "$how" ] || seconds=8   # a thread that stands gets few samples of its time where others want the CPUs
		"$PROF" -q $how --stats s.json -o w.folded -o w.json -- $run node $js $seconds 2>err
		python3 compare.py w.json "$where/tmp/perf-$flagged.map" "$where/tmp/perf-$unflagged.map" >compared 2>&1
		set -- "$1" $(tail -n 1 compared) 0 0
		show=compared check "$1$how-named" "$2" -ge 3000 -a $(($3 * 49)) -le "$2"
		all=$(samples w.folded 'work.js:main')
		check "$1$how-all" "$all" -ge $(($(samples w.folded) * 6 / 10))
		check "$1$how-counted" "$(field s.json stacks_of_languages)" -ge "$(field s.json stacks_of_languages_doubtful)" -a "$(field s.json stacks_of_languages_doubtful)" -le $((all / 10))
		check "$1$how-builtin-calls" "$(samples w.folded 'work.js:sorter;(.*;)?work.js:byValue')" -ge 5
		check "$1$how-inlined" "$(samples w.folded 'work.js:byValue;work.js:leaf')" -ge 20
		check "$1$how-glue" "$(samples w.folded 'Builtins_(InterpreterEntryTrampoline|.*Handler|JSEntry)')" -le $((all / 100))
		check "$1$how-node" "$(samples w.folded 'node:internal/main/run_main_module:\(anonymous\);.*work.js:main')" -ge $((all * 9 / 10))
		check "$1$how-impossible" "$(samples w.folded 'work.js:(leaf|byValue|mapper|named.assigned);(.*;)?work.js:(main|outer|inner|sorter|cold)|work.js:inner;(.*;)?work.js:(sorter|build)')" = 0
	done
	"$PROF" -q --stats s.json -o w.folded -- $run node /tmp/prof-node/workers.js 1.5 2>err
	for of in zero one two main; do
		check "$1-worker-$of" "$(samples w.folded "workers.js:spin;(.*;)?workers.js:${of}A;(.*;)?workers.js:${of}B")" -ge 10
	done
	check "$1-worker-eval" "$(samples w.folded '\[worker eval\]:evalA;\[worker eval\]:evalB')" -ge 10
	check "$1-workers-apart" "$(samples w.folded '(:zero[AB].*:(one|two|three|main|eval)|:one[AB].*:(zero|two|three|main|eval)|:two[AB].*:(zero|one|three|main|eval)|:three[AB].*:(zero|one|two|main|eval)|:main[AB].*:(zero|one|two|three|eval)|:eval[AB].*:(zero|one|two|three|main))[AB]')" = 0
	check "$1-workers-certain" "$(field s.json stacks_of_languages_doubtful)" -le $(($(field s.json stacks_of_languages) / 20))
	# All kinds of code have lines.
	for kind in interpreted baseline optimized; do
		case $kind in
		interpreted) how='--no-opt --no-sparkplug' ;;
		baseline) how='--no-opt --always-sparkplug' ;;
		optimized) how= ;;
		esac
		[ -z "$how" ] || ! $run node --no-maglev -e 0 2>/dev/null || how="$how --no-maglev"
		"$PROF" -q --lines -o w.folded -- $run node $how /tmp/prof-node/lines.js 1 2>err
		all=$(samples w.folded 'lines.js:f:')
		if [ $1$kind = forkybaseline ]; then   # its libnode does not say how long bytecodes are: functions stand where they begin
			check "$1-$kind-lines" "$(samples w.folded 'lines.js:f:8(;|$)')" -ge $((all * 95 / 100)) -a "$all" -ge 300
			continue
		fi
		check "$1-$kind-lines" "$(samples w.folded 'lines.js:main:21;lines.js:f:1[0-4](;lines.js:spin:[45])?(;|$)')" -ge $((all * 95 / 100)) -a "$all" -ge 300
		for line in 10 13; do
			check "$1-$kind-line-$line" "$(samples w.folded "lines.js:f:$line(;|\$)")" -ge $((all / 20))
		done
		check "$1-$kind-calls" "$(samples w.folded 'lines.js:f:(8|9|10|12|13|15|16);lines.js:spin')" -le $((all / 50))
	done
	rm -rf "$where/tmp/prof-node" "$where/tmp/perf-$flagged.map" "$where/tmp/perf-$unflagged.map"
}
check_node "$(node -p 'process.version.split(".")[0]')" ''
for suite in bookworm trixie forky; do
	if [ "$(id -u)" != 0 ]; then
		skip $suite "must be root"
	elif [ "${CI:-}" = true ] || [ -x "${CACHE:-$TESTS/../build/cache}/node-$suite/usr/bin/node" ]; then
		root=$("$TESTS/../ci/node" $suite 2>err) || { not_ok $suite "there is no Node.js of $suite" err; continue; }
		check_node $suite "$root"
	else
		skip $suite "no Node.js of $suite: ci/node fetches it"
	fi
done

# V8's own functions tell where they begin, if the program has symbols.
if grep -q Builtins_InterpreterEnterAtNextBytecode "$(readlink -f "$(command -v node)")"; then
	"$PROF" -q -o w.folded -- node left.js 2>err
	all=$(samples w.folded 'left.js:work')
	check left-code "$(samples w.folded '_start;(.*;)?left.js:outer;left.js:inner;left.js:work')" -ge $((all * 95 / 100)) -a "$all" -ge 50
else
	skip left-code "node has no symbols of V8's own functions"
fi

# The interpreter's own functions are kept on demand; what V8 wrote down stays ahead; without V8's constants prof says what would help.
"$PROF" -q --native-interpreter -o n.folded -o n.svg -- node work.js 2>err
check native-interpreter "$(samples n.folded 'Builtins_JSEntry(Trampoline)?;(.*;)?work.js:main')" -ge 50
has svg-legend n.svg '>JavaScript<'
sed 's/v8dbg_/v8dbx_/g' "$(readlink -f "$(command -v node)")" >node-without && chmod +x node-without
"$PROF" -o none.folded -- ./node-without work.js 2>err
check without-constants "$(samples none.folded 'work.js')" = 0
has without-constants-said err '(JIT code of Node.js, which has no names|run functions of Node.js; prof sees only the interpreter) \(start node with --perf-basic-prof\)'
rm -f node-without
# As the ordinary user, and what stands now.
cat >stand.js <<'END'
function standing(last) { let n = 0; while (Date.now() < last) n += String(n % 7).length; return n; }
function caller(last) { return standing(last) + 1; }
caller(Date.now() + 60000);
END
start node stand.js
target=$pid
stands() { "$PROF" stack -q -p "$target" >stack.txt 2>err && grep -qE ' stand.js:caller +stand.js:2 ' stack.txt; }
wait_for 20 stands && ok stack || not_ok stack "no such function" stack.txt err
kill "$target"
if [ "$(id -u)" = 0 ]; then
	chmod 755 . && mkdir -m 777 -p user && cp stand.js "$PROF" user/ && cd user || exit 1
	setpriv --reuid 65534 --regid 65534 --clear-groups ./prof -q -o u.folded -- timeout 1 node stand.js 2>err
	check user "$(samples u.folded 'stand.js:caller;stand.js:standing')" -ge 200
	cd ..
fi

# Frames that lie.
liar=$(program liar_node -rdynamic) || exit 1
"$PROF" --stats s.json -o l.folded -- "$liar" 1 2>err
check liar-profiled "$(samples l.folded 'main;')" -ge 300
check liar-read "$(field s.json stacks_of_languages)" -ge 300
check liar-cheap "$(field s.json cpu_seconds | cut -d. -f1)" -lt 1
exit $failed

#!/bin/sh
# Code without a file, named by perf maps: a small one of our own, Node, Java, Python.
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1
"$PROF" -q -o jit.folded -- "$busy" jit 0.5
check own "$(samples jit.folded 'main;jit;LazyCompile:\*hot loop.js:7$')" -ge 300
"$PROF" -q -o comm.folded -o comm.json -- "$busy" hostile 0.1 && check hostile -s comm.json

missing() { # COMMAND PACKAGE
	command -v "$1" >/dev/null 2>&1 && return 1
	if [ "${CI:-}" = true ]; then not_ok "$1" "no $1"; else skip "$1" "no $1: apt-get install $2"; fi
}
if ! missing node nodejs; then
	cat >loop.js <<'END'
function innerLoop(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 31 + i) % 65521; return x; }
function middleCall(n) { return innerLoop(n) + 1; }
const end = Date.now() + 2000;
let all = 0;
while (Date.now() < end) all += middleCall(20000);
if (all === 1) console.log(all);
END
	"$PROF" --stats s.json -o node.folded -- \
		sh -c 'echo $$ >pid; exec node --perf-basic-prof --interpreted-frames-native-stack loop.js' 2>err
	check node "$(samples node.folded 'innerLoop')" -ge 50
	check node-complete "$(field s.json stacks_complete)" -ge $(($(field s.json stacks) * 80 / 100))
	rm -f "/tmp/perf-$(cat pid).map"
fi
if ! missing javac default-jdk-headless; then
	cat >Loop.java <<'END'
public class Loop {
	static int innerLoop(int n) { int x = 0; for (int i = 0; i < n; i++) x = (x * 31 + i) % 65521; return x; }
	public static void main(String[] a) {
		long end = System.currentTimeMillis() + 20000;
		int all = 0;
		while (System.currentTimeMillis() < end) all += innerLoop(20000);
		if (all == 1) System.out.println(all);
	}
}
END
	javac Loop.java
	start java -XX:+PreserveFramePointer -cp . Loop; target=$pid
	sleep 2
	jcmd $target Compiler.perfmap >/dev/null
	"$PROF" -o java.folded -p $target -d 1 2>err
	check java "$(samples java.folded 'innerLoop')" -ge 50
	kill $target
	rm -f /tmp/perf-$target.map
fi
python=$(for p in python3.14 python3.13 python3.12 ~/.pyenv/versions/*/bin/python3.1[2-9]; do
	"$p" -c '' 2>/dev/null && command -v "$p" && break
done)
if [ "$python" ]; then
	printf 'def inner(n):\n\treturn sum(i * i for i in range(n))\ndef outer():\n\tfor _ in range(300): inner(20000)\nouter()\n' >loop.py
	"$PROF" -o py.folded -- sh -c 'echo $$ >pid; exec "$0" -X perf loop.py' "$python" 2>err
	rm -f "/tmp/perf-$(cat pid).map"
	check python "$(samples py.folded 'py::outer:.*py::inner:')" -ge 100
else
	skip python "no Python of 3.12 or later: its packages are not in this distribution"
fi
exit $failed

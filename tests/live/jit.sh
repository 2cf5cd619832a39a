#!/bin/sh
# Code without a file, which perf maps and jitdumps name: a small program of ours, Node, Java, Python; and code of the kernel.
# alone: it changes the kernel's settings
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1
"$PROF" -q -o jit.folded -- "$busy" jit 0.5
check own "$(samples jit.folded 'main;jit;LazyCompile:[*]hot loop.js:7$')" -ge 300
"$PROF" -q -o comm.folded -o comm.json -- "$busy" hostile 0.1 && check hostile -s comm.json

# One function after another lies at the same address: each keeps its own samples.
reuse=$(program reuse) || exit 1
for how in map dump; do
	"$PROF" -q -o $how.folded -o $how.json -- "$reuse" $how 0.6 >$how.out
	first=$(samples $how.folded ';first_code$') second=$(samples $how.folded ';second_code$')
	check $how-as-of-its-time "$first" -ge 100 -a "$second" -ge 100 -a $((first * 10)) -ge $((second * 7)) \
		-a $((second * 10)) -ge $((first * 7))
done
has dump-lines dump.json '"name": *"second_code", *"file": *"/src/second.xx", *"line": *11'

missing() { # COMMAND PACKAGE
	command -v "$1" >/dev/null 2>&1 && return 1
	if [ "${CI:-}" = true ]; then not_ok "$1" "no $1"; else skip "$1" "no $1: apt-get install $2"; fi
}
if ! missing node nodejs; then
	cat >loop.js <<'END'
function innerLoop(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 31 + i) % 65521; return x; }
function middleCall(n) { return innerLoop(n) + 1; }
function coldOnce(n) { return eval("let y = 0; for (let i = 0; i < n; i++) y += i % 7; y"); }
const end = Date.now() + 1500;
let all = coldOnce(300000);
while (Date.now() < end) all += middleCall(20000);
if (all === 1) console.log(all);
END
	"$PROF" --stats s.json -o node.folded -- \
		sh -c 'echo $$ >pid; exec node --perf-basic-prof --interpreted-frames-native-stack --no-sparkplug loop.js' 2>err
	rm -f "/tmp/perf-$(cat pid).map"
	check node "$(samples node.folded 'innerLoop')" -ge 50
	lacks node-names-said err 'has no names'
	check node-optimized "$(samples node.folded ';[^;]*[*]innerLoop [^;]*loop.js:1:[^;]*')" -ge 50
	check node-interpreted "$(samples node.folded ';[^;]*~[^;]*loop.js:1:1;')" -ge 50
	check node-complete "$(field s.json stacks_complete)" -ge $(($(field s.json stacks) * 80 / 100))
	# Node's jitdump, which lies in the directory where Node was started.
	"$PROF" -o dump.folded -- node --perf-prof --interpreted-frames-native-stack --no-sparkplug loop.js 2>err
	check node-jitdump "$(samples dump.folded ';[^;]*[*]innerLoop [^;]*loop.js:1:[^;]*')" -ge 50
	check node-jitdump-interpreted "$(samples dump.folded ';[^;]*~[^;]*loop.js:1:1;')" -ge 50
fi
# prof does not ask a process that the signal would end: one that maps the library, and does not catch SIGQUIT.
cat >like.py <<'END'
import mmap, time
f = open('libjvm.so', 'rb')
m = mmap.mmap(f.fileno(), 4096, prot=mmap.PROT_READ)
time.sleep(60)
END
head -c 4096 /dev/zero >libjvm.so
start python3 like.py; target=$pid
wait_for 20 grep -q libjvm.so "/proc/$target/maps"
"$PROF" --jit-names -o like.folded -p $target -d 0.2 2>err
has jvm-alike err 'takes no questions' && kill -0 $target && ok jvm-alike-lives || not_ok jvm-alike-lives "it has ended" err
kill $target
if ! missing javac default-jdk-headless; then
	cat >Loop.java <<'END'
public class Loop {
	static int innerLoop(int n) { int x = 0; for (int i = 0; i < n; i++) x = (x * 31 + i) % 65521; return x; }
	public static void main(String[] a) {
		long end = System.currentTimeMillis() + 30000;
		int all = 0;
		while (System.currentTimeMillis() < end) all += innerLoop(20000);
		if (all == 1) System.out.println(all);
	}
}
END
	javac Loop.java
	start java -XX:+PreserveFramePointer -cp . Loop >java.out 2>&1; target=$pid
	map=/tmp/perf-$target.map
	"$PROF" -o nameless.folded -p $target -d 1 2>err
	has java-no-names-said err '[0-9]+% of stacks pass through JIT code of Java, which has no names \(use --jit-names, or jcmd PID Compiler.perfmap'
	check java-said-once "$(grep -o 'has no names' err | wc -l)" = 1
	# prof asks Java itself: first Java opens a socket for it; the second time the socket is there already.
	for how in asked again; do
		rm -f "$map"
		"$PROF" --jit-names -o $how.folded -p $target -d 1 2>err
		check "java-names-$how" "$(samples $how.folded 'innerLoop')" -ge 50
	done
	rm -f "$map"
	"$PROF" stack -p $target >stack.txt 2>err
	has java-stack-says err 'JIT code of Java, which has no names \(use --jit-names' && lacks java-stack-nameless stack.txt innerLoop
	"$PROF" stack --jit-names -p $target >stack.txt 2>err
	has java-stack stack.txt '^ +[0-9]+  int Loop.innerLoop\(int\) +\[jit\]'
	[ ! -e "/tmp/.attach_pid$target" ] && ! grep -q 'Full thread dump' java.out && ok java-undisturbed || not_ok java-undisturbed "traces" java.out
	# jcmd writes the code that Java has compiled by then, so this repeats until the loop is among it.
	java_map() { jcmd "$target" Compiler.perfmap >/dev/null && grep -q innerLoop "$map"; }
	wait_for 20 java_map
	"$PROF" -o java.folded -p $target -d 1 2>err
	check java "$(samples java.folded 'innerLoop')" -ge 50
	kill $target
	rm -f $map
	"$PROF" --jit-names -d 3 -o command.folded -- timeout 4 java -XX:+PreserveFramePointer -cp . Loop 2>err
	check java-names-of-a-command "$(samples command.folded 'innerLoop')" -ge 50
	if [ "$(id -u)" = 0 ]; then   # root asks as the user of the Java process; and that user asks
		cp "$PROF" ./prof && chmod 755 prof . Loop.class
		nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
		start $nobody java -XX:+PreserveFramePointer -cp . Loop >java.out 2>&1; target=$pid
		wait_for 20 test -e "/tmp/hsperfdata_nobody/$target"
		"$PROF" --jit-names -o root.folded -p $target -d 1 2>err
		check java-names-for-root "$(samples root.folded 'innerLoop')" -ge 50 -a "$(stat -c %u "/tmp/perf-$target.map")" = 65534
		$nobody ./prof --jit-names -q -f folded -o - -p $target -d 1 >own.folded 2>err
		check java-names-for-its-user "$(samples own.folded 'innerLoop')" -ge 50
		kill $target
		rm -f "/tmp/perf-$target.map"
		# A file that another user put there must not make the machine print its stacks.
		start java -cp . Loop >java.out 2>&1; target=$pid
		wait_for 20 grep -q libjvm "/proc/$target/maps"
		$nobody touch "/tmp/.attach_pid$target"
		"$PROF" --jit-names -o trap.folded -p $target -d 1 2>err
		rm -f "/tmp/.attach_pid$target"
		lacks java-not-trapped java.out 'thread dump'
		kill $target
	fi
	start java -XX:+DisableAttachMechanism -cp . Loop >java.out 2>&1; target=$pid
	wait_for 20 grep -q libjvm "/proc/$target/maps"
	"$PROF" --jit-names -o closed.folded -p $target -d 0.2 2>err
	has java-closed err 'takes no questions' && lacks java-closed-undisturbed java.out 'thread dump'
	kill $target
fi
python=$(for p in python3.14 python3.13 ~/.pyenv/versions/*/bin/python3.1[3-9] python3.12 python3 ~/.pyenv/versions/*/bin/python3.12; do
	"$p" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && command -v "$p" && break
done)
if [ "$python" ]; then
	printf 'def inner(n):\n\treturn sum(i * i for i in range(n))\ndef outer():\n\tfor _ in range(300): inner(20000)\nouter()\n' >loop.py
	"$PROF" -o py.folded -- sh -c 'echo $$ >pid; exec "$0" -X perf loop.py' "$python" 2>err
	rm -f "/tmp/perf-$(cat pid).map"
	check python "$(samples py.folded 'py::outer:.*py::inner:')" -ge 100
	# From 3.13 on there is a jitdump, with frame descriptions, which its trampolines need.
	if "$python" -X perf_jit -c 'import sys; sys.exit(sys.version_info < (3, 13))'; then
		"$PROF" --stats py.json -o pyjit.folded -- "$python" -X perf_jit loop.py 2>err
		check python-jitdump "$(samples pyjit.folded 'py::outer:.*py::inner:')" -ge 100
		check python-jitdump-complete $(($(field py.json stacks_complete) * 100)) -ge $(($(field py.json stacks) * 98))
		rm -f /tmp/jit-[0-9]*.dump
	fi
else
	skip python "no Python of 3.12 or later: its packages are not in this distribution"
fi

# A Python that does not write its functions down: prof reads them from its memory (live/python), so there is nothing to tell.
plain=$(command -v python3)
if [ "$plain" ]; then
	printf 'def inner(n):\n\ts = 0\n\tfor i in range(n): s += i * i\n\treturn s\nfor _ in range(60): inner(100000)\n' >plain.py
	"$PROF" -o plain.folded -- "$plain" plain.py 2>err
	lacks python-names-need-no-flag err 'prof sees only the interpreter'
	check python-names "$(samples plain.folded ';plain.py:inner')" -ge 50
fi

# Code in the frame of a function that it did not make: what PHP's tracing compiler makes, and the code of GHC's programs.
whole() { # FILE PERCENT
	check "${1%.json}-complete" $(($(field "$1" stacks_complete) * 100)) -ge $(($(field "$1" stacks) * $2))
}
if [ "$(uname -m)" = x86_64 ]; then
	if ! missing php php-cli; then
		cat >loop.php <<'END'
<?php
function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
for ($end = microtime(true) + 2, $sum = 0; microtime(true) < $end; $sum += count($all)) {
	$sum += fib(18);
	for ($i = 0, $all = []; $i < 300; $i++) $all[] = "n$i";
	usort($all, fn($a, $b) => strcmp($a, $b));
}
END
		"$PROF" --stats php.json -o php.folded -- php -d opcache.enable_cli=1 -d opcache.file_update_protection=0 -d opcache.jit=tracing -d opcache.jit_buffer_size=16M loop.php 2>err
		check php-made "$(samples php.folded ';[[]unknown[]]')" -ge 100
		whole php.json 98
	fi
	if ! missing pypy3 pypy3; then   # its loops have no return
		for what in 'fib(15)' 'sum(len(text(i)) for i in range(300))' 'sorted(range(1000), key=lambda x: -x)'; do
			printf 'import time\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\ndef text(i): return str(i)\n' >pypy.py
			printf 'end = time.time() + 2\nwhile time.time() < end: %s\n' "$what" >>pypy.py
			"$PROF" --stats pypy.json -o pypy.folded -- pypy3 pypy.py 2>err
			check pypy-made "$(samples pypy.folded ';[[]unknown[]]')" -ge 100
			whole pypy.json 98
		done
	fi
	if ! missing shellcheck shellcheck; then
		for i in $(seq 2000); do echo "if [ \$a$i == 1 ]; then echo \$b$i \`ls *.c\`; fi"; done >large.sh
		"$PROF" --stats ghc.json -F 499 -d 4 -o ghc.folded -- timeout 4 shellcheck -s bash large.sh >ghc.out 2>err
		if [ "$(id -u)" = 0 ]; then whole ghc.json 96; else skip ghc "its frame is deeper than the copy: must be root"; fi
	fi
fi

# A library without symbols: how much of the time is in it, and what would name it.
mkdir -p lib && printf 'static double x; void burn(void) { for (long i = 0; i < 300000000; i++) x += i; }\n' >burn.c
printf 'void burn(void); int main(void) { burn(); return 0; }\n' >burner.c
cc -O1 -fPIC -shared -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o lib/libburn.so burn.c && cc -o burner burner.c -Llib -lburn -Wl,-rpath,"$PWD/lib" &&
	strip --strip-all lib/libburn.so
"$PROF" -o named.folded -- ./burner 2>err
lacks stripped-has-a-dynamic-symbol err 'has no symbols'
printf 'static double x; static __attribute__((noinline)) void hidden(void) { for (long i = 0; i < 300000000; i++) x += i; __asm__ volatile(""); } void burn(void) { hidden(); hidden(); }\n' >burn.c
cc -O1 -fPIC -shared -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o lib/libburn.so burn.c && strip --strip-all lib/libburn.so
"$PROF" -o stripped.folded -- ./burner 2>err
has stripped-said err '[0-9]+% of samples are in functions of libburn.so, which has no symbols \(get them by its build-id: debuginfod-find debuginfo 0123456789abcdef0123456789abcdef01234567\)'

# Code that the kernel makes after prof has read its names, and that is gone at the end.
if [ "$(id -u)" = 0 ]; then
	bpf=$(program bpf) || exit 1
	"$PROF" -q -o bpf.folded -- sh -c 'timeout 1.2 dd if=/dev/zero of=/dev/null bs=64k 2>/dev/null; exec "$0" 1' "$bpf"
	if [ $? = 77 ]; then
		skip bpf "no BPF programs here"
	else
		check bpf "$(samples bpf.folded ';bpf_prog_[0-9a-f]*_spinner_[[]k[]]')" -ge 100
	fi
else
	skip bpf "must be root"
fi

# The kernel's names where it hides them.
if [ "$(id -u)" = 0 ] && [ -w /proc/sys/kernel/kptr_restrict ]; then
	sysctl_set kernel.kptr_restrict 2
	"$PROF" -o hidden.folded -- dd if=/dev/zero of=/dev/null bs=64k count=100000 2>hidden.err >/dev/null
	echo "$old" >/proc/sys/kernel/kptr_restrict
	check hidden-kernel "$(samples hidden.folded '[[]kernel[]]')" -gt 0
	has hidden-kernel-said hidden.err "the kernel hides the names of its functions .kernel.kptr_restrict."
else
	skip hidden-kernel "kernel.kptr_restrict may not be changed here"
fi
exit $failed

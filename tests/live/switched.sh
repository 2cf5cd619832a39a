#!/bin/sh
# Code that a process made, and that runs on stacks in the heap (beneath it are the thread's own native frames, and [jit] between), or in the
# frame of a loop in assembly.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || { skip '' "x86-64 alone has this code"; exit 0; }
switched=$(program switched) || exit 1
"$PROF" -F 999 --stats s.json -o s.folded -- "$switched" 2 2>err || cat err
for way in a b c; do
	own=$(samples s.folded "^$way;.*;way_$way;[[]jit[]];") all=$(samples s.folded "^$way;")
	check $way-whole "$all" -ge 50 -a $((own * 100)) -ge $((all * 95))
	leaf=$(samples s.folded "^$way;.*;leaf_$way")
	check $way-shares $((leaf * 100)) -ge $((all * 35)) -a $((leaf * 100)) -le $((all * 65))
done
check stack-taken-over "$(samples s.folded "^a1;.*;way_a;[[]jit[]];")" -ge 1
# No thread goes by another one's way; where several addresses may be the right one, prof cuts the stack.
check no-wrong-way "$(samples s.folded '^a1*;.*way_[bc]')$(samples s.folded '^b;.*way_[ac]')$(samples s.folded '^c;.*way_[ab]')$(samples s.folded '^old;.*way_[bc]')" -eq 0
check old-addresses "$(samples s.folded '^old;')" -ge 50
check counted "$(field s.json stacks_with_jit_gap)" -ge 200

if command -v erl >/dev/null 2>&1; then
	cat >loop.erl <<'END'
-module(loop). -export([main/0]).
fib(N) when N < 2 -> N; fib(N) -> fib(N - 1) + fib(N - 2).
gen(0, _, All) -> All;
gen(N, X, All) -> Y = (X * 1103515245 + 12345) rem 2147483648, gen(N - 1, Y, [Y | All]).
loop(End, Sum) ->
	case erlang:monotonic_time(millisecond) of
		Time when Time < End -> loop(End, Sum + fib(20) + length(lists:sort(gen(3000, 12345, []))));
		_ -> Sum
	end.
main() -> io:format("~p~n", [loop(erlang:monotonic_time(millisecond) + 6000, 0)]), halt().
END
	erlc loop.erl || exit 1
	"$PROF" -F 499 --stats erl.json -o erl.folded -- erl -noshell -s loop main >out 2>err || cat err
	check erlang $(($(field erl.json stacks_complete) * 100)) -ge $(($(field erl.json stacks) * 95))
	check erlang-gap $(($(samples erl.folded ';start_thread;.*;[[]jit[]];') * 100)) -ge $(($(field erl.json stacks) * 80))
elif [ "${CI:-}" = true ]; then
	not_ok erlang "no erl"
else
	skip erlang "no erl: apt-get install erlang-base"
fi

invoked=$(program invoked) || exit 1
"$PROF" -F 999 --stats s.json -o s.folded -- "$invoked" 2 2>err || cat err
for way in a b; do
	own=$(samples s.folded "^$way;.*;way_$way;[[]jit[]];") all=$(samples s.folded "^$way;")
	check invoked-$way-whole "$all" -ge 50 -a $((own * 100)) -ge $((all * 95))
	leaf=$(samples s.folded "^$way;.*;leaf_$way")
	check invoked-$way-shares $((leaf * 100)) -ge $((all * 35)) -a $((leaf * 100)) -le $((all * 65))
done
check invoked-no-wrong-way "$(samples s.folded '^a;.*way_b')$(samples s.folded '^b;.*way_a')" -eq 0
# Code that calls C, which calls such code again.
check nested "$(samples s.folded '^nested;.*;nests;way_b;[[]jit[]];')" -ge 50
check nested-no-wrong-way "$(samples s.folded '^nested;.*way_a;[[]jit[]];([[]unknown[]];)*leaf_b')" -eq 0

if command -v chezscheme >/dev/null 2>&1; then
	cat >loop.ss <<'END'
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(let loop ((i 0)) (fib 24) (list-sort < (map (lambda (i) (random 1000)) (iota 10000))) (if (< (cpu-time) 2500) (loop (+ i 1))))
END
	"$PROF" -F 499 --stats chez.json -o chez.folded -- chezscheme --script loop.ss >out 2>err || cat err
	check chez $(($(field chez.json stacks_complete) * 100)) -ge $(($(field chez.json stacks) * 98))
	check chez-scheme $(($(field chez.json stacks) - $(samples chez.folded ';Sbuild_heap;'))) -ge 500
	check chez-gap $(($(samples chez.folded ';S_call_help;[[]jit[]];') * 100)) -ge $((($(field chez.json stacks) - $(samples chez.folded ';Sbuild_heap;')) * 95))
elif [ "${CI:-}" = true ]; then
	not_ok chez "no chezscheme"
else
	skip chez "no chezscheme: apt-get install chezscheme"
fi

# LuaJIT's traces run in the frame of its loop: as much time in a callback of string.gsub's, which C calls, as without.
if command -v luajit >/dev/null 2>&1; then
	cat >loop.lua <<'END'
local function spin(n) local x, y, z = 1, 2, 3 for i = 1, n do x = (x * 31 + y + i) % 65521 y = (y * 17 + z) % 65519 z = (z + x * y) % 65537 end return x + y + z end
local finish, sum = os.clock() + 2, 0
while os.clock() < finish do
	local t = os.clock() + 0.02
	while os.clock() < t do sum = sum + spin(20000) end
	string.gsub("x", "x", function() local t = os.clock() + 0.02 while os.clock() < t do sum = sum + spin(20000) end end)
end
print(sum)
END
	"$PROF" -F 999 --stats lua.json -o lua.folded -- luajit loop.lua >out 2>err || cat err
	check luajit $(($(field lua.json stacks_complete) * 100)) -ge $(($(field lua.json stacks) * 97))
	made=$(samples lua.folded ';lua_pcall;[[]unknown[]]') called=$(samples lua.folded ';lua_pcall;[^;]*luajit[^;]*;[^;]*luajit[^;]*;[[]unknown[]]')
	check luajit-made $((made + called)) -ge 500
	check luajit-shares $((called * 100)) -ge $(((made + called) * 35)) -a $((called * 100)) -le $(((made + called) * 65))
	check luajit-callers "$(samples lua.folded '[[]unknown[]]')" -le $(((made + called) * 101 / 100 + $(samples lua.folded '[[]truncated[]].*[[]unknown[]]')))
	# In a coroutine the loop is called by the loop's own code, and old return addresses lie in what the traces keep.
	echo 'local co = coroutine.wrap(function() while true do local s = 0 for i = 1, 3e5 do s = s + i % 7 end coroutine.yield(s) end end)
local t, x = os.clock(), 0 while os.clock() - t < 1 do x = x + co() end print(x)' >coroutine.lua
	"$PROF" -F 999 --stats lua.json -o lua.folded -- luajit coroutine.lua >out 2>err || cat err
	check luajit-coroutine $(($(field lua.json stacks_complete) * 100)) -ge $(($(field lua.json stacks) * 97))
	check luajit-coroutine-made "$(samples lua.folded ';lua_pcall;[^;]*luajit[^;]*;[[]unknown[]]$')" -ge 400
elif [ "${CI:-}" = true ]; then
	not_ok luajit "no luajit"
else
	skip luajit "no luajit: apt-get install luajit"
fi

# Mono: frames of two kinds, and trampolines that have none and jump away by an address.
if command -v mono >/dev/null 2>&1 && command -v mcs >/dev/null 2>&1; then
	cat >loop.cs <<'END'
using System; using System.Collections.Generic; using System.Linq; using System.Text;
class P {
	static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }
	static List<int> Gen(int n) { var l = new List<int>(); int x = 12345; for (int i = 0; i < n; i++) { x = (int)((x * 1103515245L + 12345) % 2147483647); l.Add(x); } return l; }
	static string Text(int n) { var b = new StringBuilder(); for (int i = 0; i < n; i++) b.AppendFormat("{0}-{1} ", i, i * i); return b.ToString(); }
	static void Main() {
		var end = DateTime.Now.AddSeconds(3);
		long sum = 0;
		while (DateTime.Now < end) {
			var l = Gen(3000);
			l.Sort();
			sum += Fib(22) + l.Where(v => v % 3 == 0).Select(v => v / 2).OrderBy(v => v % 1000).First() + Text(300).Length;
			try { throw new Exception("x"); } catch (Exception) { sum++; }
		}
		Console.WriteLine(System.Diagnostics.Process.GetCurrentProcess().Id + " " + sum);
	}
}
END
	mcs -o+ loop.cs || exit 1
	"$PROF" -F 499 --stats mono.json -o mono.folded -- mono --jitmap loop.exe >out 2>err || cat err
	check mono $(($(field mono.json stacks_complete) * 100)) -ge $(($(field mono.json stacks) * 95))
	# A recursion has one caller: every complete stack in it begins in Main.
	fib=$(samples mono.folded ';P:Fib ') main=$(samples mono.folded ';P:Main [^;]*;P:Fib ')
	check mono-callers "$fib" -ge 20 -a $((main * 100)) -ge $((fib * 97))
	check mono-no-other "$(samples mono.folded '^[^[]*;P:(Gen|Text) [^;]*;(.*;)?P:Fib ')" -eq 0
	rm -f "/tmp/perf-$(cut -d ' ' -f 1 out).map"
elif [ "${CI:-}" = true ]; then
	not_ok mono "no mono and mcs"
else
	skip mono "no mono: apt-get install mono-mcs"
fi

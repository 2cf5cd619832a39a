#!/bin/sh
# Functions of PHP in a program that does nothing for it: names, lines, generators, fibers, no stacks that cannot be; and a program that
# only looks like PHP.
# alone: if prof gets no CPU for a while, functions change before it reads them
. "$(dirname "$0")/../lib.sh"
need php php-cli
cat >work.php <<'END'
<?php
namespace App;
class K {
    function inner($n) {
        $s = 0;
        for ($i = 0; $i < $n; $i++) {
            $s += $i * $i;
        }
        return $s;
    }
    static function other($n) {
        $t = '';
        for ($i = 0; $i < $n; $i++)
            $t = strval($i) . 'x';
        return $t;
    }
}
function outer($k, $n) { return $k->inner($n); }
function key($a, $b) { return $b - $a; }
function sorter($l) { usort($l, 'App\key'); return $l; }
function mapper($l) { return array_map(function ($x) { return $x * 2; }, $l); }
function generator($n) { for ($i = 0; $i < $n; $i++) yield K::other(3); }
function consumer($n) { $s = 0; foreach (generator($n) as $x) $s += strlen($x); return $s; }
function recursive($n) { return $n ? recursive($n - 1) : outer(new K, 300); }
function in_fiber($k) { outer($k, 300); \Fiber::suspend(); outer($k, 300); }
function resumer() { $f = new \Fiber('App\in_fiber'); $f->start(new K); $f->resume(); }
function cpu() { $u = getrusage(); return $u['ru_utime.tv_sec'] + $u['ru_utime.tv_usec'] / 1e6; }
function main($seconds) {
    $l = range(0, 199);
    $end = cpu() + $seconds;
    while (cpu() < $end) {
        for ($i = 0; $i < 3; $i++) {
            outer(new K, 3000); K::other(150); sorter($l); mapper(array_merge($l, $l, $l)); consumer(40); recursive(20);
        }
        resumer(); resumer();
    }
}
main(floatval($argv[1]));
END
cat >pairs.php <<'END'
<?php
function b() { return 1; }
function d() { return 2; }
function a() { return b(); }
function c() { return d(); }
function yields($f) { return $f(); }
function e() { return yields(function () { return b(); }); }
function f() { return yields(fn() => d()); }
function g() { foreach (h() as $x) b(); }
function h() { yield d(); }
function cpu() { $u = getrusage(); return $u['ru_utime.tv_sec'] + $u['ru_utime.tv_usec'] / 1e6; }
function main($seconds) {
    $end = cpu() + $seconds;
    while (cpu() < $end)
        for ($i = 0; $i < 1000; $i++) { a(); c(); e(); f(); g(); }
}
main(floatval($argv[1]));
END
cat >callables.php <<'END'
<?php
function yields($f, $x) { return $f($x); }
function kept($f, $x) { return yields($f, $x); }
function one($x) { return yields(strrev(...), $x); }
function two($x) { return yields(function ($y) { for ($i = 0; $i < 5; $i++) $y .= 'a'; return $y; }, $x); }
function cpu() { $u = getrusage(); return $u['ru_utime.tv_sec'] + $u['ru_utime.tv_usec'] / 1e6; }
function main($seconds) {
    $x = str_repeat('ab', 200);
    $f = strrev(...);
    for ($end = cpu() + $seconds / 2; cpu() < $end; )
        for ($i = 0; $i < 1000; $i++) kept($f, $x);
    for ($end = cpu() + $seconds / 2; cpu() < $end; )
        for ($i = 0; $i < 1000; $i++) { one($x); two($x); }
}
main(floatval($argv[1]));
END
impossible=':App.outer;(.*;)?work.php:App.(K::other|key|sorter|mapper|.closure|generator)|:App.sorter;(.*;)?work.php:App.(K|outer|mapper|.closure|generator)|:App.mapper;(.*;)?work.php:App.(K|outer|key|generator)|K::inner;(.*;)?work.php|K::other;(.*;)?work.php|App.generator;(.*;)?work.php:App.(K::inner|key|outer)'
wrong='pairs.php:yields;pairs.php:[bd]|:a;(.*;)?pairs.php:[cdefgh]|:c;(.*;)?pairs.php:[abefgh]|:e;(.*;)?pairs.php:[acdfgh]|:f;(.*;)?pairs.php:[abcegh]|:h;(.*;)?pairs.php:[abcefg]|:g;(.*;)?pairs.php:[acef]'
mistaken='callables.php:one;(.*;)?callables.php:[{]closure|callables.php:(two|kept);(.*;)?(callables.php:one|zend_create_fake)|callables.php:two;(.*;)?strrev'
twenty='work.php:App.outer;work.php:App.K::inner' one='work.php:App.recursive;'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do twenty="$one$twenty"; done
# check_php VERSION PROGRAM DIRECTORY: runs it on the files in DIRECTORY.
check_php() {
	v=$1 program=$2 dir=$3
	for how in '' --engine=ptrace; do
		seconds=2
		[ -z "$how" ] || seconds=8   # fewer samples, each of which stands for more
		"$PROF" $how --stats s.json -o w.folded -- $program "$dir/work.php" $seconds 2>err
		all=$(samples w.folded 'work.php:App.main|make_fcontext')
		check "$v$how-all" "$all" -ge $(($(samples w.folded) * 6 / 10)) -a "$all" -ge 100
		check "$v$how-impossible" "$(samples w.folded "$impossible")" = 0
		check "$v$how-counted" "$(field s.json stacks_of_languages)" -ge "$(field s.json stacks_of_languages_doubtful)" -a "$(field s.json stacks_of_languages)" -gt 0
		[ "$how" ] || { [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ]; } || continue
		check "$v$how-sure" "$(samples w.folded 'php[?]')" -le $((all / 10))
		check "$v$how-method" "$(samples w.folded 'work.php:[{]main[}];work.php:App.main;work.php:App.outer;work.php:App.K::inner')" -ge $((all / 50))
		check "$v$how-static" "$(samples w.folded 'work.php:App.main;work.php:App.K::other')" -ge $((all / 50))
		check "$v$how-c-calls" "$(samples w.folded 'work.php:App.sorter;usort;(.*;)?work.php:App.key')" -ge $((all / 50))
		check "$v$how-closure" "$(samples w.folded 'work.php:App.mapper;array_map;(.*;)?work.php:(App.)?[{]closure[}]')" -ge $((all / 200))
		check "$v$how-generator" "$(samples w.folded 'work.php:App.consumer;work.php:App.generator;work.php:App.K::other')" -ge $((all / 100))
		check "$v$how-recursion" "$(samples w.folded "$twenty")" -ge $((all / 100))
		check "$v$how-fiber" "$(samples w.folded '(make_fcontext|truncated.);work.php:App.in_fiber;work.php:App.outer;work.php:App.K::inner')" -ge $((all / 100))
		"$PROF" -q $how -F 5000 -o pairs.folded -- $program "$dir/pairs.php" 2
		all=$(samples pairs.folded 'pairs.php:main')
		check "$v$how-pairs" "$all" -ge 500 -a "$(samples pairs.folded "$wrong")" -le $((all / 1000))
		"$PROF" -q $how -F 5000 -o callables.folded -- $program "$dir/callables.php" 2
		all=$(samples callables.folded 'callables.php:kept')
		check "$v$how-callables-kept" "$(samples callables.folded 'kept;callables.php:yields;strrev')" -ge $((all / 3)) -a "$all" -ge 200
		check "$v$how-callables-made" "$(samples callables.folded "$mistaken")" = 0 -a "$(samples callables.folded 'callables.php:one')" -ge 200
	done
	"$PROF" -q -o w.json --lines -- $program "$dir/work.php" 1
	for line in 6 7; do has "$v-line-$line" w.json "\"name\": *\"work.php:App[^\"]*K::inner\", *\"file\": *\"[^\"]*work.php\", *\"line\": *$line"; done
	lacks "$v-lines-others" w.json '"name": *"work.php:App[^"]*K::inner", *"file": *"[^"]*work.php", *"line": *(1[0-9]|[2-9][0-9])'
}
v=$(php -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
case $v in
8.[2345]) check_php "$v" "$(command -v "php$v" || command -v php)" . ;;
*) skip "$v" "prof knows PHP 8.2 to 8.5" ;;
esac
printf '#!/bin/sh\nmount -t proc proc "$1/proc" && exec chroot "$@"\n' >within && chmod +x within
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && unshare -m true 2>/dev/null; then
	if [ "${CI:-}" = true ] || [ -d "${CACHE:-$TESTS/../build/cache}/php8.4-trixie" ]; then
		if root=$("$TESTS/../ci/unpacked" trixie php8.4-cli php8.4 2>err); then
			mkdir -p "$root/tmp/prof-php" && cp work.php pairs.php callables.php "$root/tmp/prof-php"
			check_php 8.4 "unshare -m ./within $root php8.4" /tmp/prof-php
		else
			not_ok 8.4 "there is no PHP 8.4" err
		fi
	else
		skip 8.4 "no PHP 8.4: ci/unpacked trixie php8.4-cli php8.4 fetches it"
	fi
fi

# By line.
line() { grep -nF "$1" work.php | tail -n 1 | cut -d: -f1; }
status annotate 0 "$PROF" annotate -q -o lines.txt 'K::inner' -- php work.php 1
has annotate-line lines.txt "^ *[0-9.]+% +[1-9][0-9.]*% +$(line 's += $i') .*s \\+= "
lacks annotate-no-addresses lines.txt address
# Without rights, or with a size of one's own, frames are read later.
"$PROF" --stack-size 16384 --stats s.json -o late.folded -- php work.php 1 2>err
has late-says-what-helps err "PHP's stacks.*\[php\?\] instead \(use .*--engine=ptrace; see docs/languages.md\)"
check late-main "$(samples late.folded 'work.php:[{]main[}];(work.php:App.main;)?.*\[php\?\]')" -ge 30
check late-impossible "$(samples late.folded "$impossible")" -le 5
"$PROF" -q --native-interpreter -o n.folded -o n.svg -- php work.php 1
check native-interpreter "$(samples n.folded 'execute_ex;(.*;)?work.php:App.main')" -ge 30
has svg-legend n.svg '>PHP<'
start php work.php 60
stands() { "$PROF" stack -q -p "$pid" >stack.txt 2>err && grep -qE " work.php:App.main +work.php:$(line 'outer(new K, 3000); K') " stack.txt; }
wait_for 20 stands && ok stack || not_ok stack "no such function" stack.txt err

# Frames, functions and names that lie.
liar=$(program liar_php -rdynamic) || exit 1
"$PROF" --stats s.json -o l.folded -- "$liar" 1 2>err
check liar-profiled "$(samples l.folded 'main;')" -ge 300
check liar-cheap "$(field s.json cpu_seconds | cut -d. -f1)" -lt 1
exit $failed

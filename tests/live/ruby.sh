#!/bin/sh
# Functions of Ruby in a program that does nothing for it: names, lines, shares, threads, fibers, no stacks that cannot be; and a program that
# only looks like Ruby.
# alone: if prof gets no CPU for a while, functions change before it reads them
. "$(dirname "$0")/../lib.sh"
need ruby ruby
cat >work.rb <<'END'
class K
  def inner(n)
    s = 0
    i = 0
    while i < n
      s += i * i
      i += 1
    end
    s
  end
  def self.other(n)
    t = ''
    n.times do |i|
      t = i.to_s + 'x'
    end
    t
  end
end
module Shares
  def small(n)
    i = 0
    i += 1 while i < n
  end
  def large(n)
    i = 0
    i += 1 while i < n
  end
end
include Shares
def outer(k, n)
  k.inner(n)
end
def caller_of(n)
  K.other(n)
end
def sorter(l)
  l.sort_by { |x| -x }
end
def recursive(n)
  n == 0 ? outer(K.new, 300) : recursive(n - 1)
end
def now
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
end
def main(seconds)
  l = (0...200).to_a
  last = now + seconds
  while now < last
    outer(K.new, 300)
    caller_of(100)
    sorter(l)
    recursive(20)
    small(600)
    large(1800)
  end
end
main((ARGV[0] || 1.5).to_f)
END
impossible='work.rb:Object#outer;(.*;)?work.rb:(K.other|Object#sorter|block in)|work.rb:Object#caller_of;(.*;)?work.rb:(K#inner|block in Object)|work.rb:K#inner;(.*;)?(work.rb|qsort|Integer#to_s)|work.rb:block in K.other;(.*;)?(work.rb|qsort)|Shares#(small|large);.*work.rb'
twenty='work.rb:Object#outer;work.rb:K#inner' one='work.rb:Object#recursive;'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do twenty="$one$twenty"; done
tested=' '
# Other versions than this Debian's run in directories of their own.
for other in trixie:3.3 experimental:3.4; do
	suite=${other%:*} name=ruby${other#*:}
	if [ "$(id -u)" != 0 ] || { [ "${CI:-}" != true ] && [ ! -d "$TESTS/../build/cache/$name-$suite" ]; }; then
		skip "${other#*:}" "no Ruby ${other#*:}: ci/unpacked $suite $name $name fetches it"
	elif place=$("$TESTS/../ci/unpacked" $suite $name $name 2>err); then
		cat >$name <<-END
		#!/bin/sh
		case \$1 in *.rb) cp "\$1" "$place/tmp/" && set -- "/tmp/\$1" ;; esac
		exec chroot "$place" /usr/bin/$name "\$@"
		END
		chmod 755 $name
	else
		not_ok "${other#*:}" "it cannot be unpacked" err
	fi
done
for ruby in ruby ruby3.1 ruby3.3 ./ruby3.3 ./ruby3.4 ${RUBIES:-} ~/.rbenv/versions/*/bin/ruby; do
	v=$("$ruby" -e 'puts RUBY_VERSION[/\d+\.\d+/]' 2>/dev/null) || continue
	case $v in 3.1 | 3.3 | 3.4) ;; *) continue ;; esac
	case $tested in *" $v "*) continue ;; esac
	tested="$tested$v "
	for how in '' --engine=ptrace; do
		case $ruby$how in ./*ptrace) continue ;; esac   # how threads are stopped does not depend on the version
		# The timers of a sleeping CPU may be late: prof then stops the program 180 times a second, and later than it should.  A slow machine
		# gets 70 stops a second: shares of so few vary much, so ptrace watches for longer.
		[ ! "$how" ] || start chrt -i 0 sh -c 'while :; do :; done'
		"$PROF" $how --stats s.json -o w.folded -- "$ruby" work.rb ${how:+6} 2>err
		all=$(samples w.folded 'work.rb:Object#main')
		check "$v$how-all" "$all" -ge $(($(samples w.folded) * 6 / 10))
		check "$v$how-impossible" "$(samples w.folded "$impossible")" -le $((all / 200))
		check "$v$how-counted" "$(field s.json stacks_of_languages)" -ge "$(field s.json stacks_of_languages_doubtful)" -a "$(field s.json stacks_of_languages)" -gt 0
		[ "$how" ] || { [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ]; } || continue
		check "$v$how-sure" "$(samples w.folded 'work.rb:Object#main.*ruby[?]')" -le $((all / 20))
		check "$v$how-inner" "$(samples w.folded 'work.rb:<main>;work.rb:Object#main;work.rb:Object#outer;work.rb:K#inner')" -ge $((all / 20))
		check "$v$how-recursion" "$(samples w.folded "$twenty")" -ge $((all / 20))
		check "$v$how-class-method" "$(samples w.folded 'work.rb:Object#caller_of;work.rb:K\.other;')" -ge $((all / 20))
		check "$v$how-c-calls-block" "$(samples w.folded 'work.rb:Object#sorter;Enumerable#sort_by;Array#each;rb_ary_each;work.rb:block in Object#sorter')" -ge $((all / 50))
		check "$v$how-c" "$(samples w.folded 'work.rb:block in K\.other;Integer#to_s;rb_fix2str')" -ge $((all / 100))
		small=$(samples w.folded 'Shares#small') large=$(samples w.folded 'Shares#large')
		[ ! "$how" ] || for more in 1 2 3; do
			"$PROF" -q $how -o more.folded -- "$ruby" work.rb
			small=$((small + $(samples more.folded 'Shares#small'))) large=$((large + $(samples more.folded 'Shares#large')))
		done
		[ ! "$how" ] || kill "$pid"
		check "$v$how-share" $((large * 10)) -ge $((small * 20)) -a $((large * 10)) -le $((small * 42)) -a "$small" -gt 10
	done
	"$PROF" -q -o w.json --lines -- "$ruby" work.rb
	for line in 5 6 7; do has "$v-line-$line" w.json "\"name\": *\"work.rb:K#inner\", *\"file\": *\"[^\"]*work.rb\", *\"line\": *$line"; done
	lacks "$v-lines-others" w.json '"name": *"work.rb:K#inner", *"file": *"[^"]*work.rb", *"line": *(1[0-9]|[2-9][0-9])'
done
[ "$tested" != ' ' ] || { skip '' "no Ruby 3.1, 3.3 or 3.4 here"; exit 0; }
# With a size of one's own there is no BPF program for deep stacks, so the frames are read later.
"$PROF" --stack-size 16384 --stats s.json -o late.folded -- ruby work.rb 2>err
has late-says-what-helps err "Ruby's stacks.*\[ruby\?\] instead \(use .*--engine=ptrace; see docs/languages.md\)"
check late-main "$(samples late.folded 'work.rb:<main>;(work.rb:Object#main;)?.*\[ruby\?\]')" -ge 100
check late-counted "$(field s.json stacks_of_languages_doubtful)" -gt 100
check late-impossible "$(samples late.folded "$impossible")" -le 5
"$PROF" -q --native-interpreter -o n.folded -o n.svg -- ruby work.rb
check native-interpreter "$(samples n.folded 'rb_vm_exec;(.*;)?work.rb:Object#main')" -ge 100
has svg-legend n.svg '>Ruby<'
# By line.
line() { grep -n "$1" work.rb | tail -n 1 | cut -d: -f1; }
status annotate 0 "$PROF" annotate -q -o lines.txt 'work.rb:Object#main' -- ruby work.rb
has annotate-caller lines.txt "^ *[0-9.]+% +[1-9][0-9.]*% +$(line 'sorter(l)$') .*sorter\\(l\\)"
status annotate-inner 0 "$PROF" annotate -q -o lines.txt 'work.rb:K#inner' -- ruby work.rb
has annotate-inner-line lines.txt "^ *[1-9][0-9.]*% +[1-9][0-9.]*% +$(line 's += i') .*s \\+= i \\* i"
lacks annotate-no-addresses lines.txt address
"$PROF" report -q --focus 'K#inner' -o focus.folded w.json
check focus "$(samples focus.folded 'K#inner')" = "$(samples focus.folded)" -a "$(samples focus.folded)" -gt 50

# Who calls whom cannot be mistaken: a calls b, c calls d, as fast as they can, and a block each.  LONG=1 takes a million samples.
cat >pairs.rb <<'END'
def b; 1; end
def d; 2; end
def a; b; end
def c; d; end
def yields; yield; end
def e; yields { b }; end
def f; yields { d }; end
def main(seconds)
  last = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + seconds
  while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < last
    i = 0
    while i < 1000
      a; c; e; f
      i += 1
    end
  end
end
main(ARGV[0].to_f)
END
hz=5000 seconds=2
[ "${LONG:-}" ] && hz=25000 seconds=45
wrong='#a;(.*;)?pairs.rb:Object#[d-f]|#c;(.*;)?pairs.rb:Object#[abef]|#e;(.*;)?pairs.rb:(Object#[acdf]|block in Object#f)|#f;(.*;)?pairs.rb:(Object#[abce]|block in Object#e)|in Object#e;.*Object#d|in Object#f;.*Object#b'
for how in '' --engine=ptrace; do
	"$PROF" -q $how -F $hz -o pairs.folded -- ruby pairs.rb $seconds
	all=$(samples pairs.folded 'pairs.rb:Object#main')
	check "pairs$how" "$all" -ge 500 -a "$(samples pairs.folded "$wrong")" -le $((all / 200))
done

# Threads and fibers; and what stands, now.
cat >threads.rb <<'END'
def spin(last)
  n = 0
  1000.times { |i| n += i } while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < last
end
def waiter(last)
  sleep 0.2 while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < last
end
def in_fiber(last)
  spin(last)
end
last = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + ARGV[0].to_f
threads = [Thread.new { Thread.current.name = 'spinner'; spin(last) }, Thread.new { Thread.current.name = 'waiter'; waiter(last) }]
Fiber.new { in_fiber(last) }.resume
threads.each(&:join)
END
"$PROF" -q --engine=ptrace --threads -o t.folded -- ruby threads.rb 1.5
check thread "$(samples t.folded '^spinner-.*;threads.rb:block in <main>;threads.rb:Object#spin;(Integer|.*:Integer)#times')" -ge 100
check fiber "$(samples t.folded '^ruby-.*threads.rb:block in <main>;threads.rb:Object#in_fiber;threads.rb:Object#spin')" -ge 100
check thread-unmixed "$(samples t.folded '^spinner-.*in_fiber|^waiter-.*spin')" = 0
start ruby threads.rb 60
target=$pid
stands() { "$PROF" stack -q -p "$target" >stack.txt 2>err; }
has_begun() { stands && grep -q 'Object#in_fiber' stack.txt && grep -q 'Object#waiter' stack.txt; }
wait_for 20 has_begun && stands || not_ok stack "the functions never came" stack.txt err
awk '/^$/ { on = 0 } /^(thread|[0-9]+ threads:).* waiter/ { on = 1 } on' stack.txt >waiter.txt
has stack-waiter waiter.txt ' threads.rb:Object#waiter +threads.rb:6 '
has stack-c waiter.txt ' Kernel#sleep '
has stack-fiber stack.txt ' threads.rb:Object#in_fiber +threads.rb:9 '
lacks stack-sure stack.txt 'ruby[?]'
start ruby work.rb 60
busy=$pid
runs "$busy" ruby
wait_for 20 sh -c '"$PROF" stack -q -p "$1" | grep -q Object#main' - "$busy"
for i in 1 2 3 4 5 6 7 8 9 10; do "$PROF" stack -q -p "$busy" 2>err | grep 'work.rb:Object#main '; done >busy.txt
check stack-busy "$(grep -c . busy.txt)" = 10
kill "$busy"
if command -v gcore >/dev/null && gcore -o core "$target" >/dev/null 2>&1; then
	"$PROF" stack "core.$target" >core.txt 2>err
	has core-thread core.txt ' threads.rb:Object#waiter +threads.rb:6 '
	has core-fiber core.txt ' threads.rb:Object#in_fiber +threads.rb:9 '
	lacks core-sure core.txt 'ruby[?]'
	rm -f "core.$target"
else
	skip core "no gcore here, or it failed"
fi
if [ "$(id -u)" = 0 ] && unshare -fp --mount-proc true 2>/dev/null; then
	start unshare -fp --kill-child --mount-proc ruby threads.rb 60
	child "$pid" ruby
	wait_for 20 sh -c "[ \$(ls /proc/$child/task | wc -l) -ge 3 ]"
	"$PROF" -q --threads -o n.folded -p "$child" -d 1
	check other-namespace "$(samples n.folded '^spinner-.*;threads.rb:Object#spin')" -gt 0 -a "$(samples n.folded '^ruby-.*;threads.rb:Object#in_fiber')" -gt 0
	check other-namespace-unmixed "$(samples n.folded '^spinner-.*in_fiber')" = 0
fi
kill "$target"

# A thread for each piece of work, over before anybody could have told the BPF program of it; and a fiber for each.
cat >brief.rb <<'END'
def piece(seconds)
  last = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + seconds
  n = 0
  100.times { |i| n += i } while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < last
end
last = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 2
i = 0
while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < last
  seconds = 0.005 + (i += 1) % 4 * 0.005
  ARGV[0] == 'fibers' ? Fiber.new { piece(seconds) }.resume : Thread.new { piece(seconds) }.join
end
END
for how in '' --engine=ptrace; do
	[ "$(uname -m)" = x86_64 ] && { [ "$how" ] || [ "$(id -u)" = 0 ]; } || { skip "brief$how" "needs x86-64, and root without ptrace"; continue; }
	for of in threads fibers; do
		"$PROF" -q $how -o brief.folded -- ruby brief.rb $of
		all=$(samples brief.folded 'brief.rb:Object#piece')
		check "brief$how-$of" "$all" -ge 100 -a "$(samples brief.folded 'ruby[?]')" -le $((all / 10))
	done
done

# Threads, classes, tables and frames that lie.
liar=$(program liar_ruby -rdynamic) || exit 1
"$PROF" --stats s.json -o l.folded -- "$liar" 1 2>err
check liar-profiled "$(samples l.folded 'main;')" -ge 300
check liar-cheap "$(field s.json cpu_seconds | cut -d. -f1)" -lt 1
exit $failed

# nothing
$ prof
prof: where does the time go?
...
? 125

# help
$ prof help
prof: where does the time go?
...
~ prof -p PID -d 10 -o out.html
...
$ prof --help 2>/dev/null | head -n 1
prof: where does the time go?
$ prof -h 2>/dev/null | head -n 1
prof: where does the time go?

# help-record
$ prof help record >a; prof record --help >b; cmp a b; grep -cE '^ +(-|--)' a >n; [ $(cat n) -ge 20 ] && echo all
all

# every-option-of-record-is-explained
$ prof help record >h; for o in -F -c -e -d -D -g -o -f -q -v -p -t -n -a -C --idle --call-graph --stack-size --max-stack --no-inherit --threads --pids --stats --newest --wait --freq --count --event --duration --output --format; do grep -qE -- "(^| )$o(,| |$)" h || echo "no $o"; done

# help-lists-events-that-are-known
$ for e in $(prof help record | sed -n '/^events/,$s/^  //p'); do prof -q -o x.folded -e $e -c 100000000 -- true 2>&1 | grep -i 'no event\|unknown event\|not an event'; echo known; done | sort | uniq -c | awk '{ print $2, ($1 >= 25) }'
known 1

# readme-lists-the-formats-as-help-does
$ prof help record | sed -n 's/^  \(\..* -f .*\)/    \1/p' >list; [ $(grep -c . list) -ge 7 ] || echo none; grep -E '^ {4}\..* -f ' "$TESTS/../README.md" | diff - list

# help-behind-words
$ prof report x.json --help | head -n 1
prof report [OPTIONS] FILE...
$ prof diff a b -h | head -n 1
prof diff [OPTIONS] BEFORE AFTER
$ prof -q -o x.json sh -c 'echo "$1"' x --help
--help

# help-on-nothing
$ prof help nothing
~ nothing
? 125

# version
$ prof version
~ ^prof [0-9]+\.[0-9]+
$ prof --version
~ ^prof [0-9]+\.[0-9]+

# version-tells-the-commit
$ prof version -v | sed -n 1p; prof version -v | sed -n 2p
~ ^prof [0-9.]+ \([a-z0-9_]+\), commit ([0-9a-f]+(-dirty)?|unknown)$
~ ^commit ([0-9a-f]+(-dirty)?|unknown)$

# version-tells-licences
$ prof version -v
...
~ musl.*MIT
...

# reserved-words
$ prof top
~ ^prof: prof has no command top; .*prof -- top$
? 125

# words-of-perf-are-no-programs
$ echo kept >x.pb.gz; for w in script archive convert merge test bench mem kvm sched lock data; do prof $w x.pb.gz </dev/null 2>err; echo $?; grep -c "prof -- $w$" err; done | sort | uniq -c | sed 's/^ *//'; cat x.pb.gz; ls
11 1
11 125
kept
err
x.pb.gz
$ prof -q -o x.json -- test -e x.json; echo $?
1
$ prof record -q -o y.json test -e /; echo $?
0

# short-names
$ prof demangle --short-names _ZNSt6vectorIiSaIiEE9push_backERKi _Z3fooIiEvT_ memcpy.part.0
std::vector<>::push_back(int const&)
foo<>(int)
memcpy.part.0

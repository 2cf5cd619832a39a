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
$ prof help record >h; for o in -F -c -e -d -D -g -o -f -q -v -p -t -n -a -C --idle --call-graph --stack-size --max-stack --no-inherit --threads --pids --stats --all --wait --freq --count --event --duration --output --format; do grep -qE -- "(^| )$o(,| |$)" h || echo "no $o"; done

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

# version-tells-licences
$ prof version -v
...
~ musl.*MIT
...

# reserved-words
$ prof top
~ ^prof: top
? 125

# short-names
$ prof demangle --short-names _ZNSt6vectorIiSaIiEE9push_backERKi _Z3fooIiEvT_ memcpy.part.0
std::vector<>::push_back(int const&)
foo<>(int)
memcpy.part.0

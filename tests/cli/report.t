# a-table
$ printf 'app;main;f 3\napp;main;g_[k] 1\n' >a.folded; prof report a.folded
4 samples of 1 thread
~ ^$
        self              total         module    function
           3  75.0%           3  75.0%            f
           1  25.0%           1  25.0%  [kernel]  g_[k]
~ ^$
       total               self         module    function
           4 100.0%           0   0.0%            main
           3  75.0%           3  75.0%            f
           1  25.0%           1  25.0%  [kernel]  g_[k]

# rows-that-call-nothing-come-before-others-of-their-total
$ printf 'app;a;b 5\napp;c 5\napp;d;e 3\napp;d 2\napp;r;r;s 4\napp;r 1\n' >a.folded; prof report a.folded
20 samples of 1 thread
~ ^$
        self              total         function
           5  25.0%           5  25.0%  b
           5  25.0%           5  25.0%  c
           4  20.0%           4  20.0%  s
           3  15.0%           3  15.0%  e
           2  10.0%           5  25.0%  d
           1   5.0%           5  25.0%  r
~ ^$
       total               self         function
           5  25.0%           5  25.0%  b
           5  25.0%           5  25.0%  c
           5  25.0%           2  10.0%  d
           5  25.0%           1   5.0%  r
           5  25.0%           0   0.0%  a
           4  20.0%           4  20.0%  s
           3  15.0%           3  15.0%  e

# options-stand-anywhere-and-files-may-begin-with-a-dash
$ printf 'app;f 3\n' >-a.folded; prof report --by comm -- -a.folded
3 samples of 1 thread
~ ^$
       count         threads  name
           3 100.0%        1  app
$ printf 'app;f 3\n' >b; prof report b --by=comm b | head -n 1
6 samples of 1 thread

# several-files-and-stdin-are-joined
$ printf 'a;f 3\nb;g 1\n' >1; printf 'a;f 4\n' | prof report 1 - -f folded
a;f 7
b;g 1

# what-is-read-is-written-in-every-text-format
$ cp "$TESTS/data/golden/plain.folded" .; prof report plain.folded -o - | cmp - plain.folded
$ prof report plain.folded -o x.json -o x.folded -o x.perf -o x.pb -o x.pb.gz -o x.html -o x.svg -o x.svg.gz -o x.txt
~ ^prof: wrote x.json \([0-9]+ KiB\), x.folded \(.*x.txt
$ cmp x.folded plain.folded
$ for f in x.perf x.pb x.pb.gz x.json x.html x.svg x.svg.gz; do prof report $f -o - | cmp - plain.folded; done
$ prof report plain.folded | diff - x.txt

# a-count-is-no-number-of-lines
$ printf 'a;b 9000000000000\na;c 60000000000000000\na;d 1\n' >big.folded; timeout 10 prof report -q big.folded -o big.perf; wc -l <big.perf
14
$ prof report big.perf -o -
a;b 9000000000000
a;c 60000000000000000
a;d 1
$ for f in x.svg x.html x.json x.pb.gz x.txt; do timeout 10 prof report -q big.folded -o $f; [ $(wc -c <$f) -lt 100000 ] || echo $f; done

# filters
$ cp "$TESTS/data/golden/plain.folded" .; prof report plain.folded --focus 'main$' --ignore '_\[k\]' -o -
app;_start;main;work;hash_round 7
app;_start;main;work;small_[i] 3
$ prof report plain.folded --thread '^gzip' | head -n 1
3 samples of 1 thread, 8.8% of the whole
$ prof report plain.folded --focus nowhere -o -
prof: no stack matches --focus 'nowhere'
$ prof report plain.folded --focus=nowhere --thread gzip -o -
prof: no stack matches --focus 'nowhere' --thread 'gzip'
$ prof report plain.folded --from 1
~ ^prof: --from and --to: .*no times
? 125
$ prof report plain.folded --to 1 --from 2
~ ^prof: --from
? 125
# a thread that executes another program has another name, and stays one
$ printf 'a-1/2;f 1\nb-1/2;f 1\nb-1/3;f 1\n' | prof report - | grep 'samples of'
3 samples of 2 threads
a 1/2: 2 samples of 1 thread

# trees
$ printf 'a;r;x 50\na;r;y 49\na;r;z 1\na;r;w 0\n' | prof report --tree --min 2% -
100 samples of 1 thread
~ ^$
       total          self  call tree
         100 100.0%   0.0%  r
          50  50.0%  50.0%  ├─ x
          49  49.0%  49.0%  └─ y
$ printf 'a;r;x 50\nb;q;x 50\n' | prof report --callers x -
100 samples of 2 threads
~ ^$
       total         callers of x
         100 100.0%  x
          50  50.0%  ├─ q
          50  50.0%  └─ r
$ printf 'a;r;x 50\nb;q;x 50\n' | prof report --callees 'r|q' -o x.txt -; tail -n 3 x.txt
prof: wrote x.txt (229 B)
       total          self  callees of r
          50  50.0%   0.0%  r
          50  50.0%  50.0%  x

# events
$ printf 'a;[one];f 3\na;[two];f 5\n' >e; prof report e -e two -f folded
a;[two];f 5
$ prof report e -e three
prof: -e three: the profile has no such event
prof: it has the event one
prof: it has the event two
? 125

# bad-files
$ printf 'a;f 1\na;f x\n' >bad; prof report bad
prof: bad:2: the line does not end with a count (read as folded)
? 125
$ printf 'a;f 1\na;f 1.5\n' | prof report -
~ ^prof: stdin:2: .*decimals
? 125
$ prof report missing
prof: missing: No such file or directory
? 125
$ prof report .
~ ^prof: \.: 
? 125
$ : >empty; prof report empty; prof report - <empty
~ ^prof: empty: .*empty
~ ^prof: stdin: .*empty
? 125
$ printf 'neither\nnor\n' >x; prof report x
~ ^prof: x: prof cannot read this
? 125
$ printf 'a;f 1\n' | prof report - -q -o t.txt -o t.folded; prof report t.txt; prof report t.txt -q -o x.html
~ ^prof: t.txt: is a table, which has no stacks
~ ^prof: t.txt: is a table, which has no stacks
? 125
$ xz -c t.folded >t.xz; prof report t.xz
~ ^prof: t.xz: is compressed: xz -dc FILE
? 125
$ head -c 5000 /dev/zero >zeros; prof report zeros
~ ^prof: zeros: 
? 125
$ prof report
~ ^prof: no file to read, and no perf.data here: write prof report FILE
? 125

# bad-options
$ printf 'a;f 1\n' >a; prof report a --by functoin
prof: --by 'functoin' is unknown; choose one of: function, module, file:line, thread, comm, line
? 125
$ prof report a --focus '(' || prof report a --ignore 'a{2,1}'
~ ^prof: --focus '\(': 
~ ^prof: --ignore 'a\{2,1\}': 
? 125
$ prof report a --min x || prof report a --min 101 || prof report a --top -1
~ ^prof: --min 'x'
~ ^prof: --min '101'
~ ^prof: --top '-1'
? 125
$ prof report a -o x.unknown || prof report a -f nothing || prof report a -o nowhere/x.json
~ ^prof: .*suffix
~ ^prof: .*nothing
~ ^prof: .*nowhere
? 125
$ prof report a --tree --by comm || prof report a --callers f --callees f
~ ^prof: --by thread and --by comm
~ ^prof: use one of --callers and --callees
? 125
$ prof report a --form 1
~ ^prof: .*--form.*(--from|--format)
? 125

# a-pipe-that-closes-is-no-error
$ yes 'a;f 1' | head -n 1000 | prof report - | head -n 1; prof help report | grep -c -- --callers
1,000 samples of 1 thread
1

# pictures
$ printf 'app;main;f 3\napp;main;g_[k] 1\n' | prof report - -o x.svg --title 'Where it went' --inverted -q; grep -c 'Where it went' x.svg
~ ^[1-9]
$ prof report x.svg -o -
app;main;f 3
app;main;g_[k] 1

# no-samples-of-times
$ printf 'app;[cpu-clock];main;f 2000\napp;[off-cpu];main;g 3000\n' >w.folded; prof report w.folded | grep -E '^[0-9]'
2.00 ms (cpu-clock) of 1 thread
3.00 ms (off-cpu) of 1 thread
$ prof report w.folded --by comm -e off-cpu | grep .
~ ^3.00 ms \(off-cpu\) of 1 thread
~ ^ +time +threads  name$
~ ^ +3.00 ms 100.0% +1  app$

# a-page-of-prof-is-a-profile
$ printf 'app;main;f_[k] 3\napp;main;g_[i] 1\nother;h 2\n' >a.folded; prof report -q a.folded -o a.html.gz -o a.html; prof report a.html.gz -o - | cmp - a.folded
$ prof report -q a.html a.folded -o - | sed 's/.* //' | paste -s
6	2	4
$ prof report -q a.html -o b.html && cmp a.html b.html; prof diff a.folded a.html --fail-if 'total>0%' | tail -n 1
 no change
$ prof diff -q a.folded a.html -o d.html; prof report d.html -o - | cmp - a.folded

# pages-that-are-none-of-profs-or-broken
$ printf '<!DOCTYPE html>\n<title>x</title>' >x.html; prof report x.html
~ ^prof: x.html: .*prof did not write this page
? 125
$ printf 'app;main 3\n' >a.folded; prof report -q a.folded -o a.html; sed '/id="data"/{n;s/.*/AAAA/}' a.html >x.html; prof report x.html
~ ^prof: x.html: 
? 125
$ i=0; while [ $i -lt 60 ]; do i=$((i + 7)); sed "/id=\"data\"/{n;s/^.\{$i\}/&A/}" a.html >x.html; prof report -q x.html -o - >out 2>err; echo $?; done | grep -vcE '^(0|125)$'
0
? 1

# texts-of-perf-without-times
$ printf 'func ab 15294/15295 [001] cpu-clock:u: \n\t          400570 func_b (/root/f)\n\t          4005b1 main+0x3 (/root/f)\n\n   func ab 15294/15296       1 cpu-clock:u:\n\t  400571 func_b (/root/f)\n\n' >perf.txt; prof report perf.txt -o -
func ab;func_b 1
func ab;main;func_b 1
$ printf 'java 19983 cycles:\nffffffff8103d0ca write_msr ([kernel.kallsyms])\n7f01 JavaMain (/lib/libjvm.so)\n\njava 19983 cycles:\n7f01 JavaMain (/lib/libjvm.so)\n\n' | prof report - -o -
java;JavaMain 1
java;JavaMain;write_msr_[k] 1
$ printf 'sh  12 \n\t 400570 f (/root/f)\n\nsh  12 \n\t 400570 f (/root/f)\n' | prof report - -o -
sh;f 2
$ printf 'sh 12 cycles:  400570 f (/root/f)\nsh 12 cycles:  400570 f (/root/f)\n' | prof report - -o -
sh;f 2
$ prof report perf.txt --from 0.1
~ ^prof: --from and --to: .*no times
? 125
# numbers behind names are weights elsewhere
$ printf 'a 12\nb 3\n' | prof report - -o -
a 12
b 3

# a-flame-graph-of-prof-is-a-profile
$ cp "$TESTS/data/golden/plain.folded" .; prof report -q plain.folded -o p.svg; prof report -q plain.folded -o r.svg --reverse; prof report -q plain.folded --threads -o t.svg
$ prof report r.svg -o - | cmp - plain.folded; prof report r.svg -q -o r2.svg; prof report r2.svg -o - | cmp - plain.folded
$ prof report t.svg --by thread >t.1; prof report plain.folded --by thread | cmp - t.1
$ prof report p.svg >p.1; prof report plain.folded | cmp - p.1
$ prof diff plain.folded p.svg | head -n 3
~ .
...
$ prof diff -q plain.folded p.svg -o d.svg; prof report d.svg -o - | cmp - plain.folded
$ printf 'a;f;g 999999\na;f;h 1\n' | prof report -q - -o narrow.svg; prof report narrow.svg -o -
a;f;[elided] 1
a;f;g 999999
$ printf '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"></svg>\n' >other.svg; prof report other.svg
prof: other.svg:1: prof did not write this picture, or its end is missing: it holds no profile (read as svg)
? 125
$ sed 's/"frames":\[0,/"frames":[7000,/' p.svg >bad.svg; prof report bad.svg
~ ^prof: bad.svg:[0-9]+: a frame has a name that does not exist
? 125

# a-function-that-was-not-sampled
$ printf 'app;main;parse 3\napp;main;g_[k] 1\n' >a.folded; prof report a.folded --callers nosuch
prof: no function 'nosuch' was sampled
? 125
$ prof report a.folded --callees parze
prof: no function 'parze' was sampled; did you mean parse?
? 125
$ prof report a.folded --callers 'g_[k]' | grep -c main
1

# a-file-whose-name-begins-with-a-dash
$ printf 'app;f 3\n' >-a.folded; prof report -a.folded
prof: unknown option '-a.folded'; to name the file, write ./-a.folded
? 125
$ prof report ./-a.folded -o -; prof report -o - -- -a.folded
app;f 3
app;f 3

# perf-data
$ f=$TESTS/fuzz/corpus/perfdata; prof report -q $f/file-little -o -; for k in file-big pipe-little pipe-big; do prof report -q $f/$k -o - | sort -u; done | sort | uniq -c | sed 's/^ *//'
leader;[faults];[truncated];[unknown] 1
worker;[cycles];[truncated];[there+0x3030];[there+0x2020];[there+0x1010] 1
3 leader;[faults];[truncated];[unknown] 1
3 worker;[cycles];[truncated];[there+0x3030];[there+0x2020];[there+0x1010] 1
$ prof report $TESTS/fuzz/corpus/perfdata/packed -o -
~ packed: 3 samples \(0 lost\); 0.0% complete stacks$
~ ^prof: /not/there is not there .*; its frames keep their addresses$
~ ^prof: try --sysroot DIR
worker;[truncated];[there+0x3030];[there+0x2020];[there+0x1010] 3
$ cat $TESTS/fuzz/corpus/perfdata/pipe-little | prof report -q - -e cycles -o -
worker;[cycles];[truncated];[there+0x3030];[there+0x2020];[there+0x1010] 1
$ cp $TESTS/fuzz/corpus/perfdata/file-little perf.data; prof report -q | grep -c there+
4
$ printf 'a;b 1\n' >a.folded; prof report -q a.folded perf.data -e faults -o -; prof diff perf.data perf.data -e cycles -q --fail-if 'total>1%'
leader;[faults];[truncated];[unknown] 1
$ head -c 700 perf.data >cut.data; prof report cut.data -o -
~ ^prof: cut.data: it holds no samples: the file ends
? 125
$ prof report perf.data --kallsyms nosuch -o -
prof: --kallsyms nosuch: No such file or directory
? 125
$ cat perf.data | prof report - -o -
~ prof cannot read it from a pipe: name the file, or write it with perf record -o -$
? 125

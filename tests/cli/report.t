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
$ prof report plain.folded -o x.json -o x.folded -o x.perf -o x.pb -o x.pb.gz -o x.txt
~ ^prof: wrote x.json \([0-9]+ KiB\), x.folded \(.*x.txt
$ cmp x.folded plain.folded
$ for f in x.perf x.pb x.pb.gz x.json; do prof report $f -o - | cmp - plain.folded; done
$ prof report plain.folded | diff - x.txt

# filters
$ cp "$TESTS/data/golden/plain.folded" .; prof report plain.folded --focus 'main$' --ignore '_\[k\]' -o -
app;_start;main;work;hash_round 7
app;_start;main;work;small_[i] 3
$ prof report plain.folded --thread '^gzip' | head -n 1
3 samples of 1 thread, 8.8% of the whole
$ prof report plain.folded --focus nowhere -o -
prof: nothing is left
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
prof: -e three: there is no such event in it
prof: it has one
prof: it has two
? 125

# bad-files
$ printf 'a;f 1\na;f x\n' >bad; prof report bad
prof: bad:2: no count at the line's end (read as folded)
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
~ ^prof: x: not a profile
? 125
$ head -c 5000 /dev/zero >zeros; prof report zeros
~ ^prof: zeros: 
? 125
$ prof report
~ ^prof: nothing to read: prof report FILE
? 125

# bad-options
$ printf 'a;f 1\n' >a; prof report a --by functoin
prof: --by 'functoin': not known; there are function, module, file:line, thread, comm, line
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
~ ^prof: one of --callers and --callees
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
$ prof report x.svg
~ ^prof: x.svg: not a profile
? 125

# no-samples-of-times
$ printf 'app;[cpu-clock];main;f 2000\napp;[off-cpu];main;g 3000\n' >w.folded; prof report w.folded | grep -E '^[0-9]'
2.00 ms (cpu-clock) of 1 thread
3.00 ms (off-cpu) of 1 thread
$ prof report w.folded --by comm -e off-cpu | grep .
~ ^3.00 ms \(off-cpu\) of 1 thread
~ ^ +time +threads  name$
~ ^ +3.00 ms 100.0% +1  app$

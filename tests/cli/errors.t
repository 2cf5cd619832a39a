# unknown-option
$ prof --duratoin 9 true
~ ^prof: .*--duratoin.*--duration
? 125
$ prof -Z true
prof: unknown option '-Z': see prof help record
? 125
$ prof report -Z x
prof: unknown option '-Z': see prof help report
? 125

# one-output
$ prof stat -o one -o two true
prof: -o two: there is -o one already, and this command takes one
? 125
$ ls

# option-without-its-argument
$ prof -o
~ ^prof: .*-o
? 125

# misspelt-command
$ prof repotr x.pb.gz
prof: repotr: no such command; did you mean report?
? 127
$ prof 4711
prof: 4711: no such command; did you mean -p 4711?
? 127
$ prof no-such-program-anywhere
prof: no-such-program-anywhere: no such command
? 127
$ printf '#!/bin/sh\necho ran\n' >recrod; chmod +x recrod; PATH="$PWD:$PATH" prof -q -o x.json recrod; PATH="$PWD:$PATH" prof recrod 2>&1 | head -n 1
ran
ran

# unknown-event
$ prof -e cpu-clok touch ran
~ ^prof: .*cpu-clok.*cpu-clock
? 125
$ prof -e cpu-clock:z touch ran
~ ^prof: .*z
? 125
$ prof -e '' touch ran
~ ^prof: 
? 125
$ ls

# absurd-numbers
$ for f in 0 -1 99999999999 1e3 ten '' 0x10 '9 9'; do prof -F "$f" touch ran; echo $?; done 2>err | sort -u; grep -c '^prof: ' err
125
8
$ for f in 0 -1 99999999999999999999 x ''; do prof -c "$f" touch ran; echo $?; done 2>err | sort -u; grep -c '^prof: ' err
125
5
$ for f in -1 x '' 1q 1e999 99999999999999999999; do prof -d "$f" touch ran; echo $?; done 2>err | sort -u; grep -c '^prof: ' err
125
6
$ for f in -1 x ''; do prof -D "$f" touch ran; echo $?; done 2>err | sort -u; grep -c '^prof: ' err
125
3
$ for f in 0 1 -5 x 999999999; do prof --max-stack "$f" touch ran; echo $?; done 2>err | sort -u
125
$ for f in 1 -5 x 999999999; do prof --stack-size "$f" touch ran; echo $?; done 2>err | sort -u
125
$ ls | grep -v err
? 1

# no-such-pid
$ prof -p 4194305 -d 1
~ ^prof: .*4194305.*(no such process|not a)
? 125
$ prof -p 0 -d 1
~ ^prof: .*0
? 125
$ prof -p -5 -d 1
~ ^prof: .*-5
? 125
$ prof -p 1x -d 1
~ ^prof: .*1x
? 125
$ prof -t 4194305 -d 1
~ ^prof: .*4194305
? 125
$ prof -p '' -d 1
~ ^prof: 
? 125

# lists-of-pids-as-pgrep-writes-them
$ prof -p "$(printf '4194304\n4194303\n')" -d 1
~ ^prof: .*4194304: no such process
? 125
$ for list in '1,,2' '1 2,' '1x2' ',1' '1;2'; do prof -p "$list" -d 1; done 2>&1 | grep -c 'not a list of process numbers'
5

# times
$ for t in 10 10s 500ms 2m 1h .5 1.5s 0.25m; do prof -d $t -p 4194304 2>&1 | grep -c 'no such process'; done | sort | uniq -c | sed 's/^ *//'
8 1
$ for t in 10x 1e3 ms s 1ss '' 5M '1 s'; do prof -d "$t" -p 4194304 2>&1 | grep -c 'not a time'; done | sort | uniq -c | sed 's/^ *//'
8 1
$ for t in 0 0s 1000000001 999999999999h 18446744073709551615m; do prof -d $t -p 4194304 2>&1 | grep -c 'must be more than 0'; done | sort | uniq -c | sed 's/^ *//'
5 1

# by-time-or-by-count
$ prof -F 99 -c 1000 touch ran
~ ^prof: use -F or -c, not both
? 125
$ prof -c 1000 -F max touch ran
~ ^prof: use -F or -c, not both
? 125
$ ls

# bad-cpus
$ prof -C 0-99999 -a -d 0.1
~ ^prof: .*-C
? 125
$ prof -C x -a -d 0.1
~ ^prof: .*x
? 125

# what-does-not-go-together
$ prof -a -p 1 -d 1
~ ^prof: .*-a.*-p
? 125
$ prof -p 1 touch ran
~ ^prof: .*--
? 125
$ prof --idle touch ran
~ ^prof: .*--idle.*-a
? 125
$ prof --wait touch ran
~ ^prof: .*--wait.*-n
? 125
$ ls

# bad-formats-and-places
$ prof -f svgg -o x touch ran
~ ^prof: .*svgg
? 125
$ prof -o x.unknown touch ran
~ ^prof: .*x\.unknown.*suffix
? 125
$ prof -o nowhere/x.json touch ran
~ ^prof: .*nowhere
? 125
$ prof --stats nowhere/x.json touch ran
~ ^prof: .*nowhere
? 125
$ prof --call-graph lbr touch ran
prof: --call-graph 'lbr' is unknown; choose one of: auto, dwarf, fp, none
? 125
$ prof --call-graph dwarf,1 touch ran
prof: --call-graph 1: the number must be from 256 to 65528
? 125
$ prof --engine foo touch ran
prof: --engine 'foo' is unknown; choose one of: perf, ptrace
? 125
$ ls

# a-place-that-is-no-file
$ prof -o ./ touch ran
prof: -o ./: this is a directory; name a file in it
? 125
$ prof -o '' touch ran
prof: -o: the file name is empty
? 125
$ ls

# no-such-cgroup
$ prof stat -G no-such-cgroup
~ ^prof: -G no-such-cgroup: [a-z].*(no such cgroup|not mounted|no cgroups)
? 125

# too-few-file-descriptors
$ (ulimit -n 12; prof -- true)
prof: cannot start a process: No file descriptors available
prof: try: ulimit -n 256   # then start prof again
? 125

# commands-that-cannot-be-run
$ prof ./missing
~ ^prof: .*missing
? 127
$ prof -o x.json no-such-program-anywhere
~ ^prof: .*no-such-program-anywhere
? 127
$ : >plain; prof ./plain
~ ^prof: .*plain.*[Pp]ermission
? 126
$ prof /
~ ^prof: 
? 126
$ ls
plain

# what-drives-terminals-is-not-told
$ prof report "$(printf 'a\033[31m\177\302\23331mb\303\251')" 2>&1 | od -An -c
   p   r   o   f   :       a   ?   [   3   1   m   ? 302   ?   3
   1   m   b 303 251   :       N   o       s   u   c   h       f
   i   l   e       o   r       d   i   r   e   c   t   o   r   y
  \n

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

# option-without-its-argument
$ prof -o
~ ^prof: .*-o
? 125

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
$ for f in -1 x '' 1s 1e999 99999999999999999999; do prof -d "$f" touch ran; echo $?; done 2>err | sort -u; grep -c '^prof: ' err
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
prof: --call-graph 'lbr': not known; there are auto, dwarf, fp, none
? 125
$ prof --call-graph dwarf,1 touch ran
~ ^prof: --call-graph 1: must be from 256 to 65528
? 125
$ prof --engine foo touch ran
prof: --engine 'foo': not known; there are perf, ptrace
? 125
$ ls

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

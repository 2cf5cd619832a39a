# what-is-missing
$ prof latency true
prof: say what to measure: -e uprobe:FILE:FUNCTION, -e syscall:read, ...
? 125
$ prof latency -e syscall:read
~ ^prof: nothing to profile
? 125
$ prof latency -e cycles true
~ ^prof: -e cycles: this is no call that prof can measure; write uprobe:FILE:FUNCTION, 
? 125
$ prof latency -e a,b true
~ ^prof: -e a,b: this is no call that prof can measure; .*; give each event a -e of its own$
? 125
$ prof latency -e sched:sched_switch,sched:sched_waking true
~ ^prof: -e sched:sched_switch,sched:sched_waking: .*; give each event a -e of its own$
? 125
$ prof latency -e uprobe:sh true
~ ^prof: -e uprobe:sh: the function is missing
? 125
$ prof latency -e usdt:sh:a:b true
~ does not know where this ends
? 125

# what-there-is-not
$ prof latency -e syscall:raed true
prof: -e syscall:raed: there is no such system call: did you mean read?
? 125
$ prof latency -e syscall:read,write true
prof: -e syscall:read,write: there is no such system call; give each event a -e of its own
? 125
$ prof latency -e syscalls:sys_enter_read true
~ there is no such system call: did you mean read\?$
? 125
$ prof latency -e uprobe:/no/such:f true
prof: -e uprobe:/no/such:f: /no/such: No such file or directory
? 125
$ prof latency -e uprobe:/usr:f true
prof: -e uprobe:/usr:f: /usr: Is a directory
? 125
$ prof latency -e uprobe:no-such-program:f true
~ no program no-such-program in PATH
? 125
$ echo text >text; prof latency -e uprobe:$PWD/text:f true
~ text:f: is not an ELF file$
? 125
$ prof latency -e usdt:$PROF:a:b..usdt:$PROF:a:c true
~ has no USDT probes
? 125

# names-of-functions
$ printf 'int work(void) { return 1; }\nint main(void) { return work(); }\n' >p.c; cc -g -O0 -o p p.c; prof latency -e uprobe:$PWD/p:wrok true
~ there is no function wrok: did you mean work\?$
? 125
$ prof latency -e uprobe:$PWD/p:work+4000 true
~ work has [0-9]+ bytes only$
? 125
$ prof latency -e uprobe:$PWD/p:p.c:9 true
~ no code belongs to line 9 of p\.c$
? 125
$ prof latency -e uprobe:$PWD/p:x.c:9 true
~ know no file of that name$
? 125
$ prof latency -e 'uprobe:p:zzz*' $PWD/p
~ no function's name matches zzz\*$
? 125

# what-does-not-go-together
$ prof latency -e syscall:read -e uprobe:sh:main true
prof: system calls cannot be combined with other events
? 125
$ prof latency --by colour -e syscall:read true
~ ^prof: --by colour: use thread, process, arg0 to arg5, (or retval$|retval, or a field of syscalls:sys_enter_read: fd buf count$)
? 125
$ prof latency --slowest 3 -e syscall:read true
~ ^prof: --slowest writes stacks, and needs a profile's file: add -o slow.html
? 125
$ prof latency --slowest 0 -e syscall:read true
~ ^prof: --slowest
? 125
$ prof latency -C 0 -e syscall:read
prof: latency has no -C
? 125

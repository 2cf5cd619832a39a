# nobody-named
$ prof stack
prof: say whose stacks: -p PID, -n NAME, -t TID, -a, or a core file
? 125

# no-such-process
$ prof stack -p 999999999
~ ^prof: .*-p
? 125

# core-and-process
$ prof stack -p 1 core
prof: a core file, or processes; not both
? 125

# twice-is-for-the-living
$ prof stack --twice core
prof: --twice, --stop and --no-stop work on running processes, not on core files
? 125

# no-file
$ prof stack core
prof: core: No such file or directory
? 125

# a-number-is-a-file
$ prof stack 4711
prof: 4711: No such file or directory; to see the stacks of process 4711, write -p 4711
? 125

# no-such-name
$ prof stack -n no-such-name
prof: -n no-such-name: there is no process of that name
? 125

# not-a-core
$ echo hello >core; prof stack core
prof: core: is not a core file
? 125

# a-program-is-no-core
$ prof stack /proc/self/exe
prof: /proc/self/exe: is not a core file
? 125

# compressed
$ printf '\050\265\057\375xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' | prof stack --core -
prof: stdin: is compressed: zstd -dc FILE | prof stack --core -
? 125

# unknown-suffix
$ prof stack -p 1 -o x.bogus
~ ^prof: -o x.bogus: no format has that suffix
? 125

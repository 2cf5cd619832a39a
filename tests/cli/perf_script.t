# two-events-beside-headers
$ printf '# ========\n# captured on: Tue Jul 25 17:13:16 2017\n# cmdline : perf record -e cycles -e instructions -a -- sleep 1 \n# event : name = cycles, , id = { 1, 2 }, type = 0\n# ========\n#\nnoop 21 [001] 14.984841: instructions: \n\t   993 main (/root/noop)\n\nnoop 21 [001] 14.984851: cycles: \n\t   993 main (/root/noop)\n\nnoop 22 [002] 14.984860: instructions: \n' >a.txt
> prof report a.txt | head -4; prof report a.txt -e cycles | head -1; prof report a.txt -o -
~ ^2 \(instructions\) in 2 samples of 2 threads: perf record -e cycles -e instructions -a -- sleep 1$
~ ^$
        self              total         module  function
~ ^ +1 +50.0% +1 +50.0%  noop +main$
~ ^1 \(cycles\) in 1 sample of 1 thread
noop;[instructions] 1
noop;[instructions];main 1
noop;[cycles];main 1

# a-kernel-of-files-and-frames-without-names
$ printf 'dd 29776 666709.771979:   10101010 cpu-clock: \n\t          414b3b fsnotify (/lib/modules/4.1.0/build/vmlinux)\n\t          3d6b4c vfs_read (/lib/modules/4.1.0/build/vmlinux)\n\t           e5f70 read (/lib/x86_64-linux-gnu/libc-2.15.so)\n\t               0 [unknown] ([unknown])\n\n' >a.txt; prof report a.txt -o -
~ ^dd;(\[unknown\];)?read;vfs_read_\[k\];fsnotify_\[k\] 1$

# times-without-counts
$ printf 'fab 15285 28075374.517811: cpu-clock: \n\t   400577 func_b (/root/lang/fab)\n\t   4005b1 main (/root/lang/fab)\n\n' >a.txt; prof report a.txt -o -
fab;main;func_b 1

# neither-times-nor-counts
$ printf 'java  3244 cpu-clock: \n\t  7f1e214c24d9 SpinPause (/mnt/jdk/libjvm.so)\n\nfab 15294 cpu-clock: \n\t   400570 func_b (/root/lang/fab)\n\nfab 15294 cpu-clock: \n\t   400570 func_b (/root/lang/fab)\n\n' >a.txt; prof report a.txt -o -
fab;func_b 2
java;SpinPause 1

# numbers-of-process-and-thread
$ printf 'iperf 27409/28744 [000] 441995.133575: cpu-clock: \n\t 59fef5 copy (/lib/modules/4.3.0-rc1/build/vmlinux)\n\niperf 27409/28742 [001] 441995.133584: cpu-clock: \n\t 59fef5 copy (/lib/modules/4.3.0-rc1/build/vmlinux)\n\n' >a.txt; prof report a.txt --by thread | tail -2 | sed -E 's/.* //'; prof report a.txt -o -
27409/28742
27409/28744
iperf;copy_[k] 2

# counts-of-faults
$ printf 'perf 47118 [011] 51499.088689:          1 page-faults: \n\t 29ebc cmd_record (/usr/bin/perf)\n\t 69695 run_builtin (/usr/bin/perf)\n\nperf 47118 [011] 51499.088709:          4 page-faults: \n\t 29ebc cmd_record (/usr/bin/perf)\n\t 69695 run_builtin (/usr/bin/perf)\n\n' >a.txt; prof report a.txt | head -1; prof report a.txt -o -
~ ^5 \(page-faults\) in 2 samples of 1 thread
perf;run_builtin;cmd_record 5

# frames-that-are-not-indented
$ printf 'java 19983 cycles:\nffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])\n7f7241fbe6d8 arrayOopDesc::base(BasicType) const (/opt/jre/libjvm.so)\n7f722d142fd3 Ljava/io/PrintStream;::print (/tmp/perf-19982.map)\n\njava 19983 cycles:\nffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])\n' >a.txt; prof report a.txt -o -
java;Ljava/io/PrintStream:::print;arrayOopDesc::base(BasicType) const;native_write_msr_safe_[k] 1
java;native_write_msr_safe_[k] 1

# names-of-regular-expressions
$ printf '%s\n' 'node-v011 31912 cpu-clock: ' '            13a80b608e0a RegExp:[&<>\"\'"'"'] (/tmp/perf-7539.map)' '             c6d7895aac9 LazyCompile:~body_0 evalmachine.<anonymous>:1 (/tmp/perf-31912.map)' '' 'node-v011 31912 cpu-clock: ' '            13a80b608e0a RegExp:\bFoo ?Bar(?:/[\d.]+|[ \w.]*) (/tmp/perf-7539.map)' '                   dd777 v8::Call(v8::Isolate*, bool) (/tmp/node-v011)' '' >a.txt; prof report a.txt -o -
node-v011;LazyCompile:~body_0 evalmachine.<anonymous>:1;RegExp:[&<>\"\'] 1
node-v011;v8::Call(v8::Isolate*, bool);RegExp:\bFoo ?Bar(?:/[\d.]+|[ \w.]*) 1

# times-behind-two-blanks
$ printf 'mir-console 23166 [000]  1333.768765: cpu-clock: \n\t 44bee3 camlLwt__return_1285 (/mnt/_build/main.native)\n\nswapper     0 [001]  1333.768766: cpu-clock: \n\tffffffff810013aa xen_hypercall_sched_op ([kernel.kallsyms])\n\n' >a.txt; prof report a.txt -o -
mir-console;camlLwt__return_1285 1
swapper;xen_hypercall_sched_op_[k] 1

# code-of-a-map-without-a-name
$ printf 'java 11008 [001] 30143.481555: cpu-clock: \n\t7f08b5783b58 [unknown] (/tmp/perf-10939.map)\n\njava 11008 [001] 30143.481556: cpu-clock: \n\t7f08b5783b58 [unknown] (/tmp/perf-10939.map)\n\n' >a.txt; prof report a.txt -o -
java;[jit] 2

# names-of-rust-and-offsets-that-are-negative
$ printf 'emulator  4152 75695.008865:          1 cycles:u: \n\t             d70 _start+0xffff018fd5dce000 (/usr/lib/ld-2.24.so)\n\nemulator  4152 75695.008879:         16 cycles:u: \n\t  1f0 core::iter::_$LT$impl$u20$core..ops..Range$LT$A$GT$$GT$::next::hd0b7b2668add6c40+0x12 (/home/y/emulator)\n\t  2f0 emulator::main+0x2 (/home/y/emulator)\n\n' >a.txt; prof report a.txt -o - | sed -E 's/;[^;]*Range/;Range/'
emulator;_start 1
~ ^emulator;emulator::main;Range.*next.* 16$

#!/bin/sh
# prof doctor: each thing that it says works does work, and each thing that it says does not work does not, for root, nobody, and
# behind seccomp.
# alone: it changes the kernel's settings
. "$(dirname "$0")/../lib.sh"
need_root
need setpriv util-linux
need python3 python3
need strace strace
busy=$(program busy) || exit 1
noperf=$(program noperf) || exit 1
cp "$PROF" "$busy" "$noperf" .
chmod 755 prof busy noperf
chmod 777 .
old=$(cat /proc/sys/kernel/perf_event_paranoid)
finally "echo $old >/proc/sys/kernel/perf_event_paranoid"
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
# get FILE KEY...: a value of the JSON, as Python prints it.
get() { python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
for k in sys.argv[2:]: v = v[k]
print(v)' "$@"; }
# wants TEST FILE VALUE KEY...
wants() { t=$1 f=$2 v=$3; shift 3; got=$(get "$f" "$@"); if [ "$got" = "$v" ]; then ok "$t"; else not_ok "$t" "$* is $got" "$f"; fi; }

status root 0 ./prof doctor
has root-verdict out '^your own commands can be profiled, user and kernel side; the whole system, too$'
has root-row out '^  cpu clock  +yes'
status root-json 0 ./prof doctor --json
cp out root.json
wants root-works root.json True works
wants root-engine root.json perf engine
wants root-kernel root.json True events kernel_side works
wants root-system root.json True events system_wide works
wants root-ptrace root.json True process ptrace works
wants root-uid root.json 0 facts uid
has root-sandbox root.json '"sandbox": {"works": true, "how": "no capabilities, no way to gain any, few system calls'
check root-nofile "$(get root.json facts nofile)" -ge "$(ulimit -n)"
# For each event that works, a capture with it works, too.
for pair in cpu_clock:cpu-clock task_clock:task-clock page_faults:page-faults context_switches:context-switches; do
	check "root-${pair#*:}" "$(get root.json events "${pair%:*}" works)" = True
	"$PROF" -q -o e.folded -e "${pair#*:}" -- ./busy cpu 0.05
	check "root-${pair#*:}-records" $? = 0
done

for level in 3 2 1 -1; do
	echo $level >/proc/sys/kernel/perf_event_paranoid
	nobody ./prof doctor --json >n.json 2>err
	status=$?
	nobody ./prof -q -o x.folded -a -d 0.1 2>err
	if [ $? = 0 ]; then works=True; else works=False; fi
	wants "nobody-at$level-system" n.json $works events system_wide works
	rm -f k.folded
	nobody ./prof -q --engine perf -o k.folded -e cpu-clock:k -- ./busy kernel 0.1 2>err
	if [ $? = 0 ]; then works=True; else works=False; fi
	wants "nobody-at$level-kernel" n.json $works events kernel_side works
	wants "nobody-at$level-paranoid" n.json $level facts perf_event_paranoid
	check "nobody-at$level-status" $status = 0
done
echo 2 >/proc/sys/kernel/perf_event_paranoid
nobody ./prof doctor >n.txt
has nobody-verdict n.txt '^your own commands can be profiled, user side only$'
has nobody-why n.txt 'kernel side +no +kernel.perf_event_paranoid is 2'
has nobody-mend n.txt 'sysctl kernel.perf_event_paranoid=1'
# A virtual machine may boot an image that has the mark of a container, but it is none.
[ -e /.dockerenv ] || { : >/.dockerenv && finally "rm -f /.dockerenv"; }
if [ "$(stat -Lc %i /proc/self/ns/pid /proc/self/ns/cgroup /proc/self/ns/uts /proc/self/ns/ipc | paste -s)" = "4026531836	4026531835	4026531838	4026531839" ]; then
	nobody ./prof doctor >host.txt
	lacks host-no-docker host.txt 'docker|podman'
	has host-setcap host.txt 'sudo setcap'
else
	skip host "this is a container; a machine's first namespaces end this"
fi
unshare -u setpriv --reuid=65534 --regid=65534 --clear-groups ./prof doctor >container.txt
has container-docker container.txt 'docker run --cap-add PERFMON|podman run --cap-add PERFMON'
has nobody-enables n.txt '^      enables: kernel side, context switches$'
has nobody-opens n.txt 'side effect: .*every user may see'
nobody ./prof doctor --json >n.json
check nobody-opens-json "$(get n.json events kernel_side opens | wc -c)" -ge 20

# A process of one's own, and one of another user, to which nothing happens.
start ./busy wall 60; theirs=$pid
start setpriv --reuid=65534 --regid=65534 --clear-groups ./busy wall 60; own=$pid
runs $theirs busy && runs $own busy
nobody ./prof doctor -p $own --json >p.json
check own-status $? = 0
wants own p.json $own pid
wants own-perf p.json True events cpu_clock works
wants own-maps p.json True process maps works
nobody ./prof doctor -p $theirs >t.txt
check theirs-status $? = 1
has theirs-verdict t.txt "^process $theirs \(busy\) cannot be profiled$"
has theirs-why t.txt 'belongs to user 0'
has theirs-mend t.txt "sudo prof -p $theirs"
nobody ./prof -q -o t.folded -p $theirs -d 0.1 2>err
check theirs-refused $? = 125
./prof doctor -p $own --json >p.json
check foreign-status $? = 0
wants foreign p.json True process process_vm_readv works
wants foreign-map-files p.json True process map_files works
has untouched /proc/$own/stat "^$own \(busy\) [RS] "
has untraced /proc/$own/status '^TracerPid:.0$'
# While a debugger has it.
if command -v strace >/dev/null; then
	start strace -qq -o /dev/null -p $own; tracer=$pid
	wait_for 10 grep -qv '^TracerPid:.0$' /proc/$own/status
	./prof doctor -p $own --json >p.json
	check traced-status $? = 0
	kill $tracer; wait $tracer 2>/dev/null
fi
kill $own $theirs
status no-process 125 ./prof doctor -p 99999999
status nonsense 125 ./prof doctor nonsense
status two 125 ./prof doctor -p 1,2

# Behind seccomp: by ptrace, or by nothing.
./noperf ./prof doctor --json >s.json
check seccomp-status $? = 0
wants seccomp-engine s.json ptrace engine
wants seccomp-perf s.json False events cpu_clock works
check seccomp-why "$(get s.json events cpu_clock why | grep -c seccomp)" = 1
wants seccomp-mode s.json 2 facts seccomp
./noperf -t ./prof doctor >s.txt
check nothing-status $? = 1
has nothing-verdict s.txt 'cannot be profiled'
./noperf -t ./prof doctor --json >s.json
wants nothing-engine s.json none engine
wants nothing s.json False works

# Anywhere: in an empty root, with descriptors few or closed.
mkdir empty && cp prof empty/
chroot empty /prof doctor --json >e.json 2>err
wants bare e.json True events cpu_clock works
for key in maps process_vm_readv mem root map_files; do
	wants "bare-$key" e.json '/proc is not mounted' process $key why
	wants "bare-$key-mend" e.json 'mount -t proc proc /proc' process $key mend
done
chroot --userspec=65534:65534 empty /prof doctor >u.txt 2>err
has bare-setcap-path u.txt 'setcap [^ ]+ /prof$'
wants bare-cgroup e.json '/proc is not mounted' events cgroup why
wants bare-kallsyms e.json '/proc is not mounted' kernel kallsyms why
wants bare-uprobe e.json '/sys is not mounted' events uprobe why
chroot --userspec=65534:65534 empty /prof doctor --json >e.json
wants bare-nobody e.json True events cpu_clock works
wants bare-nobody-tracepoints e.json 'mount -t sysfs sysfs /sys' events tracepoints mend
lacks bare-nobody-knows-no-level e.json 'at that level'
./noperf chroot empty /prof doctor --json >e.json
check bare-seccomp "$(get e.json events cpu_clock why)" = 'a seccomp filter refuses perf_event_open'
# In a pid namespace whose /proc is still another's it looks at its own, as a capture does.
unshare -pf sh -c './busy wall 20 & ./prof doctor --json -p $! >s.json; kill $!'
check strange-proc "$(get s.json verdict | cut -d' ' -f3-8)" = '(busy) can be profiled, user and'
wants strange-proc-maps s.json True process maps works
unshare -pf ./prof doctor --json >s.json
wants strange-proc-own s.json True process maps works
# A command that only shows a cause does not stand among those that enable more.
strace -f -qq -o /dev/null -e inject=perf_event_open:error=EACCES ./prof doctor >out
check cause "$(sed -n '/^To find the cause/,$p' out | grep -c 'dmesg')" = 1
check cause-enables "$(sed '/^To find the cause/,$d' out | grep -c 'dmesg')" = 0
(ulimit -n 20; ./prof doctor --json) >f.json
wants few-files f.json 20 facts nofile
./prof doctor --json >c.json <&- 2>&-
wants closed c.json True works
./prof doctor --json >/dev/full 2>err
check full $? = 125
# prof leaves nothing behind.
sleep 0.1
check children "$(ls -l /proc/[0-9]*/exe 2>/dev/null | grep -c " $work/prof")" = 0
exit $failed

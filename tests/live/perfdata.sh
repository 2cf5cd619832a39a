#!/bin/sh
# prof reads what perf records as perf script does: the same number of samples, and stacks that are as complete; from files and
# pipes, packed, and with several events. It names the kernel by its file.
. "$(dirname "$0")/../lib.sh"
need perf linux-perf
perf record -q -N -B -e cpu-clock -o data true >out 2>err || { [ "${CI:-}" = true ] && not_ok perf "it cannot record" err || skip '' 'perf cannot record here'; exit $failed; }
burn=$(program demo -g)
newest_perf

# The frames of all stacks, perf's and prof's; prof's mark for a stack that goes on does not count as one.
theirs() { grep -c '^[[:space:]][[:space:]]*[0-9a-f]' script; }
ours() { "$PROF" report -q --no-inline "$1" -o - 2>err | sed 's/;\[truncated\]//g' | awk '{ c = $NF; n += c * (split($0, f, ";") - 1) } END { print n + 0 }'; }

# recorded ARGUMENTS: DATA, and what perf script says of it.  perf 6.1 may abort: while it collects build-ids, and in its script.
recorded() {
	for ids in "" "" "-N -B" "-N -B" "-N -B" "-N -B" "-N -B" "-N -B" "-N -B" "-N -B"; do
		rm -f data
		perf record -q $ids "$@" >out 2>err
		perf script --no-inline -i data -F comm,ip,sym >script 2>err && return
	done
}
for how in "--call-graph dwarf,16384" "-z --call-graph dwarf,16384" "-g"; do
	recorded -F 500 -e cpu-clock:u $how -o data timeout 1 "$burn"
	name=$(echo "$how" | tr -cd a-z)
	"$PROF" report data -o x.folded >out 2>told
	n=$(samples x.folded)
	check "$name-samples" "$n" -ge 20
	check "$name-all" "$n" = "$(grep -c '^[^[:space:]]' script)"
	show=told check "$name-frames" $(($(ours data) * 100)) -ge $(($(theirs) * 97))
done
perf record -q -F 500 -e cpu-clock:u -g -o - timeout 1 "$burn" 2>err | "$PROF" report - -o pipe.folded >out 2>told
show=told check pipe "$(samples pipe.folded)" -ge 20
rm -f data
perf record -q -N -B -F 500 -e cpu-clock:u,page-faults:u -g -o data timeout 1 "$burn" >out 2>err
"$PROF" report -q data -e page-faults:u -o - >faults 2>told
check events "$(grep -c '\[page-faults:u\]' faults)" -ge 1
# Without build-ids, a program in a directory that is root's alone: prof reads it with the rights of the recording's owner.
if [ "$(id -u)" = 0 ]; then
	mkdir -m 700 private && cp "$burn" private/demo
	perf record -q -N -B -F 500 -e cpu-clock:u -g -o own timeout 1 private/demo >out 2>err
	"$PROF" report own -o x.folded >out 2>told
	show=told check private "$(samples x.folded checksum)" -ge 20
	for how in "chown 65534" "chmod g+w"; do
		cp own others && $how others
		name=private-$(echo "$how" | cut -d ' ' -f 1)
		"$PROF" report others -o x.folded >out 2>told
		show=told check "$name" "$(samples x.folded checksum)" = 0 -a "$(grep -c "not root's alone.*; --sysroot / " told)" = 1
		"$PROF" report others --sysroot / -o x.folded >out 2>told
		show=told check "$name-sysroot" "$(samples x.folded checksum)" -ge 20
	done
	# Who made a pipe need not be who wrote what comes.
	perf record -q -N -B -F 500 -e cpu-clock:u -g -o - timeout 1 private/demo >piped 2>err
	cat piped | "$PROF" report - -o piped.folded >out 2>told
	show=told check private-pipe "$(samples piped.folded)" -ge 20 -a "$(samples piped.folded checksum)" = 0
	cat piped | "$PROF" report - --sysroot / -o piped.folded >out 2>told
	show=told check private-pipe-sysroot "$(samples piped.folded checksum)" -ge 20
fi

# Lines and instructions of a function: sources and objdump's output come by way of the keeper.
status annotate 0 "$PROF" annotate -q data checksum
has annotate-line out '[1-9][0-9]*\.[0-9]%  +[0-9.]+%  +[0-9]+  .*;'
has annotate-instruction out '[0-9.]+%  +[0-9.]+%  +[0-9a-f]+:  [a-z]+ '

# The frames of an interpreter stay: its functions stand in its memory, which no recording holds.
need /usr/bin/python3 python3
recorded -F 500 -e cpu-clock:u --call-graph dwarf,16384 -o data timeout 1 /usr/bin/python3 -c 'while True: sorted(range(99), key=str)'
"$PROF" report data -o x.folded >out 2>told
show=told check python "$(samples x.folded '_PyEval|PyObject')" -ge 10 -a "$(samples x.folded '\[python\?\]')" = 0
show=told check python-frames $(($(ours data) * 100)) -ge $(($(theirs) * 97))

# The kernel's names by a vmlinux, from the running kernel's own list, but linked at another address, as if this kernel had moved.
vmlinux() { # FILE BUILD-ID
	awk '$2 ~ /^[tTwW]$/ && !/\t\[/' /proc/kallsyms | sort | awk '
		!from && ($3 == "_text" || $3 == "_stext") { from = $1 }
		from && !seen[$3]++ { printf ".org 0x%s - 0x%s\n%s\"%s\":\n.type \"%s\",%%function\n", $1, from, $2 ~ /[TW]/ ? ".globl \"" $3 "\"\n" : "", $3, $3 }
		END { print ".skip 64" }' >v.s
	as -o v.o v.s && ld -e 0 -Ttext=0xffffffff81234000 --build-id=0x"$2" -o "$1" v.o
}
# kernel TEST OPTIONS...: the kernel's functions have the same names as without options.
kernel() {
	t=$1
	shift
	"$PROF" report data "$@" -o k.folded >out 2>told
	show=told check "$t" "$(samples k.folded "$known")" = "$(samples own.folded "$known")" -a "$(samples k.folded "$known")" -ge 20
}
if [ "$(id -u)" != 0 ] || ! grep -q '^f.* _s*text$' /proc/kallsyms; then
	skip vmlinux "the kernel's addresses are hidden here"
	exit $failed
fi
known='(read|write|zero)[a-z_0-9]*_\[k\]'
mkdir -p root/boot empty
# named TEST PERF OPTIONS...: checks that what this perf records of the kernel gets its names by a vmlinux.
named() {
	test=$1 perf=$2
	shift 2
	rm -rf data kept
	"$perf" record -q "$@" -F 999 -e cpu-clock:k -g -o data timeout 1 dd if=/dev/zero of=/dev/null bs=4M 2>err >out
	id=$(perf buildid-list --kernel)
	"$PROF" report data -q -o own.folded 2>err
	mkdir -p kept/.build-id/"$(echo "$id" | cut -c 1-2)"
	vmlinux vmlinux "$id" 2>err && kernel "$test" --kallsyms vmlinux
	cp vmlinux root/boot/vmlinux-"$(uname -r)" && kernel "$test-sysroot" --sysroot root
	cp vmlinux kept/.build-id/"$(echo "$id" | sed 's|^..|&/|')".debug && kernel "$test-debug-dir" --sysroot empty --debug-dir kept
	vmlinux other 0123456789012345678901234567890123456789 2>err
	"$PROF" report data --kallsyms other -o k.folded >out 2>told
	show=told check "$test-other" "$(samples k.folded "$known")" = 0 -a "$(grep -c 'its build-id is another' told)" = 1
}
named vmlinux perf -N --buildid-mmap   # each mapping with its build-id, because perf does not collect build-ids at the end
[ ! "$newer" ] || named vmlinux-newer "$newer"
exit $failed

#!/bin/sh
# prof annotate: lines and instructions of a program whose hot ones are known; live and from pprof, with objdump and without.
. "$(dirname "$0")/../lib.sh"
built=$(program annotate) || exit 1
cp "$built" ./annotated   # a directory of its own, with no other file in it
source=$TESTS/programs/annotate.c
line() { grep -n "LINE $1 " "$source" | cut -d: -f1; }
hot=$(line hot) call=$(line call) inlined=$(line inlined) deeper=$(line deeper) deepest=$(line deepest)

# share COLUMN LINE FILE: the percent of a source line, rounded down; 0 where it is not shown.
share() { awk -v col="$1" -v line="$2" '$1 ~ /%$/ && $2 ~ /%$/ && $3 == line { sub(/\..*/, "", $col); print $col; found = 1; exit } END { if (!found) print 0 }' "$3"; }
# The lines below "address" only; the lines below "line" only.
addresses() { awk '/^   self  total     address/ { on = 1; next } on' "$1"; }
lines() { awk '/^   self  total     address/ { exit } { print }' "$1"; }
# The sum of column 1 of rows that match.
self() { awk -v re="$2" '$1 ~ /%$/ && $0 ~ re { s += $1 } END { print int(s) }' "$1"; }

# A command, recorded first: the source beside shares.
status command 0 "$PROF" annotate -q worker -- ./annotated 700
mv out live
show=live
has command-function live '^worker \(annotated\)$'
has command-head live '^of all .*: itself [0-9.]+% .*, with what it calls [0-9.]+%'
has command-text live 'sink = a / \(i \| 1\) \+ a % \(i \| 3\);'
within command-hot "$(share 1 "$hot" live)" 30 95
within command-call-self "$(share 1 "$call" live)" 0 2
within command-call-total "$(share 2 "$call" live)" 5 70
lines live >sources
check command-most "$(share 1 "$hot" live)" -gt $(($(self sources .) / 2))
lacks command-short live 'int argc'
status command-without-arguments 0 "$PROF" annotate -q ./annotated worker --by line
within command-without-arguments-hot "$(share 1 "$hot" out)" 30 95

# A capture shows the same; a function that recurses counts once for each stack.
status capture 0 "$PROF" -q -o it.pb.gz -- ./annotated 700
status pprof 0 "$PROF" annotate it.pb.gz worker
mv out pprof
show=pprof
within pprof-hot "$(share 1 "$hot" pprof)" 30 95
within pprof-call "$(share 2 "$call" pprof)" 5 70
status pprof-recursion 0 "$PROF" annotate it.pb.gz recurse --by line
mv out recursion
show=recursion
within recursion-deeper "$(share 2 "$deeper" recursion)" 95 100
within recursion-deepest "$(share 2 "$deepest" recursion)" 95 100
# Inlined elsewhere: its line; in the function around it the call's line, and its own beside the instruction.
status inlined 0 "$PROF" annotate it.pb.gz mix
within inlined-line "$(share 2 "$inlined" out)" 95 100   # its own time is less if the kernel interrupts it
status around 0 "$PROF" annotate it.pb.gz callee
has around-inlined out 'mix_\[i\] annotate\.c:[0-9]+$'

# Instructions: disassembled where something on PATH does, else bytes; shares add up to those of the lines.
mkdir none
if command -v objdump >/dev/null; then
	addresses pprof >rows
	has objdump-hot rows '[1-9][0-9]\.[0-9]%  +[0-9.]+%  +[0-9a-f]+:  [a-z]+ .*'
	has objdump-around rows '^ {14} +[0-9a-f]+:  [a-z]+ '   # by chance one of them had no sample
	has objdump-call rows '0\.[0-9]%  +[0-9.]+%  +[0-9a-f]+:  call.*callee'
	lines pprof >sources
	within objdump-self "$(self rows .)" "$(($(self sources .) - 8))" "$(($(self sources .) + 8))"
else
	skip objdump "no objdump: apt-get install binutils"
fi
llvm=$(command -v llvm-objdump || ls /usr/bin/llvm-objdump-* 2>/dev/null | head -n 1)
if [ "$llvm" ]; then
	status llvm 0 "$PROF" annotate it.pb.gz worker --by address --objdump "$llvm"
	has llvm-hot out '[0-9.]+%  +[0-9.]+%  +[0-9a-f]+:  div|mul|add|mov'
else
	skip llvm "no llvm-objdump: apt-get install llvm"
fi
PATH=$work/none status bytes 0 "$PROF" annotate it.pb.gz worker
has bytes-said out 'These are bytes, not instructions'
addresses out >rows
has bytes-shown rows '[0-9.]+%  +[0-9.]+%  +[0-9a-f]+:  ([0-9a-f]{2} ?){2,8}( |$)'
PATH=$work/none status bytes-why 0 "$PROF" annotate -v it.pb.gz worker
has bytes-why-said err 'cannot disassemble the code: '
# objdump's output is other people's text: prof limits it, and it cannot control the terminal.
printf '#!/bin/sh\nprintf "  1:\\tnop\\033[2J\\n"; printf "ffffffffffffffff:\\tbad\\n"; yes "$(printf "  1:\\tagain")" | head -n 100000\nexit 0\n' >fake
chmod 755 fake
status fake 0 "$PROF" annotate it.pb.gz worker --objdump "$work/fake"
lacks fake-bounded out 'again|bad'
lacks fake-escape out "$(printf '\033')"
# objdump has none of root's rights, and sees neither prof's environment nor the program's debug information.
cat >asking <<'EOF'
#!/bin/sh
code=$(readelf -S "$6" | grep -c '\.debug_info')
bytes=$(objcopy -O binary --only-section=.debug_info "$6" /dev/stdout 2>/dev/null | tr -d '\000' | wc -c)
printf '  %s:\tuid %s secret %s debug %s %s\n' "${4#*0x}" "$(id -u)" "$SECRET" "$code" "$bytes"
EOF
chmod 755 asking . none
chmod 644 it.pb.gz
if command -v readelf >/dev/null && command -v objcopy >/dev/null; then
	SECRET=told && export SECRET
	status asking 0 "$PROF" annotate it.pb.gz worker --by address --min 0 --context 1000 --objdump "$work/asking"
	has asking-alone out "uid $([ "$(id -u)" = 0 ] && echo 65534 || id -u) secret  debug 1 0( |$)"
else
	skip asking "no readelf: apt-get install binutils"
fi
printf '#!/bin/sh\nexit 3\n' >failing
chmod 755 failing
status failing 0 "$PROF" annotate it.pb.gz worker --objdump "$work/failing"
has failing-bytes out 'These are bytes, not'

# The program is gone, or another one has replaced it.
mv annotated moved
status gone 0 "$PROF" annotate it.pb.gz worker
has gone-said err 'annotated: the file is gone or has changed'
within gone-lines "$(share 1 "$hot" out)" 30 95
cp /bin/true annotated
status replaced 0 "$PROF" annotate it.pb.gz worker
has replaced-said err 'annotated: the file is gone or has changed'
mkdir -p sysroot/opt && mv moved sysroot/opt/elsewhere
status sysroot 0 "$PROF" annotate it.pb.gz worker --by address --sysroot sysroot
has sysroot-code out '[0-9.]+%  +[0-9.]+%  +[0-9a-f]+:  [a-z0-9]+ '
cp sysroot/opt/elsewhere annotated

# Sources that have moved, by the end of their path; and none.
mkdir -p build && cp "$source" build/file.c
${CC:-cc} -O2 -g -o elsewhere build/file.c && mkdir -p new/place/build && mv build/file.c new/place/build/
"$PROF" -q -o elsewhere.pb -- ./elsewhere 300
status no-source 0 "$PROF" annotate elsewhere.pb worker --by line
has no-source-said out 'file\.c  \(source not found: --source-dir DIR\)'
within no-source-line "$(share 1 "$hot" out)" 30 95
status source-dir 0 "$PROF" annotate elsewhere.pb worker --by line --source-dir new/place
has source-dir-text out 'LINE hot'
ln -s / outside && rm -r new/place/build && ln -s "$TESTS/programs" new/place/build
status source-outside 0 "$PROF" annotate elsewhere.pb worker --by line --source-dir new/place
lacks source-outside-text out 'LINE hot'

# A program that deletes itself: prof still disassembles its mapped code.
if command -v objdump >/dev/null; then
	cp annotated brief
	status deleted 0 "$PROF" annotate -q worker --by address -- sh -c './brief 300 & sleep 0.2; rm brief; wait'
	has deleted-code out '[0-9.]+%  +[0-9.]+%  +[0-9a-f]+:  [a-z]+ '
fi

# Attached.
start ./annotated 0
wait_for 10 test -e "/proc/$pid/exe"
status attached 0 "$PROF" annotate -q -p "$pid" -d 0.7 worker -o attached.txt
show=attached.txt
within attached-hot "$(share 1 "$hot" attached.txt)" 30 95
check attached-stdout ! -s out
kill "$pid"

# Names: part of one, several, none.
status part 0 "$PROF" annotate -q it.pb.gz worke --by line
has part-which out '^worker '
status pattern 0 "$PROF" annotate -q it.pb.gz '^wor.er$' --by line
has pattern-which out '^worker '
status ambiguous 125 "$PROF" annotate it.pb.gz '^(worker|callee|recurse)$'
has ambiguous-listed err "[0-9]+\.[0-9]%  recurse"
check ambiguous-order "$(grep -oE '(worker|callee|recurse)$' err | tr '\n' ' ')" = "recurse worker callee "
status missing 125 "$PROF" annotate it.pb.gz wroker
has missing-near err "no function 'wroker' was sampled; did you mean worker\?"
check missing-nothing ! -s out

# prof says why it cannot annotate something.
"$PROF" report -q it.pb.gz -o it.folded -o it.json
for f in it.folded it.json; do
	status "no-addresses-${f#it.}" 125 "$PROF" annotate $f worker
	has "no-addresses-${f#it.}-said" err 'holds no addresses'
done
status no-file 125 "$PROF" annotate none.pb worker
has no-file-said err 'none.pb: No such file'
status no-words 125 "$PROF" annotate
status no-command 125 "$PROF" annotate -F 99 worker
status both 125 "$PROF" annotate -F 99 it.pb.gz worker
has both-said err 'you cannot use options of prof record'
status bad-output 125 "$PROF" annotate it.pb.gz worker -o x.svg
has bad-output-said err 'annotate writes text'
status command-status 3 "$PROF" annotate -q 'sh|main|dash|_start' -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; exit 3'
exit $failed

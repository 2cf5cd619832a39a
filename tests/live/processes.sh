#!/bin/sh
# Processes that begin, end, execute, or whose file is no longer the one that they run.
# alone: samples are counted, and it measures time
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1
full='main;cpu;burn;outer;middle;inner$'

"$PROF" -q -o kids.folded -- "$busy" children 0.02 30
all=$(samples kids.folded ';cpu;|\[unknown\]|\[busy\+')
check children "$all" -ge 200
check children-named "$(samples kids.folded "main;cpu;burn;")" -ge $((all * 97 / 100))
"$PROF" -q -F 4999 -o short.folded -- "$busy" children 0.003 60
check short-named "$(samples short.folded ';cpu;burn;')" -ge 1
check short-unknown "$(samples short.folded '\[unknown\]$')" -le $(($(samples short.folded) / 50 + 1))
"$PROF" -q -o sh.folded -- sh -c "'$busy' cpu 0.2; '$busy' cpu 0.2"
within through-sh "$(samples sh.folded "^busy;.*$full")" 330 430
"$PROF" -q -o exec.folded -- sh -c "exec '$busy' cpu 0.3"
within exec "$(samples exec.folded "^busy;.*$full")" 250 330

start "$busy" wall 30; parent=$pid
cp "$busy" victim
start ./victim wall 20; victim=$pid
runs $victim victim
rm victim
"$PROF" -q -o deleted.folded -p $victim -d 0.4
check deleted "$(samples deleted.folded '^victim;.*main;wall;outer;middle;inner$')" -ge 10
cp /bin/ls victim
"$PROF" -q -o replaced.folded -p $victim -d 0.4
check replaced "$(samples replaced.folded '^victim;.*main;wall;outer;middle;inner$')" -ge 10
kill $victim; wait $victim 2>/dev/null
# Deleted while it is being profiled.
cp "$busy" victim2
start ./victim2 wall 20; victim=$pid
runs $victim victim2
"$PROF" -q -o while.folded -p $victim -d 1 & p=$!
capturing $p
sleep 0.3
rm victim2
wait $p
check deleted-meanwhile "$(samples while.folded '^victim2;.*main;wall;outer;middle;inner$')" -ge 10
# Overwritten in place is "text file busy"; a new file by rename is not.
cp "$busy" victim3
start ./victim3 wall 20; victim=$pid
runs $victim victim3
"$PROF" -q -o renamed.folded -p $victim -d 1 & p=$!
capturing $p
sleep 0.3
cp /bin/ls other && mv other victim3
wait $p
check renamed-meanwhile "$(samples renamed.folded '^victim3;.*main;wall;outer;middle;inner$')" -ge 10

"$PROF" -q -o rec.folded -- "$busy" recurse 0.3 50
has recursion rec.folded ';main;(recurse;){51}burn;outer;middle;inner ([12][0-9]|3[0-2])[0-9]$'
strip -o stripped "$busy"
"$PROF" -o strip.folded -- ./stripped cpu 0.3 2>err
has stripped strip.folded '^stripped;.*_start;.*\[stripped\+0x[0-9a-f]+\];\[stripped\+0x[0-9a-f]+\] '
static=$(program busy -static) && "$PROF" -o static.folded -- "$static" cpu 0.3 2>err
check static "$(samples static.folded "$full")" -ge 240
has complete err '(100|99\.[0-9])% complete'
if command -v musl-gcc >/dev/null; then
	for flags in "" -Wl,--eh-frame-hdr; do
		musl=$(CC=musl-gcc program busy -static -DMUSL $flags) && "$PROF" -o musl.folded -- "$musl" cpu 0.3 2>err
		check "musl$flags" "$(samples musl.folded "$full")" -ge 240
	done
fi
exit $failed

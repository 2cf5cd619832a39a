#!/bin/sh
# A terminal shows one line while prof works, which prof overwrites. prof also says that a command still runs.
. "$(dirname "$0")/../lib.sh"
need_terminal
busy=$(program busy) || exit 1
start "$busy" wall 120
target=$pid

script -qec "\"$PROF\" -p $target -d 2 -o x.folded" /dev/null >seen 2>&1
has attached seen '[0-9]+ samples, [0-9]+\.[0-9] s, [0-9]+% complete; Ctrl-C ends'
lines=$(tr '\r' '\n' <seen | grep -c 'Ctrl-C ends')
within few "$lines" 1 5
check one-line "$(grep -c 'Ctrl-C ends.*[^ ].*prof: ' seen)" = 0
for quiet in -q -v; do
	script -qec "\"$PROF\" $quiet -p $target -d 1.2 -o x.folded" /dev/null >seen 2>&1
	lacks none$quiet seen 'Ctrl-C ends'
done
"$PROF" -p $target -d 1.2 -o x.folded 2>err
lacks no-terminal err 'Ctrl-C'
script -qec "\"$PROF\" -o x.folded -- \"$busy\" cpu 0.8" /dev/null >seen 2>&1
lacks command seen 'Ctrl-C'
script -qec "stty cols 30; \"$PROF\" -p $target -d 1.2 -o x.folded" /dev/null >seen 2>&1
check narrow "$(tr '\r' '\n' <seen | grep 'samples, ' | head -n 1 | wc -c)" -le 31

# The command outlives the capture.
"$PROF" -d 0.3 -o x.folded -- sh -c 'sleep 1.5; exit 7' 2>err
check outlives-status $? = 7
has outlives err '^prof: sh \(process [0-9]+\) still runs; .*Ctrl-C ends it$'
"$PROF" -d 5 -o x.folded -- true 2>err
lacks ended err 'still runs'
"$PROF" -q -d 0.2 -o x.folded -- sleep 0.6 2>err
check quiet ! -s err

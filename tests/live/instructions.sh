#!/bin/sh
# Instructions that the unwinder and the profile take for the same samples, each counted: noise of the machine plays no part.
# tests/bench/instructions has what they were, by compiler; growth beyond 3 % fails.
# elsewhere: it builds prof once more, and steps through it
. "$(dirname "$0")/../lib.sh"
root=$(dirname "$TESTS")
cd "$root" || exit 1
flags='-std=c11 -D_GNU_SOURCE -O2 -g -static -no-pie -fno-pie'
make -s -j 2 O="$T/counted" CC=gcc LIBUNWIND=0 VERSION=test hot= OPT=-O2 "$T/counted/all.a" >&2 || { not_ok build "prof does not build"; exit 1; }
ci/musl-cc musl-gcc gcc $flags -idirafter "$T/counted/include" -I. -o "$work/replay" tests/bench/replay.c "$T/counted/all.a" || exit 1
ci/musl-cc musl-gcc gcc $flags -o "$work/stream" tests/bench/stream.c || exit 1
cd "$work" || exit 1
./replay -t -I -n 15 -- ./stream >counted || exit 1
has stacks counted '^complete yes$'
has all-samples counted '^samples 15$'
compiler=gcc-$(gcc -dumpfullversion)
for part in first again profile; do
	now=$(awk -v p=$part '$1 == p { print $2 }' counted)
	was=$(awk -v c="$compiler" -v p=$part '$1 == c && $2 == p { print $3 }' "$TESTS/bench/instructions")
	if [ ! "$was" ]; then
		ok "$part (no figure for $compiler yet: $now)"
	elif [ "$now" -le $((was + was * 3 / 100)) ]; then
		ok $part
	else
		not_ok $part "$now instructions, were $was: more by over 3 %; if that is worth it, write it into tests/bench/instructions"
	fi
done

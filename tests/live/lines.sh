#!/bin/sh
# Lines and inlined functions: prof addr2line beside llvm-addr2line and binutils on what compilers make, and in profiles.
. "$(dirname "$0")/../lib.sh"
need g++ g++
need addr2line binutils
source=$TESTS/programs/lines.cc
export PROF

g++ -O2 -g -o gcc5 "$source" || exit 1
if command -v llvm-addr2line >/dev/null && command -v clang++ >/dev/null; then
	g++ -O2 -gdwarf-4 -ffunction-sections -Wl,--gc-sections -o gcc4 "$source"
	g++ -O2 -g -gsplit-dwarf -c -o split.o "$source" && g++ -o split split.o
	clang++ -O2 -gdwarf-5 -o clang5 "$source"
	clang++ -O2 -gdwarf-4 -gsplit-dwarf -c -o csplit4.o "$source" && clang++ -o csplit4 csplit4.o
	for f in gcc5 gcc4 clang5 csplit4; do
		if "$TESTS/accuracy/lines" -s 16 $f >said 2>&1; then ok $f; else not_ok $f "$(cat said)"; fi
	done
	if GNU=none "$TESTS/accuracy/lines" -s 16 split >said 2>&1; then ok split; else not_ok split "$(cat said)"; fi
	if command -v rustc >/dev/null; then
		echo 'fn main() { let mut v: Vec<String> = std::env::args().map(|a| a + "x").collect(); v.sort(); println!("{:?}", v); }' >r.rs
		rustc -g -O -o rust r.rs && GNU=none "$TESTS/accuracy/lines" rust >said 2>&1 && ok rust || not_ok rust "$(cat said)"
	fi
else
	skip compilers "no llvm-addr2line or clang++: apt-get install llvm clang"
fi

# Every form of output, from arguments and from stdin; the second address belongs to no function.
at=$(nm gcc5 | awk '/ [tT] .*sorted/ && !/cold/ { print $1 }')
printf '%s\n' "0x$at" 0x10 "$(printf %x $((0x$at + 0x40)))" "$(printf %x $((0x$at + 0x91)))" "0x$at" >addrs
for form in '' -f -i -fi -a -p -fp -fip -afip -s -fs -fC -fiC '-a -f -i -p -s -C'; do
	addr2line $form -e gcc5 <addrs | sed 's/ (discriminator [0-9]*)//' >want
	"$PROF" addr2line $form -e gcc5 <addrs >got
	"$PROF" addr2line $(cat addrs) -e gcc5 $form >got2
	if cmp -s want got && cmp -s want got2; then ok "form$form"; else not_ok "form$form" "not as binutils has it" want got; fi
done
status no-file 125 "$PROF" addr2line -e nothing 0
status no-elf 125 "$PROF" addr2line -e addrs 0
# prof answers each line before the next one comes.
mkfifo to from
"$PROF" addr2line -e gcc5 <to >from &
started=$!
exec 8>to 9<from
echo "$at" >&8
read -r first <&9
echo 0x10 >&8
read -r second <&9
exec 8>&- 9<&-
check answers-at-once "${first#*lines.cc:}:$second" = "$(addr2line -e gcc5 "$at" | sed 's/.*lines.cc://; s/ (disc.*//')":'??:0'

# In profiles.
"$PROF" -q -o a.folded -o a.json -o a.txt -- ./gcc5 >/dev/null
has inlined a.folded ';main;.*sorted\(unsigned int\).*;.*Point::operator<.*_\[i\]'
lacks no-lines a.folded 'sorted\(unsigned int\):[0-9]'
has speedscope a.json '"name":"[^"]*sorted\(unsigned int\)","file":"[^"]*lines.cc","line":24'
"$PROF" -q --lines -o a.folded -o a.txt -- ./gcc5 >/dev/null
has lines a.folded ';main:4[0-9];[^;]*sorted\(unsigned int\):2[0-9];'
has inlined-lines a.folded 'Point::operator<\([^;]*\) const:18_\[i\]'
has table a.txt 'Point::operator<.*:18_\[i\]'
"$PROF" -q --no-inline -o a.folded -- ./gcc5 >/dev/null
lacks no-inline a.folded '_\[i\]'
has no-inline-outermost a.folded ';main;[^;]*sorted\(unsigned int\)'
exit $failed

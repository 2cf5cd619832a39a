#!/bin/sh
# A 32-bit program under a 64-bit prof: whole stacks, names and lines, through the libc and the 32-bit vdso too.
# alone: samples are counted
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || { skip '' "for x86_64"; exit 0; }
need i686-linux-gnu-gcc "gcc-i686-linux-gnu libc6-dev-i386-cross"
CC=i686-linux-gnu-gcc
for how in '' -static; do
	name=dynamic${how:+-static} name=${name#dynamic-}
	clock=$(program clock32 $how) || exit 1
	if ! "$clock" 2>err; then
		if grep -q ': Exec format error$' err; then skip "$name" "this kernel runs no 32-bit programs"; continue; fi
		[ "${CI:-}" = true ] || { skip "$name" "32-bit programs do not run here: apt-get install libc6-i386"; continue; }
		not_ok "$name" "a 32-bit program does not run" err
		continue
	fi
	rm -f x.folded s.json
	"$PROF" -F 2000 --lines --stats s.json -o x.folded -o x.json -- "$clock" >out 2>err || { not_ok "$name" "prof failed" err; continue; }
	n=$(samples x.folded)
	check "$name-samples" "$n" -gt 100
	check "$name-complete" "$(($(samples x.folded truncated) * 100))" -le "$n"
	check "$name-none-left-out" "$(field s.json samples_of_other_machine)" = 0
	check "$name-stacks" "$(samples x.folded ';main(:[0-9]+)?;outer(:[0-9]+)?;inner:[0-9]+')" -gt "$((n / 50))"
	check "$name-through-libc" "$(samples x.folded ';main(:[0-9]+)?;.*;compare:[0-9]+')" -gt 0
	check "$name-vdso" "$(samples x.folded ';main(:[0-9]+)?;ask.*vdso')" -gt 0
done
exit $failed

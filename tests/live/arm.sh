#!/bin/sh
# ARM's own unwinding tables as readelf decodes them, over all entries of whole programs; and programs of either instruction
# set followed instruction by instruction under qemu's emulation.
# elsewhere: another compiler, and an emulator
. "$(dirname "$0")/../lib.sh"
need arm-linux-gnueabihf-g++ g++-arm-linux-gnueabihf
need arm-linux-gnueabihf-readelf binutils-arm-linux-gnueabihf
need python3 python3
root=$TESTS/..
all=$("$TESTS/plain") || { not_ok plain "prof does not build"; exit 1; }
gcc -std=c11 -D_GNU_SOURCE -O1 -no-pie -I"$root" -o rows "$TESTS/arm/rows.c" "$all" || { not_ok rows "it does not build"; exit 1; }
for set in arm thumb; do
	arm-linux-gnueabihf-g++ -O2 -w -fomit-frame-pointer -m$set -static -o $set "$TESTS/accuracy/programs/throw.cc" || exit 1
	./rows $set >ours && arm-linux-gnueabihf-readelf -u $set 2>err | python3 "$TESTS/arm/rows.py" >theirs
	check $set-entries "$(wc -l <ours)" -gt 400
	if paste -d'|' ours theirs | awk -F'|' '$2 !~ /\?$/ && $1 != $2' >differ && [ ! -s differ ]; then ok $set-rows
	else not_ok $set-rows "rows are not what readelf says" differ; fi
	check $set-known "$(grep -c '?' theirs)" = 0
done

need qemu-arm-static qemu-user-static
gcc -std=c11 -D_GNU_SOURCE -O2 -g -no-pie -I"$root" -o step "$TESTS/accuracy/step.c" "$all" || { not_ok step "it does not build"; exit 1; }
# The program of tests/data, made anew.
for how in "-marm -O2 -funwind-tables" "-mthumb -O2 -funwind-tables" "-marm -Os" "-mthumb -Os" "-marm -O0" "-mthumb -O0"; do
	name=$(echo "$how" | tr -d ' ')
	arm-linux-gnueabihf-gcc -w -ffreestanding -fno-stack-protector -nostdlib -static $how -o small "$TESTS/data/small/small.c" || exit 1
	if timeout 100 ./step -n 100000 -C 99.9 armv7 ./small >out 2>&1; then ok "steps$name"
	else [ "$(sed -n 's/^\([0-9]*\) steps, 100.00% complete, wrong 0,.*/\1/p' out)" ] && ok "steps$name" ||
		not_ok "steps$name" "$(tail -n 1 out)" out; fi
done
# Exceptions in flight: __cxa_end_cleanup does not keep its caller, and ARM's unwinder changes registers one by one.
for set in arm thumb; do
	if timeout 300 ./step -n 60000 -C 85 armv7 ./$set 1000 >out 2>&1; then ok "steps-throw-$set"
	else not_ok "steps-throw-$set" "$(tail -n 1 out)" out; fi
done
exit $failed

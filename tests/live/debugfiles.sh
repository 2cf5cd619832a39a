#!/bin/sh
# prof finds symbols in the program, in a detached file by build-id or by name and CRC, compressed, shared by several programs,
# split, in the program's own .gnu_debugdata, and in debuginfod's cache. It refuses files of another identity.
. "$(dirname "$0")/../lib.sh"
need objcopy binutils
need xz xz-utils
export HOME="$work/home"
unset DEBUGINFOD_CACHE_PATH XDG_CACHE_HOME
compile() { ${CC:-cc} -O2 -g -fno-pie -no-pie -Wl,--build-id -o "$@" "$TESTS/programs/local.c"; }
compile p.full || exit 1
id=$(readelf -n p.full | sed -n 's/.*Build ID: //p')
by_id=.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).debug
objcopy --only-keep-debug p.full full.debug
strip -o p.bare p.full

# place DIR PROGRAM [DEBUG-FILE AS]: a copy of it in a directory of its own, with its debug file there.
place() {
	mkdir -p "$1" "$(dirname "$1/${4:-x}")" && cp "$2" "$1/local" && { [ ! "${3:-}" ] || cp "$3" "$1/$4"; }
}
linked() { objcopy --add-gnu-debuglink="$2" "$1" "$3"; }   # PROGRAM DEBUG-FILE OUTPUT
# named TEST DIR [OPTION...]: names, inlines and lines are there; unnamed: none of them.
run() {
	dir=$2
	shift 2
	"$PROF" -q -o "$work/out.folded" "$@" -- "$dir/local" 0.1 2>err || cat err
}
named() { run "$@"; has "$1" "$work/out.folded" '^local;.*main;outer_local;middle_\[i\];hot_local [0-9]+$'; }
symbols() { run "$@"; has "$1" "$work/out.folded" '^local;.*main;outer_local;hot_local [0-9]+$'; }
unnamed() { run "$@"; has "$1" "$work/out.folded" ';\[local\+0x[0-9a-f]+\];\[local\+0x[0-9a-f]+\] [0-9]+$'; }

place full p.full && named full full
place bare p.bare && unnamed bare bare

linked p.bare full.debug withlink
place beside withlink full.debug full.debug && named beside beside
place below withlink full.debug .debug/full.debug && named below-.debug below
place dirs p.bare full.debug "dbg/$by_id" && named debug-dir-by-id dirs --debug-dir dirs/dbg
place flat p.bare p.full flat/local && named debug-dir-unstripped flat --debug-dir "$work" --debug-dir flat/flat
place board p.bare && mkdir -p "sysroot$work/board" && cp p.full "sysroot$work/board/local" && named sysroot board --sysroot sysroot
rm -rf sysroot && place board p.bare full.debug "root/usr/lib/debug/$by_id" && named sysroot-by-id board --sysroot board/root
mkdir -p "cache/$id" && cp full.debug "cache/$id/debuginfo"
DEBUGINFOD_CACHE_PATH=$work/cache named debuginfod bare
mkdir -p home/.cache && cp -r cache home/.cache/debuginfod_client && named debuginfod-home bare
rm -rf home

for how in zlib zstd zlib-gnu; do
	if objcopy --compress-debug-sections=$how full.debug $how.debug 2>/dev/null; then
		place $how p.bare $how.debug "dbg/$by_id" && named $how $how --debug-dir $how/dbg
	else
		skip $how "objcopy cannot write it"
	fi
done

# Frames that only a compressed .debug_frame describes.
compile p.noeh -gz -fno-asynchronous-unwind-tables -fno-unwind-tables && place noeh p.noeh && run '' noeh --call-graph dwarf
has debug-frame "$work/out.folded" '^local;_start;.*main;outer_local;middle_\[i\];hot_local [0-9]+$'

# As Fedora packs it: the symbols of functions, compressed, in the program itself.
printf '%s\n' hot_local outer_local main >kept
objcopy -S --remove-section .comment --keep-symbols=kept full.debug p.mini
nm p.mini >mini.names && xz -c p.mini >mini.xz && objcopy --add-section .gnu_debugdata=mini.xz p.bare withmini
has mini-made mini.names outer_local
place mini withmini && symbols mini mini
head -c 300 mini.xz >mini.cut && objcopy --add-section .gnu_debugdata=mini.cut p.bare withcut
place cut withcut && unnamed mini-cut cut

# Without a build-id the CRC tells.
compile noid -Wl,--build-id=none && objcopy --only-keep-debug noid full.debug2 && strip -o noid.bare noid
linked noid.bare full.debug2 noid.linked
place crc noid.linked full.debug2 full.debug2 && named crc crc
printf x >>full.debug2
place badcrc noid.linked full.debug2 full.debug2 && unnamed crc-of-another badcrc
compile otherbuild -DOTHER && objcopy --only-keep-debug otherbuild other.debug
place badid p.bare other.debug "dbg/$by_id" && unnamed build-id-of-another badid --debug-dir badid/dbg
head -c $(($(wc -c <full.debug) / 2)) full.debug >short.debug && place short p.bare short.debug "dbg/$by_id" && unnamed cut-debug-file short --debug-dir short/dbg
mkdir -p fifo/dbg/"$(dirname "$by_id")" && cp p.bare fifo/local && mkfifo "fifo/dbg/$by_id" && unnamed fifo fifo --debug-dir fifo/dbg

if command -v dwz >/dev/null; then
	cp full.debug one.debug && cp other.debug two.debug && mkdir dwz
	if dwz -m dwz/common -M "$work/dwz/common" one.debug two.debug 2>err && readelf -S one.debug | grep -q gnu_debugaltlink; then
		place pair p.bare one.debug "dbg/$by_id" && named dwz pair --debug-dir pair/dbg
		rm dwz/common
		run dwz-gone pair --debug-dir pair/dbg
		has dwz-gone "$work/out.folded" '^local;.*main;outer_local;([^;]*;)?hot_local [0-9]+$'
	else
		not_ok dwz "dwz made no pair" err
	fi
else
	need dwz dwz
fi

# Split DWARF, beside the object and packed.  GNU's dwp knows version 4 alone, and LLVM's hangs on what gcc makes of 5.
# split TEST COMPILER VERSION DWP
split() {
	mkdir -p "$1" && (cd "$1" && $2 -O2 -gdwarf-"$3" -gsplit-dwarf -fno-pie -no-pie -o local "$TESTS/programs/local.c") || return
	named "split-$1" "$1"
	if ! command -v "$4" >/dev/null; then
		skip "dwp-$1" "no $4: apt-get install llvm"
	elif (cd "$1" && timeout 20 "$4" -e local -o local.dwp 2>../err); then
		rm -f "$1"/*.dwo
		named "dwp-$1" "$1"
	else
		not_ok "dwp-$1" "$4 failed" err
	fi
	rm -f "$1"/*.dw[op]
	symbols "split-gone-$1" "$1"
}
split gcc-4 gcc 4 dwp
command -v clang >/dev/null && split clang-5 clang 5 llvm-dwp
mkdir gcc-5 && (cd gcc-5 && gcc -O2 -gdwarf-5 -gsplit-dwarf -o local "$TESTS/programs/local.c") && named split-gcc-5 gcc-5

# A target with its own root directory has its own debug files.
if [ "$(id -u)" = 0 ]; then
	mkdir -p "root/usr/lib/debug/$(dirname "$by_id")" root/proc
	${CC:-cc} -O2 -g -static -Wl,--build-id -o static "$TESTS/programs/local.c"
	sid=$(readelf -n static | sed -n 's/.*Build ID: //p')
	sby=.build-id/$(echo "$sid" | cut -c 1-2)/$(echo "$sid" | cut -c 3-).debug
	mkdir -p "root/usr/lib/debug/$(dirname "$sby")"
	objcopy --only-keep-debug static "root/usr/lib/debug/$sby" && strip -o root/local static
	start chroot root /local 20
	"$PROF" -q -o out.folded -p "$pid" -d 0.3 2>err || cat err
	has target-root "$work/out.folded" '^local;.*main;outer_local;middle_\[i\];hot_local [0-9]+$'
	"$PROF" -q -o out.folded -- chroot root /local 0.1 2>err || cat err
	has target-root-gone "$work/out.folded" '^local;.*main;outer_local;middle_\[i\];hot_local [0-9]+$'
	# prof does not follow a debug file's link that leads out of that root.
	mv "root/usr/lib/debug/$sby" out.debug && ln -s "$work/out.debug" "root/usr/lib/debug/$sby"
	"$PROF" -q -o out.folded -p "$pid" -d 0.3 2>err || cat err
	has target-root-link "$work/out.folded" ';\[local\+0x[0-9a-f]+\] [0-9]+$'
fi
exit $failed

#!/bin/sh
# A capture without symbols that another machine names: the result is the same as with names from the beginning.
. "$(dirname "$0")/../lib.sh"
busy=$(program busy) || exit 1
anonymous=$(program busy -Wl,--build-id=none) || exit 1

# A machine of its own: the programs and the libraries that they use.
mkdir -p machine/app machine/lib
cp "$busy" machine/app/with-id
ldd "$busy" | grep -o '/[^ ]*' | while read -r lib; do cp -L "$lib" machine/lib/; done

for program in "$busy" "$anonymous"; do
	name=$([ "$program" = "$busy" ] && echo id || echo path)
	status $name-capture 0 "$PROF" -q -o named.pb -- "$program" recurse 0.6 50
	"$PROF" report -q named.pb -o named.folded
	"$PROF" report -q named.pb --raw-addresses -o raw.folded -o raw.pb
	lacks $name-raw raw.folded ';main;|libc_start'
	case $name in
	id) "$PROF" symbolize -q raw.folded --sysroot machine -o again.folded -o again.pb ;;
	*)  mkdir -p "machine$(dirname "$program")" && cp "$program" "machine$program"
	    "$PROF" symbolize -q raw.folded --sysroot machine -o again.folded -o again.pb ;;
	esac
	if cmp -s named.folded again.folded; then ok $name-folded; else not_ok $name-folded "not as named at once" named.folded again.folded; fi
	"$PROF" symbolize -q raw.pb --sysroot machine -o again.folded
	if cmp -s named.folded again.folded; then ok $name-pprof; else not_ok $name-pprof "not as named at once" named.folded again.folded; fi
	"$PROF" report -q again.pb -o again.folded
	if cmp -s named.folded again.folded; then ok $name-written; else not_ok $name-written "pprof lost names" named.folded again.folded; fi
done

# Without a sysroot, on the machine itself; straight from a capture.
status straight 0 "$PROF" -q --raw-addresses -o straight.folded -- "$anonymous" recurse 0.4 50
has straight-raw straight.folded "busy[^;]*\+0x[0-9a-f]+"
lacks straight-no-names straight.folded ';main'
status straight-named 0 "$PROF" symbolize --sysroot machine straight.folded
has straight-main out ';main;'

# prof looks for files by path and in the places for debug files. It looks at all files of a directory only if an option names it.
status own-capture 0 "$PROF" -q --raw-addresses -o own.folded -o own.pb -- "$busy" recurse 0.4 50
status own-by-path 0 "$PROF" symbolize own.pb
has own-by-path-main out ';main;'
lacks own-by-path-quiet err 'not found'
status own-no-path 0 "$PROF" symbolize own.folded
lacks own-no-path-names out ';main;'   # libc may have a debug file, which is found by its build-id
has own-no-path-mend err '--sysroot DIR searches all of DIR$'
mkdir -p elsewhere/deep && cp "$busy" elsewhere/deep/er
status own-debug-dir 0 "$PROF" symbolize own.folded --debug-dir elsewhere
has own-debug-dir-main out ';main;'

# prof says what it cannot find, and keeps it as it is.
mkdir empty
# A profile's paths lead nowhere but below the sysroot.
printf 'a;%s+0x1139 1\na;/../../../../../../..%s+0x1139 1\n' "/outside" "$anonymous" >leads-out.folded
mkdir -p jail && ln -s "$anonymous" jail/outside
status leads-out 0 "$PROF" symbolize leads-out.folded --sysroot jail
has leads-out-not "err" 'named 0 of 2 addresses|not found'
lacks leads-out-names out 'a;[a-z_]+ 1'
status missing 0 "$PROF" symbolize straight.folded --sysroot empty
lacks missing-no-mend err 'sysroot'
has missing-told err 'not found; its frames keep their addresses'
has missing-stays out "busy[^;]*\+0x"
printf 'a;b;c 3\n' >plain.folded
status nothing 0 "$PROF" symbolize plain.folded
has nothing-told err 'nothing to name'
has nothing-lost out '^a;b;c 3$'
status no-input 125 "$PROF" symbolize
status no-directory 125 "$PROF" symbolize plain.folded --sysroot nowhere

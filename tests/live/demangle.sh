#!/bin/sh
# Every symbol of large C++ and Rust binaries, and of D's library, beside binutils' c++filt (CXXFILT, where another than the system's is meant).
# Names that c++filt leaves as they are do not count: newer compilers make some that it does not know.
. "$(dirname "$0")/../lib.sh"
: "${CXXFILT:=c++filt}"
need "$CXXFILT" binutils
"$PROF" help demangle >/dev/null 2>&1 || { skip '' "this prof has no demangle command"; exit 0; }

[ "$("$PROF" demangle _Z1fv _ZN1AC1Ev)" = "$(printf 'f()\nA::A()')" ] && ok arguments || not_ok arguments "not f() and A::A()"
text='x _Z1fv+0x4 (_ZN1A1fEi) <_Z1gIiEvT_@plt> ._Z1fv _Z _ZZZ foo'
"$CXXFILT" "$text" >/dev/null
echo "$text" | "$CXXFILT" >want
echo "$text" | "$PROF" demangle >got
cmp -s want got && ok text || not_ok text "not as $CXXFILT has it" want got
hash=_ZN4core3fmt9Formatter3pad17h0123456789abcdefE
check no-verbose "$("$PROF" demangle -i $hash)" = core::fmt::Formatter::pad
check verbose "$("$PROF" demangle $hash)" = core::fmt::Formatter::pad::h0123456789abcdef

# like NAME PATTERN KINDS STYLE FILE...: the names in FILEs that match, of symbols of these kinds, of which at least 999 in 1000 must be
# equal to those of c++filt in that style.
like() {
	t=$1 pattern=$2 kinds=$3 style=$4
	shift 4
	{ nm "$@"; nm -D "$@"; } 2>/dev/null | awk -v kinds="$kinds" '$(NF - 1) ~ kinds { print $NF }' | sed 's/@.*//' | grep "$pattern" | sort -u >names
	[ -s names ] || { skip "$t" "no mangled names in $*"; return; }
	"$CXXFILT" -s "$style" <names >want
	"$PROF" demangle <names >got
	paste -d '\n' names want got | awk '
		NR % 3 == 1 { name = $0 } NR % 3 == 2 { want = $0 }
		NR % 3 == 0 && want != name { n++; if (want != $0) { bad++; print name "\n\t" want "\n\t" $0 } }
		END { print "equal but for", bad + 0, "of", n; exit bad * 1000 > n }' >differ
	if [ $? = 0 ]; then ok "$t"; else not_ok "$t" "$(tail -n 1 differ)" differ; fi
}
found=0
for f in /usr/lib/*/libstdc++.so.6 /usr/lib/*/libLLVM-*.so.1 /usr/lib/*/libLLVM.so.* /usr/lib/chromium/chromium "$(command -v node)" \
	/usr/lib/*/libQt*Core.so.? /usr/lib/*/librustc_driver-*.so "$(rustc --print sysroot 2>/dev/null)"/lib/librustc_driver-*.so; do
	[ -e "$f" ] || continue
	found=1
	like "$(basename "$f")" '^_[ZR]' . auto "$f"
done
[ $found = 1 ] || skip binaries "no large C++ or Rust binary"
found=0
for f in /usr/lib/*/libphobos2*.so /usr/lib/*/libgphobos.so.?; do
	[ -e "$f" ] || continue
	found=1
	like "$(basename "$f")" ^_D '^[TtWw]$' dlang "$f"
done
[ $found = 1 ] || skip D "no library of D"
exit $failed

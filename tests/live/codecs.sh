#!/bin/sh
# prof reads other compressors' files, and other tools read prof's: texts, code, noise, runs, and nearly empty files.
. "$(dirname "$0")/../lib.sh"
need gzip gzip
need zstd zstd
need xz xz-utils
need python3 python3
lib=$(dirname "$TESTS")/lib
codec=$work/codec
${CC:-cc} -O1 -g ${SANITIZE:-} -iquote "${lib%/lib}" -o "$codec" "$TESTS/programs/codec.c" "$lib/codec/deflate.c" "$lib/codec/inflate.c" "$lib/codec/zstd.c" "$lib/codec/xz.c" "$lib/codec/crc.c" \
	"$lib/cursor.c" "$lib/copy.c" "$lib/mem.c" "$lib/sink.c" "$lib/work.c" "$lib/clock.c" || exit 1
export ASAN_OPTIONS=detect_leaks=0

cat "$TESTS"/unit/*.c | head -c 300000 >text
head -c 400000 "$PROF" >code
head -c 100000 /dev/urandom >noise
head -c 700000 /dev/zero >runs
seq 20000 >numbers
{ head -c 70000 noise; head -c 200000 runs; head -c 150000 text; head -c 100000 noise; } >mixed
printf a >one
: >none
python_zlib() { python3 -c 'import sys, zlib
c = zlib.compressobj(int(sys.argv[1]), 8, int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
sys.stdout.buffer.write(c.compress(sys.stdin.buffer.read()) + c.flush())' "$@"; }

# reads TEST FORMAT COMPRESSOR...: each of the files.
reads() {
	t=$1 format=$2 bad=
	shift 2
	for f in text code noise runs numbers mixed one none; do
		"$@" <$f >packed 2>/dev/null
		"$codec" -d "$format" "$(wc -c <$f)" <packed >out 2>err && cmp -s out $f || bad="$bad $f: $(cat err)"
	done
	check "$t" -z "$bad"
}
for level in 1 9; do reads gzip-$level gzip gzip -n -$level; done
reads gzip-members gzip sh -c 'cat >all; head -c 30000 all | gzip; tail -c +30001 all | gzip -1'
reads zlib zlib python_zlib 9 15 8 0
reads raw-fixed raw python_zlib 9 -15 9 4
reads raw-huffman raw python_zlib 9 -9 1 2
# The last compressor takes a GiB for its output if it does not know that a file is small, so once is enough.
for level in --fast=10 -1 -5 -12 -19 '--ultra -22 --size-hint=700000'; do reads "zstd$(echo "$level" | tr -d ' ')" zstd zstd -q -c $level; done
zstd -q -c --ultra -22 <text >packed
check zstd-largest-window "$("$codec" -d zstd "$(wc -c <text)" <packed | cksum)" = "$(cksum <text)"
reads zstd-check zstd zstd -q -c --check -5 --no-content-size
for how in -0 -9e '-C crc32 --block-size=100000' '-C sha256 --lzma2=lc=0,lp=4,pb=0' '-C none -T2'; do
	reads "xz$(echo "$how" | tr -d ' ')" xz xz -q -c $how
done

# written TEST FORMAT READER...
written() {
	t=$1 format=$2 bad=
	shift 2
	for f in text code noise runs numbers mixed one none; do
		"$codec" "$format" <$f >packed && "$@" <packed 2>/dev/null | cmp -s - $f || bad="$bad $f"
	done
	check "$t" -z "$bad"
}
written to-gzip gzip gzip -dc
written to-zlib zlib python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read()))'
written to-raw raw python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read(), -15))'
for f in text code numbers; do
	ours=$("$codec" gzip <$f | wc -c) theirs=$(gzip -n -6 <$f | wc -c)
	check "as-small-$f" "$ours" -le $((theirs + theirs / 50))
done
check noise-grows-little "$("$codec" gzip <noise | wc -c)" -le 100200

# prof says that a broken file is broken, and does not take it for something else.
gzip -n <text >packed
head -c 20000 packed >cut
status cut 1 "$codec" -d gzip 700000 <cut
status too-large 1 sh -c '"$1" -d gzip 299999 <packed' - "$codec"
{ head -c 5000 packed; printf XYZ; tail -c +5004 packed; } >bent
status bent 1 sh -c '"$1" -d gzip 700000 <bent' - "$codec"
zstd -q -c <text | head -c 20000 >cut.zst
status cut-zstd 1 sh -c '"$1" -d zstd "$(wc -c <text)" <cut.zst' - "$codec"
xz -c <text >packed.xz
{ head -c 9000 packed.xz; printf XYZ; tail -c +9004 packed.xz; } >bent.xz
status bent-xz 1 sh -c '"$1" -d xz 800000 <bent.xz' - "$codec"
exit $failed

#!/bin/sh
# Every kind of -o, and what may go wrong with it.
# alone: it measures time, and also looks at the whole system
. "$(dirname "$0")/../lib.sh"
need_root
busy=$(program busy) || exit 1

"$PROF" -o a.folded -o a.json -o a.txt -o a.collapsed -o a.speedscope -- "$busy" cpu 0.3 2>err
for f in a.folded a.json a.txt a.collapsed a.speedscope; do check several-$f -s $f; done
cmp -s a.folded a.collapsed && cmp -s a.json a.speedscope && ok several-same || not_ok several-same "suffixes of one format differ"
has several-said err 'wrote a\.folded \([0-9.]+ (B|KiB|MiB)\), a\.json \('
has speedscope a.json '"\$schema": *"https://www.speedscope.app/file-format-schema.json"'
check no-litter "$(ls -A | grep -vcE '^(a\.(folded|json|txt|collapsed|speedscope)|err)$')" = 0

"$PROF" -q -f folded -o - -- "$busy" cpu 0.2 >dash.folded
check dash "$(samples dash.folded 'inner$')" -ge 100
"$PROF" -q -o - -- "$busy" cpu 0.2 >bare.folded
check dash-is-folded "$(samples bare.folded 'inner$')" -ge 100
"$PROF" -q -f folded -o /dev/fd/5 -- "$busy" cpu 0.2 5>fd.folded
check dev-fd "$(samples fd.folded 'inner$')" -ge 100
"$PROF" -q -o /dev/stdout -f folded -- "$busy" cpu 0.2 | cat >std.folded
check dev-stdout "$(samples std.folded 'inner$')" -ge 100
mkfifo fifo
cat fifo >read.folded & reader=$!
"$PROF" -q -f folded -o fifo -- "$busy" cpu 0.2
wait $reader
check fifo "$(samples read.folded 'inner$')" -ge 100 -a -p fifo
mkdir sub
ln -s sub/real.folded link.folded
"$PROF" -q -o link.folded -- "$busy" cpu 0.1
check symlink -L link.folded -a -s sub/real.folded
ln sub/real.folded hard.folded
"$PROF" -q -o sub/real.folded -- "$busy" cpu 0.1
check renamed "$(stat -c %h sub/real.folded)" = 1
"$PROF" -q -o /dev/null -f folded -- "$busy" cpu 0.1
check dev-null $? = 0 -a -c /dev/null

# The default name is never that of an existing file.
start "$busy" wall 20; target=$pid
for i in 1 2 3; do "$PROF" -q -p $target -d 0.1; done
check default-name -s prof-$target.html -a -s prof-$target.2.html -a -s prof-$target.3.html
"$PROF" -q -a -d 0.1
check default-name-system -s prof-system.html

status unknown-suffix 125 "$PROF" -o x.xyz -- touch ran
status no-directory 125 "$PROF" -o nowhere/x.json -- touch ran
has no-directory-said err 'nowhere'
status a-directory 125 "$PROF" -f folded -o sub -- touch ran
status unknown-format 125 "$PROF" -f fold -o x -- touch ran
has unknown-format-said err 'folded'
mkdir -m 755 closed
cp "$PROF" "$busy" .
chmod 755 prof busy
status unwritable 125 setpriv --reuid=65534 --regid=65534 --clear-groups ./prof -o closed/x.json -- touch ran
has unwritable-said err 'closed.*ermission'
check before-anything ! -e ran

# A full disk: a clear error, the old file as it was, nothing left beside it.
mkdir full
mount -t tmpfs -o size=64k none full && finally 'umount "$work/full"'
echo old >full/x.json
dd if=/dev/zero of=full/filler bs=1k count=50 2>/dev/null
dd if=/dev/zero of=full/filler2 bs=1k count=64 2>/dev/null
"$PROF" -o full/x.json -o after.folded -p $target -d 0.3 2>err
check full-status $? = 125
has full-said err 'full/x\.json.*[Nn]o space'
check full-old "$(cat full/x.json)" = old
check full-litter "$(ls -A full | wc -l)" = 3
check full-others -s after.folded
# The reader of the pipe has ended.
{ "$PROF" -f folded -o - -p $target -d 0.5 2>err; echo $? >st; } | true
check pipe-status "$(cat st)" = 125
has pipe-said err '[Bb]roken pipe|EPIPE'
"$PROF" -f folded -o /dev/full -p $target -d 0.2 2>err
check dev-full $? = 125
lacks dev-full-wrote err 'wrote'
script -qec '"$PROF" -f pprof -o - touch ran' /dev/null >err 2>&1
check terminal $? = 125 -a ! -e ran
has terminal-said err 'this is a terminal, and pprof.s format is binary; use -o FILE'
for plain in TERM=dumb NO_COLOR=1; do
	script -qec "env $plain \"$PROF\" -o plain.folded -- \"$busy\" cpu 0.1" /dev/null >err 2>&1
	check plain-$plain "$(grep -c inner err)" -ge 1 -a "$(grep -c "$(printf '\033')" err)" = 0
done
"$PROF" -o - -- touch ran 2>err >&-
check closed-stdout $? = 125 -a ! -e ran
has closed-stdout-said err '-o -: the descriptor is not open for writing'
# prof fails if it could not write, although the command succeeded.
"$PROF" -f folded -o /dev/full -- true 2>err
check failed-write-status $? = 125 -o "$(cat err | grep -c empty)" -ge 1
# A reader never sees half a file.
"$PROF" -q -o slow.folded -p $target -d 1 & p=$!
sleep 0.5
check not-before-its-end ! -e slow.folded
wait $p
check then-whole -s slow.folded

# Names that are difficult for formats.
"$PROF" -q -o h.folded -o h.json -- "$busy" hostile 0.2
has hostile-folded h.folded '^a:b "c.*;.*main;hostile;burn;'
check hostile-lines "$(grep -vcE ' [0-9]+$' h.folded)" = 0
lacks hostile-json h.json '[[:cntrl:]]"'
# Under sudo files are the caller's.
SUDO_UID=65534 SUDO_GID=65534 "$PROF" -q -o sudo.folded -- "$busy" cpu 0.1
check sudo "$(stat -c %u sudo.folded)" = 65534
exit $failed

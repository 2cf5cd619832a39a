#!/bin/sh
# prof writes only where the user said, whoever owns the directory; and names in what it reads have no effect.
. "$(dirname "$0")/../lib.sh"
need_root
need setpriv util-linux
busy=$work/busy
cp "$(program busy)" busy || exit 1   # where everybody may reach it
nobody="setpriv --reuid=65533 --regid=65533 --clear-groups"
"$nobody" true 2>/dev/null
start $nobody "$busy" wall 300
target=$pid
runs $target busy

# A directory of another user, closed to all others: a link there is as dangerous as one in /tmp.
echo precious >precious && chmod 644 precious
mkdir theirs && chown 65533:65533 theirs && chmod 755 theirs
through() { # TEST PATH
	status "$1" 125 "$PROF" -q -o "$2" -p $target -d 0.1
	check "$1-kept" "$(cat precious)" = precious
}
$nobody ln -s "$work/precious" theirs/x.folded
through link theirs/x.folded
has link-said err 'belongs to another user'
(cd theirs && status link-here 125 "$PROF" -q -o x.folded -p $target -d 0.1)
check link-here-kept "$(cat precious)" = precious
status stats 125 "$PROF" -q -o own.folded --stats theirs/x.folded -p $target -d 0.1
check stats-kept "$(cat precious)" = precious
# The other user can replace root's own link there.
ln -s "$work/precious" theirs/own.folded
through own-link theirs/own.folded
has own-link-said err "another user's directory"
# Deeper below such a directory, and where others may replace a directory.
mkdir -p theirs/deep && $nobody ln -s "$work/precious" theirs/deep.link && mv theirs/deep.link theirs/deep/x.folded && chown -h 65533 theirs/deep/x.folded
through deep theirs/deep/x.folded
mkdir -m 777 loose && mkdir loose/own && ln -s "$work/precious" loose/own/x.folded && chown -h 65533 loose/own/x.folded
through loose loose/own/x.folded
# prof makes files there as before, and only root may read them.
rm -f theirs/made.folded
status made 0 "$PROF" -q -o theirs/made.folded -p $target -d 0.3
check made-mode "$(stat -c %a:%u theirs/made.folded)" = 600:0
# prof follows links where nobody else can write; and in one's own directory.
ln -s "$work/followed.folded" mine.folded
status mine 0 "$PROF" -q -o mine.folded -p $target -d 0.3
check mine-followed -L mine.folded -a -s followed.folded
(cd theirs && $nobody ln -s followed.folded y.folded && $nobody "$PROF" -q -o y.folded -- "$busy" cpu 0.1)
check theirs-followed -L theirs/y.folded -a -s theirs/followed.folded
check nothing-left "$(find . -name '.prof-*' | wc -l)" = 0

# Names.
cat >names.c <<'END'
#include <sys/prctl.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	prctl(PR_SET_NAME, argc > 1 ? argv[1] : "", 0, 0, 0);
	for (volatile unsigned long i = 0; argc < 3 || i < 300000000; i++)
		;
	return 0;
}
END
${CC:-cc} -O1 -o names names.c || exit 1
# A thread with the name of a line of perf script.
"$PROF" -q -o head.folded -o head.perf -- ./names '1 2 3.0: cy:' stop
all=$(samples head.folded)
check head-samples "$all" -ge 50
for f in head.folded head.perf; do
	"$PROF" report -q "$f" -o again.folded
	check "$f-again" "$(samples again.folded)" = "$all"
done
"$PROF" -q -o empty.folded -o empty.perf -o empty.json -o empty.pb -o empty.html -- ./names '' stop
all=$(samples empty.folded)
for f in empty.folded empty.perf empty.json empty.pb empty.html; do
	"$PROF" report -q $f -o again.folded
	within "$f-again" "$(samples again.folded)" $((all - 1)) $((all + 1))
done
# doctor prints plain characters, whatever the name of the process is.
start ./names "$(printf '\033[2Jevil\302\233')"
wait_for 10 grep -q evil /proc/$pid/comm
"$PROF" doctor -p $pid >said
has doctor-name said 'evil'
check doctor-plain "$(tr -d '\n -~' <said | wc -c)" = 0
"$PROF" -p $pid -d 0.2 -o said.txt 2>err
"$PROF" report said.txt >/dev/null 2>&1
check report-plain "$(cat err said.txt | tr -d '\n\t -~' | grep -c "$(printf '[\033\302\233]')")" = 0

# Few descriptors: prof says what is missing and why, and writes the profile.
told=0 n=17
while [ $n -le 24 ]; do
	rm -f few.folded
	(ulimit -n $n && exec "$PROF" -o few.folded -a -d 0.5) >out 2>err </dev/null
	got=$?
	case $got in
	0)	[ -s few.folded ] || not_ok few-written "nothing at $n" err
		share=$(sed -n 's/.*; \([0-9]*\)[.0-9]*% complete stacks.*/\1/p' err)
		if grep -q 'the limit of .* file descriptors is too low' err; then told=$((told + 1))
		elif [ "${share:-100}" -lt 80 ]; then not_ok few-told "$share% complete at $n descriptors, and no reason" err; fi ;;
	125)	grep -q 'descriptor' err || not_ok few-refused "no reason at $n" err ;;
	*)	not_ok few-status "$got at $n" err ;;
	esac
	n=$((n + 1))
done
check few $told -ge 1
exit $failed

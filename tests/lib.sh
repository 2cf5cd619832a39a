# For tests in sh: `. tests/lib.sh` (the directory is then an empty one of their own, removed at the end).
# PROF is the program, TESTS this directory, NAME what the test is called, T a place for built programs.
NAME=$(basename "$(dirname "$0")")/$(basename "$0" .sh)
TESTS=$(cd "$(dirname "$0")/.." && pwd)
: "${PROF:=$(dirname "$TESTS")/prof}" "${T:=$(dirname "$TESTS")/build/test}"
export PROF T TESTS LC_ALL=C
failed=0 at_exit=
work=$(mktemp -d) && chmod 755 "$work" && cd "$work" || exit 1
mkdir -p "$T/bin"
trap 'leave' EXIT
trap 'exit 1' INT TERM
leave() {
	for p in $started; do kill -9 "$p" 2>/dev/null; done
	eval "$at_exit"
	cd / && rm -rf "$work"
}
# finally COMMAND...: runs it at the end, whatever happens; the newest command runs first.
finally() { at_exit="$*; $at_exit"; }

ok() { echo "ok $NAME/$1"; }
# not_ok TEST WHY FILE...: says why the test failed, and shows the files.
not_ok() {
	t=$1 why=$2
	shift 2
	for f; do echo "--- $f"; head -c 3000 "$f"; echo; done
	echo "not ok $NAME/$t: $why"
	failed=1
}
skip() { echo "skip $NAME${1:+/}$1: $2"; }
# check TEST CONDITION...: ok if the condition (a test(1) expression) holds.
check() { t=$1; shift; if [ "$@" ]; then ok "$t"; else not_ok "$t" "not so: $*" ${show:-}; fi; }
# has TEST FILE REGEX; lacks TEST FILE REGEX
has() { if grep -qE -- "$3" "$2"; then ok "$1"; else not_ok "$1" "$2 lacks $3" "$2"; fi; }
lacks() { if grep -qE -- "$3" "$2"; then not_ok "$1" "$2 has $3" "$2"; else ok "$1"; fi; }
# status TEST WANTED COMMAND...: its exit status; what it prints goes to "out" and "err".
status() {
	t=$1 want=$2
	shift 2
	"$@" >out 2>err </dev/null
	got=$?
	if [ "$got" = "$want" ]; then ok "$t"; else not_ok "$t" "status $got, not $want, of $*" out err; fi
}
# need COMMAND PACKAGE: else the whole test is skipped, or under CI=true fails.
need() {
	command -v "$1" >/dev/null 2>&1 && return
	[ "${CI:-}" = true ] && { not_ok need "no $1"; exit 1; }
	skip '' "no $1: apt-get install $2"
	exit 0
}
# script(1) opens a new terminal; in a chroot there may be none.
need_terminal() {
	need script bsdutils
	script -qec true /dev/null >/dev/null 2>&1 || { skip '' "no terminals here: mount -t devpts devpts /dev/pts"; exit 0; }
}
need_root() { [ "$(id -u)" = 0 ] || { skip '' "must be root"; exit 0; }; }
# program NAME [FLAGS...]: builds tests/programs/NAME.c once, tells its path.
program() {
	n=$1
	shift
	out=$T/bin/$n$(echo "$*" | tr -cd a-z0-9)
	if [ ! -e "$out" ] || [ "$TESTS/programs/$n.c" -nt "$out" ]; then
		${CC:-cc} -O2 -g -pthread -o "$out.new" "$TESTS/programs/$n.c" "$@" >&2 && mv "$out.new" "$out" || return 1
	fi
	echo "$out"
}
# The path of Debian's newest perf in $newer, if ci/perf has fetched it; under CI=true it fetches it.
newest_perf() {
	newer=
	if [ "${CI:-}" = true ]; then
		newer=$("$TESTS/../ci/perf" 2>err) || not_ok newer "there is no newer perf" err
	elif [ -x "${CACHE:-$TESTS/../build/cache}/perf-forky/perf" ]; then
		newer=$("$TESTS/../ci/perf")
	else
		skip newer "no newer perf: ci/perf fetches it"
	fi
}
# start COMMAND...: in the background, killed at the end; its pid in $pid.
start() { { "$@" <&4 4<&- & } 4<&0; pid=$!; started="${started:-} $pid"; }
# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
	end=$(($(date +%s) + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -le "$end" ] || return 1
		sleep 0.05
	done
}
# runs PID NAME: waits until the process has executed the program of that name.
runs() { wait_for 20 grep -qx "$2" "/proc/$1/comm"; }
# capturing PID: waits until that prof, or the one that it stands for, has its signal handlers and its events, just before the events count; or
# until it has ended.
capturing() {
	wait_for 20 sh -c "! [ -e /proc/$1/stat ] || cat /proc/$1/status \$(pgrep -x prof -P $1 | sed 's|.*|/proc/&/status|') 2>/dev/null | grep -qE '^(Seccomp:.2|State:.Z)'"
}
# child PID NAME: waits for a child of PID that has executed NAME, and puts its pid into $child.
child() { wait_for 20 pgrep -x "$2" -P "$1"; child=$(pgrep -x "$2" -P "$1"); }
# samples FILE [REGEX]: the sum of the counts of a folded file's lines, or of those that match.
samples() { RE=${2:-} awk '{ n = $NF; sub(/ [0-9]+$/, "") } $0 ~ ENVIRON["RE"] { sum += n } END { print sum + 0 }' "$1"; }   # in the environment, because awk's -v removes backslashes
# within TEST VALUE LO HI
within() { check "$1" "$2" -ge "$3" -a "$2" -le "$4"; }
# field FILE KEY: a number or string of a flat JSON object (what --stats writes).
field() { tr ',{}' '\n\n\n' <"$1" | sed -n "s/^ *\"$2\": *\"\{0,1\}\([^\"]*\)\"\{0,1\} *$/\1/p" | head -n 1; }
# Hundredths of a second that the host gave to other guests; no clock of this machine shows them.
stolen() { awk '$1 == "cpu" { print $9 + 0 }' /proc/stat; }
# sysctl NAME VALUE: sets it, and restores the old value at the end.
sysctl_set() {
	file=/proc/sys/$(echo "$1" | tr . /)
	old=$(cat "$file") || return 1
	finally "echo $old >$file"
	echo "$2" >"$file"
}

#!/bin/sh
# Programs that live for a millisecond have names and stacks, also where their files are only in a mount namespace of their
# own, on a tmpfs, in a changed root, and gone with it.
# alone: samples of what lives for a millisecond are counted
. "$(dirname "$0")/../lib.sh"
need_root
need unshare util-linux
cat >brief.c <<'END'
#include <time.h>

static volatile unsigned sum;

__attribute__((noinline)) static void
work(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 1000;

	while (clock() < end)
		for (unsigned i = 0; i < 5000; i++)
			sum += i;
}

__attribute__((noinline)) int
main(void)
{
	work();
	return (int)(sum & 0);
}
END
${CC:-cc} -O2 -g -o brief brief.c && ${CC:-cc} -O2 -g -static -o brief-static brief.c || exit 1
unshare -m true 2>/dev/null || { skip '' "unshare is not allowed here"; exit 0; }
mkdir place

named() { # TEST FILE PERCENT
	bad=$(samples "$2" '^brief[^;]*;(.*;)?(\[unknown\]|\[brief|\[truncated\])') good=$(samples "$2" ';main;work')
	echo "$1: $good with names, $bad without"
	check "$1" "$good" -ge 60
	check "$1-unnamed" $((bad * 100)) -le $((good * $3 + 100))
}
"$PROF" -q -o plain.folded -- sh -c 'i=0; while [ $i -lt 100 ]; do ./brief; i=$((i+1)); done'
named plain plain.folded 5
"$PROF" -q -o mount.folded -- unshare -m sh -c '
	mount -t tmpfs none place && cp brief place/brief-own
	i=0; while [ $i -lt 100 ]; do place/brief-own; i=$((i+1)); done'
named mount mount.folded 5
# Each program has a mount namespace, which is gone when prof comes to its samples.
"$PROF" -q -o each.folded -- sh -c '
	i=0; while [ $i -lt 100 ]; do
		unshare -m sh -c "mount -t tmpfs none place && cp brief-static place && exec chroot place /brief-static"
		i=$((i+1))
	done'
named each each.folded 5
# From outside: attached to the process that starts them, and for the whole system, until four hundred have run, however long that
# takes.  While prof starts, and opens the files of all that runs, it misses some.
start unshare -m sh -c 'mount -t tmpfs none place && cp brief-static place/brief-static
	while :; do chroot place /brief-static; echo >>ran; done'
cat >hundreds <<'END'
#!/bin/sh
until=$(($(wc -l <ran) + 400))
while [ "$(wc -l <ran)" -lt $until ]; do sleep 0.05; done
END
chmod 755 hundreds
wait_for 20 test -s ran
"$PROF" -q -o attached.folded -p $pid -- ./hundreds
named attached attached.folded 3
"$PROF" -q -o system.folded -a -- ./hundreds
named system system.folded 3
exit $failed

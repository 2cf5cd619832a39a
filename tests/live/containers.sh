#!/bin/sh
# A static program and prof, alone in an empty root directory, with /proc and without it; and a prof outside of it.
# alone: it also looks at the whole system
. "$(dirname "$0")/../lib.sh"
need_root
need unshare util-linux
need nsenter util-linux
need python3 python3
noperf=$(program noperf -static) || exit 1
busy=$(program busy -static) || exit 1
unshare -m true 2>/dev/null || { skip '' "unshare is not allowed here"; exit 0; }
mkdir root
cp "$busy" root/busy
cp "$PROF" root/prof
unshare -mpf chroot root /prof -o /bare.folded -o /bare.json -- /busy cpu 0.4 2>err
check bare-status $? = 0
check bare-stack "$(samples root/bare.folded '^busy;.*main;cpu;burn;outer;middle;inner$')" -ge 300
has bare-proc-said err '/proc'
check bare-json -s root/bare.json

mkdir root/proc root/tmp
unshare -mpf sh -c 'mount -t proc none root/proc && exec chroot root /prof -o /with.folded -- /busy cpu 0.4' 2>err
check proc-stack "$(samples root/with.folded '^busy;.*main;cpu;burn;outer;middle;inner$')" -ge 300
lacks proc-not-said err '/proc'
unshare -mpf sh -c 'mount -t proc none root/proc && exec chroot root /prof -o /all.folded -a -d 0.3' 2>err
check proc-a $? = 0

# From outside: prof finds names by the target's own paths.
start unshare -mpf chroot root /busy wall 20
child "$pid" busy; inside=$child
"$PROF" -o out.folded -p "$inside" -d 0.5 2>err
check outside "$(samples out.folded '^busy;.*main;wall;outer;middle;inner$')" -ge 5
kill -9 "$inside"
start unshare -mpf chroot root /busy jit 1.5
child "$pid" busy; inside=$child
"$PROF" -o jit.folded -p "$inside" -d 0.5 2>err
check outside-jit "$(samples jit.folded 'main;jit;LazyCompile:\*hot loop.js:7$')" -ge 5

# Through kubectl exec without a tty: nothing on stdin, not even open; stderr is stdout's.
"$PROF" -q -o - -- "$busy" cpu 0.2 <&- >tty.folded 2>&1
check closed-stdin "$(samples tty.folded '^busy[^;]*;.*main;cpu;burn;outer;middle;inner$')" -ge 50
lacks closed-stdin-alone tty.folded '^prof:'
start "$busy" wall 20
"$PROF" -o - -p "$pid" -d 0.5 <&- 2>&1 | cat >tty.folded
check exec-pipe "$(samples tty.folded 'main;wall;outer;middle;inner$')" -ge 5
has exec-closing tty.folded '^prof: [0-9]+ samples'
"$PROF" -q -f pprof -o - -p "$pid" -d 0.2 <&- 2>&- >tty.pb
"$PROF" -o noise.folded -p "$pid" -d 0.2 <&- 2>&-
lacks closed-noise noise.folded '^prof:'
check closed-stderr "$("$PROF" report tty.pb 2>/dev/null | grep -c inner)" -ge 1
kill "$pid"; wait "$pid" 2>/dev/null

# The host's /proc at another place, and none at the usual one.
start "$busy" wall 20; there=$pid
mkdir -p host/proc
"$PROF" -q -o no.folded --proc-root host/proc -p "$there" -d 0.2 2>err
check proc-root-none $? = 125
has proc-root-none-said err 'no /proc is mounted there'
unshare -m sh -c 'mount --rbind /proc host/proc && mount -t tmpfs none /proc && exec "$PROF" --proc-root host/proc -o host.folded -p "$0" -d 0.5' \
	"$there" 2>err
check proc-root-stack "$(samples host.folded '^busy[^;]*;.*main;wall;outer;middle;inner$')" -ge 5
unshare -m sh -c 'mount --rbind /proc host/proc && mount -t tmpfs none /proc && exec "$PROF" -q --by-container --proc-root host/proc -o host.folded -a -d 0.3' 2>err
check proc-root-a "$(samples host.folded ';busy[^;]*;.*main;wall;outer;middle;inner$')" -ge 5
unshare -mpf sh -c 'mount --rbind /proc host/proc; exec "$PROF" --proc-root host/proc -o no.folded -a -d 0.2' 2>err
check proc-root-other $? = 125
has proc-root-other-said err 'another pid namespace.*--pid=host'

# In a pid namespace of its own prof sees all CPUs, but not the processes on them, and says so.
unshare -mpf --mount-proc "$PROF" -o alone.folded -a -d 1 2>err
has strangers-said err 'outside of prof.s pid namespace'
start sh -c 'while :; do "$0" cpu 0.05; done' "$busy"
unshare -mpf --mount-proc "$PROF" -q -o alone.folded -a -d 1
kill "$pid"
check strangers-marked "$(samples alone.folded '^\[other pid ns\];')" -ge 50
lacks strangers-not-others alone.folded '^busy|inner'
"$PROF" -o all.folded -a -d 0.2 2>err
lacks strangers-not-said err 'outside of prof.s pid namespace'

# nsenter into the pid namespace alone leaves another namespace's /proc in place; prof uses its own namespace's.
kill "$there"; wait "$there" 2>/dev/null
start unshare -mpf --mount-proc "$busy" wall 20
child "$pid" "${busy##*/}"; inside=$child
inner=$(awk '/^NSpid:/ { print $NF }' /proc/$inside/status)
for how in p pm pmin; do
	rm -f ns.folded
	nsenter -t "$inside" -$(echo $how | sed 's/./& -/g; s/ -$//') "$PROF" -o "$work/ns.folded" -p "$inner" -d 0.5 2>err
	check nsenter-$how "$(samples ns.folded 'main;wall;outer;middle;inner$')" -ge 5
done
# A sidecar shares the pid namespace, but not the root directory; an ephemeral container beside it has the least rights.
mkdir sidecar sidecar/proc sidecar/out
cp "$PROF" sidecar/prof
nsenter -t "$inside" -p unshare -m sh -c "mount -t proc none '$work/sidecar/proc' && exec chroot '$work/sidecar' /prof -o /out/side.folded -p $inner -d 0.5" 2>err
check sidecar "$(samples sidecar/out/side.folded 'main;wall;outer;middle;inner$')" -ge 5
check sidecar-named "$(grep -c '\[busy' sidecar/out/side.folded)" = 0
if command -v capsh >/dev/null || setpriv --help 2>/dev/null | grep -q inh-caps; then
	nsenter -t "$inside" -p unshare -m sh -c "mount -t proc none '$work/sidecar/proc' && cd / && exec setpriv --bounding-set=-all,+sys_ptrace,+sys_chroot --inh-caps=-all \
		'$noperf' chroot '$work/sidecar' /prof -o /out/least.folded -p $inner -d 0.5" 2>err
	check sidecar-least "$(samples sidecar/out/least.folded 'main;wall;outer;middle;inner$')" -ge 5
	has sidecar-least-said err 'ptrace'
fi
kill -9 "$inside"

# Process 1 is root's, and its workers are another user's, as a web server's are.
start unshare -mpf --mount-proc sh -c 'setpriv --reuid=65534 --regid=65534 --clear-groups "$0" wall 20 & wait' "$busy"
child "$pid" sh; first=$child
child "$first" "${busy##*/}"; inside=$child
nsenter -t "$inside" -p -m "$PROF" -q -o "$work/first.folded" -p 1 -d 0.5 2>err
check first-process "$(samples first.folded 'main;wall;outer;middle;inner$')" -ge 5
kill -9 "$inside"

# Programs on an overlay, on a tmpfs that prof does not see, deleted, and only in memory.
mkdir lower upper merged hidden
cp "$busy" lower/overlaid
mount -t tmpfs none upper && mkdir upper/u upper/w
finally "umount $work/upper"
start unshare -m sh -c 'mount -t overlay none -o lowerdir=lower,upperdir=upper/u,workdir=upper/w merged && exec merged/overlaid wall 20'
overlaid=$pid
start unshare -m sh -c 'mount -t tmpfs none hidden && cp lower/overlaid hidden/tmpfsbusy && exec hidden/tmpfsbusy wall 20'
hidden=$pid
cp "$busy" gone
start ./gone wall 20; gone=$pid
runs $overlaid overlaid && runs $hidden tmpfsbusy && runs $gone gone
rm gone
for t in overlaid hidden gone; do
	eval "p=\$$t"
	"$PROF" -q -o t.folded -p "$p" -d 0.5 2>err
	check "$t" "$(samples t.folded 'main;wall;outer;middle;inner$')" -ge 5
	kill "$p"
done
python3 -c 'import os, sys
fd = os.memfd_create("busymem")
os.write(fd, open(sys.argv[1], "rb").read())
os.execv("/proc/self/fd/%d" % fd, ["busymem", "wall", "20"])' "$busy" & memfd=$!
started="$started $memfd"
wait_for 20 grep -q memfd:busymem /proc/$memfd/maps
"$PROF" -q -o t.folded -p "$memfd" -d 0.5 2>err
check memfd "$(samples t.folded 'main;wall;outer;middle;inner$')" -ge 5
kill "$memfd"

# A library that is deleted, of a process whose map_files only root may open: its image in the process's memory.
cat >burn.c <<'C'
volatile unsigned long sum;
__attribute__((noinline)) void burn_inside(void) { for (unsigned long i = 0; i < 100000; i++) sum += i ^ sum; }
__attribute__((noinline)) void burn_library(void) { for (;;) { burn_inside(); sum++; } }
C
echo 'void burn_library(void); int main(void) { burn_library(); return 0; }' >burner.c
${CC:-cc} -O2 -shared -fPIC -o libburn.so burn.c && ${CC:-cc} -O2 -o burner burner.c -L. -lburn "-Wl,-rpath,$work" || exit 1
cp "$PROF" prof
chmod 755 prof burner libburn.so
chmod 777 .
nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
start $nobody ./burner; burner=$pid
wait_for 20 grep -q libburn "/proc/$burner/maps"
sleep 0.2
rm libburn.so
$nobody ./prof -q -o t.folded -p "$burner" -d 0.5 2>err
check image "$(samples t.folded 'main;burn_library;burn_inside$')" -ge 5
cp "$busy" libburn.so   # something else in its place
$nobody ./prof -q -o t.folded -p "$burner" -d 0.5 2>err
check image-replaced "$(samples t.folded 'main;burn_library;burn_inside$')" -ge 5
kill "$burner"
exit $failed

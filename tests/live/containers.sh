#!/bin/sh
# A static program and prof alone in an empty root, with /proc and without; and the same seen from outside.
. "$(dirname "$0")/../lib.sh"
need_root
need unshare util-linux
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

# From outside: names come by the target's own paths.
start unshare -mpf chroot root /busy wall 20
sleep 0.5
inside=$(pgrep -x busy -n)
"$PROF" -o out.folded -p "$inside" -d 0.5 2>err
check outside "$(samples out.folded '^busy;.*main;wall;outer;middle;inner$')" -ge 10
kill -9 "$inside"
start unshare -mpf chroot root /busy jit 1.5
sleep 0.5
inside=$(pgrep -x busy -n)
"$PROF" -o jit.folded -p "$inside" -d 0.5 2>err
check outside-jit "$(samples jit.folded 'main;jit;LazyCompile:\*hot loop.js:7$')" -ge 10
exit $failed

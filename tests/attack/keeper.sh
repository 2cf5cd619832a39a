#!/bin/sh
# Root profiles a container whose user is root as well: prof and its keeper get the container's files, memory and names, and nothing is
# missing.  unit/keeper tests what else an attacker in the parser could ask for.
. "$(dirname "$0")/../lib.sh"
need_root
need unshare util-linux
busy=$(program busy) || exit 1
${CC:-cc} -O2 -g -static -pthread -o static "$TESTS/programs/busy.c" || exit 1
mkdir -p root/proc root/bin root/tmp && cp static root/bin/work
# A folder that is a private mount, so that what is mounted below it stays in its namespace.  In a chroot, / is no mount, and one cannot
# make it private.
mount --bind root root && finally "umount -l '$work/root'" && mount --make-private root || exit 1
unshare -pfm --propagation unchanged --kill-child sh -c "mount -t proc none '$work/root/proc' && exec chroot '$work/root' /bin/work wall 300" &
outer=$!
finally "kill -9 $outer"
wait_for 10 pgrep -x work
inside=$(pgrep -n -x work)
check namespace "$(readlink /proc/$inside/ns/pid)" != "$(readlink /proc/self/ns/pid)"
for how in "-p $inside" "-t $inside" "-a"; do
	name=$(echo "$how" | cut -c 2)
	"$PROF" -v -o in.folded --stats in.stats -d 2 $how 2>err
	all=$(samples in.folded '^work')
	check "$name-samples" "$all" -ge 1
	within "$name-named" "$(samples in.folded '^work;.*main;wall;outer;middle')" $((all * 90 / 100)) "$all"
	lacks "$name-clean" err 'the sandbox refused'
done
# A cgroup below, named by the process in it.
for controller in '' perf_event; do
	dir=$(sed -n "s/^[0-9]*:$controller:\(.*\)/\1/p" /proc/self/cgroup | head -n 1)
	for mount in /sys/fs/cgroup/perf_event /sys/fs/cgroup/unified /sys/fs/cgroup; do
		[ -w "$mount$dir/cgroup.procs" ] && mkdir "$mount$dir/tests-keeper-$$" 2>/dev/null && made="$mount$dir/tests-keeper-$$" && break 2
	done
done
if [ "${made:-}" ] && echo $inside >"$made/cgroup.procs" 2>/dev/null; then
	finally "echo $inside >'${made%/*}/cgroup.procs'; rmdir '$made'"
	if "$PROF" -v -o in.folded -d 2 -G $inside 2>err; then
		all=$(samples in.folded '^work')
		check G-samples "$all" -ge 1
		within G-named "$(samples in.folded '^work;.*main;wall;outer;middle')" $((all * 90 / 100)) "$all"
	else
		skip G "no events of cgroups here: $(head -n 1 err)"
	fi
else
	skip G "no cgroup can be made here"
fi
# Processes that a command leaves behind belong to the capture, whoever their parent is by then.
cat >orphan.sh <<END
#!/bin/sh
(setsid "$busy" cpu 1 &)
sleep 1.5
END
chmod 755 orphan.sh
"$PROF" -q -o orphan.folded -- ./orphan.sh
all=$(samples orphan.folded '^busy')
check orphan-samples "$all" -ge 1
within orphan-named "$(samples orphan.folded '^busy;.*main;cpu;burn')" $((all * 90 / 100)) "$all"
exit $failed

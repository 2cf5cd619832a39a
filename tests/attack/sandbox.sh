#!/bin/sh
# No sandbox, no capture: if a part of it is not available, prof says so and ends, unless the user gives --no-sandbox.
. "$(dirname "$0")/../lib.sh"
need_root
need strace strace
busy=$(program busy) || exit 1
noperf=$(program noperf) || exit 1

# Few descriptors: at every limit either the parser has no rights, or there is no capture.
start "$busy" wall 300
target=$pid
runs $target busy
refused=0 bare=0
for n in 8 12 16 18 20 21 22 23 24 25 26 28 32 40; do
	for how in "-p $target" "-a" "-- $busy cpu 0.1"; do
		rm -f few.folded
		case $how in --*) d= ;; *) d="-d 0.1" ;; esac
		(ulimit -n $n && exec "$PROF" -v -o few.folded $d $how) >out 2>err </dev/null
		got=$?
		if grep -q 'sandbox: no capabilities, .*, few system calls' err; then
			:
		elif [ $got = 125 ] && [ ! -e few.folded ]; then
			refused=$((refused + 1))
		else
			bare=$((bare + 1))
			cp err bare.err
		fi
	done
done
[ $bare = 0 ] && ok few-descriptors || not_ok few-descriptors "$bare captures without a sandbox" bare.err
check few-descriptors-refused $refused -ge 1
# No descriptor is left for the keeper's socket: the test gives the kernel's answer, wherever the limit lies.
rm -f few.folded
strace -f -qq -o /dev/null -e inject=socketpair:error=EMFILE "$PROF" -q -o few.folded -d 0.1 -p $target >out 2>err
check said-status $? = 125
has said err 'cannot enter its sandbox'
has said-mend err 'without a sandbox, with all of its rights'
has said-limit err 'limit of file descriptors'
check said-file "$(ls -A | grep -c 'few.folded\|tmp$')" = 0

# A kernel that allows no filter.
cat >nofilter.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* prctl(PR_SET_SECCOMP) gives EINVAL, as without CONFIG_SECCOMP_FILTER; or else what CALL is refuses itself. */
int
main(int argc, char **argv)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef CALL
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALL, 0, 1),
#else
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
#endif
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ERROR),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { sizeof f / sizeof *f, f };

	if (argc < 2 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		return 99;
	execv(argv[1], argv + 1);
	return 98;
}
END
without() { # NAME FLAGS
	n=$1
	shift
	${CC:-cc} -O1 -o "$n" "$@" nofilter.c || exit 1
	status "$n" 125 "./$n" "$PROF" -o none.folded -p $target -d 0.2
	has "$n-said" err 'cannot enter its sandbox'
	has "$n-mend" err 'no-sandbox'
	check "$n-nothing" ! -e none.folded
	status "$n-asked" 0 "./$n" "$PROF" --no-sandbox -o asked.folded -p $target -d 0.2
	check "$n-asked-works" "$(samples asked.folded)" -ge 1
}
without nofilter -DERROR=EINVAL
has nofilter-why err '' && "./nofilter" "$PROF" -o none.folded -p $target -d 0.2 2>err
has nofilter-words err 'CONFIG_SECCOMP_FILTER'
without nocapset -DERROR=EPERM -DCALL=SYS_capset
# Under sudo, prof must give up root's ids, too.
${CC:-cc} -O1 -o nosetuid -DERROR=EAGAIN -DCALL=SYS_setresuid nofilter.c || exit 1
status no-ids 125 env SUDO_UID=65533 SUDO_GID=65533 ./nosetuid "$PROF" -o none.folded -p $target -d 0.2
has no-ids-said err "rights cannot be given up"
# If prof has no sandbox, the command never runs.
status nofilter-command 125 ./nofilter "$PROF" -o none.folded -- touch ran
check nofilter-command-not-run ! -e ran
# Old kernels have no Landlock: prof goes on without it.
${CC:-cc} -O1 -o nolandlock -DERROR=ENOSYS -DCALL=444 nofilter.c || exit 1
status nolandlock 0 ./nolandlock "$PROF" -v -o none.folded -p $target -d 0.2
has nolandlock-said err 'sandbox: no capabilities, .*, few system calls$'

# The parser does not keep what prof inherited: files, sockets, the terminal.  The command has all of it, and -o /dev/fd/N works.
echo secret >secret
"$PROF" -q -o /dev/fd/9 -f folded -- sh -c 'cat <&7; cat; '"$busy"' cpu 1' 7<secret 9>nine.folded 8>eight <secret >said & p=$!
wait_for 10 grep -q '^Seccomp:.*2' /proc/$p/status
ls -l /proc/$p/fd >fds
lacks inherited fds "$work/(secret|eight|said)"
has inherited-output fds "9 -> $work/nine.folded"
wait $p
check inherited-command "$(cat said)" = "$(printf 'secret\nsecret')"
check inherited-works "$(samples nine.folded)" -ge 1
exit $failed

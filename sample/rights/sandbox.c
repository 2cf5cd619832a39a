/* See sandbox.h.  capabilities(7), seccomp(2), landlock(7).  The filter's list comes from watching captures of every kind.  A
 * call that it lacks fails with EPERM, and prof counts it. */
#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/text.h"

/* The filter's word for this machine, and the register that holds the result of a system call. */
#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#define RESULT(u) (u)->uc_mcontext.gregs[REG_RAX]
#elif defined __i386__
#define MACHINE AUDIT_ARCH_I386
#define RESULT(u) (u)->uc_mcontext.gregs[REG_EAX]
#elif defined __aarch64__
#define MACHINE AUDIT_ARCH_AARCH64
#define RESULT(u) (u)->uc_mcontext.regs[0]
#elif defined __arm__
#define MACHINE AUDIT_ARCH_ARM
#define RESULT(u) (u)->uc_mcontext.arm_r0
#elif defined __riscv
#define MACHINE (__riscv_xlen == 64 ? AUDIT_ARCH_RISCV64 : AUDIT_ARCH_RISCV32)
#define RESULT(u) (u)->uc_mcontext.__gregs[10]
#endif

/* Where ids once had 16 bits. */
#ifdef SYS_setresuid32
enum { SET_UIDS = SYS_setresuid32, SET_GIDS = SYS_setresgid32, SET_GROUPS = SYS_setgroups32 };
#else
enum { SET_UIDS = SYS_setresuid, SET_GIDS = SYS_setresgid, SET_GROUPS = SYS_setgroups };
#endif

/* The lent capabilities: prof needs them for events, memory and mapped files of the caller's processes.  prof lends no
 * others: CAP_SYS_ADMIN and CAP_BPF allow more than that, and CAP_SYS_NICE and CAP_IPC_LOCK take time and memory from
 * others. */
enum { KEPT_LOW = 1 << CAP_SYS_PTRACE, PERFMON = 38, CHECKPOINT_RESTORE = 40 };

/* Without /proc, prof looks for inherited descriptors up to this number. */
enum { INHERITED_MOST = 1 << 16 };

static volatile sig_atomic_t refused, refused_last;

/* The calls that remain: for memory, descriptors that are there, time, the keeper's socket and the command's end. */
static const uint16_t calls[] = {
	SYS_read, SYS_write, SYS_pread64, SYS_writev, SYS_lseek, SYS_close, SYS_fstatfs, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk,
	SYS_ppoll, SYS_sendmsg, SYS_recvmsg, SYS_shutdown, SYS_sendto, SYS_recvfrom, SYS_wait4, SYS_exit_group, SYS_exit, SYS_getdents64,
	SYS_nanosleep, SYS_setitimer, SYS_rt_sigpending, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_restart_syscall, SYS_getpid, SYS_geteuid, SYS_getegid,
	SYS_getpriority, SYS_getrusage, SYS_sysinfo, SYS_uname, SYS_gettid, SYS_getcpu, SYS_sched_getaffinity, SYS_futex,
#ifdef SYS_fstat
	SYS_fstat,
#endif
#ifdef SYS_fstat64
	SYS_fstat64, SYS__llseek, SYS_fstatfs64, SYS_geteuid32, SYS_getegid32,
#endif
#ifdef SYS_clock_gettime
	SYS_clock_gettime,
#else
	SYS_clock_gettime32,
#endif
#ifdef SYS_clock_gettime64
	SYS_clock_gettime64, SYS_ppoll_time64, SYS_clock_nanosleep_time64,
#endif
#ifdef SYS_poll
	SYS_poll,
#endif
#ifdef SYS_sigreturn
	SYS_sigreturn,
#endif
#ifdef SYS_clock_nanosleep
	SYS_clock_nanosleep,
#endif
};

/* Calls that the filter lets through if argument ARG, of its bits those in MASK, is VALUE.  It does not allow: executable
 * memory, typing into the terminal, signals by way of a descriptor's owner, other processes' limits and priorities. */
static const struct rule {
	uint16_t call, arg;
	uint32_t mask, value;
} rules[] = {
#ifdef SYS_mmap2
	{ SYS_mmap2, 2, PROT_EXEC, 0 },
#else
	{ SYS_mmap, 2, PROT_EXEC, 0 },
#endif
	{ SYS_ioctl, 1, 0xff00, '$' << 8 },   /* perf's */
	{ SYS_ioctl, 1, UINT32_MAX, TIOCGWINSZ },
	{ SYS_ioctl, 1, UINT32_MAX, TIOCGPGRP },
	{ SYS_getpgid, 0, UINT32_MAX, 0 },    /* progress is for the terminal's foreground */
	{ SYS_ioctl, 1, UINT32_MAX, (uint32_t)FS_IOC_GETVERSION },
#ifdef SYS_fcntl64
#define CALL_FCNTL SYS_fcntl64
#else
#define CALL_FCNTL SYS_fcntl
#endif
	{ CALL_FCNTL, 1, UINT32_MAX, F_GETFL },
	{ CALL_FCNTL, 1, UINT32_MAX, F_SETFD },
	{ CALL_FCNTL, 1, UINT32_MAX, F_DUPFD_CLOEXEC },
	{ SYS_prlimit64, 0, UINT32_MAX, 0 },
	{ SYS_sched_setscheduler, 0, UINT32_MAX, 0 },
	{ SYS_sched_setaffinity, 0, UINT32_MAX, 0 },
	{ SYS_setpriority, 1, UINT32_MAX, 0 },
#ifdef SYS_socketcall
	{ SYS_socketcall, 0, UINT32_MAX, 9 /* send */ },
	{ SYS_socketcall, 0, UINT32_MAX, 16 /* sendmsg */ },
	{ SYS_socketcall, 0, UINT32_MAX, 17 /* recvmsg */ },
#endif
};

/* The filter cannot see which path statx is about.  Without statx, libc uses fstat for what is open. */
static const uint16_t absent[] = { SYS_statx };

enum { CALLS = sizeof calls / sizeof *calls, ABSENT = sizeof absent / sizeof *absent, RULES = sizeof rules / sizeof *rules };

static void
on_refused(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)sig;
	refused++;
	refused_last = info->si_syscall;
#ifdef RESULT
	RESULT(u) = (__typeof__(RESULT(u)))-EPERM;
#else
	(void)u;
#endif
}

unsigned
sandbox_refused(int *last)
{
	*last = refused_last;
	return (unsigned)refused;
}

#ifdef MACHINE
static bool
filter_calls(void)
{
	const struct rule itself = { SYS_tkill, 0, UINT32_MAX, (uint32_t)syscall(SYS_gettid) };   /* raise: see end_signals.c */
	struct sock_filter f[4 + 2 * (CALLS + ABSENT) + 6 * (RULES + 1) + 1];
	struct sock_fprog program = { .filter = f };
	struct sigaction sa = { .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sock_filter *p = f;
	sigset_t set;

#define PUT(code, k, jt, jf) *p++ = (struct sock_filter)BPF_JUMP(code, k, jt, jf)
#define LOAD(what) PUT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(what), 0, 0)
#define ALLOW PUT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0)
	LOAD(offsetof(struct seccomp_data, arch));
	PUT(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
	PUT(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
	LOAD(offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < CALLS; i++) {
		PUT(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		ALLOW;
	}
	for (unsigned i = 0; i < ABSENT; i++) {
		PUT(BPF_JMP | BPF_JEQ | BPF_K, absent[i], 0, 1);
		PUT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
	}
	for (unsigned i = 0; i <= RULES; i++) {
		const struct rule *r = i < RULES ? &rules[i] : &itself;

		PUT(BPF_JMP | BPF_JEQ | BPF_K, r->call, 0, 5);
		LOAD(offsetof(struct seccomp_data, args) + 8u * r->arg);   /* its lower half: all machines are little-endian */
		PUT(BPF_ALU | BPF_AND | BPF_K, r->mask, 0, 0);
		PUT(BPF_JMP | BPF_JEQ | BPF_K, r->value, 0, 1);
		ALLOW;
		LOAD(offsetof(struct seccomp_data, nr));
	}
	PUT(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
#undef PUT
#undef LOAD
#undef ALLOW
	program.len = (unsigned short)(p - f);
	sa.sa_sigaction = on_refused;
	sigaction(SIGSYS, &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static bool
filter_calls(void)
{
	return false;
}
#endif

/* Allows no file at all: the rule set handles every right that this kernel knows, and grants none. */
static bool
lock_files(void)
{
#ifdef SYS_landlock_create_ruleset
	static const uint64_t all[] = { 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff };   /* by version */
	uint64_t handled[2] = { 0, 3 };   /* files; since version 4 TCP, too */
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1), fd;

	if (version < 1)
		return false;
	handled[0] = all[version < 5 ? version - 1 : 4];
	fd = syscall(SYS_landlock_create_ruleset, handled, version < 4 ? sizeof *handled : sizeof handled, 0);
	if (fd < 0)
		return false;
	version = syscall(SYS_landlock_restrict_self, fd, 0);
	close((int)fd);
	return !version;
#else
	return false;
#endif
}

/* EINVAL: the user namespace has no such id, so no process in it can take that id.  Its root is the user who made it, seen
 * from outside. */
static bool
became(long result)
{
	return !result || errno == EINVAL;
}

bool
sandbox_become(uint32_t uid, uint32_t gid)
{
	bool groups = !syscall(SET_GROUPS, 0, NULL) || errno == EPERM;   /* a namespace may refuse that alone */

	return groups && became(syscall(SET_GIDS, gid, gid, gid)) && became(syscall(SET_UIDS, uid, uid, uid));
}

/* Gives up as many ids as possible: a set-user-id program takes those of its caller, and prof under sudo takes those of the
 * user who called sudo. */
static bool
drop_ids(void)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	uint64_t u = 0, g = 0;
	int signal = 0;

	if (geteuid() || !uid || !gid || !text_dec(&uid, &u) || *uid || !text_dec(&gid, &g) || *gid || !u || u >= UINT32_MAX ||
	    g >= UINT32_MAX)
		return true;
	prctl(PR_GET_PDEATHSIG, &signal);
	if (!sandbox_become((uint32_t)u, (uint32_t)g))
		return false;
	prctl(PR_SET_PDEATHSIG, signal);   /* with other ids it is gone */
	prctl(PR_SET_DUMPABLE, 0);   /* other processes of that user could take its descriptors */
	return true;
}

static bool
set_capabilities(uint32_t low, uint32_t high)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2] = { { low, low, 0 }, { high, high, 0 } };

	return !syscall(SYS_capset, &head, caps);
}

bool
sandbox_disarm(void)
{
	return set_capabilities(0, 0);
}

unsigned
sandbox_enter(unsigned wanted)
{
	unsigned layers = 0;

	if (wanted & LAYER_RIGHTS)
		layers |= drop_ids() && set_capabilities(0, 0) ? LAYER_RIGHTS : 0;
	if (wanted & LAYER_NO_NEW)
		layers |= prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? 0 : LAYER_NO_NEW;
	if (wanted & LAYER_FILES)
		layers |= lock_files() ? LAYER_FILES : 0;
	if (wanted & LAYER_CALLS)
		layers |= filter_calls() ? LAYER_CALLS : 0;
	return layers;
}

unsigned
sandbox_try(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		syscall(SYS_exit_group, sandbox_enter(LAYERS_ALL));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? (unsigned)WEXITSTATUS(status) : 0;
}

const char *
sandbox_words(unsigned layers, char *buf, size_t n)
{
	snprintf(buf, n, "%s%s%s%s", layers & LAYER_RIGHTS ? "no capabilities" : "all of prof's capabilities",
	         layers & LAYER_NO_NEW ? ", no way to gain any" : "", layers & LAYER_CALLS ? ", few system calls" : "",
	         layers & LAYER_FILES ? ", no files" : "");
	return buf;
}

/* Checks the layers in the order in which prof gives them up. */
const char *
sandbox_lacks(unsigned layers)
{
	return !(layers & LAYER_RIGHTS)   ? "prof's rights cannot be given up"
	       : !(layers & LAYER_NO_NEW) ? "the kernel has no no_new_privs"
	       : !(layers & LAYER_CALLS)  ? "the kernel has no filters for system calls (CONFIG_SECCOMP_FILTER)"
	                                  : NULL;
}

/* What survived the exec that started prof has no close-on-exec; all that prof opened has. */
static void
close_inherited(int fd, bool (*keep)(void *ctx, int fd), void *ctx)
{
	int flags = fcntl(fd, F_GETFD);

	if (flags >= 0 && !(flags & FD_CLOEXEC) && !keep(ctx, fd))
		close(fd);
}

void
sandbox_close(bool (*keep)(void *ctx, int fd), void *ctx)
{
	DIR *d = opendir("/proc/self/fd");
	int none = open("/", O_PATH | O_CLOEXEC), own = d ? dirfd(d) : -1;
	struct dirent *e;

	for (int fd = 0; fd < STDERR_FILENO; fd++)
		if (none >= 0 && !keep(ctx, fd))
			dup2(none, fd);
	if (none >= 0)
		close(none);
	while (d && (e = readdir(d))) {
		const char *s = e->d_name;
		uint64_t fd;

		if (text_dec(&s, &fd) && !*s && fd > STDERR_FILENO && fd <= INT_MAX && (int)fd != own)
			close_inherited((int)fd, keep, ctx);
	}
	for (int fd = STDERR_FILENO + 1; !d && fd < INHERITED_MOST; fd++)
		close_inherited(fd, keep, ctx);
	if (d)
		closedir(d);
}

bool
sandbox_lent(void)
{
	return getauxval(AT_SECURE) && getuid();
}

void
sandbox_give_back(void)
{
	if (sandbox_lent() && !set_capabilities(0, 0))
		_exit(125);
}

void
sandbox_borrow(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct has[2] = { 0 };
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (!sandbox_lent() || syscall(SYS_capget, &head, has))
		return;
	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	if (syscall(SET_GIDS, gid, gid, gid) || syscall(SET_UIDS, uid, uid, uid))
		_exit(125);
	prctl(PR_SET_DUMPABLE, 0);   /* or the caller could use them as well */
	set_capabilities(has[0].permitted & KEPT_LOW, has[1].permitted & (1u << (PERFMON - 32) | 1u << (CHECKPOINT_RESTORE - 32)));
}

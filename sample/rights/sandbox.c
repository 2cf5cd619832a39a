/* See sandbox.h.  capabilities(7), seccomp(2), landlock(7).  The filter's list was made by watching captures of every kind;
 * what it lacks fails with EPERM, and is counted. */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
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

#include "lib/filemap.h"

/* The machine as the filter is told it, and where a system call leaves its result. */
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

/* Capabilities that profiling takes: to see others, their events, memory and files, and to be on time. */
enum { KEPT_LOW = 1 << CAP_SYS_PTRACE | 1 << CAP_SYS_ADMIN | 1 << CAP_SYS_NICE | 1 << CAP_IPC_LOCK | 1 << CAP_SYS_RESOURCE,
       PERFMON = 38, CHECKPOINT_RESTORE = 40 };

static volatile sig_atomic_t refused, refused_last;

/* What remains: memory, descriptors that are there, time, the keeper's socket and the command's end. */
static const uint16_t calls[] = {
	SYS_read, SYS_write, SYS_pread64, SYS_writev, SYS_lseek, SYS_close, SYS_fstatfs, SYS_statx, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk,
	SYS_ppoll, SYS_sendmsg, SYS_recvmsg, SYS_sendto, SYS_recvfrom, SYS_wait4, SYS_exit_group, SYS_exit, SYS_getdents64,
	SYS_nanosleep, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_restart_syscall, SYS_getpid, SYS_geteuid, SYS_getegid,
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

/* Calls that are let through where the argument ARG, of its bits those in MASK, is VALUE.  Not: memory to be executed,
 * typing into the terminal, signals by way of a descriptor's owner, other processes' limits and priorities. */
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
#ifdef SYS_newfstatat
	{ SYS_newfstatat, 3, UINT32_MAX, AT_EMPTY_PATH },
#endif
#ifdef SYS_socketcall
	{ SYS_socketcall, 0, UINT32_MAX, 9 /* send */ },
	{ SYS_socketcall, 0, UINT32_MAX, 16 /* sendmsg */ },
	{ SYS_socketcall, 0, UINT32_MAX, 17 /* recvmsg */ },
#endif
};

enum { CALLS = sizeof calls / sizeof *calls, RULES = sizeof rules / sizeof *rules };

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
	struct sock_filter f[4 + 2 * CALLS + 6 * RULES + 1];
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
	for (unsigned i = 0; i < RULES; i++) {
		PUT(BPF_JMP | BPF_JEQ | BPF_K, rules[i].call, 0, 5);
		LOAD(offsetof(struct seccomp_data, args) + 8u * rules[i].arg);   /* its lower half: all machines are little-endian */
		PUT(BPF_ALU | BPF_AND | BPF_K, rules[i].mask, 0, 0);
		PUT(BPF_JMP | BPF_JEQ | BPF_K, rules[i].value, 0, 1);
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

/* No file at all: every right that this kernel's version knows is handled, and none is granted. */
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

void
sandbox_become(uint32_t uid, uint32_t gid)
{
	syscall(SET_GROUPS, 0, NULL);
	syscall(SET_GIDS, gid, gid, gid);
	syscall(SET_UIDS, uid, uid, uid);
}

/* As many as possible: of a set-user-id program's ids the caller's, and under sudo those of who called it. */
static void
drop_ids(void)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	uint64_t u = 0, g = 0;

	if (geteuid() || !uid || !gid || !text_dec(&uid, &u) || *uid || !text_dec(&gid, &g) || *gid || !u || u >= UINT32_MAX ||
	    g >= UINT32_MAX)
		return;
	sandbox_become((uint32_t)u, (uint32_t)g);
	prctl(PR_SET_DUMPABLE, 0);   /* others of that user's could take its descriptors */
}

static bool
set_capabilities(uint32_t low, uint32_t high)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2] = { { low, low, 0 }, { high, high, 0 } };

	return !syscall(SYS_capset, &head, caps);
}

unsigned
sandbox_enter(unsigned wanted)
{
	unsigned layers = 0;

	if (wanted & LAYER_RIGHTS) {
		drop_ids();
		layers |= set_capabilities(0, 0) ? LAYER_RIGHTS : 0;
	}
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
	         layers & LAYER_NO_NEW ? ", none to be gained" : "", layers & LAYER_CALLS ? ", few system calls" : "",
	         layers & LAYER_FILES ? ", no files" : "");
	return buf;
}

bool
sandbox_lent(void)
{
	return getauxval(AT_SECURE) && getuid();
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

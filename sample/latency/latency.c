/* See latency.h.  perf_event_open(2); Documentation/ABI/testing/sysfs-bus-event_source-devices: the PMUs uprobe and kprobe take
 * a path or a function in config1, an offset in config2; tools/include/uapi/linux/bpf.h for links. */
#include "latency.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/bpf.h"
#include "lib/text.h"
#include "sample/events/cpu.h"
#include "sample/events/kernel_function.h"
#include "sample/events/perf.h"
#include "sample/events/probe_pmu.h"
#include "sample/events/tracefs.h"

enum { PROCESSES_MAX = 65536, THREADS_MAX = 8192, GROUPS_MAX = 4096, AHEAD_MAX = 2048 };

__attribute__((format(printf, 2, 3))) static bool
refuse(struct refusal *r, const char *fmt, ...)
{
	va_list ap;

	*r = (struct refusal){ 0 };
	va_start(ap, fmt);
	vsnprintf(r->what, sizeof r->what, fmt, ap);
	va_end(ap);
	return false;
}

static bool
refuse_rights(struct refusal *r, int err)
{
	if (err != EPERM && err != EACCES)
		return refuse(r, "the kernel did not take prof's BPF program: %s%s", strerror(err), err == EINVAL ? " (it needs Linux 5.15)" : "");
	refuse(r, "prof latency measures with BPF programs in the kernel; only root, or a user with CAP_BPF and CAP_PERFMON, may load them");
	snprintf(r->mend, sizeof r->mend, "sudo prof latency ...");
	return false;
}

/* Whether the kernel knows links for many places: then the file is missing, and not the kind of link. */
static bool
has_places(int program)
{
	const uint64_t off = 1;

	return bpf_link_places(program, "/proc/self/no-such-file", &off, NULL, NULL, 1, false, 0) < 0 && errno == ENOENT;
}

static bool
load(struct latency *l)
{
	if (l->begin >= 0)
		close(l->begin);
	if ((l->begin = latency_code_begin(&l->shape, l->map)) < 0)
		return false;
	if (l->shape.places && !has_places(l->begin)) {
		l->shape.places = false;
		return load(l);
	}
	return (l->end = latency_code_end(&l->shape, l->map)) >= 0;
}

bool
latency_open(struct latency *l, struct latency_shape *s, struct refusal *r)
{
	bool functions = !s->syscalls && !s->tracepoint;

	*l = (struct latency){ .begin = -1, .end = -1, .fork = -1 };
	for (unsigned i = 0; i < LATENCY_MAPS; i++)
		l->map[i] = -1;
	if (!perf_probe_regs.adds)
		return refuse(r, "prof latency does not run on 32-bit ARM: the kernel's BPF would end the processes that are measured");
	s->places = functions && !s->kernel;
	s->word = sizeof(long);
	if (!functions)
		s->sp_at = 0;
	l->shape = *s;
	l->map[MAP_TOLD] = bpf_map(BPF_MAP_TYPE_ARRAY, sizeof(struct latency_told), 1, 0);
	if (l->map[MAP_TOLD] < 0)
		return refuse_rights(r, errno);
	l->map[MAP_WHOM] = s->whom == WHOM_CGROUP ? bpf_map(BPF_MAP_TYPE_CGROUP_ARRAY, 4, 1, 0)
	                                          : bpf_map_keyed(BPF_MAP_TYPE_HASH, 4, 4, PROCESSES_MAX, BPF_F_NO_PREALLOC);
	l->map[MAP_CALLS] = bpf_map_keyed(BPF_MAP_TYPE_LRU_HASH, 4, sizeof(struct latency_calls), THREADS_MAX, 0);
	l->map[MAP_GROUPS] = bpf_map_keyed(BPF_MAP_TYPE_HASH, sizeof(struct latency_key), sizeof(struct histogram), GROUPS_MAX, BPF_F_NO_PREALLOC);
	l->map[MAP_OUTPUT] = bpf_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, CPUS_MAX, 0);
	for (unsigned i = 0; i < LATENCY_MAPS; i++)
		if (l->map[i] < 0)
			return refuse_rights(r, errno);
	if (!load(l))
		return refuse_rights(r, errno);
	*s = l->shape;
	return true;
}

bool
latency_whom(struct latency *l, int32_t pid)
{
	return bpf_map_set(l->map[MAP_WHOM], (uint32_t)pid, &pid);
}

bool
latency_cgroup(struct latency *l, int fd)
{
	return bpf_map_set(l->map[MAP_WHOM], 0, &fd);
}

/* ---- attaching ---- */

static bool
keep(struct latency *l, int fd)
{
	if (fd < 0 || !vec_room(&l->fd, &l->cap, (uint64_t)l->n + 1, sizeof *l->fd))
		return false;
	l->fd[l->n++] = fd;
	return true;
}

/* Makes groups in advance: in the middle of a probe there may be no memory for one. */
static void
make_groups(struct latency *l, uint32_t site, uint32_t n)
{
	const struct histogram none = { 0 };
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);

	if (l->shape.by != PER_NONE || (uint64_t)n * cpus > AHEAD_MAX)
		return;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t cpu = 0; cpu < cpus; cpu++)
			bpf_map_put(l->map[MAP_GROUPS], &(struct latency_key){ .site = site + i, .cpu = cpu }, &none);
}

/* Opens the event, which takes no samples, and makes the program run at it. */
static bool
attach_event(struct latency *l, struct perf_event_attr *a, int32_t pid, bool end, uint64_t cookie)
{
	int fd;

	return keep(l, fd = perf_open(a, pid > 0 ? pid : -1, pid > 0 ? -1 : 0, -1, 0)) && keep(l, bpf_link_event(end ? l->end : l->begin, fd, cookie)) &&
	       perf_control(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static bool
attach_one(struct latency *l, const struct probe_sites *p, uint32_t i, bool returns, bool end, int32_t pid, uint64_t cookie)
{
	bool kernel = p->file.fd < 0;
	struct perf_event_attr a = { 0 };
	const char *function = p->probe.place;
	char name[SITE_NAME];

	if (!probe_pmu_type(kernel, &a.type)) {
		errno = ENODEV;
		return false;
	}
	snprintf(name, sizeof name, "%.*s", (int)(kernel ? strcspn(function, "+") : 0), function);
	a.config = returns | (kernel ? 0 : p->sites.site[i].semaphore << 32);
	a.config1 = (uintptr_t)(kernel ? name : p->file.path);
	a.config2 = p->sites.site[i].off;
	return attach_event(l, &a, kernel ? -1 : pid, end, cookie);
}

static bool
attach_places(struct latency *l, const struct probe_sites *p, bool returns, bool end, int32_t pid, uint32_t first)
{
	uint64_t *v = NULL, *off, *semaphore, *cookie;
	uint32_t cap = 0, n = p->sites.n;
	bool good = vec_room(&v, &cap, 3 * (uint64_t)n, sizeof *v), any = false;

	off = v;
	semaphore = v + n;
	cookie = v + 2 * (size_t)n;
	for (uint32_t i = 0; good && i < n; i++) {
		off[i] = p->sites.site[i].off;
		semaphore[i] = p->sites.site[i].semaphore;
		cookie[i] = first + i;
		any |= semaphore[i] != 0;
	}
	good = good && keep(l, bpf_link_places(end ? l->end : l->begin, p->file.path, off, any ? semaphore : NULL, cookie, n, returns, pid));
	vec_free(&v, &cap, sizeof *v);
	return good;
}

static bool
attach(struct latency *l, const struct probe_sites *p, bool returns, bool end, int32_t pid, uint32_t first, struct refusal *r)
{
	bool kernel = p->file.fd < 0, good = true;
	char near[64];

	if (!kernel && l->shape.places) {
		good = attach_places(l, p, returns, end, pid, first);
	} else if (p->sites.n > LATENCY_SINGLE) {
		return refuse(r, "%s means %u places; before Linux 6.6, and beside probes of the kernel, prof takes at most %d, because the kernel needs up to half a second to remove each place",
		              p->probe.text, (unsigned)p->sites.n, LATENCY_SINGLE);
	} else {
		for (uint32_t i = 0; good && i < p->sites.n; i++)
			good = attach_one(l, p, i, returns, end, pid, first + i);
	}
	if (good)
		return true;
	if (errno == ENODEV)
		return refuse(r, "%s: this kernel has no %s", p->probe.text, kernel ? "kprobes (CONFIG_KPROBES)" : "uprobes (CONFIG_UPROBES)");
	if (errno == EPERM || errno == EACCES)
		return refuse_rights(r, errno);
	if (!kernel || (errno != ENOENT && errno != EINVAL))
		return refuse(r, "%s: cannot set the probe: %s", p->probe.text, strerror(errno));
	kernel_function_near(p->probe.place, near, sizeof near);
	return *near ? refuse(r, "%s: the kernel has no such function: did you mean %s?", p->probe.text, near)
	             : refuse(r, "%s: the kernel has no such function, or no probe can be there", p->probe.text);
}

/* Attaches to returns first.  A call that begins before both are there then counts as one with an unknown beginning, and not as
 * one that never ends. */
bool
latency_functions(struct latency *l, const struct probe_sites *p, uint32_t site, int32_t pid, struct refusal *r)
{
	make_groups(l, site, p->sites.n);
	return attach(l, p, true, true, pid, site, r) && attach(l, p, false, false, pid, site, r);
}

bool
latency_place(struct latency *l, const struct probe_sites *p, bool end, int32_t pid, struct refusal *r)
{
	struct probe_sites one = *p;

	make_groups(l, 0, 1);
	if (p->sites.n > 1 && !l->shape.places)
		return attach(l, p, probe_returns(&p->probe), end, pid, 0, r);
	one.sites.n = 0;
	for (uint32_t i = 0; i < p->sites.n; i++) {   /* all of them are one site */
		one.sites.site = &p->sites.site[i];
		one.sites.n = 1;
		if (!attach(l, &one, probe_returns(&p->probe), end, pid, 0, r))
			return false;
	}
	return true;
}

bool
latency_no_tracepoint(const char *tracepoint, char *why, size_t size)
{
	struct arena arena = { 0 };
	char system[64];
	const char *missing = tracefs_missing(), *name = strchr(tracepoint, ':') + 1, *near;
	uint64_t id;

	snprintf(system, sizeof system, "%.*s", (int)(name - 1 - tracepoint), tracepoint);
	if (!missing && tracefs_id(system, name, &id))
		return false;
	near = missing ? NULL : tracefs_near(system, name, &arena);
	snprintf(why, size, missing ? "tracepoint %s %s" : near ? "this kernel has no tracepoint %s: did you mean %s?" : "this kernel has no tracepoint %s",
	         tracepoint, missing ? missing : near);
	arena_free(&arena);
	return true;
}

bool
latency_tracepoint(struct latency *l, const char *tracepoint, bool end, struct refusal *r)
{
	struct perf_event_attr a = { .type = PERF_TYPE_TRACEPOINT };
	const char *name = strchr(tracepoint, ':') + 1;
	char system[64];
	uint64_t id;

	snprintf(system, sizeof system, "%.*s", (int)(name - 1 - tracepoint), tracepoint);
	if (!tracefs_id(system, name, &id)) {
		*r = (struct refusal){ 0 };
		latency_no_tracepoint(tracepoint, r->what, sizeof r->what);
		return false;
	}
	make_groups(l, 0, !l->shape.syscalls);
	a.config = id;
	return attach_event(l, &a, -1, end, 0) || refuse_rights(r, errno);
}

bool
latency_syscalls(struct latency *l, const uint8_t *wanted, struct refusal *r)
{
	struct latency_told told;

	memset(&told, 0, sizeof told);
	memcpy(told.wanted, wanted, sizeof told.wanted);
	if (!bpf_map_set(l->map[MAP_TOLD], 0, &told))
		return refuse_rights(r, errno);
	for (uint32_t i = 0; i < LATENCY_SYSCALLS; i++)
		if (wanted[i])
			make_groups(l, i, 1);
	return latency_tracepoint(l, "raw_syscalls:sys_exit", true, r) && latency_tracepoint(l, "raw_syscalls:sys_enter", false, r);
}

#define OFFSET "offset:"

bool
latency_children(struct latency *l)
{
	struct perf_event_attr a = { .type = PERF_TYPE_TRACEPOINT };
	char format[2048];
	const char *field;
	uint64_t at, id;
	int fd;

	if (!tracefs_id("sched", "sched_process_fork", &id) || !tracefs_format("sched", "sched_process_fork", format, sizeof format) ||
	    !(field = strstr(format, "child_pid;")) || !(field = strstr(field, OFFSET)) || (field += sizeof OFFSET - 1, !text_dec(&field, &at)) || at > 256)
		return false;
	if ((l->fork = latency_code_fork(l->map, (int16_t)at)) < 0)
		return false;
	a.config = id;
	return keep(l, fd = perf_open(&a, -1, 0, -1, 0)) && keep(l, bpf_link_event(l->fork, fd, 0)) && perf_control(fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* ---- reading ---- */

static struct latency_row *
row_of(struct latency_rows *rows, const struct latency_key *key)
{
	for (uint32_t i = 0; i < rows->n; i++)
		if (rows->row[i].by == key->by && rows->row[i].site == key->site)
			return &rows->row[i];
	if (!vec_room(&rows->row, &rows->cap, (uint64_t)rows->n + 1, sizeof *rows->row))
		return NULL;
	rows->row[rows->n] = (struct latency_row){ .by = key->by, .site = key->site };
	return &rows->row[rows->n++];
}

bool
latency_read(struct latency *l, struct latency_rows *rows)
{
	struct latency_told told;
	struct histogram h;
	struct latency_key key, *last = NULL;
	struct latency_row *row;

	rows->n = 0;
	for (uint32_t budget = 2 * GROUPS_MAX; budget && bpf_map_next(l->map[MAP_GROUPS], last, &key); budget--) {
		last = &key;
		if (!bpf_map_read(l->map[MAP_GROUPS], &key, &h) || !h.count)
			continue;
		if (!(row = row_of(rows, &key)))
			return false;
		histogram_add(&row->durations, &h);
	}
	if (bpf_map_get(l->map[MAP_TOLD], 0, &told))
		memcpy(rows->lost, told.lost, sizeof rows->lost);
	rows->missed = bpf_missed(l->begin) + bpf_missed(l->end);
	return true;
}

void
latency_close(struct latency *l)
{
	for (uint32_t i = l->n; i--;)
		close(l->fd[i]);
	vec_free(&l->fd, &l->cap, sizeof *l->fd);
	if (l->begin >= 0)
		close(l->begin);
	if (l->end >= 0)
		close(l->end);
	if (l->fork >= 0)
		close(l->fork);
	for (unsigned i = 0; i < LATENCY_MAPS; i++)
		if (l->map[i] >= 0)
			close(l->map[i]);
}

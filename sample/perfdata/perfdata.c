/* See perfdata.h.  A recording is a header and then records as the rings had them, some of perf's own among them: the ends of
 * rounds, by which prof puts records in order; events and features of a pipe; records packed with zstd, one stream through the
 * whole file. */
#include "perfdata.h"

#include <linux/perf_event.h>
#include <string.h>

#include "lib/codec/zstd.h"
#include "queue.h"
#include "recorded.h"
#include "sym/kernel/made_code.h"

/* perf's own records: tools/lib/perf/include/perf/event.h. */
enum {
	HEADER_ATTR = 64, TRACING_DATA = 66, BUILD_ID = 67, FINISHED_ROUND = 68, AUXTRACE = 71, EVENT_UPDATE = 78, FEATURE = 80,
	COMPRESSED = 81, COMPRESSED2 = 83,
	FORK_EXEC = 1 << 13,       /* misc of a FORK that perf made up for a process that ran already */
};
enum { HEAD = 8, PIECE_RECORDS = 4096, KERNEL_MAPS_MOST = 4096 };

struct perfdata {
	struct arena arena;
	struct source *in;
	struct header header;
	struct modules *modules;
	struct processes *processes;
	struct queue queue;
	struct recorded_words words;
	struct zstd_stream *zstd;
	uint8_t *plain;            /* unpacked bytes; the last record may not be complete yet */
	uint32_t nplain, plain_cap;
	uint64_t left;             /* bytes of the data */
	uint64_t mask, compat;
	uint64_t reg[64];
	uint64_t kernel_text;
	char kernel_symbol[32];
	struct kernel_map *kernel;
	uint32_t nkernel, kernel_cap;
	struct perfdata_counts counts;
	uint64_t lost_samples;
	const struct perfdata_taker *taker;
	bool begun;
};

static void take(void *perfdata, const uint8_t *bytes, uint32_t n);

struct perfdata *
perfdata_open(struct source *in, struct modules *modules, const char **why)
{
	struct arena arena = { 0 };
	struct perfdata *d = arena_alloc(&arena, sizeof *d);

	*why = "out of memory";
	if (!d)
		return NULL;
	d->arena = arena;
	d->in = in;
	d->modules = modules;
	d->queue.take = take;
	d->queue.ctx = d;
	if ((*why = header_read(&d->header, in)) || !(d->processes = processes_new(modules))) {
		perfdata_free(d);
		return NULL;
	}
	d->left = d->header.data_size;
	return d;
}

void
perfdata_free(struct perfdata *d)
{
	struct arena arena = d->arena;

	queue_free(&d->queue);
	vec_free(&d->words.word, &d->words.cap, sizeof *d->words.word);
	vec_free(&d->plain, &d->plain_cap, 1);
	vec_free(&d->kernel, &d->kernel_cap, sizeof *d->kernel);
	zstd_stream_free(d->zstd);
	if (d->processes)
		processes_free(d->processes);
	header_free(&d->header);
	arena_free(&arena);
}

const struct header *
perfdata_header(const struct perfdata *d)
{
	return &d->header;
}

struct processes *
perfdata_processes(struct perfdata *d)
{
	return d->processes;
}

void
perfdata_registers(struct perfdata *d, uint64_t mask, uint64_t compat)
{
	d->mask = mask;
	d->compat = compat;
}

uint64_t
perfdata_kernel_text(const struct perfdata *d, const char **name)
{
	*name = d->kernel_symbol;
	return d->kernel_text;
}

const struct kernel_map *
perfdata_kernel_maps(const struct perfdata *d, uint32_t *n)
{
	*n = d->nkernel;
	return d->kernel;
}

/* ---- one record, when its time has come ---- */

/* The registers that prof knows, in its order; LACKS: those that the record does not have. */
static void
order_registers(struct perfdata *d, struct sample *out, const struct record *r, uint64_t recorded)
{
	uint64_t wanted = out->regs32 ? d->compat : d->mask;
	uint8_t n = 0;

	for (uint64_t bits = wanted; bits; bits &= bits - 1, n++) {
		uint64_t bit = bits & -bits;

		if (recorded & bit)
			d->reg[n] = r->sample.regs[__builtin_popcountll(recorded & (bit - 1))];
		else
			out->lacks |= (uint64_t)1 << n;
	}
	out->regs = d->reg;
	out->nregs = n;
}

/* As in a capture, a process that is over, or that just executes something, has no user side. */
static void
add_user_side(struct perfdata *d, struct sample *out, const struct record *r, const struct chains *chains, uint64_t recorded)
{
	if (out->task->dead || process_is_starting(out->task->process, out->kernel, out->time))
		return;
	if (r->sample.regs && d->mask && !(out->kernel && r->sample.stack && !r->sample.stack_size)) {
		out->regs32 = r->sample.abi == PERF_SAMPLE_REGS_ABI_32 && d->compat;
		order_registers(d, out, r, recorded);
		out->stack = r->sample.stack;
		out->stack_size = r->sample.stack_size;
	}
	out->uchain = chains->user;
	out->nuchain = chains->nuser;
	if (out->regs || out->nuchain || !out->kernel)
		process_ready(out->task->process, out->time);
}

static void
on_sample(struct perfdata *d, const struct record *r, uint32_t event)
{
	const struct recorded_event *e = &d->header.event[event];
	struct sample out = { .time = r->time, .ip = r->sample.ip, .cpu = r->cpu, .event = event, .count = 1, .period = r->sample.period };
	struct chains chains = record_chains(r->sample.chain, r->sample.nchain);

	out.kernel = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
	out.ip_only = !(e->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER));
	if (!(out.task = processes_task(d->processes, r->pid, r->tid))) {
		d->counts.lost++;
		return;
	}
	d->counts.samples++;
	out.kchain = chains.kernel;
	out.nkchain = chains.nkernel;
	if (out.ip_only && out.kernel) {
		out.kchain = &out.ip;
		out.nkchain = 1;
	}
	add_user_side(d, &out, r, &chains, e->regs_user);
	d->taker->sample(d->taker->ctx, &out);
}

/* The build-id by the record itself, or by the header's table. */
static uint8_t
build_of(const struct perfdata *d, const struct record *r, uint8_t id[20])
{
	const struct recorded_build *b = r->map.build_id_len ? NULL : header_build_of(&d->header, r->map.path);

	memcpy(id, b ? b->id : r->map.build_id, 20);
	return b ? b->len : r->map.build_id_len;
}

/* Notes where code of the kernel is; and where the recording says that a symbol of the kernel's own is. */
static void
on_kernel_map(struct perfdata *d, const struct record *r)
{
	static const char name[] = "[kernel.kallsyms]";
	const char *symbol = r->map.path + sizeof name - 1;
	bool own = !strncmp(r->map.path, name, sizeof name - 1);
	struct kernel_map m = { .lo = r->map.lo, .hi = r->map.lo + r->map.size };

	if (own && *symbol && strlen(symbol) < sizeof d->kernel_symbol && !d->kernel_text) {
		d->kernel_text = r->map.off;
		memcpy(d->kernel_symbol, symbol, strlen(symbol) + 1);
	}
	if (d->nkernel == KERNEL_MAPS_MOST || !vec_room(&d->kernel, &d->kernel_cap, (uint64_t)d->nkernel + 1, sizeof m) ||
	    (!own && !(m.path = arena_str(&d->arena, r->map.path, strlen(r->map.path)))))
		return;
	m.build_id_len = build_of(d, r, m.build_id);
	d->kernel[d->nkernel++] = m;
}

static void
on_map(struct perfdata *d, const struct record *r)
{
	struct file_id id = { .path = r->map.path, .maj = r->map.maj, .min = r->map.min, .ino = r->map.ino, .gen = r->map.gen };

	if (r->pid == -1)
		on_kernel_map(d, r);
	if (!r->map.exec || r->pid <= 0)
		return;
	id.build_id_len = build_of(d, r, id.build_id);
	processes_map(d->processes, r->pid, r->tid, r->map.lo, r->map.lo + r->map.size, r->map.off, &id, r->time);
}

static void
on_fork(struct perfdata *d, const struct record *r)
{
	if (r->misc & FORK_EXEC)
		processes_task(d->processes, r->pid, r->tid);
	else
		processes_fork(d->processes, r->pid, r->tid, r->task.ppid, r->task.ptid, r->time);
}

static void
take(void *perfdata, const uint8_t *bytes, uint32_t n)
{
	struct perfdata *d = perfdata;
	struct record r;
	uint32_t event;

	if (recorded_parse(&d->header, cur_of(bytes, n, d->header.big), &r, &event, &d->words)) {
		d->counts.bad++;
		return;
	}
	if (!d->begun)
		d->taker->begin(d->taker->ctx);
	d->begun = true;
	switch (r.type) {
	case PERF_RECORD_SAMPLE:
		if (event < d->header.events)
			on_sample(d, &r, event);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		on_map(d, &r);
		break;
	case PERF_RECORD_COMM:
		processes_comm(d->processes, r.pid, r.tid, r.comm.name, r.comm.exec, r.time);
		break;
	case PERF_RECORD_FORK:
		on_fork(d, &r);
		break;
	case PERF_RECORD_EXIT:
		if (!processes_is_exec(d->processes, r.pid, r.tid))
			processes_exit(d->processes, r.pid, r.tid, r.time);
		break;
	case PERF_RECORD_KSYMBOL:
		if (!r.ksymbol.gone)
			made_code_add(d->modules, &r.ksymbol.code, r.ksymbol.bpf);
		break;
	case PERF_RECORD_LOST:
		d->counts.lost += r.lost;
		break;
	case PERF_RECORD_LOST_SAMPLES:   /* prof counts these at the end: they are the same ones */
		d->lost_samples += r.lost;
		break;
	case PERF_RECORD_THROTTLE:
		d->counts.throttled++;
		break;
	}
}

/* ---- the stream of records ---- */

static void
stop(struct perfdata *d, const char *why)
{
	if (!d->counts.cut) {
		d->counts.cut = why;
		d->counts.at = d->in->at;
	}
	d->left = 0;
}

static void
put(struct perfdata *d, const uint8_t *bytes, uint32_t n)
{
	uint64_t time = 0;

	n = (uint32_t)recorded_size(&d->header, cur_of(bytes, n, d->header.big));
	if (!recorded_time(&d->header, cur_of(bytes, n, d->header.big), &time))
		time = d->queue.newest;   /* the time of what comes before it */
	if (!queue_add(&d->queue, time, bytes, n))
		stop(d, "out of memory");
}

static void unpack(struct perfdata *, struct cursor);

/* Takes a complete record. */
static void
on_record(struct perfdata *d, const uint8_t *bytes, uint32_t n, bool packed)
{
	struct cursor c = cur_of(bytes, n, d->header.big);
	uint32_t type = cur_u32(&c);
	uint16_t misc = cur_u16(&c);

	cur_u16(&c);
	switch (type) {
	case HEADER_ATTR:
		header_attr(&d->header, c);
		break;
	case EVENT_UPDATE:
		header_update(&d->header, c);
		break;
	case FEATURE:
		header_feature(&d->header, c);
		break;
	case BUILD_ID:
		header_build(&d->header, c, misc);
		break;
	case FINISHED_ROUND:
		queue_round(&d->queue);
		processes_tidy(d->processes, d->queue.given, false);
		break;
	case COMPRESSED2:
		c = cur_sub(&c, cur_u64(&c));   /* fallthrough */
	case COMPRESSED:
		if (!packed)                    /* a packed stream holds no other one */
			unpack(d, c);
		break;
	default:
		if (type < HEADER_ATTR)
			put(d, bytes, n);
	}
}

/* Takes the unpacked bytes, record by record; the rest of the last record waits. */
static void
on_plain(void *perfdata, const uint8_t *bytes, size_t n)
{
	struct perfdata *d = perfdata;
	uint32_t at = 0;

	if (!n)
		return;
	if (!vec_room(&d->plain, &d->plain_cap, (uint64_t)d->nplain + n, 1)) {
		stop(d, "out of memory");
		return;
	}
	memcpy(d->plain + d->nplain, bytes, n);
	d->nplain += (uint32_t)n;
	while (d->nplain - at >= HEAD) {
		struct cursor c = cur_of(d->plain + at + 6, 2, d->header.big);
		uint16_t size = cur_u16(&c);

		if (size < HEAD) {
			stop(d, "a record has no size");
			return;
		}
		if (d->nplain - at < size)
			break;
		on_record(d, d->plain + at, size, true);
		at += size;
	}
	d->nplain -= at;
	memmove(d->plain, d->plain + at, d->nplain);
}

static void
unpack(struct perfdata *d, struct cursor c)
{
	const char *why = "needs more memory than is allowed";

	if (!d->zstd)
		d->zstd = zstd_stream_new();
	if (!d->zstd || (why = zstd_stream_feed(d->zstd, c, on_plain, d)))
		stop(d, why);
}

/* Bytes that follow some records, and that the record's size does not count. */
static uint64_t
behind(const struct perfdata *d, struct cursor c)
{
	uint32_t type = cur_u32(&c);

	cur_u32(&c);
	if (type == AUXTRACE)
		return cur_u64(&c);
	return type == TRACING_DATA && d->header.pipe ? (cur_u32(&c) + UINT64_C(7)) & ~UINT64_C(7) : 0;
}

/* Takes the next record; false at the end. */
static bool
next(struct perfdata *d)
{
	const uint8_t *bytes = d->left >= HEAD ? source_peek(d->in, HEAD) : NULL;
	struct cursor c = cur_of(bytes, bytes ? HEAD : 0, d->header.big);
	uint64_t more;
	uint16_t size;

	if (!bytes) {
		if (d->left && (!d->header.pipe || d->in->n > d->in->pos || d->in->err))
			stop(d, "the file ends before its data does");
		return false;
	}
	cur_take(&c, 6);
	size = cur_u16(&c);
	if (size < HEAD) {
		stop(d, "a record has no size");
		return false;
	}
	if (size > d->left || !(bytes = source_peek(d->in, size))) {
		stop(d, "the file ends within a record");
		return false;
	}
	on_record(d, bytes, size, false);
	more = size + behind(d, cur_of(bytes, size, d->header.big));
	if (!d->left)
		return false;
	if (more > d->left || !source_skip(d->in, more)) {
		stop(d, "the file ends within a record");
		return false;
	}
	if (!d->header.pipe)
		d->left -= more;
	return true;
}

bool
perfdata_read(struct perfdata *d, const struct perfdata_taker *taker)
{
	d->taker = taker;
	for (unsigned i = 0; i < PIECE_RECORDS; i++)
		if (!next(d)) {
			queue_end(&d->queue);
			processes_tidy(d->processes, d->queue.given, true);
			return false;
		}
	return true;
}

int
perfdata_done(const struct perfdata *d)
{
	return d->header.pipe || !d->header.data_size ? -1 : (int)((d->header.data_size - d->left) / (d->header.data_size / 1000 + 1));
}

void
perfdata_counts(const struct perfdata *d, struct perfdata_counts *n)
{
	*n = d->counts;
	n->lost = n->lost > d->lost_samples ? n->lost : d->lost_samples;
	n->late = d->queue.late;
}

/* perf's records: prof parses a ring full of them, and applies what they say about processes. The first 8 bytes say which parts
 * samples have, and of which event those of the first CPUs are parts of stacks. */
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "sample/events/record.c"

#include "sample/events/deep_stack.h"
#include "sample/tasks/foreign.h"
#include "sample/tasks/process.h"
#include "sample/events/ring.h"

enum { RING = 1 << 16 };

static _Alignas(64) uint8_t data[RING];
static struct perf_event_mmap_page page;
static uint8_t rests[2][DEEP_ROOM];
static struct piece pieces[2][DEEP_ROOM / DEEP_PAGE];
static struct deep_cpu cpus[] = { { .bytes = rests[0], .piece = pieces[0] }, { .bytes = rests[1], .piece = pieces[1] } };
static struct deep deep = { .cpu = cpus, .ncpu = 2 };
static volatile uint64_t sink;

static void
touch(const void *bytes, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += ((const uint8_t *)bytes)[i];
}

/* Numbers that no process has. */
static int32_t
id(int32_t pid)
{
	return (pid & 15) | 1 << 23;
}

static void
apply(struct processes *ps, const struct record *r)
{
	struct file_id file;

	switch (r->type) {
	case PERF_RECORD_SAMPLE: {
		struct chains c = record_chains(r->sample.chain, r->sample.nchain);
		struct task *t = processes_task(ps, id(r->pid), id(r->tid));
		struct pieces rest = deep_rest(&deep, r, &(struct deep_thread){ 0 });

		for (uint32_t i = 0; i < rest.n; i++)
			touch(rest.piece[i].bytes, rest.piece[i].size);
		touch(c.kernel, c.nkernel * 8ull);
		touch(c.user, c.nuser * 8ull);
		touch(r->sample.stack, r->sample.stack_size);
		touch(r->sample.raw.pos, cur_left(&r->sample.raw));
		if (t) {
			process_ready(t->process, r->time);
			if (space_find(&t->process->maps.space, r->sample.ip))
				t->named.thread++;
		}
		break;
	}
	case RECORD_PART:
		deep_part(&deep, r);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		file = (struct file_id){ r->map.path, r->map.maj, r->map.min, r->map.ino, r->map.gen, { 0 }, r->map.build_id_len };
		memcpy(file.build_id, r->map.build_id, sizeof file.build_id);
		touch(r->map.path, strlen(r->map.path));
		processes_map(ps, id(r->pid), id(r->tid), r->map.lo, r->map.lo + r->map.size, r->map.off, &file, r->time);
		break;
	case PERF_RECORD_COMM:
		processes_comm(ps, id(r->pid), id(r->tid), r->comm.name, r->comm.exec, r->time);
		break;
	case PERF_RECORD_FORK:
		processes_fork(ps, id(r->pid), id(r->tid), id(r->task.ppid), id(r->task.ptid), r->time);
		break;
	case PERF_RECORD_EXIT:
		processes_exit(ps, id(r->pid), id(r->tid), r->time);
		break;
	case PERF_RECORD_LOST:
		processes_lost(ps, r->time);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *in, size_t size)
{
	static struct rings rs;
	uint64_t part[] = { size > 4 ? in[4] : 0, size > 5 ? in[5] : 0 };
	struct record_shape shape;
	struct modules modules;
	struct processes *ps;
	struct cursor c;
	struct record r;

	if (size < 8 || size > RING || !modules_init(&modules))
		return 0;
	shape = (struct record_shape){ !(in[0] & 4), in[0] & 1, in[0] & 2, in[1] & 63, in[0] & 8, in[1] >> 6, part, in[4] ? 2 : 0 };
	if (!rs.ring)
		vec_room(&rs.ring, &rs.cap, 1, sizeof *rs.ring);
	rs.n = 1;
	/* Laid out so that it wraps in the middle. */
	page.data_head = RING / 2 + 8 * (uint64_t)in[2];
	rs.ring[0] = (struct ring){ .page = &page, .data = data, .size = RING, .tail = page.data_head, .told = page.data_head };
	for (size_t i = 8; i < size; i++)
		data[page.data_head++ & (RING - 1)] = in[i];
	page.data_head &= ~(uint64_t)7;
	ps = processes_new(&modules);
	rings_start(&rs, RING_EMPTY - 1);
	while (rings_next(&rs, &c)) {
		size_t n = cur_left(&c);
		uint8_t *exact = malloc(n);   /* so that a read behind the record is seen */

		memcpy(exact, c.pos, n);
		if (!record_parse(&r, &shape, cur_of(exact, n, false))) {
			if (r.type == PERF_RECORD_SAMPLE && r.sample.regs)
				touch(r.sample.regs, shape.regs * 8u);
			apply(ps, &r);
		}
		free(exact);
		if (in[3] & 1)
			processes_tidy(ps, r.time, false);
	}
	processes_free(ps);
	modules_free(&modules);
	if (mem_used() > 1 << 16)
		abort();
	return 0;
}

/* See watches.h. */
#include "watches.h"

#include <errno.h>
#include <unistd.h>

#include "open_event.h"
#include "perf.h"

/* How many events may get another period now and then: each change may interrupt a CPU. */
enum { PERIODS_MOST = 512 };

uint32_t
watches_ahead(const struct opener *o, const struct thread *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t r = 0; r < o->nsample; r++)
			for (uint32_t e = 0; e < o->capture.nevent; e++)
				if (!open_event_ahead(o, e, t[i].tid, o->rings.ring[r].cpu))
					return i;
	return n;
}

bool
watches_know(struct watches *w, const struct watch *watch)
{
	if (!vec_room(&w->watch, &w->cap, (uint64_t)w->n + 1, sizeof *w->watch))
		return false;
	w->watch[w->n] = *watch;
	if (!index_add(&w->index, hash_u64(watch->id), w->n))
		return false;
	w->n++;
	return true;
}

/* False with errno, and the event closed. */
static bool
into_ring(struct opener *o, struct watches *w, struct watch *watch, const struct ring *ring)
{
	int err = 0;

	if (!perf_control(watch->fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned)ring->fd) ||
	    !perf_control(watch->fd, PERF_EVENT_IOC_ID, (uintptr_t)&watch->id))
		err = errno;
	else if (!watches_know(w, watch))
		err = ENOMEM;
	else if (o->deep.program && !o->capture.event[watch->event].waits)   /* if that fails, stacks are cut */
		perf_control(watch->fd, PERF_EVENT_IOC_SET_BPF, (unsigned)o->deep.program);
	if (err)
		close(watch->fd);
	else
		o->files++;
	errno = err;
	return !err;
}

bool
watches_add(struct opener *o, struct watches *w, int32_t tid, bool on_exec)
{
	for (uint32_t r = 0; r < o->nsample; r++)
		for (uint32_t e = 0; e < o->capture.nevent; e++) {
			struct watch watch = { .tid = tid, .cpu = o->rings.ring[r].cpu, .event = e };

			if ((watch.fd = open_event(o, e, tid, o->rings.ring[r].cpu, on_exec)) < 0) {
				if (errno == ENODEV && o->nsample > 1)   /* the CPU went offline */
					continue;
				return false;
			}
			if (!into_ring(o, w, &watch, &o->rings.ring[r]))
				return false;
		}
	return true;
}

const struct watch *
watches_find(const struct watches *w, uint64_t id)
{
	uint32_t slot, i;

	for (slot = index_first(&w->index, hash_u64(id)); (i = index_at(&w->index, slot)) != INDEX_NONE;
	     slot = index_next(&w->index, slot))
		if (w->watch[i].id == id)
			return &w->watch[i];
	return NULL;
}

void
watches_enable(const struct watches *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		perf_control(w->watch[i].fd, PERF_EVENT_IOC_ENABLE, 0);
	helpers_tell(&w->helpers, HELPER_START, NULL);
}

void
watches_stop(const struct watches *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		perf_control(w->watch[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void
watches_disable(const struct watches *w)
{
	watches_stop(w);
	helpers_tell(&w->helpers, HELPER_STOP, NULL);
}

bool
watches_period(const struct watches *w, uint64_t ns)
{
	if (w->n > PERIODS_MOST)
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		if (!w->watch[i].event)
			perf_control(w->watch[i].fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&ns);
	return true;
}

void
watches_total(const struct opener *o, const struct watches *w, struct total *total)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct { uint64_t value, enabled, running, lost; } v = { 0 };

		if (read(w->watch[i].fd, &v, sizeof v) < (ssize_t)(3 * sizeof v.value))
			continue;
		total[w->watch[i].event].running += v.running;
		total[w->watch[i].event].lost += o->no_lost ? 0 : v.lost;
	}
	helpers_tell(&w->helpers, HELPER_TOTAL, total);
}

void
watches_close(struct opener *o, struct watches *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		if (w->watch[i].fd < 0)
			continue;
		close(w->watch[i].fd);
		w->watch[i].fd = -1;
		o->files--;
	}
	helpers_close(&w->helpers);
}

void
watches_forget(struct watches *w)
{
	vec_free(&w->watch, &w->cap, sizeof *w->watch);
	index_free(&w->index);
	w->n = 0;
}

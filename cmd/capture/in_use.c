/* See in_use.h.  A program takes addresses again and again, so an entry stays once it was freed, and its next allocation takes
 * it. */
#include "in_use.h"

#include "lib/sort.h"

struct allocation {
	int32_t pid;
	uint32_t thread, node;
	uint64_t address, time;
	uint64_t bytes;            /* 0: it was freed */
};

struct owner {
	int32_t pid;
	uint64_t gone;             /* what it allocated before is gone */
};

static struct owner *
owner_of(const struct in_use *u, int32_t pid)
{
	uint32_t i;

	for (uint32_t slot = index_first(&u->owners, hash_u64((uint32_t)pid)); (i = index_at(&u->owners, slot)) != INDEX_NONE; slot = index_next(&u->owners, slot))
		if (u->owner[i].pid == pid)
			return &u->owner[i];
	return NULL;
}

static bool
is_owner(struct in_use *u, int32_t pid)
{
	if (owner_of(u, pid))
		return true;
	if (!vec_room(&u->owner, &u->owner_cap, (uint64_t)u->nowner + 1, sizeof *u->owner) || !index_add(&u->owners, hash_u64((uint32_t)pid), u->nowner))
		return false;
	u->owner[u->nowner++] = (struct owner){ .pid = pid };
	return true;
}

void
in_use_gone(struct in_use *u, int32_t pid, bool executed, uint64_t time)
{
	struct owner *o = owner_of(u, pid);

	for (unsigned i = 0; o && i < u->npid && !executed; i++)
		if (u->pid[i] == pid)
			return;
	if (o)
		o->gone = time;
}

static uint32_t
hash_of(int32_t pid, uint64_t address)
{
	return hash_u64(address ^ (uint64_t)(uint32_t)pid << 32);
}

static struct allocation *
find(const struct in_use *u, int32_t pid, uint64_t address)
{
	uint32_t i;

	for (uint32_t slot = index_first(&u->index, hash_of(pid, address)); (i = index_at(&u->index, slot)) != INDEX_NONE; slot = index_next(&u->index, slot))
		if (u->allocation[i].pid == pid && u->allocation[i].address == address)
			return &u->allocation[i];
	return NULL;
}

void
in_use_add(struct in_use *u, int32_t pid, uint64_t address, uint64_t bytes, uint32_t thread, uint32_t node, uint64_t time)
{
	struct allocation *a = find(u, pid, address);

	if (!a) {
		if (!is_owner(u, pid) || !vec_room(&u->allocation, &u->cap, (uint64_t)u->n + 1, sizeof *a) || !index_add(&u->index, hash_of(pid, address), u->n)) {
			u->left_out++;
			return;
		}
		a = &u->allocation[u->n++];
	}
	*a = (struct allocation){ pid, thread, node, address, time, bytes };
}

void
in_use_free(struct in_use *u, int32_t pid, uint64_t address)
{
	struct allocation *a = find(u, pid, address);

	if (a && a->bytes)
		a->bytes = 0;
	else
		u->unknown++;
}

void
in_use_end(struct in_use *u, struct profile *p)
{
	struct item *order = NULL;
	uint32_t cap = 0;

	if (vec_room(&order, &cap, (uint64_t)u->n + 1, sizeof *order)) {
		for (uint32_t i = 0; i < u->n; i++)
			order[i] = (struct item){ u->allocation[i].time, i, 0 };
		sort_items(order, u->n);   /* a thread's samples are in the order of time */
	} else {
		u->left_out += u->n;
		u->n = 0;
	}
	for (uint32_t i = 0; i < u->n; i++) {
		const struct allocation *a = &u->allocation[order[i].a];

		if (a->bytes && a->time > owner_of(u, a->pid)->gone)
			profile_add_node(p, a->thread, a->time, a->bytes, a->node);
	}
	vec_free(&order, &cap, sizeof *order);
	vec_free(&u->allocation, &u->cap, sizeof *u->allocation);
	vec_free(&u->owner, &u->owner_cap, sizeof *u->owner);
	index_free(&u->index);
	index_free(&u->owners);
	u->n = u->nowner = 0;
}

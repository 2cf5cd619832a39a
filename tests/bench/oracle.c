/* Runs libunwind on recorded samples. It searches and reads .eh_frame_hdr's tables and makes each step by itself; this file hands
 * it only memory and registers. */
#include "oracle.h"

#include <endian.h>
#include <string.h>

#define UNW_REMOTE_ONLY 1
#include <dwarf.h>

#include "../untold.h"

struct asked {
	struct space *space;
	const struct regs *regs;
	const struct stack *stack;
	const struct map *last;   /* where it found bytes; there are none before */
};

/* The file's bytes at ADDR, which may lie beyond the mapped code. */
static struct cursor
bytes_at(struct asked *a, uint64_t addr, const struct map **of)
{
	struct cursor c = { 0 };

	for (uint32_t i = 0; i <= a->space->n; i++) {
		const struct map *m = i ? &a->space->map[i - 1] : a->last;

		if (!m || !m->module || m->module->bad)
			continue;
		c = elf_from(&m->module->elf, addr - m->bias);
		if (cur_left(&c) >= sizeof(unw_word_t)) {
			a->last = *of = m;
			return c;
		}
	}
	return cur_of(NULL, 0, false);
}

static int
access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *v, int write, void *ctx)
{
	struct asked *a = ctx;
	const struct map *m;
	struct cursor c;

	(void)as;
	if (write)
		return -UNW_EINVAL;
	if (addr - a->stack->lo < a->stack->size && a->stack->size - (addr - a->stack->lo) >= sizeof *v) {
		memcpy(v, a->stack->bytes + (addr - a->stack->lo), sizeof *v);
		return 0;
	}
	c = bytes_at(a, addr, &m);
	if (cur_left(&c) < sizeof *v)
		return -UNW_EINVAL;
	memcpy(v, c.pos, sizeof *v);
	return 0;
}

static int
access_reg(unw_addr_space_t as, unw_regnum_t r, unw_word_t *v, int write, void *ctx)
{
	const struct asked *a = ctx;

	(void)as;
	if (write || r < 0 || r >= REGS || !(a->regs->known >> r & 1))
		return -UNW_EBADREG;
	*v = a->regs->r[r];
	return 0;
}

static int
find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need, void *ctx)
{
	const struct asked *a = ctx;
	const struct map *m = space_find(a->space, ip);
	unw_dyn_info_t di = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	struct cursor c;
	uint32_t kinds, n;

	if (!m || !m->module || m->module->bad || !m->module->elf.ehframe_hdr)
		return -UNW_ENOINFO;
	c = elf_from(&m->module->elf, m->module->elf.ehframe_hdr);
	kinds = cur_u32(&c);
	cur_u32(&c);
	n = cur_u32(&c);
	if (c.bad || kinds != 0x3b031b01)
		return -UNW_ENOINFO;
	di.start_ip = m->lo;
	di.end_ip = m->hi;
	di.u.rti.segbase = m->module->elf.ehframe_hdr + m->bias;
	di.u.rti.table_data = di.u.rti.segbase + 12;
	di.u.rti.table_len = n * 8 / sizeof(unw_word_t);
	return dwarf_search_unwind_table(as, ip, &di, pi, need, ctx);
}

bool
oracle_table(struct space *space, uint64_t ip)
{
	struct regs regs = { .known = 0 };
	struct stack stack = { .size = 0 };
	struct asked a = { .space = space, .regs = &regs, .stack = &stack };
	unw_proc_info_t pi = { .start_ip = 0 };
	unw_accessors_t acc = { find_proc_info, put_unwind_info, no_list, access_mem, access_reg, access_fpreg, resume, get_proc_name };
	static unw_addr_space_t as;

	if (!as)
		as = unw_create_addr_space(&acc, 0);
	return find_proc_info(as, ip, &pi, 0, &a) >= 0;
}

unsigned
oracle_walk(struct space *space, const struct regs *regs, const struct stack *stack, bool cached, uint64_t *ip, unsigned max)
{
	static unw_addr_space_t as[2];
	unw_accessors_t acc = { find_proc_info, put_unwind_info, no_list, access_mem, access_reg, access_fpreg, resume, get_proc_name };
	struct asked a = { space, regs, stack, NULL };
	unsigned n = 0;
	unw_cursor_t c;
	unw_word_t v;

	if (!as[cached] && (as[cached] = unw_create_addr_space(&acc, 0))) {
		unw_set_caching_policy(as[cached], cached ? UNW_CACHE_GLOBAL : UNW_CACHE_NONE);
		unw_set_cache_size(as[cached], 1 << 14, 0);
	}
	memset(&c, 0, sizeof c);
	if (!as[cached] || unw_init_remote(&c, as[cached], &a) < 0)
		return 0;
	do {
		unw_get_reg(&c, UNW_REG_IP, &v);
		if (!v)
			break;
		ip[n++] = v;
	} while (n < max && unw_step(&c) > 0);
	return n;
}

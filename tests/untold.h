/* Answers for libunwind's other questions, besides memory, registers and tables: there is no answer. Include it after libunwind's
 * headers. */
#ifndef TESTS_UNTOLD_H
#define TESTS_UNTOLD_H

static void
put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *ctx)
{
	(void)as, (void)pi, (void)ctx;
}

static int
no_list(unw_addr_space_t as, unw_word_t *list, void *ctx)
{
	(void)as, (void)list, (void)ctx;
	return -UNW_ENOINFO;
}

static int
access_fpreg(unw_addr_space_t as, unw_regnum_t r, unw_fpreg_t *v, int write, void *ctx)
{
	(void)as, (void)r, (void)v, (void)write, (void)ctx;
	return -UNW_EBADREG;
}

static int
resume(unw_addr_space_t as, unw_cursor_t *c, void *ctx)
{
	(void)as, (void)c, (void)ctx;
	return -UNW_EINVAL;
}

static int
get_proc_name(unw_addr_space_t as, unw_word_t ip, char *name, size_t n, unw_word_t *off, void *ctx)
{
	(void)as, (void)ip, (void)name, (void)n, (void)off, (void)ctx;
	return -UNW_ENOINFO;
}

#endif

/* Facts about every kernel symbol, from any source. */
#ifndef SYM_KERNEL_KERNEL_SYMBOL_H
#define SYM_KERNEL_KERNEL_SYMBOL_H

/* No function is longer: an address farther behind a symbol is something else. */
enum { KERNEL_SYMBOL_MOST = 128 << 10 };

/* If two symbols have one address, prof shows the one with the lower rank.  The type gives the rank: first global ones, then
 * weak ones, then local ones; last an end (type 0). */
static inline unsigned
kernel_symbol_rank(char type)
{
	return !type ? 3 : type == 'T' ? 0 : type == 't' ? 2 : 1;
}

#endif

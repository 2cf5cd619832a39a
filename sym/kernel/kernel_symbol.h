/* What holds of every symbol of the kernel's, whoever tells of it. */
#ifndef SYM_KERNEL_KERNEL_SYMBOL_H
#define SYM_KERNEL_KERNEL_SYMBOL_H

/* No function is longer: what lies farther behind a symbol is something else. */
enum { KERNEL_SYMBOL_MOST = 128 << 10 };

/* Of two symbols at one address that with the lower rank is shown, by its type: a global one before a weak one before a local. */
static inline unsigned
kernel_symbol_rank(char type)
{
	return type == 'T' ? 0 : type == 't' ? 2 : 1;
}

#endif

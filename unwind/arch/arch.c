/* Which machine this binary runs on: the unwinder's only question about the host. */
#include "arch.h"

#include <stddef.h>

#if defined __x86_64__
const struct arch *const arch_host = &arch_x86_64, *const arch_compat = &arch_i686;
#elif defined __aarch64__
const struct arch *const arch_host = &arch_aarch64, *const arch_compat = &arch_armv7;
#elif defined __arm__
const struct arch *const arch_host = &arch_armv7, *const arch_compat = NULL;
#elif defined __riscv && __riscv_xlen == 64
const struct arch *const arch_host = &arch_riscv64, *const arch_compat = NULL;
#elif defined __i386__
const struct arch *const arch_host = &arch_i686, *const arch_compat = NULL;
#else
#error "prof has no unwinder for this machine yet: add unwind/arch/NAME.c"
#endif

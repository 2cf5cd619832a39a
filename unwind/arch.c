/* Which of the machines this binary runs on: the only question about the host in the unwinder. */
#include "arch.h"

#if defined __x86_64__
const struct arch *const arch_host = &arch_x86_64;
#else
#error "prof has no unwinder for this machine yet: add unwind/arch_NAME.c"
#endif

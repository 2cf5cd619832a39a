/* loop N: executes two instructions N times, and a few thousand others. */
#include <stdlib.h>

int
main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;

#if defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(n) : : "cc");
#elif defined(__riscv)
	__asm__ volatile(".option push\n .option norvc\n 1: addi %0, %0, -1\n bnez %0, 1b\n .option pop" : "+r"(n));
#else
	__asm__ volatile("1: sub $1, %0\n jne 1b" : "+r"(n) : : "cc");
#endif
	return n != 0;
}

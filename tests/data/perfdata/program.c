/* What the recordings of this folder are of: nothing but its own code, so that it is small, and whole.  one calls two, that three, and
 * so on; the innermost works for as long as it takes. */
#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned sink;

NOINLINE static unsigned
leaf(unsigned n)
{
	volatile unsigned room[16];

	for (unsigned i = 0; i < 2000; i++)
		room[i % 16] = n = n * 1103515245u + 12345u + i;
	return n ^ room[3];
}

NOINLINE static unsigned four(unsigned n) { sink += leaf(n); return sink ^ n; }
NOINLINE static unsigned three(unsigned n) { volatile unsigned wide[300]; wide[n % 300] = four(n); return wide[n % 300] + 1; }
NOINLINE static unsigned two(unsigned n, unsigned depth) { unsigned v = depth ? two(n + 1, depth - 1) : three(n); sink += v; return v; }
NOINLINE static unsigned one(unsigned n) { unsigned v = two(n, 5); sink ^= v; return v; }

__attribute__((noreturn)) NOINLINE void
begin(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		one(i);
	for (;;) {
#if defined __aarch64__
		register long number __asm__("x8") = 93, status __asm__("x0") = 0;
		__asm__ volatile("svc 0" : : "r"(number), "r"(status));
#elif defined __arm__
		__asm__ volatile("mov r0, #0\n\tpush {r7}\n\tmov r7, #1\n\tsvc 0\n\tpop {r7}" : : : "r0");
#else
		register long number __asm__("a7") = 93, status __asm__("a0") = 0;
		__asm__ volatile("ecall" : : "r"(number), "r"(status));
#endif
	}
}

#if defined __aarch64__
__asm__(".globl _start\n.type _start,%function\n_start:\n.cfi_startproc\n.cfi_undefined x30\nmov x29, #0\nbl begin\n.cfi_endproc\n.size _start,.-_start");
#elif defined __arm__
void __aeabi_unwind_cpp_pr0(void) { }   /* what libgcc has */
void __aeabi_unwind_cpp_pr1(void) { }
__asm__(".globl _start\n.type _start,%function\n_start:\n.fnstart\n.cantunwind\nmov fp, #0\nbl begin\n.fnend\n.size _start,.-_start");
#else
__asm__(".globl _start\n.type _start,@function\n_start:\n.cfi_startproc\n.cfi_undefined ra\nli s0, 0\ncall begin\n.cfi_endproc\n.size _start,.-_start");
#endif

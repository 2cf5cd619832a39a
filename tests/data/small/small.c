/* What the samples in tests/data/armv7 and tests/data/i686 are of: a program without a libc, of frames of all kinds, that
 * runs some thousand instructions.  tests/data/small/record makes them. */
typedef unsigned long word;
#define APART __attribute__((noinline, noclone))
#define KEEP(x) __asm__ volatile("" :: "r"(x) : "memory")

#ifdef __arm__
long call(long number, long a, long b, long c, long d);
#ifdef __thumb__
__asm__(".pushsection .text.call,\"ax\"\n.thumb\n.syntax unified\n.thumb_func\n");
#else
__asm__(".pushsection .text.call,\"ax\"\n.arm\n.syntax unified\n");
#endif
__asm__(".type call,%function\ncall: .fnstart\n push {r4, r7, lr}\n .save {r4, r7, lr}\n sub sp, #4\n .pad #4\n mov r7, r0\n"
        "mov r0, r1\n mov r1, r2\n mov r2, r3\n ldr r3, [sp, #16]\n svc 0\n add sp, #4\n pop {r4, r7, pc}\n .fnend\n"
        ".size call,.-call\n .popsection\n");
#ifdef __thumb__
__asm__(".pushsection .text.restore,\"ax\"\n.thumb\n.syntax unified\n.thumb_func\n.type restore,%function\n nop\n nop\nrestore: movs r7, #173\n svc 0\n.size restore,.-restore\n nop\n nop\n .popsection\n");
#else
__asm__(".pushsection .text.restore,\"ax\"\n.arm\n.syntax unified\n.type restore,%function\n nop\nrestore: mov r7, #173\n svc 0\n.size restore,.-restore\n nop\n .popsection\n");
#endif
void __aeabi_unwind_cpp_pr0(void) { }
void __aeabi_unwind_cpp_pr1(void) { }
#else
static long
call(long number, long a, long b, long c, long d)
{
	__asm__ volatile("int $0x80" : "+a"(number) : "b"(a), "c"(b), "d"(c), "S"(d) : "memory");
	return number;
}
__asm__(".text\n.type restore,@function\n nop\nrestore: mov $173, %eax\n int $0x80\n.size restore,.-restore\n nop\n");
#endif
void restore(void);

static unsigned (*volatile by_pointer)(unsigned, unsigned);
static volatile unsigned sink;

static APART unsigned
leaf(unsigned a, unsigned b)
{
	return a * 3 + b;
}

static APART unsigned
pushes(unsigned a, unsigned b)
{
	unsigned v = leaf(a, b);

	v ^= leaf(b, a) + a;
	return v + leaf(v, a) * b;
}

static APART unsigned
tail(unsigned a, unsigned b)
{
	return by_pointer(pushes(a, b), a);
}

static APART double
floats(double a, double b, unsigned n)
{
	double c = a * b, d = a + b;

	for (unsigned i = 0; i < n; i++)
		c += (double)pushes(i, n) * d;
	return c + d * a + b;
}

static APART unsigned
sized(unsigned n)
{
	volatile unsigned char p[n * 8 + 16];

	p[n] = (unsigned char)n;
	KEEP(p);
	return tail(n, p[n]) + p[n];
}

static APART unsigned
large(unsigned n)
{
	volatile unsigned char p[200];

	p[n] = 1;
	KEEP(p);
	return sized(n) + p[n];
}

static APART unsigned
chosen(unsigned n, unsigned a)
{
	switch (n) {
	case 0: return leaf(a, 1);
	case 1: return pushes(a, 2) + 1;
	case 2: return sized(3);
	case 3: return a + 7;
	case 4: sink = a; return leaf(n, a) ^ 5;
	case 5: return pushes(n, a) * 3;
	}
	return n;
}

static APART unsigned
recurse(unsigned depth)
{
	unsigned local[4] = { depth, 1, 2, 3 };

	KEEP(local);
	if (!depth)
		return chosen(1, 2);
	return recurse(depth - 1) + local[depth & 3];
}

static void
handler(int sig)
{
	sink += recurse(1) + (unsigned)sig;
}

void
begin(void)
{
	struct { void (*handler)(int); word flags; void (*restorer)(void); word mask[2]; } sa = { handler, 0x04000004, restore, { 0, 0 } };

	by_pointer = leaf;
	call(174, 10, (long)&sa, 0, 8);   /* rt_sigaction of SIGUSR1 */
	for (unsigned i = 0; i < 6; i++)
		sink += chosen(i, i);
	sink += recurse(3) + large(4);
	sink += (unsigned)floats(1.5, 2.5, 2);
	call(37, call(20, 0, 0, 0, 0), 10, 0, 0);   /* kill oneself */
	call(1, 0, 0, 0, 0);
}

#ifdef __arm__
__asm__(".pushsection .text.begin,\"ax\"\n.globl _start\n.type _start,%function\n_start: mov r11, #0\n mov lr, #0\n bl begin\n.size _start,.-_start\n .popsection\n");
#else
__asm__(".text\n.globl _start\n.type _start,@function\n_start: xor %ebp, %ebp\n and $-16, %esp\n call begin\n hlt\n.size _start,.-_start\n");
#endif

/* invoked SECONDS: threads whose code was made at run time and keeps its frames in the heap, as Chez Scheme's: S_generic_invoke jumps to it,
 * it saves registers on the thread's stack, and leaves sp there.  Half of its time it calls leaf_X.  Threads go there by way_a or way_b,
 * and are named after their way.  The thread "nested" goes by way_a, and from the code by way_b. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

typedef void leaf(void);
void S_generic_invoke(leaf *, void *code, void *heap, long rounds);

__asm__(".text\n.globl S_generic_invoke\n.type S_generic_invoke, @function\nS_generic_invoke: .cfi_startproc\n"
        "add $0, %rsi; jmp *%rsi\n.cfi_endproc\n.size S_generic_invoke, . - S_generic_invoke\n"
        /* What a process makes, in a place of its own: without symbols and tables there.  Its calls push to r13. */
        ".section .rodata\n.p2align 6\n.globl invoked, invoked_end\ninvoked: push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15; sub $8, %rsp\n"
        "mov %rdi, %r12; mov %rdx, %r13; mov %rcx, %r14\n"
        "1: lea 2f(%rip), %rax; mov %rax, (%r13); add $8, %r13; jmp 3f\n"
        "2: dec %r14; jnz 1b\n"
        "add $8, %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n"
        "3: mov $200000, %ecx; mov %r13, %rbp; .p2align 6, 0x90; 4: dec %ecx; jnz 4b\n"
        "call *%r12; sub $8, %r13; jmp *(%r13)\ninvoked_end:\n.text\n");
extern const char invoked[], invoked_end[];

static void *code;
static volatile unsigned sink;

/* The same loop at a place as good as the other one's: it takes the same time on any machine. */
#define WORK __asm__ volatile("mov $200000, %%ecx; .p2align 6; 1: dec %%ecx; jnz 1b" ::: "ecx", "cc")
KEPT void leaf_a(void) { WORK; sink++; }
KEPT void leaf_b(void) { WORK; sink++; }

KEPT static void
way_b(leaf *f, long rounds)
{
	S_generic_invoke(f, code, malloc(4096), rounds);
	sink++;
}

KEPT void nests(void) { way_b(leaf_b, 100); sink++; }

KEPT static void
way_a(leaf *f, long rounds)
{
	char room[333];

	__asm__ volatile("" :: "r"(room) : "memory");
	S_generic_invoke(f, code, malloc(4096), rounds);
	sink++;
}

static void *
thread(void *arg)
{
	const char *name = arg;

	prctl(PR_SET_NAME, name);
	if (*name == 'b')
		way_b(leaf_b, 1 << 30);
	else
		way_a(*name == 'n' ? nests : leaf_a, 1 << 30);
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t other;

	code = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	memcpy(code, invoked, (size_t)(invoked_end - invoked));
	pthread_create(&other, NULL, thread, "a");
	pthread_create(&other, NULL, thread, "b");
	pthread_create(&other, NULL, thread, "nested");
	usleep((useconds_t)(1e6 * (argc > 1 ? atof(argv[1]) : 1)));
	_exit(0);
}

/* switched SECONDS: threads whose code was made at run time and has stacks of its own in the heap, as Erlang's (BeamAsm): process_main
 * jumps to it, and a register keeps a place in its frame on the thread's stack.  Threads go there by way_a, way_b or way_c, with
 * different depths, and are named after their way.  way_c's thread takes the stack of one that has ended, which went by way_a.  In
 * the frame of one more thread, "old", lie old return addresses of all ways.  The code calls leaf_X for half of its time. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

typedef void leaf(void);
void process_main(leaf *, void *heap, long rounds, void *code);

/* Like Erlang's: it calls once, and is gone when it jumps. */
__asm__(".text\n.globl process_main\n.type process_main, @function\nprocess_main: .cfi_startproc\n"
        "push %rbx; .cfi_adjust_cfa_offset 8; .cfi_offset rbx, -16\n"
        "mov %rcx, %rbx; call finds_nothing; mov %rbx, %rax; pop %rbx; .cfi_adjust_cfa_offset -8; .cfi_restore rbx\njmp *%rax\n"
        ".cfi_endproc\n.size process_main, . - process_main\n"
        "finds_nothing: .cfi_startproc\nret\n.cfi_endproc\n"
        /* What a process makes, in a place of its own: without symbols and tables there. */
        ".section .rodata\n.p2align 6\n.globl switched, switched_end\nswitched: push %rbp; push %rbx; push %r12; push %r13; push %r14\n"
        "mov %rsp, %r8; sub $16512, %rsp; and $-64, %rsp; mov %rsp, %rbx; mov %r8, 128(%rbx)\n"
        "lea way_b_calls(%rip), %r8\n"
        "mov %rdi, %r12; mov %rdx, %r13; mov %rsi, %rsp\n"
        "1: call 3f; dec %r13; jnz 1b\n"
        "mov 128(%rbx), %rsp; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n"
        "3: sub $16, %rsp; xor %eax, %eax; call 5f; add $16, %rsp\n"
        "mov %rsp, %rbp; lea -128(%rbx), %rsp; call *%r12; mov %rbp, %rsp; ret\n"
        "5: mov $200000, %ecx; xor %ebp, %ebp; .p2align 6, 0x90; 4: dec %ecx; jnz 4b; ret\n"
        "way_b_calls: ret\nswitched_end:\n.text\n");
extern const char switched[], switched_end[];

static void *code;
static volatile unsigned sink;

/* The same loop at a place as good as the other one's: it takes the same time on any machine. */
#define WORK __asm__ volatile("mov $200000, %%ecx; .p2align 6; 1: dec %%ecx; jnz 1b" ::: "ecx", "cc")
KEPT void leaf_a(void) { WORK; sink++; }
KEPT void leaf_b(void) { WORK; sink++; }
KEPT void leaf_c(void) { WORK; sink++; }

static void *
heap(void)
{
	return (char *)malloc(1 << 16) + 60000;
}

KEPT static void
way_a(long rounds)
{
	process_main(leaf_a, heap(), rounds, code);
	sink++;
}

KEPT static void
way_b(long rounds)
{
	char room[777];

	__asm__ volatile("" :: "r"(room) : "memory");
	process_main(leaf_b, heap(), rounds, code);
	sink++;
}

KEPT static void
way_c(long rounds)
{
	process_main(leaf_c, heap(), rounds, code);
	sink++;
}

typedef void way(long);
static way *const ways[] = { way_a, way_b, way_c };

/* Where process_main returns to. */
static long
behind_call(way *f)
{
	for (const char *p = (const char *)(uintptr_t)f; ; p++) {
		int32_t to;

		memcpy(&to, p + 1, 4);
		if (*p == (char)0xe8 && p + 5 + to == (const char *)(uintptr_t)process_main)
			return (long)(uintptr_t)(p + 5);
	}
}

/* Leaves return addresses on the stack, where the frame of the code will be. */
KEPT static void
litter(unsigned depth)
{
	long room[64];

	for (unsigned i = 0; i < 64; i++)
		room[i] = behind_call(ways[i % 3]);
	__asm__ volatile("" :: "r"(room) : "memory");
	if (depth)
		litter(depth - 1);
	sink++;
}

static void *
thread(void *arg)
{
	const char *name = arg;
	long rounds = strcmp(name, "a1") ? 1 << 30 : 200;

	prctl(PR_SET_NAME, name);
	if (!strcmp(name, "old"))
		litter(20);
	ways[*name == 'o' ? 0 : *name - 'a'](rounds);
	return NULL;
}

int
main(int argc, char **argv)
{
	size_t n = (size_t)(switched_end - switched);
	pthread_t first, other;

	code = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	memcpy(code, switched, n);
	pthread_create(&first, NULL, thread, "a1");
	pthread_join(first, NULL);
	pthread_create(&first, NULL, thread, "c");
	pthread_create(&other, NULL, thread, "b");
	pthread_create(&other, NULL, thread, "a");
	pthread_create(&other, NULL, thread, "old");
	usleep((useconds_t)(1e6 * (argc > 1 ? atof(argv[1]) : 1)));
	_exit(0);
}

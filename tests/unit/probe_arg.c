/* Arguments at probes: perf's words and those of USDT notes, and their values at a sample. */
#include "test.h"
#include "sample/events/probe_arg.c"

enum { SP = 0x7000 };

static uint64_t reg[40];
static uint8_t stack[32] = { 1, 2, 3, 4, 5, 6, 7, 8, 0xfe, 0xff, 0xff, 0xff };

/* Memory: at each address above 0x9000 its own low byte, below 0x9040. */
static size_t
read_byte(void *ctx, uint64_t addr, void *to, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++) {
		if (addr + i < 0x9000 || addr + i >= 0x9040)
			return 0;
		((char *)to)[i] = addr + i < 0x9008 ? 0x10 : addr + i >= 0x9014 ? 0 : 'a';
	}
	return n;
}

static void
is(const char *text, const char *usdt, const char *says)
{
	struct probe_moment m = { .reg = reg, .nreg = 40, .stack_size = sizeof stack, .stack = stack, .read = read_byte };
	struct probe_arg a;
	char words[128] = "refused";

	if (!probe_arg_parse(&a, text, usdt, NULL))
		probe_arg_say(&a, &m, words, sizeof words);
	CHECK_STR(words, says);
}

/* The registers get their values by name, so that this runs on each machine. */
static void
set(const char *list, unsigned i, uint64_t v)
{
	for (; i; i--) {
		list += strcspn(list, " ");
		list += *list == ' ';
	}
	reg[register_of(list, strcspn(list, " "))] = v;
}

static void
perfs_words(void)
{
	if (!*perf_reg_words.args)
		return;
	reg[register_of("sp", 2)] = SP;
	set(perf_reg_words.args, 0, 0x9010);
	set(perf_reg_words.args, 1, 0x1ff);
	is("$arg2", NULL, "$arg2=0x1ff");
	is("n=$arg2:u8", NULL, "n=255");
	is("n=$arg2:s8", NULL, "n=-1");
	is("n=$arg2:x32", NULL, "n=0x1ff");
	is("n=+0(%sp):u32", NULL, "n=67305985");
	is("n=+8(%sp):s32", NULL, "n=-2");
	is("s=+0($arg1):string", NULL, "s=\"aaaa\"");
	is("s=-8($arg1):string", NULL, "s=\"aaaaaaaaaaaa\"");
	is("n=+0($arg2):u8", NULL, "n=?");
	/* What lies below sp was overwritten by the time that prof can read it. */
	reg[register_of("sp", 2)] = 0x9018;
	is("n=-1(%sp):u8", NULL, "n=?");
	is("n=-8($arg1):u8", NULL, "n=?");
	is("s=-8($arg1):string", NULL, "s=?");
	reg[register_of("sp", 2)] = 0x9100;
	is("n=-0x80($arg1):u8", NULL, "n=?");
	is("n=-8($arg1):u8", NULL, "n=97");
	reg[register_of("sp", 2)] = SP;
	is("n=+0x10(+0($arg2))", NULL, "n=?");
	is("n=$arg7", NULL, "refused");
	is("n=$arg0", NULL, "refused");
	is("n=%nothing", NULL, "refused");
	is("n=+8(%sp", NULL, "refused");
	is("n=%sp:u33", NULL, "refused");
	is("s=$arg1:string", NULL, "refused");
	is("n=+1(+1(+1(+1(+1(%sp)))))", NULL, "refused");
	is("arg1", NULL, "refused");
	is("", NULL, "refused");
	is("x=", NULL, "refused");
	is("%", NULL, "refused");
}

static void
notes_of_all_machines(void)
{
	char usdt[128];
	const char *first = perf_reg_words.names;

	reg[register_of("sp", 2)] = SP;
	reg[0] = 0xfffffffe;
	is("arg2", "8@%sp -4@$-5", "arg2=-5");
	is("arg1:u32", "4@#7", "arg1=7");
	is("arg2", "-4@[sp, 8] 8@sp", "arg2=28672");
	is("arg1", "-4@[sp, #8] 8@sp", "arg1=-2");
	is("arg1", "-4@8(%sp)", "arg1=-2");
	is("arg1", "1@0(sp)", "arg1=1");
	is("arg1", "8@0(%sp,%sp,8)", "refused");
	is("arg1", "8@name(%rip)", "refused");
	is("arg1", "16@%sp", "refused");
	is("arg3", "8@%sp 4@$5", "refused");
	is("arg1", "", "refused");
	snprintf(usdt, sizeof usdt, "-4@%.*s", (int)strcspn(first, " "), first);
	is("arg1", usdt, "arg1=-2");
}

static void
parts_of_x86s_registers(void)
{
	if (!perf_reg_words.parts)
		return;
	CHECK(register_of("rax", 3) == 0 && register_of("eax", 3) == 0 && register_of("ax", 2) == 0 && register_of("al", 2) == 0);
	CHECK(register_of("edi", 3) == register_of("rdi", 3) && register_of("dil", 3) == register_of("di", 2));
	CHECK(register_of("spl", 3) == register_of("sp", 2));
	CHECK(register_of("xmm0", 4) < 0 && register_of("r", 1) < 0 && register_of("l", 1) < 0);
}

int
main(void)
{
	RUN("probe_arg", perfs_words);
	RUN("probe_arg", notes_of_all_machines);
	RUN("probe_arg", parts_of_x86s_registers);
	return TEST_STATUS;
}

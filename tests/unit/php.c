/* A PHP process in memory, as PHP 8.2 lays it out.  Its frames are copied at the moment; its functions are read later, when they may be
 * gone or be other ones. */
#include "sym/language/php.c"
#include "lib/clock.h"
#include "test.h"

enum { BASE = 0x10000, SIZE = 0x8000, STACK = 0x200, FRAMES_AT = BASE + 0x1000, FUNCTIONS = BASE + 0x3000, CALLS = 4, LAST_LINE = 30 };
#define LATER UINT64_C(10000000000)   /* ns: what was read before these moments is read again */

static uint8_t image[SIZE], copy[LOOK_PIECE];
static uint64_t inner;         /* the innermost frame */
#include "image.h"

static uint64_t
string(const char *s)
{
	uint64_t addr = image_take(T_BYTES + strlen(s) + 1);

	put_word(addr + T_LENGTH, strlen(s));
	memcpy(image + (addr + T_BYTES - BASE), s, strlen(s));
	return addr;
}

/* Four instructions at lines LINE to LINE + 3. */
static uint64_t
instructions(uint32_t line)
{
	uint64_t addr = image_take(4 * INSTRUCTION);

	for (unsigned i = 0; i < 4; i++)
		put_word(addr + i * INSTRUCTION + I_LINE, line + i);
	return addr;
}

/* CODE 0: it is in C. */
static void
put_function(uint64_t addr, const char *name, uint64_t code, uint32_t line)
{
	memset(image + (addr - BASE), 0, FUNCTION);
	put_word(addr, code ? 2 : IN_C);
	put_word(addr + NAME, string(name));
	put_word(addr + LAST, code ? 4 : 0);
	put_word(addr + CODE, code);
	put_word(addr + FILE_NAME, string("/www/work.php"));
	put_word(addr + LINE, line | (uint64_t)LAST_LINE << 32);
}

static uint64_t
function(const char *name, uint64_t code, uint32_t line)
{
	uint64_t addr = image_take(FUNCTION);

	put_function(addr, name, code, line);
	return addr;
}

static void
frame(uint64_t of, uint64_t instruction, uint32_t info)
{
	uint64_t addr = inner + 64;

	put_word(addr + F_CODE, instruction);
	put_word(addr + F_FUNCTION, of);
	put_word(addr + F_INFO, info);
	put_word(addr + F_PREVIOUS, inner == FRAMES_AT + 512 ? 0 : inner);
	inner = addr;
	put_word(FRAMES_AT + G_FRAME, inner);   /* executor_globals lies in the same page */
}

/* ---- what prof finds ---- */

static struct modules modules;
static struct codes codes;
static struct space space;
static struct languages *languages;
static struct php_image of;
static struct php php;
static struct language_stack to;
static uint64_t reg[2], sp[CALLS + 1];
static uint32_t code[CALLS];
static struct moment moment;
static struct piece rest;
static uint64_t main_code, other_code, work_code, main_at, work_at, sort_at;

/* {main} calls work. */
static void
start(void)
{
	struct module *native;

	memset(image, 0, sizeof image);
	memset(copy, 0, sizeof copy);
	gone = false;
	top = FUNCTIONS;
	inner = FRAMES_AT + 512;
	modules_init(&modules);
	codes_init(&codes);
	languages = languages_new(&modules, &codes);
	native = module_word(&modules, "php");
	space_init(&space);
	space.read = read_image;
	of = (struct php_image){ .globals = FRAMES_AT, .lo = 100, .hi = 200, .frame = G_FRAME };
	php = (struct php){ 0 };
	begin(&php, &of, native, 0);
	for (unsigned i = 0; i < CALLS; i++) {
		code[i] = code_intern(&codes, native->id, i % 2 ? 100 + i / 2 : i);   /* frames 1 and 3 are execute_ex's */
		sp[i] = BASE + i * (STACK / CALLS);
	}
	sp[CALLS] = BASE + STACK;
	rest = (struct piece){ FRAMES_AT, LOOK_PIECE, copy };
	moment = (struct moment){ .space = &space, .tid = 7, .time = clock_now() + LATER, .reg = reg, .nreg = 2, .code = code, .sp = sp, .n = CALLS,
	                          .stack = { BASE, STACK, image }, .rest = { &rest, 1 }, .whole = true };
	reg[0] = reg[1] = 0;
	main_code = instructions(1);
	work_code = instructions(11);
	other_code = instructions(21);
	main_at = function("main", main_code, 1);
	work_at = function("work", work_code, 11);
	sort_at = function("usort", 0, 0);
	frame(main_at, main_code + INSTRUCTION, ENTRY);
	frame(work_at, work_code + 2 * INSTRUCTION, 0);
}

static void
stop(void)
{
	done(&php);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
}

/* A sample. */
static void
copy_frames(void)
{
	memcpy(copy, image + (FRAMES_AT - BASE), sizeof copy);
}

static void
ask(uint64_t after)
{
	moment.time += after;
	to = (struct language_stack){ .n = 0 };
	frames(&php, languages, &moment, &to);
}

static void
check_frame(uint32_t i, const char *what, uint32_t in_line)
{
	uint32_t line = 0;
	const struct code *c = i < to.n ? &codes.code[to.frame[i].code] : NULL;
	const struct module *m = c ? modules.module[c->module] : NULL;
	const struct language_function *f = m && m->kind == MODULE_LANGUAGE ? language_function(m, c->vaddr, &line) : NULL;

	CHECK_STR(!m ? "none" : f ? f->name : m->path, what);
	CHECK_U64(line, in_line);
}

static void
functions_and_their_lines(void)
{
	start();
	frame(sort_at, other_code, 0);
	frame(function("less", other_code, 21), other_code + INSTRUCTION, ENTRY);
	copy_frames();
	ask(0);
	CHECK_U64(to.n, 4);
	check_frame(0, "work.php:less", 22);
	check_frame(1, "usort", 0);
	check_frame(2, "work.php:work", 13);
	check_frame(3, "work.php:main", 2);
	CHECK(!to.doubtful && !to.late);
	stop();
}

/* usort's frame has the instruction of `less`, whose frame was there before. */
static void
a_function_in_c_has_its_own_name_after_the_end(void)
{
	start();
	frame(function("less", other_code, 21), other_code, 0);
	copy_frames();
	ask(0);
	check_frame(0, "work.php:less", 21);
	inner -= 64;
	frame(sort_at, other_code, 0);
	copy_frames();
	gone = true;
	ask(2000000);
	check_frame(0, "[php?]", 0);
	check_frame(1, "work.php:work", 11);   /* its instructions are gone, too */
	gone = false;
	ask(2000000);
	check_frame(0, "usort", 0);
	gone = true;
	ask(2000000);
	CHECK_U64(to.n, 3);
	check_frame(0, "usort", 0);
	stop();
}

static void
a_function_that_has_called_nothing_has_no_instruction(void)
{
	start();
	frame(function("less", other_code, 21), other_code, 0);
	copy_frames();
	ask(0);
	inner -= 64;
	frame(function("more", instructions(25), 25), other_code, 0);
	copy_frames();
	ask(2000000);
	check_frame(0, "work.php:more", 25);
	stop();
}

/* Where a closure was, there is another one. */
static void
the_instruction_tells_which_closure_called(void)
{
	uint64_t closure;

	start();
	closure = function("{closure}", other_code, 21);
	frame(closure, other_code + INSTRUCTION, CLOSURE);
	frame(work_at, work_code + INSTRUCTION, 0);
	copy_frames();
	ask(0);
	check_frame(0, "work.php:work", 12);
	check_frame(1, "work.php:{closure}", 22);
	put_function(closure, "{closure}", instructions(25), 25);
	ask(2000000);
	check_frame(1, "work.php:{closure}", 22);
	inner -= 64;   /* it may have called nothing: then the instruction may be of a function that was there before */
	put_word(FRAMES_AT + G_FRAME, inner);
	copy_frames();
	ask(2000000);
	CHECK_U64(to.n, 3);
	check_frame(0, "[php?]", 0);
	check_frame(1, "work.php:work", 13);
	CHECK(to.doubtful == 1);
	reg[0] = other_code + 2 * INSTRUCTION;   /* of another frame, that begins or ends */
	ask(2000000);
	check_frame(0, "[php?]", 0);
	reg[1] = inner;
	ask(2000000);
	check_frame(0, "work.php:{closure}", 23);
	reg[0] = reg[1] = 0;
	frame(closure, other_code + INSTRUCTION, CLOSURE | ENTRY);   /* what execute_ex is entered with has its own */
	copy_frames();
	ask(2000000);
	check_frame(0, "work.php:{closure}", 22);
	stop();
}

/* As at the end of a request, where the next one has other functions. */
static void
a_function_without_an_instruction_is_sure_where_no_other_one_was(void)
{
	uint64_t less;

	start();
	less = function("less", other_code, 21);
	frame(less, work_code, 0);
	copy_frames();
	ask(0);
	check_frame(0, "work.php:less", 21);
	put_function(less, "more", instructions(25), 25);
	ask(2000000);
	check_frame(0, "[php?]", 0);
	ask(ALONE);
	check_frame(0, "work.php:more", 25);
	stop();
}

static void
the_scripts_own_code_stays(void)
{
	start();
	inner = FRAMES_AT + 512;
	frame(main_at, main_code + INSTRUCTION, FILE_CODE | ENTRY);
	copy_frames();
	ask(0);
	check_frame(0, "work.php:main", 2);
	put_function(main_at, "other", main_code, 1);   /* the next request's */
	ask(2000000);
	check_frame(0, "[php?]", 0);
	stop();
}

/* Files that are run in turns at the same place. */
static void
a_files_own_code_is_sure_where_no_other_one_was(void)
{
	uint64_t file;

	start();
	file = function("", other_code, 21);
	put_word(file + NAME, 0);
	frame(file, other_code + INSTRUCTION, FILE_CODE);
	copy_frames();
	ask(0);
	check_frame(0, "[php?]", 0);
	ask(ALONE);
	check_frame(0, "work.php:{main}", 22);
	put_word(file + FILE_NAME, string("/www/else.php"));
	ask(2000000);
	check_frame(0, "[php?]", 0);
	check_frame(1, "work.php:work", 13);
	stop();
}

/* `trim(...)`, whose frame has an instruction of a function in PHP, and another callable there in turns. */
static void
a_callable_is_sure_where_no_other_one_was(void)
{
	uint64_t callable;

	start();
	callable = function("trim", 0, 0);
	frame(callable, work_code, CLOSURE | FAKE);
	copy_frames();
	ask(0);
	check_frame(0, "[php?]", 0);
	ask(ALONE);
	CHECK_U64(to.n, 3);
	check_frame(0, "trim", 0);
	check_frame(1, "work.php:work", 13);
	put_function(callable, "strrev", 0, 0);
	ask(2000000);
	check_frame(0, "[php?]", 0);
	put_function(callable, "work", work_code, 11);
	ask(ALONE - 1);
	check_frame(0, "[php?]", 0);
	moment.still = true;   /* then it is there */
	ask(1);
	check_frame(0, "work.php:work", 11);
	stop();
}

int
main(void)
{
	RUN("php", functions_and_their_lines);
	RUN("php", a_function_in_c_has_its_own_name_after_the_end);
	RUN("php", a_function_that_has_called_nothing_has_no_instruction);
	RUN("php", the_instruction_tells_which_closure_called);
	RUN("php", a_function_without_an_instruction_is_sure_where_no_other_one_was);
	RUN("php", the_scripts_own_code_stays);
	RUN("php", a_files_own_code_is_sure_where_no_other_one_was);
	RUN("php", a_callable_is_sure_where_no_other_one_was);
	return TEST_STATUS;
}

/* A Ruby process in memory, as Ruby 3.1 and 3.3 lay it out: what its threads run, by name, class and line, and where in the native stack. */
#include "sym/language/ruby.c"
#include "lib/clock.h"
#include "test.h"

#include <unistd.h>

enum { BASE = 0x10000, SIZE = 0x80000, STACK = 0x200, CALLS = 4, WORDS = 96, DEEP = 2500, IDS = 64, LONG = 600 };
enum { ID_EACH = 50 << 4, ID_CLASSPATH = 51 << 4, ID_ATTACHED = 52 << 4 };

static uint8_t image[SIZE];
static uint64_t vm_stack, values, cfp, context, thread, ids, main_iseq, method_iseq, method_entry, block_iseq, each;
static const uint8_t *at;
static unsigned minor, words = WORDS;

static const uint8_t of_3_1[RB_MEMBERS] = { 40, 144, 64, 120, 176, 0, 0, 12, 0 }, of_3_3[RB_MEMBERS] = { 48, 152, 56, 112, 168, 152, 128, 12, 1 };

#include "image.h"

static uint64_t
string(const char *text)
{
	uint64_t n = strlen(text), addr = image_take(minor == 1 ? 40 : 24 + n), bytes;

	if (minor == 3) {
		put_word(addr, RUBY_STRING);
		put_word(addr + 16, n);
		bytes = addr + 24;
	} else if (n < 24) {
		put_word(addr, RUBY_STRING | n << 14);
		bytes = addr + 16;
	} else {
		bytes = image_take(n);
		put_word(addr, RUBY_STRING | 1 << 13);
		put_word(addr + 16, n);
		put_word(addr + 24, bytes);
	}
	memcpy(image + (bytes - BASE), text, n);
	return addr;
}

static void
name_id(uint64_t id, const char *text)
{
	put_word(ids + (id > 169 ? id >> 4 : id) * 16, string(text));
}

/* A class whose variable ID, or member at OFF, is V. */
static uint64_t
class_with(uint64_t flags, uint64_t id, uint64_t off, uint64_t v)
{
	uint64_t addr = image_take(160), extension, table, entry;

	put_word(addr, flags);
	if (minor == 3) {
		put_word(addr + off, v);
		return addr;
	}
	extension = image_take(16);
	table = image_take(56);
	entry = image_take(24);
	put_word(addr + 24, extension);
	put_word(extension + 8, table);
	put_word(table + 40, 1);
	put_word(table + 48, entry);
	put_word(entry + 8, id);
	put_word(entry + 16, v);
	return addr;
}

static uint64_t
class(const char *name)
{
	return class_with(RUBY_CLASS, ID_CLASSPATH, 152, string(name));
}

/* An iseq of 8 words, with lines 11 at word 0 and 12 at word 4; LOCAL 0: itself. */
static uint64_t
iseq(const char *label, const char *base, uint64_t path, uint32_t type, uint64_t local)
{
	static const uint32_t entries[][3] = { { 11, 0, 0 }, { 12, 0, 0 } };
	uint64_t addr = image_take(40), body = image_take(192), words = image_take(64), table = image_take(sizeof entries), positions = image_take(8);

	put_word(addr, RUBY_INTERNAL | RUBY_ISEQ << 12);
	put_word(addr + RB_ISEQ_BODY, body);
	put_word(body, type | UINT64_C(8) << 32);
	put_word(body + RB_B_CODE, words);
	put_word(body + RB_B_PATH, path);
	put_word(body + RB_B_BASE_LABEL, string(base));
	put_word(body + RB_B_LABEL, string(label));
	put_word(body + RB_B_LINE, minor == 1 ? 10 << 1 | 1 : 10);
	put_word(body + at[RB_B_LOCAL], local ? local : addr);
	put_word(body + at[RB_B_INFO], table);
	put_word(body + at[RB_B_INFO] + 16, 2);
	put_word(body + at[RB_B_INFO] + 24, positions);
	memcpy(image + (table - BASE), entries, sizeof entries);
	put_word(positions, UINT64_C(0x02) << 28 | UINT64_C(0x02) << 35 | UINT64_C(0x02) << 42 | UINT64_C(0x02) << 49 | 1 | 1 << 7 | 1 << 14 | 1 << 21);
	return addr;
}

static uint64_t
method(uint64_t id, uint64_t of, uint64_t owner)
{
	uint64_t addr = image_take(40), def = image_take(16);

	put_word(addr, RUBY_INTERNAL | RUBY_METHOD << 12);
	put_word(addr + RB_M_DEF, def);
	put_word(addr + RB_M_ID, id);
	put_word(addr + RB_M_OWNER, owner);
	put_word(def, of ? 0 : 1);
	put_word(def + RB_DEF_ISEQ, of);
	return addr;
}

/* A frame further in; returns its environment.  AROUND: the environment around it, 0: it is a method's own. */
static uint64_t
frame(uint64_t flags, uint64_t of, uint64_t word, uint64_t entry, uint64_t around)
{
	uint64_t ep = values + 16, body = 0, code = 0;

	values += 32;
	put_word(ep - 16, entry);
	put_word(ep - 8, around | (around ? 1 : 0));
	put_word(ep, flags | MAGIC_ONE | (around ? 0 : 2));
	if (of) {
		memcpy(&body, image + (of + RB_ISEQ_BODY - BASE), 8);
		memcpy(&code, image + (body + RB_B_CODE - BASE), 8);
	}
	cfp -= at[RB_F_SIZE];
	put_word(cfp + RB_F_PC, code + 8 * word);
	put_word(cfp + RB_F_SP, values);
	put_word(cfp + RB_F_ISEQ, of);
	put_word(cfp + RB_F_EP, ep);
	put_word(context + RB_EC_FRAME, cfp);
	return ep;
}

/* <main> calls K#inner, and this Array#each with a block. */
static void
build(unsigned version)
{
	uint64_t vm, head, pairs, array, hash, path, ep, own;

	minor = version;
	at = minor == 1 ? of_3_1 : of_3_3;
	memset(image, 0, sizeof image);
	top = BASE + STACK;
	pairs = image_take(8);
	vm = image_take(48);
	put_word(pairs, vm);
	thread = image_take(56);
	head = image_take(40);
	context = image_take(200);
	put_word(vm + RB_VM_MAIN_THREAD, thread);
	put_word(thread, head);
	put_word(head, thread);
	put_word(thread + RB_T_VM, vm);
	put_word(thread + at[RB_T_EC], context);
	put_word(context + RB_EC_VM_SIZE, words);
	put_word(context + at[RB_EC_STACK], BASE + STACK - 16);
	put_word(context + at[RB_EC_STACK] + 16, 0x1000);
	pairs = image_take(32);   /* the table of identifiers */
	array = image_take(24);
	hash = image_take(8);
	ids = image_take(16 * IDS);
	own = image_take(40);
	put_word(pairs, 1000);
	put_word(pairs + 8, hash);
	put_word(pairs + 16, array);
	put_word(pairs + 24, hash);
	put_word(array, RUBY_ARRAY | 1 << 13 | 1 << 15);
	put_word(array + 16, own);
	put_word(hash, RUBY_HASH);
	put_word(own, RUBY_ARRAY);
	put_word(own + 16, 2 * IDS);
	put_word(own + 32, ids);
	name_id('+', "+");
	name_id(ID_EACH, "each");
	name_id(ID_CLASSPATH, "__classpath__");
	name_id(ID_ATTACHED, "__attached__");
	vm_stack = image_take(8 * words);
	put_word(context, vm_stack);
	values = vm_stack;
	cfp = vm_stack + 8 * words;
	path = string("/home/somebody/a_long_way/work.rb");
	frame(DUMMY | FINISH, 0, 0, 0, 0);
	main_iseq = iseq("<main>", "<main>", path, 8, 0);
	frame(0x77770000 | FINISH, main_iseq, 2, 0, 0);
	method_iseq = iseq("inner", "inner", path, 1, 0);
	method_entry = method(ID_EACH, method_iseq, class("K"));
	ep = frame(0x11110000, method_iseq, 6, method_entry, 0);
	each = method(ID_EACH, 0, class_with(RUBY_CLASS | 1 << 12, ID_ATTACHED, 128, class("Array")));
	frame(CFUNC | 0x80, 0, 0, each, 0);
	block_iseq = iseq("block in inner", "inner", path, 2, method_iseq);
	frame(0x22220000 | FINISH, block_iseq, 1, 0, ep);
}

/* ---- what prof finds ---- */

static struct modules modules;
static struct codes codes;
static struct space space;
static struct languages *languages;
static struct ruby_image of;
static struct ruby ruby;
static struct module *native;
static struct language_stack to;
static uint64_t reg[1], sp[CALLS + 1];
static uint32_t code[CALLS];
static struct moment moment;

static void
start(unsigned version)
{
	build(version);
	modules_init(&modules);
	codes_init(&codes);
	languages = languages_new(&modules, &codes);
	native = module_word(&modules, "ruby");
	space_init(&space);
	space.read = read_image;
	of = (struct ruby_image){ .modules = &modules, .vm = BASE + STACK, .data = { BASE + STACK, BASE + SIZE }, .at = at, .minor = (uint8_t)minor };
	ruby = (struct ruby){ 0 };
	begin(&ruby, &of, native, 0);
	ruby.core = (struct ruby_range){ 100, 102 };   /* frames 1 and 3 */
	for (unsigned i = 0; i < CALLS; i++) {
		code[i] = code_intern(&codes, native->id, i % 2 ? 100 + i / 2 : i);
		sp[i] = BASE + i * (STACK / CALLS);
	}
	sp[CALLS] = BASE + STACK;
	moment = (struct moment){ .space = &space, .tid = 7, .time = clock_now() - UINT64_C(1000000000), .reg = reg, .nreg = 1, .code = code, .sp = sp, .n = CALLS,
	                          .stack = { BASE, STACK, image }, .whole = true, .still = true };
	reg[0] = 0;
}

static void
stop(void)
{
	done(&ruby);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
}

static void
ask_again(void)
{
	to = (struct language_stack){ .n = 0 };
	frames(&ruby, languages, &moment, &to);
}

static const char *
name(uint32_t i, uint32_t *line)
{
	const struct code *c = &codes.code[to.frame[i].code];
	const struct module *m = modules.module[c->module];
	const struct language_function *f = m->kind == MODULE_LANGUAGE ? language_function(m, c->vaddr, line) : NULL;

	return i >= to.n ? "none" : f ? f->name : m->path;
}

static void
check_frame(uint32_t i, const char *what, uint32_t in_line, unsigned in_native)
{
	uint32_t line = 0;

	CHECK_STR(name(i, &line), what);
	CHECK_U64(line, in_line);
	CHECK_U64(to.frame[i].entry, sp[in_native]);
}

static void
check_all(unsigned version)
{
	start(version);
	ask_again();
	CHECK_U64(to.n, 4);
	check_frame(0, "work.rb:block in K#inner", 11, 1);
	check_frame(1, "Array.each", 0, 3);
	check_frame(2, "work.rb:K#inner", 12, 3);
	check_frame(3, "work.rb:<main>", 11, 3);
	CHECK_U64(to.doubtful, 0);
	CHECK(!to.late && to.at == context + RB_EC_FRAME && to.then == vm_stack && to.back == vm_stack + 8 * WORDS);
	stop();
}

static void
frames_of_3_1(void)
{
	check_all(1);
}

static void
frames_of_3_3(void)
{
	check_all(3);
}

static void
what_was_not_copied_is_in_doubt_until_it_stays(void)
{
	start(1);
	moment.still = false;
	ask_again();
	CHECK_U64(to.n, 2);
	check_frame(0, "[ruby?]", 0, 1);
	check_frame(1, "[ruby?]", 0, 3);
	CHECK(to.late && to.doubtful == 1);
	for (unsigned i = 0; i < 20; i++, moment.time += 3000000) {   /* a sample from before prof looked first */
		usleep(3000);
		ask_again();
		CHECK_U64(to.n, 2);
	}
	moment.time = clock_now();
	ask_again();
	CHECK_U64(to.n, 4);
	check_frame(3, "work.rb:<main>", 11, 3);
	stop();
}

static void
a_register_tells_the_innermost_function_and_its_line(void)
{
	uint64_t body, words;

	start(1);
	moment.still = false;
	moment.sp++;   /* the interpreter itself was interrupted */
	moment.code++;
	moment.n--;
	moment.stack = (struct piece){ sp[1], BASE + STACK - sp[1], image + (sp[1] - BASE) };
	memcpy(&body, image + (block_iseq + RB_ISEQ_BODY - BASE), 8);
	memcpy(&words, image + (body + RB_B_CODE - BASE), 8);
	reg[0] = words + 8 * 6;
	ask_again();
	check_frame(0, "work.rb:block in K#inner", 12, 1);
	check_frame(1, "[ruby?]", 0, 1);
	check_frame(2, "[ruby?]", 0, 3);
	stop();
}

/* The block has a frame, but the interpreter has not begun to run it. */
static void
an_entry_may_have_just_begun(void)
{
	start(1);
	code[1] = code_intern(&codes, native->id, 50);
	ask_again();
	CHECK_U64(to.n, 3);
	check_frame(0, "Array.each", 0, 3);
	check_frame(2, "work.rb:<main>", 11, 3);
	CHECK_U64(to.doubtful, 0);
	stop();
}

static void
calls_without_entries_are_in_doubt(void)
{
	start(1);
	ruby.core = (struct ruby_range){ 0, 200 };   /* four calls for two entries */
	ask_again();
	CHECK(to.doubtful && to.n >= 4);
	for (uint32_t i = 0; i + 1 < to.n; i++)
		CHECK(to.frame[i].entry <= to.frame[i + 1].entry);
	stop();
}

static void
a_function_that_is_gone_is_one_frame(void)
{
	start(1);
	put_word(method_iseq, RUBY_STRING);
	ask_again();
	CHECK_U64(to.n, 4);
	check_frame(2, "[ruby?]", 0, 3);
	check_frame(3, "work.rb:<main>", 11, 3);
	CHECK(to.doubtful && to.late);
	stop();
}

static void
a_function_in_c_that_is_gone_is_one_frame(void)
{
	start(1);
	put_word(each, RUBY_STRING);
	ask_again();
	CHECK_U64(to.n, 4);
	check_frame(1, "[ruby?]", 0, 3);
	check_frame(2, "work.rb:K#inner", 12, 3);
	CHECK(to.doubtful && to.late);
	moment.still = false;   /* nor was its frame copied */
	ask_again();
	check_frame(1, "[ruby?]", 0, 3);
	CHECK_U64(to.n, 2);
	stop();
}

/* Its memory, its instructions' too, is another function's soon after. */
static void
a_function_that_gives_way_has_the_new_name(void)
{
	uint64_t body, words_at, path;

	start(1);
	ask_again();
	check_frame(2, "work.rb:K#inner", 12, 3);
	memcpy(&body, image + (method_iseq + RB_ISEQ_BODY - BASE), 8);
	memcpy(&words_at, image + (body + RB_B_CODE - BASE), 8);
	memcpy(&path, image + (body + RB_B_PATH - BASE), 8);
	memcpy(&body, image + (iseq("fresh", "fresh", path, 0, 0) + RB_ISEQ_BODY - BASE), 8);
	put_word(body + RB_B_CODE, words_at);
	put_word(method_iseq + RB_ISEQ_BODY, body);
	usleep(1100);   /* what was read is too old */
	moment.time += UINT64_C(1000000);
	ask_again();
	CHECK_U64(to.n, 4);
	check_frame(2, "work.rb:fresh", 12, 3);
	stop();
}

static void
a_method_without_a_base_label_has_no_class(void)
{
	uint64_t body;

	start(1);
	memcpy(&body, image + (method_iseq + RB_ISEQ_BODY - BASE), 8);
	put_word(body + RB_B_BASE_LABEL, 0);
	for (unsigned i = 0; i < 20; i++, moment.time += 1000000) {
		ask_again();
		check_frame(2, "[ruby?]", 0, 3);   /* samples that are read together are one try */
	}
	for (unsigned i = 0; i < 10; i++, moment.time += 1000000) {
		usleep(11000);
		ask_again();
		if (i < 3)
			check_frame(2, "[ruby?]", 0, 3);
	}
	check_frame(2, "work.rb:inner", 12, 3);
	stop();
}

static void
samples_that_may_read_no_more_do_not_look_for_identifiers(void)
{
	static struct look look;
	char text[RUBY_TEXT_MOST];

	start(1);
	for (unsigned i = 0; i <= RUBY_TRIES_MOST; i++) {
		look_begin(&look, &moment, 0);
		CHECK(!ruby_id_text(&ruby.codes.ids, &look, ID_EACH, text));
	}
	look_begin(&look, &moment, READS);
	CHECK(ruby_id_text(&ruby.codes.ids, &look, ID_EACH, text));
	CHECK_STR(text, "each");
	stop();
}

/* Whoever counts from the outermost entry would count wrong. */
static void
what_lies_within_an_unreadable_frame_is_in_its_call(void)
{
	start(1);
	put_word(cfp + 3 * at[RB_F_SIZE] + RB_F_EP, BASE - 64);   /* <main> */
	ask_again();
	check_frame(0, "work.rb:block in K#inner", 11, 1);
	check_frame(1, "Array.each", 0, 3);
	check_frame(2, "work.rb:K#inner", 12, 3);
	check_frame(3, "[ruby?]", 0, 3);
	CHECK_U64(to.n, 4);
	CHECK_U64(to.doubtful, 1);
	stop();
}

static void
the_innermost_frames_of_a_deep_stack_are_shown(void)
{
	words = 13 * DEEP;
	start(1);
	words = WORDS;
	for (unsigned i = 0; i < DEEP; i++)
		frame(0x11110000, method_iseq, 6, method_entry, 0);
	ask_again();
	CHECK_U64(to.n, LANGUAGE_FRAMES);
	check_frame(0, "work.rb:K#inner", 12, 1);
	check_frame(LANGUAGE_FRAMES - 2, "work.rb:K#inner", 12, 1);
	CHECK_STR(name(LANGUAGE_FRAMES - 1, &(uint32_t){ 0 }), "[ruby?]");
	CHECK(to.doubtful);
	stop();
}

static void
another_c_stack_is_another_threads(void)
{
	start(1);
	put_word(context + at[RB_EC_STACK], BASE + STACK + 0x100000);   /* a fiber that has been left */
	ask_again();
	CHECK_U64(to.n, 2);
	check_frame(0, "[ruby?]", 0, 1);
	CHECK(to.late);
	stop();
}

/* The variable has no symbol. */
static void
the_vm_is_found_without_a_symbol(void)
{
	start(3);
	of.vm = 0;
	of.bss = (struct ruby_range){ BASE + STACK, BASE + STACK + 64 };
	ask_again();
	CHECK_U64(to.n, 4);
	stop();
}

static void
the_vm_is_not_looked_for_for_ever(void)
{
	start(3);
	of.vm = 0;
	of.bss = (struct ruby_range){ BASE, UINT64_MAX };
	put_word(thread + RB_T_VM, 0);
	reads = 0;
	for (unsigned i = 0; i < 200; i++, moment.time += UINT64_C(60000000000))
		ask_again();
	CHECK(reads > 8 && reads < 200000);
	CHECK_U64(to.n, 2);
	check_frame(0, "[ruby?]", 0, 1);
	stop();
}

/* Which of two threads is one changes all the time, and the list of threads goes in a circle. */
static void
threads_are_not_looked_for_for_ever(void)
{
	enum { PAGES = 32, SAMPLES = 100 };
	uint64_t vm, other, list[PAGES];

	start(1);
	moment.still = false;
	memcpy(&vm, image + (thread + RB_T_VM - BASE), 8);
	other = image_take(56);
	memcpy(image + (other - BASE), image + (thread - BASE), 56);
	for (unsigned i = 0; i < PAGES; i++)
		list[i] = image_take(4096);
	for (unsigned i = 0; i < PAGES; i++)
		put_word(list[i] + RB_T_NEXT, list[(i + 1) % PAGES]);
	put_word(thread + RB_T_NEXT, other);
	put_word(other + RB_T_NEXT, list[0]);
	reads = 0;
	ruby.allowance = (struct allowance){ moment.time, ALLOWANCE_MOST };   /* the shared one is enough for many threads at once */
	ask_again();
	CHECK(to.n == 2 && ruby.n == 1);
	CHECK(languages_may_search(languages, &ruby.allowance, moment.time, ALLOWANCE_SHARED));
	ruby.allowance.spent = reads = 0;
	for (unsigned i = 0; i < SAMPLES; i++, moment.time += UINT64_C(1000000)) {
		put_word(thread + RB_T_VM, i % 2 ? 0 : vm);
		put_word(other + RB_T_VM, i % 2 ? vm : 0);
		put_word(vm + RB_VM_MAIN_THREAD, i % 2 ? other : thread);
		usleep(1100);   /* what was read is too old */
		ask_again();
	}
	CHECK(reads > THREADS && reads < 2 * ALLOWANCE_MOST + 2 * SAMPLES * (1000000 / ALLOWANCE_EACH));
	stop();
}

static void
the_vm_is_looked_for_in_few_processes_at_a_time(void)
{
	enum { PROCESSES = 30 };
	static struct ruby none;

	start(3);
	of.vm = 0;
	of.bss = (struct ruby_range){ BASE, BASE + SIZE };
	put_word(thread + RB_T_VM, 0);
	for (uint64_t i = 0; top + 8 < BASE + SIZE; i++)
		put_word(image_take(8), BASE + i * 7919 * 8 % SIZE);
	reads = 0;
	for (unsigned i = 0; i < PROCESSES; i++) {
		done(&ruby);
		ruby = none;
		begin(&ruby, &of, native, 0);
		ask_again();
	}
	CHECK(reads > 1000 && reads < 2 * ALLOWANCE_MOST);
	stop();
}

/* A thread that ends leaves its memory to the next one. */
static void
threads_that_ended_take_no_memory(void)
{
	start(1);
	for (unsigned i = 0; i < 100; i++, moment.tid++, moment.time += 3000000) {
		ask_again();
		CHECK_U64(to.n, 4);
	}
	CHECK_U64(ruby.n, 1);
	moment.still = false;
	for (unsigned i = 0; i < 100 && to.n != 4; i++) {
		usleep(3000);
		moment.time = clock_now();
		ask_again();
	}
	CHECK_U64(to.n, 4);
	moment.tid++;   /* of this one nothing has lasted */
	ask_again();
	CHECK_U64(to.n, 2);
	CHECK(vec_room(&ruby.thread, &ruby.cap, THREADS, sizeof *ruby.thread));
	for (ruby.n = 0; ruby.n < THREADS; ruby.n++)
		ruby.thread[ruby.n] = (struct ruby_thread){ .tid = 1000 + (int32_t)ruby.n, .at = 1 };
	ask_again();
	CHECK_U64(ruby.n, THREADS);
	CHECK_U64(ruby.thread[0].tid, (uint64_t)moment.tid);
	stop();
}

static void
frames_that_lie_end(void)
{
	for (unsigned i = 0; i < 6; i++) {
		start(1);
		if (i == 0)
			put_word(context + RB_EC_FRAME, UINT64_MAX - 7);
		if (i == 1)
			put_word(context + RB_EC_VM_SIZE, UINT64_MAX / 8);
		if (i == 2)
			put_word(cfp + RB_F_EP, BASE - 64);
		if (i == 3)
			put_word(cfp + RB_F_ISEQ, UINT64_MAX - 7);
		if (i == 4)
			put_word(thread, thread + 8);
		if (i == 5)
			put_word(cfp + RB_F_PC, UINT64_MAX - 7);
		ask_again();
		CHECK(to.n <= LANGUAGE_FRAMES);
		CHECK(i == 4 || to.doubtful);
		stop();
	}
}

/* ---- lines ---- */

/* As Ruby lays it out: an entry at each word of AT. */
static void
lay_out(uint8_t *table, uint32_t size, const uint32_t *where, uint32_t n)
{
	uint64_t w[32] = { 0 };
	uint32_t r = 0, rank = 0, block = 0;

	for (uint32_t i = 0; i < size; i++) {
		uint32_t in = i - 54, first = 6 + in / 512 * 10;

		r += r < n && where[r] == i;
		if (i < 54) {
			w[i / 9] |= (uint64_t)r << 7 * (i % 9);
			continue;
		}
		if (in % 512 == 0) {
			block = r - (r && where[r - 1] == i);
			w[first] = block;
		}
		if (in % 64 == 0 && in % 512)
			w[first + 1] |= (uint64_t)(rank - block) << 9 * (in % 512 / 64 - 1);
		if (r && where[r - 1] == i)
			w[first + 2 + in % 512 / 64] |= UINT64_C(1) << in % 64;
		rank = r;
	}
	memcpy(table, w, sizeof w);
}

static void
lines_of_long_functions(void)
{
	static const uint32_t where[] = { 0, 3, 53, 54, 55, 117, 118, 565, 566, 599 };
	enum { N = sizeof where / sizeof *where };
	uint32_t entries[N][3] = { 0 };
	uint8_t table[256], lines[N * RUBY_LINES_ITEM];
	struct language_function f = { .line = 1, .lines = (const char *)lines };

	for (uint32_t i = 0; i < N; i++)
		entries[i][0] = 100 + i;
	lay_out(table, LONG, where, N);
	CHECK_U64(ruby_lines_positions(LONG), 48 + 2 * 80);
	f.nlines = ruby_lines(table, LONG, (const uint8_t *)entries, N, lines);
	CHECK_U64(f.nlines, N * RUBY_LINES_ITEM);
	for (uint32_t i = 0, k = 0; i < LONG; i++) {
		k += k + 1 < N && where[k + 1] == i;
		CHECK_U64(ruby_line(&f, i), 100 + k);
	}
	CHECK_U64(ruby_lines_positions(0), 0);
	CHECK_U64(ruby_lines_positions(UINT32_MAX), 0);
	CHECK_U64(ruby_lines_positions(1), 8);
	memset(table, 0xff, sizeof table);
	CHECK(ruby_lines(table, LONG, (const uint8_t *)entries, N, lines) <= sizeof lines);
}

/* From a thread that prof has found it learns where all threads have the word; then it needs to find none any more. */
static void
the_word_of_all_threads_is_learned(void)
{
	uint64_t pointer;

	start(1);
	pointer = image_take(128) + 128;
	moment.pointer = pointer;
	ask_again();
	CHECK_U64(to.tls, 0);
	put_word(pointer - 40, context);
	usleep(1100);   /* what was read is too old */
	moment.time += UINT64_C(1000000000);
	ask_again();
	CHECK_U64(to.tls, -UINT64_C(40));
	put_word(pointer - 40, 0);   /* it may have changed since the moment */
	moment.time += UINT64_C(1000000000);
	ask_again();
	CHECK_U64(to.tls, -UINT64_C(40));
	stop();
}

static void
a_new_thread_is_where_the_sampler_found_it(void)
{
	static uint8_t page[2 * 4096];
	const uint64_t lo = context & ~UINT64_C(4095);
	struct piece copy = { .bytes = page };

	start(1);
	put_word(BASE + STACK, 0);   /* no thread can be found */
	ask_again();
	CHECK(to.doubtful);
	copy.lo = lo;
	copy.size = sizeof page;
	memcpy(page, image + (lo - BASE), sizeof page);
	moment.rest = (struct pieces){ &copy, 1 };
	moment.at = context + RB_EC_FRAME;
	ask_again();
	CHECK_U64(to.n, 4);
	check_frame(0, "work.rb:block in K#inner", 11, 1);
	CHECK_U64(to.doubtful, 0);
	moment.at = lo + 8;   /* no such thing */
	moment.tid++;
	ask_again();
	CHECK(to.doubtful);
	stop();
}

int
main(void)
{
	RUN("ruby", frames_of_3_1);
	RUN("ruby", frames_of_3_3);
	RUN("ruby", what_was_not_copied_is_in_doubt_until_it_stays);
	RUN("ruby", a_register_tells_the_innermost_function_and_its_line);
	RUN("ruby", an_entry_may_have_just_begun);
	RUN("ruby", calls_without_entries_are_in_doubt);
	RUN("ruby", a_function_that_is_gone_is_one_frame);
	RUN("ruby", a_function_in_c_that_is_gone_is_one_frame);
	RUN("ruby", a_function_that_gives_way_has_the_new_name);
	RUN("ruby", a_method_without_a_base_label_has_no_class);
	RUN("ruby", samples_that_may_read_no_more_do_not_look_for_identifiers);
	RUN("ruby", what_lies_within_an_unreadable_frame_is_in_its_call);
	RUN("ruby", the_innermost_frames_of_a_deep_stack_are_shown);
	RUN("ruby", another_c_stack_is_another_threads);
	RUN("ruby", the_vm_is_found_without_a_symbol);
	RUN("ruby", the_vm_is_not_looked_for_for_ever);
	RUN("ruby", threads_are_not_looked_for_for_ever);
	RUN("ruby", the_vm_is_looked_for_in_few_processes_at_a_time);
	RUN("ruby", threads_that_ended_take_no_memory);
	RUN("ruby", frames_that_lie_end);
	RUN("ruby", lines_of_long_functions);
	RUN("ruby", the_word_of_all_threads_is_learned);
	RUN("ruby", a_new_thread_is_where_the_sampler_found_it);
	return TEST_STATUS;
}

/* What prof says about runtimes, which it knows by their modules' names. The sentence is complete for each runtime that may compile
 * code. */
#include "cmd/capture/runtime_words.c"

#include "test.h"

static void
each_runtime_in_words(void)
{
	struct profile p = { 0 };
	char text[512];
	struct sink s;

	for (unsigned i = 0; i < LANGUAGES; i++) {
		struct tally t = { .p = &p, .all = 100 };

		t.made[i] = 60;
		t.loop[i] = 30;
		sink_open(&s, -1);
		put(&s, &t, true);
		sink_char(&s, 0);
		snprintf(text, sizeof text, "; 60%% of stacks pass through JIT code of %s, which has no names", language[i].name);
		CHECK(!strncmp(s.buf, text, strlen(text)));
		CHECK(!strstr(s.buf, "null") && !strstr(s.buf, "()"));
		CHECK(!strstr(s.buf, "(use --jit-names"));   /* the user did */
		s.len = 0;
		sink_close(&s);
	}
}

static void
runtimes_by_module(void)
{
	CHECK_STR(language[language_of("luajit-2.1")].name, "LuaJIT");
	CHECK_STR(language[language_of("libluajit-5.1.so.2")].name, "LuaJIT");
	CHECK_STR(language[language_of("lua5.4")].name, "Lua");
	CHECK_STR(language[language_of("libguile-3.0.so.1")].name, "Guile");
	CHECK_STR(language[language_of("libc.so.6")].name, "an unknown runtime");
}

static void
regular_expressions_are_compiled_by_their_library(void)
{
	static const struct function f[] = {
		{ .name = "execute_ex", .module = "php8.2", .kind = FUNCTION_USER },
		{ .name = "pcre2_jit_match_8", .module = "libpcre2-8.so.0", .kind = FUNCTION_USER },
		{ .name = "[unknown]", .module = "", .kind = FUNCTION_JIT },
	};
	struct passed p = { 0 };

	for (unsigned i = 0; i < 2; i++)
		pass(&p, &f[i], language_of(f[i].module));
	CHECK(p.loop && !p.made);
	CHECK_STR(language[p.language].name, "PHP");
	pass(&p, &f[2], language_of(f[2].module));
	CHECK(p.made);
	CHECK_STR(language[p.maker].name, "PCRE (regular expressions)");
}

int
main(void)
{
	RUN("runtime_words", regular_expressions_are_compiled_by_their_library);
	RUN("runtime_words", each_runtime_in_words);
	RUN("runtime_words", runtimes_by_module);
	return TEST_STATUS;
}

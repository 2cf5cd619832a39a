#include "test.h"

#include "lib/regex.c"

/* 1, 0, or -1 where the expression is refused. */
static int
find(const char *pattern, const char *text)
{
	struct arena arena = { 0 };
	const char *why;
	struct regex *re = regex_new(&arena, pattern, &why);
	int found = re ? regex_find(re, text) : -1;

	CHECK(!re == !!why);
	if (re)   /* what is left of one search does not touch the next */
		CHECK_U64(regex_find(re, text), found);
	arena_free(&arena);
	return found;
}

struct example {
	const char *pattern, *text;
	int want;
};

static const struct example examples[] = {
	{ "", "", 1 }, { "", "x", 1 }, { "a", "", 0 }, { "a", "bab", 1 }, { "abc", "ababc", 1 }, { "abc", "abab", 0 },
	{ ".", "", 0 }, { "^.$", "\xc3\xa4", 1 }, { "^.$", "ab", 0 }, { "^..$", "\xe2\x82\xac" "x", 1 }, { "^.$", "\xff", 1 },
	{ "^a", "ba", 0 }, { "^a", "ab", 1 }, { "a$", "ab", 0 }, { "a$", "ba", 1 }, { "^$", "", 1 }, { "^$", "x", 0 },
	{ "ab*c", "ac", 1 }, { "ab*c", "abbbc", 1 }, { "ab+c", "ac", 0 }, { "ab+c", "abbc", 1 }, { "ab?c", "abc", 1 },
	{ "ab?c", "abbc", 0 }, { "^(ab)*$", "ababab", 1 }, { "^(ab)*$", "ababa", 0 }, { "^(a|b)+$", "abba", 1 },
	{ "^(a|b)+$", "abca", 0 }, { "foo|bar|baz", "xbazx", 1 }, { "foo|bar|baz", "xbax", 0 }, { "^(foo|bar|)$", "", 1 },
	{ "^(|a)b$", "ab", 1 }, { "^(|a)b$", "aab", 0 }, { "^a|b$", "xb", 1 }, { "^a|b$", "bx", 0 }, { "(a|(b|c)d)e", "cde", 1 },
	{ "(a|(b|c)d)e", "ce", 0 }, { "^((a|b)(c|d)|e)*$", "acebde", 1 }, { "^((a|b)(c|d)|e)*$", "aceb", 0 },
	{ "^a{3}$", "aaa", 1 }, { "^a{3}$", "aaaa", 0 }, { "^a{3}$", "aa", 0 }, { "^a{2,}$", "a", 0 }, { "^a{2,}$", "aaaaa", 1 },
	{ "^a{1,3}$", "aaa", 1 }, { "^a{1,3}$", "aaaa", 0 }, { "^a{0}$", "", 1 }, { "^a{0}$", "a", 0 }, { "^a{0,}$", "aa", 1 },
	{ "^(ab|c){2}$", "abc", 1 }, { "^(ab|c){2}$", "abcc", 0 }, { "^(a{2}){2}$", "aaaa", 1 }, { "^(a{2}){2}$", "aaa", 0 },
	{ "^a{2}{2}$", "aaaa", 1 }, { "x{,3}", "x{,3}", 1 }, { "{{closure}}", "f::{{closure}}", 1 }, { "a{", "a{", 1 },
	{ "a{1", "a{1", 1 }, { "^a*?b$", "aab", 1 }, { "[abc]", "xxc", 1 }, { "[abc]", "xyz", 0 }, { "^[a-c]+$", "abc", 1 },
	{ "^[a-c]+$", "abd", 0 }, { "^[^a-c]+$", "xyz", 1 }, { "^[^a-c]+$", "xaz", 0 }, { "[]]", "]", 1 }, { "[^]]", "]", 0 },
	{ "[a-]", "-", 1 }, { "[-a]", "-", 1 }, { "[\\]]", "]", 1 }, { "^[\\w:]+$", "std::vec", 1 }, { "^[\\w:]+$", "a b", 0 },
	{ "[^\\W]", "?", 0 }, { "[^\\W]", "q", 1 }, { "[\xc3\xa4-\xc3\xbc]", "\xc3\xb6", 1 }, { "[\xc3\xa4-\xc3\xbc]", "o", 0 },
	{ "\\d+", "ab12", 1 }, { "\\d", "ab", 0 }, { "^\\D+$", "ab", 1 }, { "^\\D+$", "a1", 0 }, { "a\\sb", "a b", 1 },
	{ "\\S", " \t", 0 }, { "\\bmain\\b", "main", 1 }, { "\\bmain\\b", "domain", 0 }, { "\\bmain\\b", "a main(x)", 1 },
	{ "\\Bmain", "domain", 1 }, { "\\Bmain", "main", 0 }, { "\\.", "a.b", 1 }, { "\\.", "ab", 0 }, { "a\\|b", "a|b", 1 },
	{ "\\*", "int*", 1 }, { "operator\\(\\)", "operator()", 1 }, { "_\\[k\\]$", "read_[k]", 1 }, { "\\n", "a\nb", 1 },
	{ "(?i)MAIN", "domain", 1 }, { "(?i)[a-c]x", "BX", 1 }, { "(?i)[^a]", "A", 0 }, { "MAIN", "main", 0 },
	{ "(?i)@", "`", 0 }, { "(?:ab)+c", "ababc", 1 }, { "(a*)*b", "aaac", 0 }, { "(a*)*b", "aab", 1 }, { "^(a?){3}$", "aa", 1 },
	{ "()", "", 1 }, { "()*", "x", 1 }, { "(^|x)a", "a", 1 }, { "(^|x)a", "ba", 0 }, { "^*a", "a", 1 }, { "|", "", 1 },
	{ "*", "a", -1 }, { "+a", "a", -1 }, { "a|*", "a", -1 }, { "(*a)", "a", -1 }, { "(a", "a", -1 }, { "a)", "a", -1 },
	{ "[a", "a", -1 }, { "[]", "a", -1 }, { "[^", "a", -1 }, { "[z-a]", "a", -1 }, { "[a-\\w]", "a", -1 }, { "a\\", "a", -1 },
	{ "\\1", "a", -1 }, { "\\q", "a", -1 }, { "(?=a)", "a", -1 }, { "a{3,2}", "a", -1 }, { "a{1001}", "a", -1 },
	{ "((a{100}){100}){100}", "a", -1 }, { "[\\", "a", -1 },
};

static void
what_matches(void)
{
	for (unsigned i = 0; i < sizeof examples / sizeof *examples; i++) {
		const struct example *e = &examples[i];
		int got = find(e->pattern, e->text);

		if (got != e->want)
			printf("%s in \"%s\": %d\n", e->pattern, e->text, got);
		CHECK(got == e->want);
	}
}

/* Expressions that cost a backtracking matcher more than the age of the universe. */
static void
nothing_blows_up(void)
{
	static char text[10001];

	memset(text, 'a', sizeof text - 1);
	CHECK(find("(a*)*(a|aa)*(a?){50}b", text) == 0);
	CHECK(find("(x+x+)+y", text) == 0);
	CHECK(find("(.*)(.*)(.*)(.*)(.*)[^a]", text) == 0);
	CHECK(find("^(a{1,20}){20}$", text) == 0);
	CHECK(find("((((a*)*)*)*)*$", text) == 1);
}

static void
deep_groups_are_bounded(void)
{
	char deep[256] = "";

	memset(deep, '(', 63);
	memset(deep + 63, ')', 63);
	CHECK(find(deep, "x") == 1);
	memset(deep, '(', 64);
	memset(deep + 64, ')', 64);
	CHECK(find(deep, "x") == -1);
}

static void
no_memory(void)
{
	struct arena arena = { 0 };
	const char *why = NULL;

	mem_cap(1000);
	CHECK(!regex_new(&arena, "a", &why));
	CHECK_STR(why, "no memory");
	mem_cap(SIZE_MAX);
}

int
main(void)
{
	RUN("regex", what_matches);
	RUN("regex", nothing_blows_up);
	RUN("regex", deep_groups_are_bounded);
	RUN("regex", no_memory);
	return TEST_STATUS;
}

/* Profiles for tests, made from stacks as text ("outermost;…;innermost"), and golden files.
 * Names end in _[k] or _[i] for kernel functions and inlined ones; [marks] stand in brackets. */
#ifndef TESTS_UNIT_PROFILES_H
#define TESTS_UNIT_PROFILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/format/format.h"
#include "out/profile/profile_names.h"

enum { NAMES_MAX = 16384, MADE_DEPTH = 5000 };
static const char *made_name[NAMES_MAX];   /* of each code */
static unsigned made_names;

static uint32_t
made_code(const char *name, size_t n)
{
	char *copy;

	for (unsigned i = 0; i < made_names; i++)
		if (strncmp(made_name[i], name, n) == 0 && !made_name[i][n])
			return i;
	copy = calloc(1, n + 1);   /* names live until the end */
	memcpy(copy, name, n);
	made_name[made_names] = copy;
	return made_names++;
}

/* A sample at MS milliseconds. */
__attribute__((unused)) static void
made_add(struct profile *p, const char *comm, int pid, int tid, double ms, uint64_t weight, const char *stack)
{
	static uint32_t code[MADE_DEPTH], leaf_first[MADE_DEPTH];
	uint32_t n = 0;

	for (const char *s = stack; *s; s += strcspn(s, "|"), s += *s == '|')
		code[n++] = made_code(s, strcspn(s, "|"));
	for (uint32_t i = 0; i < n; i++)
		leaf_first[i] = code[n - 1 - i];
	profile_add(p, profile_thread(p, pid, tid, comm, 0), p->start + (uint64_t)(ms * 1e6), weight, leaf_first, n);
}

static unsigned
made_ask(void *ctx, uint32_t code, struct location *where, struct site *site, unsigned max)
{
	const char *name = made_name[code];
	size_t n = strlen(name);
	bool kernel = n > 4 && strcmp(name + n - 4, "_[k]") == 0, inlined = n > 4 && strcmp(name + n - 4, "_[i]") == 0;
	char *bare = strdup(name);
	struct function f = { .name = bare, .module = kernel ? "[kernel]" : "app", .kind = FUNCTION_USER };

	(void)max;
	if (kernel || inlined) {
		bare[n - 4] = 0;
		f.kind = kernel ? FUNCTION_KERNEL : FUNCTION_INLINED;
	} else if (*name == '[') {
		f.kind = FUNCTION_MARK;
		f.module = "";
	} else if (*name == 'm' && strcmp(name, "main") == 0) {
		f.file = "src/main.c";
		f.line = 42;
	}
	where->address = 0x1000 + code * 16;
	*site = (struct site){ profile_function(ctx, &f), 0 };
	free(bare);
	return 1;
}

__attribute__((unused)) static void
made_init(struct profile *p)
{
	profile_init(p);
	p->nevent = 1;
	p->event[0] = (struct event_info){ "cpu-clock", 1000000 };
	p->start = 5000000000;
	p->command = "./app --fast";
	p->exporter = "prof@test";
}

__attribute__((unused)) static void
made_done(struct profile *p, double ms)
{
	p->end = p->start + (uint64_t)(ms * 1e6);
	profile_name(p, made_ask, p);
}

/* Two processes, three threads, kernel and inlined functions, a mark, a gap. */
__attribute__((unused)) static void
made_plain(struct profile *p)
{
	made_init(p);
	for (int i = 1; i <= 10; i++)
		made_add(p, "app", 100, 100, i, 1, i < 8 ? "_start|main|work|hash_round" : "_start|main|work|small_[i]");
	for (int i = 31; i <= 34; i++)
		made_add(p, "app", 100, 100, i, 1, "_start|main|read_file|do_syscall_64_[k]|copy_to_user_[k]");
	for (int i = 5; i <= 20; i++)
		made_add(p, "app", 100, 101, i, 1, i % 8 ? "clone|start_thread|fib|fib|fib" : "clone|start_thread|fib|fib");
	for (int i = 12; i <= 14; i++)
		made_add(p, "gzip", 200, 200, i, 1, "[truncated]|deflate");
	made_add(p, "kworker", 7, 7, 50, 1, "");
	made_done(p, 60);
}

/* Names and comms that nobody should have. */
__attribute__((unused)) static void
made_hostile(struct profile *p)
{
	static char huge[(64 << 10) + 1];

	made_init(p);
	memset(huge, 'h', sizeof huge - 1);
	p->command = "sh -c \"echo \x01; \xff\"";
	made_add(p, "a;b \"c\"\n\\", 1, 1, 1, 1, "operator new[](unsigned long)|semi;colon|new\nline|tab\there|cr\rback\bspace");
	made_add(p, "a;b \"c\"\n\\", 1, 1, 2, 1, "quote\"|back\\slash|</script>|<b>&amp;|'");
	made_add(p, "\xff\xfe", 2, 2, 3, 1, "cut\xe2\x82|over\xc0\xaflong|surro\xed\xa0\x80gate|big\xf4\x90\x80\x80|lone\x80");
	made_add(p, "\xff\xfe", 2, 2, 4, 1, "\xe2\x80\xaegnp.exe|c1\xc2\x9b""31m|esc\x1b[31m|del\x7f|bom\xef\xbb\xbf");
	made_add(p, "", 3, 3, 5, 1, "trailing 12 |\xd0\xb8\xd0\xbc\xd1\x8f|\xe6\xbc\xa2\xe5\xad\x97\xe5\x90\x8d|\xf0\x9f\x94\xa5|[elided]");
	made_add(p, "long", 4, 4, 6, 1, huge);
	made_add(p, "long", 4, 4, 7, 1, "same|leaf");
	made_add(p, "long", 4, 4, 8, 1, "sa\nme|leaf");
	made_add(p, "long", 4, 4, 9, 1, "sa me|leaf");
	made_add(p, "long", 4, 4, 10, 2, "sa\tme|leaf");
	made_done(p, 12);
}

/* 300 threads of growing weight, one sample each in the same function first. */
__attribute__((unused)) static void
made_threads(struct profile *p)
{
	made_init(p);
	for (int t = 0; t < 300; t++)
		for (int i = 0; i <= t; i++)
			made_add(p, "worker", 1000, 1000 + t, i + 1, 1, i ? "start|spin" : "start|setup");
	made_done(p, 301);
}

/* 3,000 frames, all distinct, and a shallow stack. */
__attribute__((unused)) static void
made_deep(struct profile *p)
{
	static char stack[3000 * 16];
	char *to = stack;

	for (int i = 0; i < 3000; i++)
		to += sprintf(to, i ? "|level%d" : "level%d", i);
	made_init(p);
	for (int i = 1; i <= 5; i++)
		made_add(p, "deep", 1, 1, i, 1, stack);
	made_add(p, "deep", 1, 1, 6, 1, "level0|shallow");
	made_done(p, 7);
}

/* Two events, one of them not time. */
__attribute__((unused)) static void
made_events(struct profile *p)
{
	uint32_t code = made_code("touch_page", 10);

	made_init(p);
	p->nevent = 2;
	p->event[1] = (struct event_info){ "page-faults", 0 };
	for (int i = 1; i <= 9; i++)
		made_add(p, "app", 1, 1, i, 1, "main|work");
	profile_add(p, profile_thread(p, 1, 1, "app", 1), p->start + 1000000, 70, &code, 1);
	profile_add(p, profile_thread(p, 1, 1, "app", 1), p->start + 2000000, 30, &code, 1);
	made_done(p, 10);
}

__attribute__((unused)) static void
made_empty(struct profile *p)
{
	made_init(p);
	made_done(p, 10);
}

/* What FORMAT writes, as a string that the caller frees. */
__attribute__((unused)) static char *
made_text(const struct format *format, const struct profile *p)
{
	struct sink s;
	char *text;

	sink_open(&s, -1);
	format->write(&s, p);
	text = calloc(1, s.len + 1);
	memcpy(text, s.buf, s.len);
	if (sink_close(&s)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Is TEXT what tests/data/golden/NAME holds?  GOLDEN=write writes it there instead. */
__attribute__((unused)) static bool
golden(const char *text, const char *name)
{
	char path[256], *want = calloc(1, 1 << 20);
	bool same = false;
	FILE *f;

	snprintf(path, sizeof path, "tests/data/golden/%s", name);
	if (getenv("GOLDEN") && (f = fopen(path, "w"))) {
		fputs(text, f);
		fclose(f);
	}
	if ((f = fopen(path, "r"))) {
		same = fread(want, 1, (1 << 20) - 1, f) > 0 && text && strcmp(text, want) == 0;
		fclose(f);
	}
	if (!same)
		printf("--- %s holds another text than\n%.4000s\n", path, text ? text : "(nothing)");
	free(want);
	return same;
}

#endif

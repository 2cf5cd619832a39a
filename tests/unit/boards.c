/* Unwinds samples from real kernels of other machines, with the recorded registers, stacks and files. The frames must be those of
 * the recording, which the program itself has confirmed. */
#include "recording.h"

static const struct {
	const char *name;
	const struct arch *arch;
	unsigned programs;
} boards[] = {
	{ "x86_64", &arch_x86_64, 8 },
	{ "aarch64", &arch_aarch64, 8 },
	{ "aarch64-16k", &arch_aarch64, 3 },
	{ "armv7", &arch_armv7, 10 },
	{ "riscv64", &arch_riscv64, 8 },
};

static unsigned samples, wrong;
static uint64_t frames;
static const char *board;

static void
tell(const struct recording *r, const char *name, const struct walk *w, uint32_t k)
{
	printf("%s/%s: sample %u, frame %u of %u: %#llx, not %#llx; %s\n", board, name, samples, k, r->frames,
	       k < w->n ? (unsigned long long)r->codes.code[w->code[k]].vaddr : 0ull,
	       k < r->frames ? (unsigned long long)r->frame[k] : 0ull, walk_end_words[w->end]);
}

static void
one(struct recording *r, const char *name)
{
	static struct walk walk, full;
	unsigned before = samples;

	while (recording_next(r)) {
		uint32_t k = 0;

		r->unwinder->full_always = false;
		unwind(r->unwinder, &r->space, &r->regs, &r->stack, NULL, 0, &walk);
		r->unwinder->full_always = true;
		unwind(r->unwinder, &r->space, &r->regs, &r->stack, NULL, 0, &full);
		CHECK(walk.n == full.n && walk.end == full.end && !memcmp(walk.code, full.code, walk.n * sizeof *walk.code));
		while (k < walk.n && k < r->frames && walk.code[k] == unwind_code(r->unwinder, &r->space, r->frame[k]))
			k++;
		samples++;
		frames += k;
		/* A stack that was cut at that time may have more frames now. */
		if (k < r->frames || (!r->cut && (k < walk.n || walk.end != WALK_ROOT))) {
			wrong++;
			tell(r, name, &walk, k);
		}
	}
	CHECK(samples > before);
}

static void
each(void)
{
	for (unsigned i = 0; i < sizeof boards / sizeof *boards; i++) {
		char dir[64];

		board = boards[i].name;
		snprintf(dir, sizeof dir, "tests/data/boards/%s", board);
		CHECK(recordings(dir, boards[i].arch, one) >= boards[i].programs);
	}
	CHECK_U64(wrong, 0);
	CHECK(samples > 500);
	CHECK(frames > 5000);
	printf("%u samples, %llu frames\n", samples, (unsigned long long)frames);
}

int
main(void)
{
	RUN("boards", each);
	return TEST_STATUS;
}

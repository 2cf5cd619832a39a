/* See waits_words.h. */
#include "waits_words.h"

#include "lib/text.h"
#include "sample/rights/permit.h"

/* "N waits, X s". */
static void
put_waits(struct sink *s, uint64_t n, const char *words, uint64_t ns)
{
	sink_fmt(s, "%llu wait%s%s", (unsigned long long)n, plural(n), words);
	sink_decimal(s, (ns + 500000) / 1000000, 3);
	sink_str(s, " s");
}

void
waits_words(struct sink *s, const struct wait_counts *n)
{
	sink_str(s, "; ");
	put_waits(s, n->waits, ", ", n->ns);
	if (n->unfinished) {
		sink_fmt(s, " (%llu still went on at the end, ", (unsigned long long)n->unfinished);
		sink_decimal(s, (n->unfinished_ns + 500000) / 1000000, 3);
		sink_str(s, " s)");
	}
}

void
waits_left_out_words(struct sink *s, const struct wait_counts *n)
{
	if (n->before) {
		sink_str(s, "; prof left out ");
		put_waits(s, n->before, " that began before the capture, ", n->before_ns);
	}
	if (n->unknown) {
		sink_str(s, "; prof left out ");
		put_waits(s, n->unknown, " because the kernel lost records, ", n->unknown_ns);
	}
	if (n->idle)
		sink_fmt(s, "; %llu thread%s only waited (use --wall to see %s)", (unsigned long long)n->idle, plural(n->idle),
		         n->idle == 1 ? "it" : "them");
	if (n->no_stack * 2 > n->waits)
		sink_str(s, permit_paranoid() == 2 ? "; perf_event_paranoid 2 hides where threads wait"
		                                   : "; prof could not see where threads wait");
}

void
waits_fields(struct sink *s, const struct wait_counts *n)
{
	const struct {
		const char *name;
		uint64_t value;
	} field[] = {
		{ "waits", n->waits },
		{ "waits_ns", n->ns },
		{ "waits_unknown", n->unknown },
		{ "waits_unknown_ns", n->unknown_ns },
		{ "waits_since_before", n->before },
		{ "waits_since_before_ns", n->before_ns },
		{ "waits_idle_threads", n->idle },
		{ "waits_unfinished", n->unfinished },
		{ "waits_unfinished_ns", n->unfinished_ns },
		{ "waits_without_stack", n->no_stack },
	};

	for (unsigned i = 0; i < sizeof field / sizeof *field; i++)
		sink_fmt(s, "  \"%s\": %llu,\n", field[i].name, (unsigned long long)field[i].value);
}

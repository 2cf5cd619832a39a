/* See durations.h. */
#include "durations.h"

#include <stdio.h>
#include <string.h>

#include "lib/columns.h"

enum { NAME_WIDTH = 28, CELL = 10, BAR_MOST = 50, BAR_LEAST = 10, ROWS = 64, AROUND = 44 /* columns around the bar */ };

static const struct share {
	const char *name;
	unsigned parts;
} shares[] = { { "p50", 5000 }, { "p90", 9000 }, { "p99", 9900 }, { "p99.9", 9990 } };
enum { SHARES = sizeof shares / sizeof *shares };

/* A duration as three digits and a unit. */
static const char *
duration(uint64_t ns, char buf[32])
{
	static const char *const units[] = { "ns", "\u00b5s", "ms", "s" };
	uint64_t one = 1;
	unsigned u = 0;

	while (u < 3 && ns >= one * 1000) {
		one *= 1000;
		u++;
	}
	if (!u || ns >= 100 * one)
		snprintf(buf, 32, "%llu %s", (unsigned long long)(ns / one), units[u]);
	else if (ns >= 10 * one)
		snprintf(buf, 32, "%llu.%llu %s", (unsigned long long)(ns / one), (unsigned long long)(ns % one * 10 / one), units[u]);
	else
		snprintf(buf, 32, "%llu.%02llu %s", (unsigned long long)(ns / one), (unsigned long long)(ns % one * 100 / one), units[u]);
	return buf;
}

static void
cell(struct sink *s, const char *text)
{
	unsigned n = columns_of(text);

	columns_pad(s, n < CELL ? CELL - n : 1);
	sink_str(s, text);
}

void
durations_table(struct sink *s, const struct durations *d, uint32_t n)
{
	static const char *const heads[] = { "calls", "total", "mean", "p50", "p90", "p99", "p99.9", "max" };
	char buf[32];

	columns_pad(s, NAME_WIDTH);
	for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
		cell(s, heads[i]);
	sink_char(s, '\n');
	for (uint32_t i = 0; i < n; i++) {
		const struct histogram *h = &d[i].ns;
		unsigned width = columns_cut(s, d[i].name, NAME_WIDTH);

		columns_pad(s, NAME_WIDTH - width);
		cell(s, columns_number(h->count, 0).text);
		cell(s, duration(h->total, buf));
		cell(s, duration(h->count ? h->total / h->count : 0, buf));
		for (unsigned k = 0; k < SHARES; k++)
			cell(s, duration(histogram_share(h, shares[k].parts), buf));
		cell(s, duration(h->most, buf));
		sink_char(s, '\n');
	}
}

/* The exponent of the power of two at or below V; 0 for 0 and 1. */
static unsigned
power(uint64_t v)
{
	unsigned n = 0;

	while (v >>= 1)
		n++;
	return n;
}

/* A bar of EIGHTHS of columns. */
static void
put_bar(struct sink *s, uint64_t eighths, unsigned width)
{
	static const char *const part[] = { "", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589" };
	unsigned full = (unsigned)(eighths / 8), used = full + (eighths % 8 != 0);

	for (unsigned i = 0; i < full; i++)
		sink_str(s, "\u2588");
	sink_str(s, part[eighths % 8]);
	columns_pad(s, used < width ? width - used : 0);
}

void
durations_chart(struct sink *s, const struct durations *d, unsigned width)
{
	const struct histogram *h = &d->ns;
	uint64_t row[ROWS] = { 0 }, most = 0, all = 0;
	unsigned lo = ROWS, hi = 0, bar = width > AROUND + BAR_MOST ? BAR_MOST : width > AROUND + BAR_LEAST ? width - AROUND : BAR_LEAST;
	char from[32], to[32];

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		unsigned at = power(histogram_low(i));

		if (!h->bucket[i])
			continue;
		row[at] += h->bucket[i];
		all += h->bucket[i];
		most = row[at] > most ? row[at] : most;
		lo = at < lo ? at : lo;
		hi = at > hi ? at : hi;
	}
	for (unsigned i = lo; i <= hi && lo < ROWS; i++) {
		uint64_t per_mille = row[i] * 1000 / all;

		cell(s, duration(i ? 1ull << i : 0, from));
		sink_str(s, " ..");
		cell(s, duration(2ull << i, to));
		sink_str(s, "  ");
		/* A rare duration must still be visible. */
		put_bar(s, row[i] ? row[i] * bar * 8 / most + (row[i] * bar * 8 < most) : 0, bar);
		cell(s, columns_number(row[i], 0).text);
		sink_fmt(s, " %3llu.%llu%%", (unsigned long long)(per_mille / 10), (unsigned long long)(per_mille % 10));
		for (unsigned k = 0; k < SHARES; k++)
			if (power(histogram_share(h, shares[k].parts)) == i)
				sink_fmt(s, " %s", shares[k].name);
		if (power(h->most) == i)
			sink_str(s, " max");
		sink_char(s, '\n');
	}
}

void
durations_json(struct sink *s, const struct durations *d, uint32_t n)
{
	sink_str(s, "[");
	for (uint32_t i = 0; i < n; i++) {
		const struct histogram *h = &d[i].ns;
		const char *comma = "";

		sink_str(s, i ? ",\n {\"name\": " : "\n {\"name\": ");
		sink_json(s, d[i].name);
		sink_fmt(s, ", \"count\": %llu, \"total_ns\": %llu, \"mean_ns\": %llu", (unsigned long long)h->count, (unsigned long long)h->total,
		         (unsigned long long)(h->count ? h->total / h->count : 0));
		for (unsigned k = 0; k < SHARES; k++)
			sink_fmt(s, ", \"%s_ns\": %llu", shares[k].name, (unsigned long long)histogram_share(h, shares[k].parts));
		sink_fmt(s, ", \"max_ns\": %llu, \"buckets\": [", (unsigned long long)h->most);
		for (unsigned k = 0; k < HISTOGRAM_BUCKETS; k++)
			if (h->bucket[k]) {
				sink_fmt(s, "%s[%llu, %llu]", comma, (unsigned long long)histogram_low(k), (unsigned long long)h->bucket[k]);
				comma = ", ";
			}
		sink_str(s, "]}");
	}
	sink_str(s, "\n]\n");
}

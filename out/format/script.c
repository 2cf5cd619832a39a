/* perf script's text, as flame graph programs, speedscope and the Firefox Profiler read it alike:
 *
 *     comm  PID/TID  SEC.USEC:    PERIOD EVENT:
 *     <tab>ADDRESS NAME (FILE)          the innermost function first; an inlined one has "inlined" for its file
 *     (an empty line)
 *
 * One such block a sample, in the order of time; beyond a million samples, which one short line of a profile that was read may stand for, all equal
 * neighbours are one block, with the sum of their periods.  Two blanks before the ids, for names with blanks; no comment but perf's own header,
 * else they take the text for another format. */
#include "format.h"
#include "script_marks.h"
#include "script_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES_MOST = 1 << 20 };

/* A thread's place: its next sample. */
struct lane {
	struct run_reader reader;
	struct run run;
	uint64_t time;             /* ns since the profile's start */
	uint64_t done;             /* samples of the run that are written */
	uint32_t thread;
};

/* The text for a code, once somebody asked for it. */
struct lines {
	uint32_t at, n;            /* n 0: not yet */
};

struct writing {
	const struct profile *p;
	struct sink *out;
	bool merged;               /* a run is one block */
	struct lane *lane;         /* a heap by time */
	uint32_t lane_cap, lanes;
	struct lines *lines;       /* of each code */
	uint32_t lines_cap;
	struct sink text;          /* that they lie in */
	struct path path;
};

/* Whether it is one of Unicode's first 256 characters, and cannot be printed. */
static bool
is_control(const char *s)
{
	unsigned char c = (unsigned char)*s;

	return (c && c < 0x20) || c == 0x7f || (c == 0xc2 && (unsigned char)s[1] >= 0x80 && (unsigned char)s[1] < 0xa0);
}

/* Writes S.  Characters that would end a field, controls and those of UNFIT, become SUBSTITUTE. */
static void
put_clean(struct sink *out, const char *s, const char *unfit, char substitute)
{
	for (unsigned n; *s; s += n) {
		unsigned char c = (unsigned char)*s;

		n = utf8_len(s);
		if (!n) {
			n = 1;
			sink_str(out, "\xef\xbf\xbd");
		} else if (is_control(s))
			sink_char(out, strchr(unfit, ' ') ? '_' : ' ');
		else if (strchr(unfit, c))
			sink_char(out, substitute);
		else
			sink_put(out, s, n);
	}
}

/* Readers leave out frames with a name that begins with a parenthesis; "::" before it means the same. */
static void
put_name(struct sink *out, const char *name)
{
	if (*name == '(')
		sink_str(out, SCRIPT_GLOBAL);
	else if (!*name || *name == ' ' || is_control(name))
		sink_char(out, '_');
	put_clean(out, name, "", ' ');
}

static void
put_file(struct writing *w, const struct function *f, const struct location *l)
{
	const char *file = l->mapping < w->p->nmapping ? w->p->mapping[l->mapping].file : f->module;

	if (f->kind == FUNCTION_INLINED)
		file = "inlined";
	else if (f->kind == FUNCTION_KERNEL && (!*f->module || strcmp(f->module, "[kernel]") == 0))
		file = "[kernel.kallsyms]";
	put_clean(&w->text, *file ? file : "[unknown]", " ()", '_');
}

static void
make_lines(struct writing *w, const struct location *l)
{
	for (unsigned i = l->sites; i--;) {
		uint32_t number = w->p->site[l->site + i].function;
		const struct function *f = number < w->p->nfunction ? &w->p->function[number] : NULL;
		char digits[24];

		if (!f)   /* there was no memory for it */
			continue;
		snprintf(digits, sizeof digits, "\t%16llx ", (unsigned long long)l->address);
		sink_str(&w->text, digits);
		put_name(&w->text, f->name);
		sink_str(&w->text, " (");
		put_file(w, f, l);
		sink_str(&w->text, ")\n");
	}
}

static void
put_code(struct writing *w, uint32_t code)
{
	struct lines *lines = &w->lines[code];

	if (code >= w->p->nlocation)
		return;
	if (!lines->n) {
		lines->at = (uint32_t)w->text.len;
		make_lines(w, &w->p->location[code]);
		lines->n = (uint32_t)w->text.len - lines->at;
		if (w->text.err || w->text.len > UINT32_MAX / 2) {
			sink_fail(w->out, ENOMEM);
			return;
		}
	}
	sink_put(w->out, w->text.buf + lines->at, lines->n);
}

static void
put_comm(struct sink *out, const char *comm)
{
	/* A control becomes a blank, and blanks in front are no part of a name. */
	if (!*comm || *comm == ' ' || *comm == '#' || is_control(comm))
		sink_str(out, *comm ? "_" : "[unknown]");
	/* "name 12" would make 12 the process */
	for (const char *s = comm; *s; s++)
		if (*s == ' ' && s[1] >= '0' && s[1] <= '9') {
			put_clean(out, comm, " ", '_');
			return;
		}
	put_clean(out, comm, "", ' ');
}

static void
put_event(struct sink *out, const char *name)
{
	put_clean(out, *name ? name : "samples", " ", '_');
}

static void
put_sample(struct writing *w, const struct lane *lane)
{
	const struct thread *t = &w->p->thread[lane->thread];
	const struct event_info *e = t->event < w->p->nevent ? &w->p->event[t->event] : NULL;
	uint64_t us = (w->p->start + lane->time) / 1000;

	put_comm(w->out, t->comm);
	sink_fmt(w->out, "  %d/%d  %llu.%06u: %10llu ", t->pid, t->tid, (unsigned long long)(us / 1000000), (unsigned)(us % 1000000),
	         (unsigned long long)times(w->merged ? lane->run.weight : lane->run.first, e && e->period_ns ? e->period_ns : 1));
	put_event(w->out, e ? e->name : "");
	sink_str(w->out, ": \n");
	if (lane->run.node < w->p->raw.n) {
		tree_path(&w->p->raw, lane->run.node, &w->path);
		for (uint32_t i = w->path.n; i--;)
			put_code(w, w->p->raw.node[w->path.node[i]].frame);
	}
	sink_char(w->out, '\n');
}

static bool
before(const struct lane *a, const struct lane *b)
{
	return a->time != b->time ? a->time < b->time : a->thread < b->thread;
}

static void
sift(struct writing *w, uint32_t i)
{
	struct lane moved = w->lane[i];
	uint32_t child;

	for (; (child = i * 2 + 1) < w->lanes; i = child) {
		if (child + 1 < w->lanes && before(&w->lane[child + 1], &w->lane[child]))
			child++;
		if (!before(&w->lane[child], &moved))
			break;
		w->lane[i] = w->lane[child];
	}
	w->lane[i] = moved;
}

/* The next sample of the lane: the samples of a run stand at even distances. */
static bool
lane_next(const struct writing *w, struct lane *lane)
{
	struct run *run = &lane->run;

	if (w->merged || lane->done == run->samples) {
		if (!runs_next(&lane->reader, run))
			return false;
		lane->done = 0;
	}
	lane->time = run->start;
	if (lane->done)
		lane->time += run->span / (run->samples - 1) * lane->done;
	lane->done++;
	return true;
}

static void
put_samples(struct writing *w)
{
	for (uint32_t i = 0; i < w->p->nthread; i++) {
		struct lane *lane = &w->lane[w->lanes];

		*lane = (struct lane){ .thread = i };
		runs_open(&lane->reader, w->p, &w->p->thread[i]);
		lane->reader.raw = true;
		w->lanes += lane_next(w, lane);
	}
	for (uint32_t i = w->lanes / 2; i--;)
		sift(w, i);
	while (w->lanes && !w->out->err) {
		put_sample(w, w->lane);
		if (!lane_next(w, w->lane))
			w->lane[0] = w->lane[--w->lanes];
		if (w->lanes)
			sift(w, 0);
	}
}

/* The part of perf's header that means something here. */
static void
put_header(struct writing *w)
{
	sink_str(w->out, "# ========\n# cmdline : ");
	put_clean(w->out, w->p->command ? w->p->command : "", "", ' ');
	for (uint32_t i = 0; i < w->p->nevent; i++) {
		const struct event_info *e = &w->p->event[i];

		sink_str(w->out, "\n# event : name = ");
		put_event(w->out, e->name);
		sink_str(w->out, ", " SCRIPT_PERIOD);
		sink_u64(w->out, e->period_ns);
	}
	sink_str(w->out, "\n# ========\n#\n");
}

static void
script_write(struct sink *out, const struct profile *p)
{
	struct writing w = { .p = p, .out = out, .merged = p->samples > SAMPLES_MOST };

	sink_open(&w.text, -1);
	if (w.text.err || !vec_room(&w.lane, &w.lane_cap, p->nthread, sizeof *w.lane) ||
	    !vec_room(&w.lines, &w.lines_cap, p->nlocation, sizeof *w.lines))
		sink_fail(out, ENOMEM);
	if (!out->err) {
		put_header(&w);
		put_samples(&w);
	}
	vec_free(&w.lane, &w.lane_cap, sizeof *w.lane);
	vec_free(&w.lines, &w.lines_cap, sizeof *w.lines);
	path_free(&w.path);
	sink_close(&w.text);
}

const struct format format_script = {
	.name = "script",
	.suffixes = ".perf",
	.what = "the text of perf script, for tools that read it",
	.write = script_write,
	.is = script_is,
	.read = script_read,
	.text = true,
	.places = true,
};

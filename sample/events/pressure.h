/* Pressure: how much a capture takes in, so that its rings do not run over.  Only this file decides how large rings are, how
 * many bytes of a stack the kernel copies with a sample and with a wait, how far the BPF program reads beyond that, how many
 * samples a second there are, how many of them prof takes, how long the reader may sleep and how long it may do something
 * else.  The session tells what it sees, obeys, and reports what it could not do.  This file makes no system call and reads no
 * clock: the session hands it the time. */
#ifndef SAMPLE_EVENTS_PRESSURE_H
#define SAMPLE_EVENTS_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

/* The most that the kernel copies of a stack, and what it copies if the BPF program reads the rest. */
enum { STACK_LARGEST = 65528, STACK_BEFORE_DEEP = 8 << 10 };
/* prof does work ahead of need in pieces of so many ns, with pauses between them: a tenth of a CPU is enough. */
enum { AHEAD_PIECE = 1000000, AHEAD_PAUSE = 10000000 };

/* How walks used their copies of stacks, since prof last looked. */
struct stack_use {
	uint64_t walks, cut;
	uint64_t cut_in_fp;        /* of the cut walks: those that the kernel could continue by frame pointers */
	uint64_t used;             /* bytes, of the longest */
};

/* What a capture begins with. */
struct pressure_given {
	uint64_t freq;             /* samples a second on each CPU; 0: one every so many events */
	uint32_t events, cpus;
	uint64_t ring_bytes;
	uint32_t stack;            /* bytes of stack to begin with, and of waits; 0: this file chooses */
	bool fixed;                /* keep them as they are */
	bool stacks;               /* samples come with stacks */
	bool behind;               /* registers come behind them */
	bool chain, chain_may;     /* the kernel walks user stacks, too; it may be asked to */
	bool waits;                /* there are samples of threads that leave a CPU, with stacks */
	bool first;                /* the reader need not wait for a CPU */
	uint32_t wanted;           /* else: how many threads of the machine want one at the beginning */
	bool stops;                /* prof stops threads while it copies them: the ptrace engine */
	bool children;             /* there may be children with short lives, which begin with up to ten thousand samples a second */
	uint64_t deep;             /* bytes that the BPF program can read at most; 0: no program */
};

/* What prof should ask of the kernel. */
struct intake {
	uint32_t stack, wait_stack;
	uint64_t deep;             /* beyond STACK */
	bool chain;
	unsigned slower;           /* how many times the time between samples is doubled */
	uint32_t one_of;           /* prof takes one of so many samples, which counts for all of them */
};

/* What the reader saw in the rings. */
struct pressure_round {
	uint64_t time;
	uint64_t fullest;          /* percent in use of the fullest ring of those for samples */
	uint64_t dropped;          /* records that found no room, in all */
	uint64_t samples;          /* samples that came, in all */
	uint64_t cpu;              /* ns of CPU time that prof has used, in all */
	uint64_t deep;             /* bytes that the BPF program reads with a sample, of late */
	uint64_t threads;          /* threads that have had samples */
	bool may_slow;             /* there may be fewer samples */
	bool new;                  /* programs started in new places */
};

struct pressure {
	struct pressure_given given;
	struct intake want;
	uint32_t wanted, wait_wanted;    /* bytes, as walks need them */
	uint64_t patience;               /* walks that prof looks at before copies become shorter */
	uint32_t most, limit;            /* bytes that the reader can keep up with; and the limit whatever it does */
	uint32_t wait_most;              /* 0: as wanted */
	uint64_t fullest, deep, threads; /* as of the last round */
	uint64_t pressed;                /* when prof last asked for less, */
	bool light;                      /* and whether more of the same needs no pause */
	uint64_t dropped;                /* records dropped until then */
	uint64_t late;                   /* ns that the reader came late lately, at most; UINT64_MAX: not known */
	uint64_t worst, noted, pause;    /* the most since NOTED; ns that must pass until it is LATE, */
	uint32_t rounds;                 /* and how many times prof must read the rings */
	uint64_t awake, ran;             /* ns that the reader was awake, and of it on a CPU, lately */
	int64_t nap;                     /* ns of rest after a process has executed something */
	uint64_t judged, judged_cpu, judged_samples;   /* when prof last looked at what its work takes, and as of then */
	int64_t budget;                  /* ns of CPU time that prof may use now */
};

/* The best size of a ring in bytes, if the machine has MEMORY and needs N rings, none smaller than LEAST, for FREQ samples a second (0:
 * not known).  How full the ring is when it wakes the reader.  The size of a ring for executions. */
uint64_t pressure_ring(uint64_t memory, uint32_t n, uint64_t least, uint64_t freq);
uint64_t pressure_wakes(uint64_t ring_bytes, bool first);
uint64_t pressure_track(uint64_t ring_bytes, uint64_t page);
/* Whether rings of that size leave stacks so much room that a program which reads the rest is useful. */
bool pressure_deep(uint64_t ring_bytes);

/* ns of CPU time that prof may use in NS in which so many SAMPLES come. */
uint64_t pressure_budget(uint64_t ns, uint64_t samples);
/* Whether prof is due to look at what its work takes: then a round tells of samples and CPU time. */
bool pressure_judges(const struct pressure *, uint64_t time);

/* Sets the intake with which a capture begins. */
void pressure_begin(struct pressure *, const struct pressure_given *);
/* Takes in how walks used stacks; the counts begin anew.  Returns whether prof wants something else now. */
bool pressure_used(struct pressure *, struct stack_use *samples, struct stack_use *waits);
void pressure_read(struct pressure *, const struct pressure_round *);
/* prof could not get what pressure wanted: it stays as it IS. */
void pressure_refused(struct pressure *, const struct intake *is);

/* The reader was awake for NS, and on a CPU for RAN of them. */
void pressure_awake(struct pressure *, uint64_t ns, uint64_t ran);
/* ns that the reader may sleep at most, SINCE ns after the start and CALM ns after the last record; not long if it looks for
 * what JITs WRITE. */
int64_t pressure_sleep(const struct pressure *, uint64_t since, uint64_t calm, bool write);
/* ns that the reader rests if a process has executed something, and N rings are to be read then. */
int64_t pressure_nap(const struct pressure *, uint32_t n);
/* ns that it may do something else, where samples come every PERIOD ns. */
uint64_t pressure_spare(const struct pressure *, uint64_t period);

#endif

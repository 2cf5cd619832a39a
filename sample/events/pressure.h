/* Pressure: how much a capture takes in, so that its rings do not run over.  Decided here, and nowhere else: how large rings are,
 * how many bytes of a stack are copied with a sample and with a wait, how far the BPF program reads beyond that, how many
 * samples a second there are, how long the reader may sleep and how long it may do something else.  The session tells what it
 * sees, obeys, and reports what could not be done.  No system call and no clock: time is handed in. */
#ifndef SAMPLE_EVENTS_PRESSURE_H
#define SAMPLE_EVENTS_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

/* The most that the kernel copies of a stack, and what it copies if the BPF program reads the rest. */
enum { STACK_LARGEST = 65528, STACK_BEFORE_DEEP = 8 << 10 };
/* What can be done ahead of need is done in pieces of so many ns, with pauses between them: a tenth of a CPU is enough. */
enum { AHEAD_PIECE = 1000000, AHEAD_PAUSE = 10000000 };

/* How walks used their copies of stacks, since prof last looked. */
struct stack_use {
	uint64_t walks, cut;
	uint64_t cut_in_fp;        /* of the cut ones: those that the kernel could continue by frame pointers */
	uint64_t used;             /* bytes, of the longest */
};

/* What a capture begins with. */
struct pressure_given {
	uint64_t freq;             /* samples a second on each CPU; 0: one every so many events */
	uint32_t events, cpus;
	uint64_t ring_bytes;
	uint32_t stack;            /* bytes to begin with, and of waits; 0: as this file thinks best */
	bool fixed;                /* keep them as they are */
	bool stacks;               /* samples come with stacks */
	bool chain, chain_may;     /* the kernel walks user stacks, too; it may be asked to */
	bool waits;                /* there are samples of threads that leave a CPU, with stacks */
	bool first;                /* the reader need not wait for a CPU */
	bool stops;                /* threads are stopped while they are copied: the ptrace engine */
	bool children;             /* there may be children with short lives: they begin with up to ten thousand samples a second */
	uint64_t deep;             /* bytes that the BPF program can read at most; 0: no program */
};

/* What prof should ask of the kernel. */
struct intake {
	uint32_t stack, wait_stack;
	uint64_t deep;             /* beyond STACK */
	bool chain;
	unsigned slower;           /* how many times the time between samples is doubled */
};

/* What the reader saw in the rings. */
struct pressure_round {
	uint64_t time;
	uint64_t fullest;          /* percent of a ring that was in use, at most */
	uint64_t dropped;          /* records that found no room, in all */
	uint64_t deep;             /* bytes that the BPF program reads with a sample, of late */
	uint64_t threads;          /* that have had samples */
	bool may_slow;             /* there may be fewer samples */
	bool new;                  /* programs started in new places */
};

struct pressure {
	struct pressure_given given;
	struct intake want;
	uint32_t wanted, wait_wanted;    /* bytes, as walks need them */
	uint64_t patience;               /* walks that are looked at before copies become shorter */
	uint32_t most, limit;            /* bytes, as the reader keeps up; and whatever it does */
	uint32_t wait_most;              /* 0: as wanted */
	uint64_t fullest, deep, threads; /* as of the last round */
	uint64_t pressed;                /* when less was asked for last, */
	bool light;                      /* and of what needs no pause after it */
	uint64_t dropped;                /* records, by then */
	uint64_t late;                   /* ns that the reader came late lately, at most; UINT64_MAX: not known */
	uint64_t worst, noted, pause;    /* the same since NOTED; ns that must pass until it is LATE, */
	uint32_t rounds;                 /* and times that rings are read */
	uint64_t awake, ran;             /* ns that the reader was, and of it on a CPU: of late */
	int64_t nap;                     /* ns of rest where something was executed */
};

/* The best size of a ring in bytes, if the machine has MEMORY and needs N rings, none smaller than LEAST.  How full the ring
 * is when it wakes the reader.  The size of a ring for executions. */
uint64_t pressure_ring(uint64_t memory, uint32_t n, uint64_t least);
uint64_t pressure_wakes(uint64_t ring_bytes, bool first);
uint64_t pressure_track(uint64_t ring_bytes, uint64_t page);
/* Whether rings of that size leave stacks so much room that a program which reads their rest is of use. */
bool pressure_deep(uint64_t ring_bytes);

/* Sets the intake with which a capture begins. */
void pressure_begin(struct pressure *, const struct pressure_given *);
/* How stacks were used; what has been looked at begins anew.  Whether something else is wanted now. */
bool pressure_used(struct pressure *, struct stack_use *samples, struct stack_use *waits);
void pressure_read(struct pressure *, const struct pressure_round *);
/* What was wanted could not be had: it stays as it IS. */
void pressure_refused(struct pressure *, const struct intake *is);

/* The reader was awake for NS, and on a CPU for RAN of them. */
void pressure_awake(struct pressure *, uint64_t ns, uint64_t ran);
/* ns that it may sleep at most, SINCE ns after the start and CALM ns after the last record; not long where it looks for what
 * JITs WRITE. */
int64_t pressure_sleep(const struct pressure *, uint64_t since, uint64_t calm, bool write);
/* ns that it rests where something was executed, with N rings to be read then. */
int64_t pressure_nap(const struct pressure *, uint32_t n);
/* ns that it may do something else, where samples come every PERIOD ns. */
uint64_t pressure_spare(const struct pressure *, uint64_t period);

#endif

/* The collector: drains the threads' queues, interns what it finds, writes events, closes the books once a second. All of
 * it runs on the agent's one thread, which alone allocates. */
#ifndef CANDOR_AGENT_COLLECT_COLLECT_H
#define CANDOR_AGENT_COLLECT_COLLECT_H

#include "agent/collect/books.h"
#include "agent/collect/internal_fault.h"
#include "agent/hot/agct.h"
#include "agent/record/recording.h"
#include "agent/trigger/clock.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct collect_options {
    char file[RECORDING_PATH_MAX];
    bool passed;    /* a client opened the file; */
    int descriptor; /* then this is it, and stays his */
    enum clock_kind clock;
    enum walker walker;
    bool carrier_frames; /* of virtual threads */
    bool recompile;      /* what was compiled before the agent came */
    uint64_t interval_ns;
    uint64_t duration_ns; /* 0 = until stopped */
};

enum { COLLECT_WARNING_MAX = 256 };

struct collect_status {
    char file[RECORDING_PATH_MAX];
    char warning[COLLECT_WARNING_MAX]; /* the latest of the recording's warnings; empty = none */
    char fault[INTERNAL_FAULT_TEXT_MAX]; /* of the agent's own, which ended all sampling; empty = none */
    char error[512];                   /* why nothing is written any more; empty = it is */
    struct clock clock;
    uint64_t resolution_ns, elapsed_ns, samples, lost, bytes;
    int64_t cpu_ns;
    uint32_t threads;
};

bool collect_running(void);
/* Begins a recording: memory, file, clock, threads, in this order; undoes all of it on an error. late: the agent came
 * after the JVM's start. bind_threads is called when threads are armed, to tell which are Java's. */
int collect_start(const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e);
/* To be called every COLLECT_PERIOD_MS while running. False when the recording's duration is over. */
bool collect_tick(void);
/* Brings the file up to date; with to->file copies it to there. */
int collect_dump(const struct collect_options *to, uint64_t *bytes, struct error *e);
/* Ends the recording and gives everything back. The error, if any, is that of writing it. */
int collect_stop(uint64_t *bytes, uint64_t *samples, struct error *e);
/* The agent's own thread has left a turn of its own in the middle of any of these. Ends the sampling; the recording stays what it
 * was at its last flush, and says why. Takes further turns. */
void collect_abandon(struct turn *turn);
void collect_status(struct collect_status *out);

enum { COLLECT_PERIOD_MS = 50 };

#endif

/* A part: the functions with which an event takes part in a recording. Each event's folder defines one. The collector (sampling/) calls
 * the parts in the order of their table (sampling/parts.c), and no event by name. A function that is NULL has nothing to do.
 *
 * Two events have no part: the collector itself records the event cpu, with the clocks and the threads, and the event safepoint has
 * a collector of its own.
 *
 *   reserve -> claim -> start -> [ join, describe, take, drain, close_thread, tick, write_books, count, sum_up, leave ]* -> end -> finish
 *           -> sum_up -> release
 *
 * Recordings join and leave while it runs. It starts for the first that has its event, and ends with the last.
 *
 * All on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_PART_H
#define CANDOR_AGENT_COLLECT_PART_H

#include "agent/hot/thread/thread.h"
#include "agent/record/recording.h"
#include "base/error.h"
#include "jfr/write/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The recordings that it is a part of, as one. All of it stays the caller's. */
struct part_of {
    struct recording *recording;
    const uint32_t *outcome_symbols; /* by enum outcome */
    const void *options;             /* the event's own, in struct collect_options, of the recording that it is started for */
};

/* A recording that takes part; of those that run at once, each has a number below JFR_TEE_MAX. */
struct part_sink {
    uint32_t number;
    struct jfr_writer *writer; /* for events that it takes in its own way; all others go to the whole's */
    const void *options;       /* the event's own, of this recording */
    bool has_cpu;              /* it has the event cpu, too */
};

struct part {
    /* Memory, and the signal by which it asks threads for samples, before a clock is chosen. 0 or a negative errno; release undoes it. */
    int (*reserve)(const void *options, struct error *e);
    /* Takes its signal again: after a clock_stop, which gives it back, and before a clock is chosen or started; or where is_taken. */
    int (*claim)(struct error *e);
    /* Whether something else in the process has taken its signal. */
    bool (*is_taken)(void);

    /* The threads are armed, and Java's are known. 0 or a negative errno; then silence and release are all that follows. */
    int (*start)(const struct part_of *of, struct error *e);
    /* A recording comes, and goes: for parts that give each of them what it asked for. NULL: all get the same. */
    int (*join)(const struct part_sink *sink, struct error *e);
    void (*leave)(uint32_t sink);
    /* Writes the settings that each chunk of the recording repeats. */
    void (*describe)(uint32_t sink);

    /* A record from the queue of a thread's handler. False: it is not the event's. */
    bool (*take)(const struct sampled_thread *t, uint64_t *record, size_t words);
    /* The records in a queue of its own. shrink: the queue gives back what it does not need. */
    void (*drain)(const struct sampled_thread *t, bool shrink);
    /* The thread has ended, its records have been drained, and its slot is about to be freed. */
    void (*close_thread)(const struct sampled_thread *t);

    /* Every COLLECT_PERIOD_MS where is_polled: the JVM changes something and does not report it. Otherwise at due_ns at the latest, or
     * when the collector has something to do. */
    void (*tick)(uint64_t now_ns);
    uint64_t (*due_ns)(void);
    bool is_polled;

    /* Lines of its accounts (base/agreed/accounts.h): as they are now (jfr_write_book_line), or, where a chunk begins that may come to
     * be the file's first, the sums from which that chunk's count (jfr_write_book_base). */
    void (*write_books)(uint32_t sink, jfr_write_book *write, uint64_t now_ns);
    /* Samples in the recording, and those that were lost. */
    void (*count)(uint32_t sink, uint64_t *samples, uint64_t *lost);
    /* CPU time that its samples have used in the program's threads so far: --max-overhead is a limit of this, too. */
    uint64_t (*cost_ns)(void);
    /* Before the recording is copied, and before it ends: events that describe the whole of it. stopped_ns: how long all threads may be
     * stopped for them. Must be flushed before the next time. */
    void (*sum_up)(uint64_t stopped_ns);

    /* Before the threads are disarmed, or when the last recording with this event goes. drain: takes the records off their queues. */
    void (*end)(void (*drain)(void));
    /* After that, when all records have been drained: its last events. */
    void (*finish)(void);
    /* When the last recording with this event has gone, and others stay: the JVM need not tell of it any more. */
    void (*close)(void);
    /* At any point, even after a fault in the agent: no thread takes another sample for it. Those in the queues can still be drained. */
    void (*silence)(void);
    /* Gives everything back, also after a reserve or a start that failed. */
    void (*release)(void);
    bool has_lanes; /* threads that are armed may be in its memory: it is released when all are disarmed */
};

#endif

/* A part is a struct of the functions through which an event brings its data into a recording. Each event's folder defines one. The
 * collector (sampling/) calls the parts in the order of their table (sampling/parts.c), and no event by name. A function that is NULL has
 * nothing to do.
 *
 * Two events have no part: the collector itself records the event cpu, with the clocks and the threads, and the event safepoint has a
 * collector of its own.
 *
 *   reserve -> claim -> start -> [ join, describe, take, drain, close_thread, tick, write_books, count, sum_up, leave ]* -> end -> finish
 *           -> sum_up -> release
 *
 * A part starts for the first recording that has its event, and ends with the last. Other recordings may join and leave in between.
 *
 * All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_PART_H
#define CANDOR_AGENT_COLLECT_PART_H

#include "agent/hot/thread/thread.h"
#include "agent/record/recording.h"
#include "base/error.h"
#include "jfr/write/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The recordings that the part works for, as one recording. All of it remains the caller's property. */
struct part_of {
    struct recording *recording;
    const uint32_t *outcome_symbols; /* indexed by enum outcome */
    const void *options;             /* the event's own options, in struct collect_options, of the recording that starts the part */
};

/* A recording that uses the part. Each of the recordings that run at the same time has a number below JFR_TEE_MAX. */
struct part_sink {
    uint32_t number;
    struct jfr_writer *writer; /* for events that the recording takes in its own way; all other events go to the writer in struct part_of */
    const void *options;       /* the options of this event in this recording */
    bool has_cpu;              /* the recording has the event cpu, too */
};

struct part {
    /* Reserves memory, and the signal by which the part asks threads for samples. It is called before a clock is chosen. Returns 0 or a
     * negative errno. release undoes it. */
    int (*reserve)(const void *options, struct error *e);
    /* Takes the part's signal again: after a clock_stop, which gives the signal back, before a clock is chosen or started, and also if
     * is_taken says so. */
    int (*claim)(struct error *e);
    /* Whether other code in the process has taken the part's signal. */
    bool (*is_taken)(void);

    /* Starts the event. The threads are armed, and the Java threads among them are known. Returns 0 or a negative errno. After an error,
     * only silence and release are called. */
    int (*start)(const struct part_of *of, struct error *e);
    /* Adds and removes a recording, for parts that treat each recording by its own options. NULL: all recordings get the same. */
    int (*join)(const struct part_sink *sink, struct error *e);
    void (*leave)(uint32_t sink);
    /* Writes the settings that each chunk of the recording repeats. */
    void (*describe)(uint32_t sink);

    /* Handles a record from the queue of a thread's handler. Returns false if the record is not for this event. */
    bool (*take)(const struct sampled_thread *t, uint64_t *record, size_t words);
    /* Handles the records in the part's own queue. shrink: the queue gives back memory that it does not need. */
    void (*drain)(const struct sampled_thread *t, bool shrink);
    /* Closes the books of a thread that has ended. Its records have been drained, and its slot is about to be freed. */
    void (*close_thread)(const struct sampled_thread *t);

    /* Does regular work. If is_polled is set, it is called every COLLECT_PERIOD_MS, because the JVM changes something without a report.
     * Otherwise it is called at due_ns at the latest, or when the collector has something to do. */
    void (*tick)(uint64_t now_ns);
    uint64_t (*due_ns)(void);
    bool is_polled;

    /* Writes the lines of the part's accounts (base/agreed/accounts.h). With jfr_write_book_line these are the present sums. With
     * jfr_write_book_base they are the sums from which a new chunk counts, if that chunk may later become the first of the file. */
    void (*write_books)(uint32_t sink, jfr_write_book *write, uint64_t now_ns);
    /* Returns how many samples are in the recording, and how many were lost. */
    void (*count)(uint32_t sink, uint64_t *samples, uint64_t *lost);
    /* Returns the CPU time that the part's samples have used in the program's threads so far. --max-overhead limits this time, too. */
    uint64_t (*cost_ns)(void);
    /* Writes events that describe the whole recording, before the recording is copied and before it ends. stopped_ns: how long all threads
     * may be stopped for these events. They must be flushed before the next call. */
    void (*sum_up)(uint64_t stopped_ns);

    /* Ends the event. It is called before the threads are disarmed, or when the last recording with this event goes. drain: takes the
     * records off the part's queues. */
    void (*end)(void (*drain)(void));
    /* Writes the part's last events. It is called after end, when all records have been drained. */
    void (*finish)(void);
    /* Ends the JVM's reports for this event. It is called when the last recording with this event has gone while other recordings go on. */
    void (*close)(void);
    /* Makes sure that no thread takes another sample for the part. It may be called at any point, even after a fault in the agent. Samples
     * in the queues can still be drained. */
    void (*silence)(void);
    /* Frees all resources. It is also called after a reserve or a start that failed. */
    void (*release)(void);
    bool has_lanes; /* armed threads may use the part's memory: it is released when all threads are disarmed */
};

#endif

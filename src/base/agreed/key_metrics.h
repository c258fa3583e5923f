/* The key metrics of a JVM, one row each: figures that the server computes for each minute of a recording when it receives it, and that
 * can be drawn over time, searched for, and scraped. Programs, the server's answers and docs/formats/key-metrics.md are made of this table.
 *
 * KEY_METRIC(symbol, id, name, unit, sort, base, title, meaning, source): one metric.
 *   id       the metric's number in the catalog of the server's store. A number is never used again for another metric
 *   name     its name in queries and answers: lower-case letters, digits and "_", at most KEY_METRIC_NAME_MAX characters
 *   unit     the unit of its value: a unit of KEY_UNITS
 *   sort     how its amounts become a value, for a minute, for several minutes and for several JVMs: a sort of KEY_SORTS
 *   base     for the sort SHARE: what it is a share of, TIME or the symbol of a metric; otherwise TIME
 *   title    a few words
 *   meaning  an explanation
 *   source   where recordings have it
 *
 * A metric is stored as its amount in one minute of one recording, as a whole number: nanoseconds, bytes or a count. A value is computed
 * from amounts only when it is asked for. So values over any time and any JVMs are exact. */
#ifndef CANDOR_BASE_AGREED_KEY_METRICS_H
#define CANDOR_BASE_AGREED_KEY_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* UNIT(symbol, word, size, meaning). size: a value of 1 as an amount per nanosecond of time (sort RATE), or as an amount (sort LONGEST). */
#define KEY_UNITS(UNIT)                                                                                                                    \
    UNIT(CORES, "cores", 1, "processors in use")                                                                                           \
    UNIT(THREADS, "threads", 1, "threads, on average over the time")                                                                       \
    UNIT(BYTES_PER_S, "bytes/s", 1e-9, "bytes per second")                                                                                 \
    UNIT(PER_S, "1/s", 1e-9, "how often per second")                                                                                       \
    UNIT(SHARE, "share", 1, "a share: 0.1 is 10 %")                                                                                        \
    UNIT(SECONDS, "s", 1e9, "seconds")                                                                                                     \
    UNIT(BYTES, "bytes", 1, "bytes")

#define KEY_UNIT_SYMBOL(symbol, word, size, meaning) KEY_UNIT_##symbol,
enum key_unit { KEY_UNITS(KEY_UNIT_SYMBOL) KEY_UNIT_COUNT };

/* SORT(symbol, minutes, jvms, meaning). minutes, jvms: words for how the values of minutes, and of JVMs, are combined. */
#define KEY_SORTS(SORT)                                                                                                                    \
    SORT(RATE, "mean", "sum", "the amount divided by the time that recordings cover")                                                      \
    SORT(SHARE, "mean", "mean", "the amount divided by that of its base")                                                                  \
    SORT(LONGEST, "max", "max", "the largest amount")                                                                                      \
    SORT(LEVEL, "mean", "sum", "a current value")

#define KEY_SORT_SYMBOL(symbol, minutes, jvms, meaning) KEY_SORT_##symbol,
enum key_sort { KEY_SORTS(KEY_SORT_SYMBOL) KEY_SORT_COUNT };

#define KEY_METRIC_ROWS(KEY_METRIC)                                                                                                        \
    KEY_METRIC(CPU, 0, "cpu", CORES, RATE, TIME, "CPU time",                                                                               \
               "CPU time of the process per second; of a recording without books the CPU time of its samples",                             \
               "the account `cpu`; otherwise the samples of the type `cpu:ns`")                                                            \
    KEY_METRIC(CPU_QUEUE, 1, "cpu_queue", THREADS, RATE, TIME, "waiting for a processor", "threads that could run and had no processor",   \
               "the account `wall_waiting`, `STATE_WAITING_FOR_CPU`")                                                                      \
    KEY_METRIC(THROTTLED_SHARE, 2, "throttled_share", SHARE, SHARE, QUOTA_PERIODS, "throttled",                                            \
               "periods of the container's CPU quota in which the kernel stopped the container because it had used up its quota",          \
               "`jdk.ContainerCPUThrottling`")                                                                                             \
    KEY_METRIC(QUOTA_PERIODS, 3, "quota_periods", PER_S, RATE, TIME, "periods of the CPU quota",                                           \
               "periods of the container's CPU quota in which it ran", "`jdk.ContainerCPUThrottling`")                                     \
    KEY_METRIC(ALLOC, 4, "alloc", BYTES_PER_S, RATE, TIME, "allocation", "bytes allocated, as estimated by the samples",                   \
               "the samples of the type `alloc_space:bytes`")                                                                              \
    KEY_METRIC(LIVE_SET, 5, "live_set", BYTES, LEVEL, TIME, "live set", "used bytes of the heap after a garbage collection",               \
               "`candor.LiveSet`; otherwise `jdk.GCHeapSummary`")                                                                          \
    KEY_METRIC(GC_SHARE, 6, "gc_share", SHARE, SHARE, TIME, "stopped for GC", "time in pauses for garbage collection",                     \
               "the halts `gc_pause`")                                                                                                     \
    KEY_METRIC(GC_LONGEST, 7, "gc_longest", SECONDS, LONGEST, TIME, "longest GC pause", "the longest pause for garbage collection",        \
               "the halts `gc_pause`")                                                                                                     \
    KEY_METRIC(GC_PAUSES, 8, "gc_pauses", PER_S, RATE, TIME, "GC pauses", "pauses for garbage collection", "the halts `gc_pause`")         \
    KEY_METRIC(SAFEPOINT_SHARE, 9, "safepoint_share", SHARE, SHARE, TIME, "stopped at safepoints",                                         \
               "time at safepoints, those of garbage collections included; the JDK's recorder may record the long ones only",              \
               "the halts `safepoints_counted`; otherwise `safepoint`")                                                                    \
    KEY_METRIC(SAFEPOINTS, 10, "safepoints", PER_S, RATE, TIME, "safepoints", "safepoints",                                                \
               "the halts `safepoints_counted`; otherwise `safepoint`")                                                                    \
    KEY_METRIC(TTSP_SHARE, 11, "ttsp_share", SHARE, SHARE, TIME, "time to safepoint", "time until all threads had stopped at a safepoint", \
               "the halts `safepoints_counted`; otherwise `safepoint`")                                                                    \
    KEY_METRIC(TTSP_LONGEST, 12, "ttsp_longest", SECONDS, LONGEST, TIME, "longest time to safepoint",                                      \
               "the longest time until all threads had stopped; if several safepoints came within the 50 ms between two looks at the "     \
               "JVM's counters, their sum",                                                                                                \
               "the halts `safepoints_counted`; otherwise `safepoint`")                                                                    \
    KEY_METRIC(LOCK_WAIT, 13, "lock_wait", THREADS, RATE, TIME, "waiting for locks",                                                       \
               "threads that waited for a monitor, a lock of java.util.concurrent or a semaphore; a wait counts in the minute in which "   \
               "it began",                                                                                                                 \
               "the samples of the type `lock:ns`")                                                                                        \
    KEY_METRIC(PARK_WAIT, 14, "park_wait", THREADS, RATE, TIME, "parked otherwise",                                                        \
               "threads that were parked for anything else, mostly for work to do", "the samples of the type `lock:ns`")                   \
    KEY_METRIC(IO_WAIT, 15, "io_wait", THREADS, RATE, TIME, "waiting for input and output",                                                \
               "threads that waited in native methods for input or output; of the JDK's recorder, reads and writes of sockets and files "  \
               "that were long enough to be recorded",                                                                                     \
               "the account `wall_waiting`, `STATE_IN_NATIVE_IO`; otherwise the halts `socket_*` and `file_*`")                            \
    KEY_METRIC(THREADS, 16, "threads", THREADS, RATE, TIME, "threads", "Java threads",                                                     \
               "the account `wall_time`; otherwise `jdk.JavaThreadStatistics`")                                                            \
    KEY_METRIC(EXCEPTIONS, 17, "exceptions", PER_S, RATE, TIME, "exceptions", "exceptions thrown, caught or not",                          \
               "`jdk.ExceptionStatistics`")                                                                                                \
    KEY_METRIC(OWN_COST_SHARE, 18, "own_cost_share", SHARE, SHARE, CPU, "own cost", "CPU time that the profiler used",                     \
               "the account `own_cost`")                                                                                                   \
    KEY_METRIC(UNSEEN_SHARE, 19, "unseen_share", SHARE, SHARE, CPU, "unseen", "CPU time that no clock could show",                         \
               "the account `unseen`, without `not_drawn`")                                                                                \
    KEY_METRIC(LOST_SHARE, 20, "lost_share", SHARE, SHARE, CPU, "lost", "CPU time of expiries that left no sample", "the account `lost`")  \
    KEY_METRIC(FAILED_SHARE, 21, "failed_share", SHARE, SHARE, CPU, "without a stack", "CPU time of samples without a stack",              \
               "the account `failed`")                                                                                                     \
    KEY_METRIC(TRUNCATED_SHARE, 22, "truncated_share", SHARE, SHARE, CPU, "truncated", "CPU time of samples whose stack is not whole",     \
               "the account `truncated`")                                                                                                  \
    KEY_METRIC(ALLOC_STALL, 23, "alloc_stall", THREADS, RATE, TIME, "allocation stalls",                                                   \
               "threads that waited for the collector because the heap was full (ZGC)", "the halts `allocation_stall`")                    \
    KEY_METRIC(PINNED, 24, "pinned", THREADS, RATE, TIME, "pinned carriers", "carriers that a waiting virtual thread kept",                \
               "the halts `pinned`")                                                                                                       \
    KEY_METRIC(SWITCHES, 25, "switches", PER_S, RATE, TIME, "context switches", "context switches of the process's threads",               \
               "the account `switches`")                                                                                                   \
    KEY_METRIC(REQUESTS, 26, "requests", PER_S, RATE, TIME, "requests", "requests to the process, by the time at which they began",        \
               "`candor.opentracing.Span`, the outermost spans of the process")

#define KEY_METRIC_SYMBOL(symbol, ...) KEY_##symbol,
enum key_metric { KEY_METRIC_ROWS(KEY_METRIC_SYMBOL) KEY_METRICS, KEY_TIME = KEY_METRICS };

enum { KEY_METRIC_NAME_MAX = 24, KEY_METRIC_ID_MAX = 63, KEY_MINUTE_S = 60 };

struct key_metric_row {
    const char *name, *title, *meaning, *source;
    unsigned id;
    enum key_unit unit;
    enum key_sort sort;
    enum key_metric base; /* KEY_TIME = time */
};
struct key_unit_row {
    const char *word, *meaning;
    double size;
};
struct key_sort_row {
    const char *minutes, *jvms, *meaning;
};

extern const struct key_metric_row key_metric_rows[KEY_METRICS];
extern const struct key_unit_row key_unit_rows[KEY_UNIT_COUNT];
extern const struct key_sort_row key_sort_rows[KEY_SORT_COUNT];

/* Finds a metric by the n bytes of its name. Returns KEY_METRICS if there is none. */
enum key_metric key_metric_named(const char *name, size_t n);

/* What one recording has of the metrics in one minute. */
struct key_minute {
    int64_t minute;      /* minutes since the epoch */
    uint64_t covered_ns; /* how much of the minute the recording covers */
    uint64_t known;      /* bits 1 << enum key_metric: the metrics that it has; the amounts of others are 0 */
    int64_t amounts[KEY_METRICS];
};

static inline uint64_t key_metric_bit(enum key_metric metric)
{
    return (uint64_t)1 << metric;
}

#endif

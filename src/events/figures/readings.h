/* Reads figures that the JVM reports from time to time, and certain incidents: throttling by the quota, the fill of the code cache,
 * classes that were redefined. A table lists their events. */
#ifndef CANDOR_EVENTS_FIGURES_READINGS_H
#define CANDOR_EVENTS_FIGURES_READINGS_H

#include "jfr/read/pass.h"

#include <stdint.h>

/* READING(symbol, event, field): the value is that of the field; field NULL = the value of each event is 1. Only those events of
 * jdk.GCHeapSummary count that come after a collection. */
#define READING_ROWS(READING)                                                                                                              \
    READING(PERIODS, "jdk.ContainerCPUThrottling", "cpuElapsedSlices")                                                                     \
    READING(PERIODS_THROTTLED, "jdk.ContainerCPUThrottling", "cpuThrottledSlices")                                                         \
    READING(MEMORY_REFUSED, "jdk.ContainerMemoryUsage", "memoryFailCount")                                                                 \
    READING(MEMORY_LIMIT, "jdk.ContainerConfiguration", "memoryLimit")                                                                     \
    READING(RESIDENT, "jdk.ResidentSetSize", "size")                                                                                       \
    READING(SWITCHES, "jdk.ThreadContextSwitchRate", "switchRate")                                                                         \
    READING(CLASSES_LOADED, "jdk.ClassLoadingStatistics", "loadedClassCount")                                                              \
    READING(CLASSES_UNLOADED, "jdk.ClassLoadingStatistics", "unloadedClassCount")                                                          \
    READING(THREADS, "jdk.JavaThreadStatistics", "activeCount")                                                                            \
    READING(CODE_FULL, "jdk.CodeCacheFull", NULL)                                                                                          \
    READING(METASPACE_FULL, "jdk.MetaspaceOOM", NULL)                                                                                      \
    READING(SUBMIT_FAILED, "jdk.VirtualThreadSubmitFailed", NULL)                                                                          \
    READING(EVACUATION_FAILED, "jdk.EvacuationFailed", NULL)                                                                               \
    READING(MODE_FAILED, "jdk.ConcurrentModeFailure", NULL)                                                                                \
    READING(PROMOTION_FAILED, "jdk.PromotionFailed", NULL)                                                                                 \
    READING(REDEFINED, "jdk.RedefineClasses", "classCount")                                                                                \
    READING(RETRANSFORMED, "jdk.RetransformClasses", "classCount")                                                                         \
    READING(THROWN, "jdk.ExceptionStatistics", "throwables")                                                                               \
    READING(HEAP_AFTER_GC, "jdk.GCHeapSummary", "heapUsed")                                                                                \
    READING(PROCESSES, "jdk.ProcessStart", NULL)                                                                                           \
    READING(DATA_LOST, "jdk.DataLoss", "amount")

enum reading_kind {
#define READING_SYMBOL(symbol, event, field) READING_##symbol,
    READING_ROWS(READING_SYMBOL)
#undef READING_SYMBOL
        READING_KINDS
};

extern const char *const reading_events[READING_KINDS];

struct reading {
    int64_t ns; /* since the epoch */
    double value;
    uint8_t kind; /* enum reading_kind */
};

struct readings {
    struct reading *list; /* in order of time; readings of the same time in order of their kinds */
    uint32_t count, cap;
};

/* Reads a file. Returns 0 or a negative code with e. Call readings_deinit in any case. */
int readings_read(struct readings *r, const struct jfr_file *file, struct error *e);
/* Does the same in a pass with other readers: readings_take for each chunk, beginning with {0}, and readings_sort at the end. */
int readings_take(void *readings, struct jfr_chunk *chunk);
void readings_sort(struct readings *r);
void readings_deinit(struct readings *r);
/* Returns the number of readings before a time. The list must be in order of time. */
uint32_t readings_from(const struct reading *list, uint32_t count, int64_t ns);

#endif

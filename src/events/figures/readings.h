/* Figures that the JVM states from time to time, and happenings that it reports: the quota's throttling, the fill of the code cache,
 * classes that were redefined. A table says which events have them. */
#ifndef CANDOR_EVENTS_FIGURES_READINGS_H
#define CANDOR_EVENTS_FIGURES_READINGS_H

#include "jfr/read/reader.h"

#include <stdint.h>

/* READING(symbol, event, field): field NULL = the event itself counts, as 1. */
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
    struct reading *list; /* in order of time; of one time in that of the kinds */
    uint32_t count, cap;
};

/* 0 or a negative code with a line in e; readings_deinit in any case. */
int readings_read(struct readings *r, const struct jfr_file *file, struct error *e);
void readings_deinit(struct readings *r);
/* How many of a list that is in order are before that time. */
uint32_t readings_from(const struct reading *list, uint32_t count, int64_t ns);

#endif

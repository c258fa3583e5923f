#include "attach/recorder_settings.h"

/* Since this version, events of sockets, files and exceptions can be recorded at a bounded rate. */
enum { THROTTLES_SINCE = 25 };

struct row {
    const char *event;
    const char *threshold; /* NULL = the event has no threshold */
    const char *stack;     /* NULL = the event has no stack */
};

static const struct row rows[] = {
    {"ActiveSetting", NULL, NULL}, /* shows which of the other events were enabled, even if none occurred */
    {"GarbageCollection", "0 ms", NULL},
    {"GCPhasePause", "0 ms", NULL},
    {"SystemGC", "0 ms", "true"},
    {"SafepointBegin", "0 ms", NULL},
    {"SafepointStateSynchronization", "0 ms", NULL},
    {"SafepointEnd", "0 ms", NULL},
    {"ExecuteVMOperation", "0 ms", NULL},
    {"ZAllocationStall", "0 ms", "true"},
    {"JavaMonitorWait", "10 ms", "true"},
    {"ThreadSleep", "10 ms", "true"},
    {"VirtualThreadPinned", "10 ms", "true"},
    {"FileForce", "10 ms", "true"},
    {"Deoptimization", NULL, "true"}, /* since JDK 14 */
};

/* Failures and other events that are rare, or that are themselves expensive. */
static const struct row rare_rows[] = {
    {"CodeCacheFull", NULL, NULL},
    {"MetaspaceOOM", NULL, "true"},
    {"VirtualThreadSubmitFailed", NULL, "true"},
    {"EvacuationFailed", NULL, NULL},
    {"ConcurrentModeFailure", NULL, NULL},
    {"PromotionFailed", NULL, NULL},
    {"RedefineClasses", "0 ms", "true"},
    {"RetransformClasses", "0 ms", "true"},
    {"ProcessStart", NULL, "true"},
    {"DataLoss", NULL, NULL},
};

/* Figures that are written each second. */
static const char *const periodic[] = {"ExceptionStatistics",     "ContainerCPUThrottling", "ContainerMemoryUsage", "ResidentSetSize",
                                       "ThreadContextSwitchRate", "ClassLoadingStatistics", "JavaThreadStatistics"};

static const struct row lock_rows[] = {
    {"JavaMonitorEnter", "10 ms", "true"},
    {"ThreadPark", "10 ms", "true"},
};

static const char *const throttled[] = {"SocketRead", "SocketWrite", "FileRead", "FileWrite"};

static void put_setting(struct buffer *out, const char *name, const char *value)
{
    if (value)
        buffer_printf(out, "    <setting name=\"%s\">%s</setting>\n", name, value);
}

static void put_event(struct buffer *out, const struct row *row, const char *throttle)
{
    buffer_printf(out, "  <event name=\"jdk.%s\">\n", row->event);
    put_setting(out, "enabled", "true");
    put_setting(out, "stackTrace", row->stack);
    put_setting(out, "threshold", row->threshold);
    put_setting(out, "throttle", throttle);
    buffer_text(out, "  </event>\n");
}

/* Writes the settings for exceptions. A program that uses exceptions or Errors as control flow may throw a million of them in a second. */
static void put_exceptions(struct buffer *out, bool throttles)
{
    static const struct row all = {"JavaExceptionThrow", NULL, "true"}, errors = {"JavaErrorThrow", NULL, "false"};
    put_event(out, throttles ? &all : &errors, throttles ? "100/s" : NULL);
}

static void put_periodic(struct buffer *out, const char *event, const char *period)
{
    buffer_printf(out, "  <event name=\"jdk.%s\">\n", event);
    put_setting(out, "enabled", "true");
    put_setting(out, "period", period);
    buffer_text(out, "  </event>\n");
}

void recorder_settings(struct buffer *out, unsigned feature, bool locks)
{
    bool throttles = feature >= THROTTLES_SINCE;
    buffer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<configuration version=\"2.0\" label=\"Candor\" description=\"What stops threads\" provider=\"Candor\">\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        put_event(out, &rows[i], NULL);
    for (size_t i = 0; locks && i < sizeof lock_rows / sizeof *lock_rows; i++)
        put_event(out, &lock_rows[i], NULL);
    for (size_t i = 0; i < sizeof throttled / sizeof *throttled; i++) {
        struct row row = {throttled[i], throttles ? "1 ms" : "10 ms", "true"};
        put_event(out, &row, throttles ? "100/s" : NULL);
    }
    put_exceptions(out, throttles);
    for (size_t i = 0; i < sizeof rare_rows / sizeof *rare_rows; i++)
        put_event(out, &rare_rows[i], NULL);
    for (size_t i = 0; i < sizeof periodic / sizeof *periodic; i++)
        put_periodic(out, periodic[i], "1000 ms");
    put_periodic(out, "ContainerConfiguration", "beginChunk");
    buffer_text(out, "</configuration>\n");
}

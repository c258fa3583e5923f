#include "agent/collect/wall/wait_state.h"

#include "agent/hot/java/method.h"
#include "agent/hot/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const evidence_names[EVIDENCES] = {
    [EVIDENCE_CLOCK] = "clock",   [EVIDENCE_MONITOR] = "monitor", [EVIDENCE_METHOD] = "method",
    [EVIDENCE_KERNEL] = "kernel", [EVIDENCE_GUESS] = "guess",
};

/* The purpose of a method in which a thread waits. */
enum purpose { UNKNOWN, NONE, SLEEPS, PARKS, WAITS, READS, REFERENCES };

static uint8_t *purposes; /* enum purpose by method id; UNKNOWN = not asked yet */

int wait_state_init(void)
{
    if (!purposes)
        purposes = calloc(METHODS_MAX, 1);
    return purposes ? 0 : -ENOMEM;
}

void wait_state_deinit(void)
{
    free(purposes);
    purposes = NULL;
}

static bool begins(const char *text, uint16_t len, const char *with)
{
    size_t n = strlen(with);
    return len >= n && !memcmp(text, with, n);
}

static bool is(const char *text, uint16_t len, const char *other)
{
    return len == strlen(other) && !memcmp(text, other, len);
}

/* Returns the purpose of a native method. Only a few native methods wait, and their names have changed little: sleep, sleep0 (JDK 19),
 * sleepNanos0 (22); wait, wait0 (19). There are many methods for input and output, but their packages do little else. */
static enum purpose purpose_of_native(const struct method_info *m)
{
    static const char *const io[] = {"java/net/",
                                     "java/io/",
                                     "sun/nio/",
                                     "sun/net/",
                                     "jdk/net/",
                                     "sun/security/smartcardio/",
                                     "java/lang/ProcessImpl",
                                     "java/lang/ProcessHandleImpl",
                                     "java/lang/UNIXProcess"};
    if (is(m->class_name, m->class_len, "java/lang/Thread") && begins(m->name, m->name_len, "sleep"))
        return SLEEPS;
    if (is(m->class_name, m->class_len, "java/lang/Object") && begins(m->name, m->name_len, "wait"))
        return WAITS;
    if ((is(m->class_name, m->class_len, "jdk/internal/misc/Unsafe") || is(m->class_name, m->class_len, "sun/misc/Unsafe")) &&
        is(m->name, m->name_len, "park"))
        return PARKS;
    if (is(m->class_name, m->class_len, "java/lang/ref/Reference") && begins(m->name, m->name_len, "waitForReference"))
        return REFERENCES;
    for (size_t i = 0; i < sizeof io / sizeof *io; i++)
        if (begins(m->class_name, m->class_len, io[i]))
            return READS;
    return NONE;
}

static enum purpose purpose_of(uint64_t leaf, enum jfr_thread_state jvm)
{
    uint32_t id = frame_method(leaf);
    if (!frame_is_java(leaf) || id >= METHODS_MAX || !method_has_names(id))
        return NONE;
    if (purposes[id] == UNKNOWN) {
        struct method_info m = method_get(id);
        purposes[id] = (uint8_t)purpose_of_native(&m);
    }
    /* These packages also contain methods in Java, in which a thread may have stopped for a garbage collection. */
    return purposes[id] == READS && jvm != JFR_STATE_NATIVE ? NONE : (enum purpose)purposes[id];
}

struct waiting wait_state(enum jfr_thread_state jvm, bool monitor_known, bool in_monitor, uint64_t leaf)
{
    if (in_monitor)
        return (struct waiting){JFR_STATE_MONITOR, EVIDENCE_MONITOR};
    switch (leaf ? purpose_of(leaf, jvm) : NONE) {
    case SLEEPS:
        return (struct waiting){JFR_STATE_SLEEPING, EVIDENCE_METHOD};
    case PARKS:
        return (struct waiting){JFR_STATE_PARKED, EVIDENCE_METHOD};
    case WAITS:
        return (struct waiting){JFR_STATE_WAITING, EVIDENCE_METHOD};
    case READS:
        return (struct waiting){JFR_STATE_IO, EVIDENCE_METHOD};
    case REFERENCES: /* the thread waits inside the JVM, for the JVM's garbage collector */
        return (struct waiting){JFR_STATE_BLOCKED, EVIDENCE_METHOD};
    default:
        break;
    }
    if (jvm == JFR_STATE_NATIVE || jvm == JFR_STATE_UNKNOWN)
        return (struct waiting){JFR_STATE_UNKNOWN, EVIDENCE_KERNEL};
    /* The thread is inside the JVM. Unless the JVM reports something else, a Java thread there usually waits for a monitor. */
    if (leaf && jvm == JFR_STATE_BLOCKED && !monitor_known)
        return (struct waiting){JFR_STATE_MONITOR, EVIDENCE_GUESS};
    return (struct waiting){JFR_STATE_BLOCKED, EVIDENCE_KERNEL};
}

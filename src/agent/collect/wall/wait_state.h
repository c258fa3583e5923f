/* What a thread that does not run waits for, as far as known: from the JVM's state, the monitor that it waits for, and its
 * current method. Collector only. */
#ifndef CANDOR_AGENT_COLLECT_WALL_WAIT_STATE_H
#define CANDOR_AGENT_COLLECT_WALL_WAIT_STATE_H

#include "jfr/schema.h"

#include <stdbool.h>
#include <stdint.h>

/* What a state is known by, the surest first. */
enum evidence {
    EVIDENCE_CLOCK,   /* "clock": the kernel says that the thread can run, and its CPU clock how much of the time it did */
    EVIDENCE_MONITOR, /* "monitor": the JVM says which monitor it waits for */
    EVIDENCE_METHOD,  /* "method": it sleeps in the kernel, in a method that does nothing else */
    EVIDENCE_KERNEL,  /* "kernel": it sleeps in the kernel; what for, is not known */
    EVIDENCE_GUESS,   /* "guess": the most likely one for the state that the JVM reports */
    EVIDENCES
};
extern const char *const evidence_names[EVIDENCES];

struct waiting {
    enum jfr_thread_state state;
    enum evidence evidence;
};

/* The meaning of methods is remembered by their ids, which belong to a recording. 0 or -ENOMEM. */
int wait_state_init(void);
void wait_state_deinit(void);

/* jvm: the state that the JVM reports. monitor_known: the JVM reports monitors; in_monitor: it waits for one. leaf: the innermost
 * frame, a word of hot/record.h; 0 = there is none. */
struct waiting wait_state(enum jfr_thread_state jvm, bool monitor_known, bool in_monitor, uint64_t leaf);

#endif

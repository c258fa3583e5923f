/* Finds out what a thread that does not run waits for, as far as known. It uses the JVM's state, the monitor that the thread waits for, and
 * the thread's current method. Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_WALL_WAIT_STATE_H
#define CANDOR_AGENT_COLLECT_WALL_WAIT_STATE_H

#include "jfr/schema.h"

#include <stdbool.h>
#include <stdint.h>

/* The kinds of evidence for a state, the most certain first. */
enum evidence {
    EVIDENCE_CLOCK,   /* "clock": the kernel reports that the thread can run, and its CPU clock shows how much it ran */
    EVIDENCE_MONITOR, /* "monitor": the JVM says which monitor it waits for */
    EVIDENCE_METHOD,  /* "method": the thread sleeps in the kernel, in a method that always waits in this way */
    EVIDENCE_KERNEL,  /* "kernel": the thread sleeps in the kernel, for an unknown reason */
    EVIDENCE_GUESS,   /* "guess": the most likely state for the one that the JVM reports */
    EVIDENCES
};
extern const char *const evidence_names[EVIDENCES];

struct waiting {
    enum jfr_thread_state state;
    enum evidence evidence;
};

/* Prepares the table of methods. It is indexed by their ids, which belong to a recording. Returns 0 or -ENOMEM. */
int wait_state_init(void);
void wait_state_deinit(void);

/* Returns what the thread does. jvm: the state that the JVM reports. monitor_known: whether the JVM reports monitors. in_monitor: whether
 * the thread waits for one. leaf: the innermost frame, a word of hot/record.h; 0 = there is none. */
struct waiting wait_state(enum jfr_thread_state jvm, bool monitor_known, bool in_monitor, uint64_t leaf);

#endif

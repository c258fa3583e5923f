/* The profilers that are compared with the true values, and the way in which each one is made to record a JVM.
 *
 *   candor[:CLOCK]                       Candor's agent, from the start of the JVM
 *   late[:CLOCK]                         Candor's agent, attached when the program's code is already compiled
 *   recompile[:CLOCK]                    the same, and the JVM first throws that code away
 *   safepoint                            Candor's agent, from the start, with the event safepoint: biased, and without CPU time
 *   jfr                                  JDK Flight Recorder's sampler; jfr-cpu its sampler by CPU time (JDK 25 and later)
 *   async-profiler=LIBRARY[:EVENT]       async-profiler's agent, from the start; EVENT cpu (default), ctimer, itimer ... */
#ifndef CANDOR_VERIFY_TOOL_H
#define CANDOR_VERIFY_TOOL_H

#include "base/buffer.h"
#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum tool_kind {
    TOOL_CANDOR,
    TOOL_CANDOR_LATE,
    TOOL_CANDOR_RECOMPILES,
    TOOL_CANDOR_SAFEPOINT,
    TOOL_JFR,
    TOOL_JFR_CPU,
    TOOL_ASYNC_PROFILER
};

struct tool {
    enum tool_kind kind;
    char name[80];          /* the name for users: "candor, attached late, timer" */
    char event[16];         /* the clock or the event; "" = the tool's default */
    char library[PATH_MAX]; /* the path of the agent */
};

enum { TOOLS_MAX = 16 };

/* Reads one word of a list of tools. agent: the path of Candor's library. Returns 0, or -EINVAL with e. */
int tool_parse(struct tool *t, const char *word, const char *agent, struct error *e);
/* Whether the weights of the tool's samples are CPU time, and all of it. That holds for Candor's clocks. */
bool tool_counts_cpu(const struct tool *t);

/* Makes the JVM's argument for recording into the file; it is "" for a tool that attaches. folder: a folder for the tool's own files.
 * Returns 0 or a negative errno with e. */
int tool_argument(const struct tool *t, const char *folder, const char *file, uint64_t interval_ns, struct buffer *out, struct error *e);
/* Does the tool's work when the program is warm, such as attaching. Returns 0 or a negative errno with e. */
int tool_attach(const struct tool *t, pid_t pid, const char *file, uint64_t interval_ns, struct error *e);

#endif

/* The profilers that are compared with the true values, and how each is told to record a JVM.
 *
 *   candor[:CLOCK]                       our agent, from the start of the JVM
 *   late[:CLOCK]                         our agent, attached when the program's code is compiled already
 *   recompile[:CLOCK]                    the same, and the JVM throws that code away first
 *   safepoint                            our agent, from the start, with the event safepoint: biased, and no CPU time
 *   jfr                                  JDK Flight Recorder's sampler; jfr-cpu its sampler by CPU time (JDK 25 and later)
 *   async-profiler=LIBRARY[:EVENT]       its agent, from the start; EVENT cpu (default), ctimer, itimer ... */
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
    char name[80];          /* as people see it: "candor, attached late, timer" */
    char event[16];         /* the clock or event, "" = its default */
    char library[PATH_MAX]; /* the agent */
};

enum { TOOLS_MAX = 16 };

/* Reads one word of a list of tools; agent: the path of our library. 0, or -EINVAL with e. */
int tool_parse(struct tool *t, const char *word, const char *agent, struct error *e);
/* Whether the weights of its samples are CPU time, and all of it: those of our clocks. */
bool tool_counts_cpu(const struct tool *t);

/* The JVM's argument that makes it record into the file, "" for a tool that attaches; folder: for its own files. 0 or a negative
 * errno with e. */
int tool_argument(const struct tool *t, const char *folder, const char *file, uint64_t interval_ns, struct buffer *out, struct error *e);
/* Does the tool's work when the program is warm, such as attaching. 0 or a negative errno with e. */
int tool_attach(const struct tool *t, pid_t pid, const char *file, uint64_t interval_ns, struct error *e);

#endif

/* Collects what the threads of one request did, in order of time, from the samples of the request's trace, in one process or in several.
 *
 *   [ trace_keep -> trace_add ]* for each kind of samples and process -> trace_finish -> trace_text or trace_json -> trace_deinit
 *
 * The profiles contain only samples of that trace, with their labels (docs/context.md), and must outlive the trace. Successive samples
 * of a thread with the same kind, state, span, place and lock form one piece. Functions return 0 or -ENOMEM. */
#ifndef CANDOR_REPORT_TRACE_H
#define CANDOR_REPORT_TRACE_H

#include "profile/profile.h"

#include <stdio.h>

struct trace_piece {
    int64_t from_ns, to_ns; /* times of the first and the last sample, since the epoch */
    enum profile_kind kind;
    uint8_t state;   /* enum jfr_thread_state */
    uint64_t weight; /* ns, or bytes for allocations */
    uint32_t samples;
    const char *process;                         /* that of trace.process; empty = not named */
    const char *thread, *span, *root, *endpoint; /* texts of the profiles; empty = unknown */
    const char *leaf;                            /* the innermost frame */
    const char *in;                              /* the innermost frame that is not the JDK's, or empty */
    struct trace_lock {
        const char *class_name, *owner;                        /* the lock's class, and the thread that held it; empty = unknown */
        const char *owner_trace, *owner_span, *owner_endpoint; /* what that thread did when the wait began */
    } lock;                                                    /* of a wait for a lock; all empty for other kinds */
};

struct trace_span {
    const char *id, *root;
    int64_t from_ns, to_ns;
    uint64_t weights[PROFILE_KINDS]; /* indexed by enum profile_kind */
};

struct trace {
    struct trace_piece *pieces; /* ordered by from_ns */
    uint32_t piece_count, piece_cap;
    struct trace_span *spans; /* ordered by from_ns */
    uint32_t span_count, span_cap;
    uint64_t weights[PROFILE_KINDS];
    uint32_t samples, threads;
    const char *link;    /* template of the address of a trace (base/text/trace_link.h); NULL = none; set it before printing */
    const char *process; /* the process of the samples that are added next, such as "shop on web-1"; NULL = not named; borrowed */
};

/* The kinds of samples that a trace shows, in the order in which their weights are printed. */
enum { TRACE_KINDS = 5 };
extern const enum profile_kind trace_kinds[TRACE_KINDS];

/* Drops the samples of all other traces. id: 32 digits in lower case. */
int trace_keep(struct profile *p, const char *id);
int trace_add(struct trace *t, const struct profile *p);
int trace_finish(struct trace *t);
void trace_deinit(struct trace *t); /* a trace begins as {0} */

void trace_text(FILE *out, const struct trace *t, const char *id);
void trace_json(FILE *out, const struct trace *t, const char *id);

#endif

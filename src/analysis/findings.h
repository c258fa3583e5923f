/* The problems that rules find in a recording: a short list, the worst first.
 *
 *   findings_init -> analyze (analyze.h) -> read the fields, findings_text -> findings_deinit
 *
 * Rules call findings_say and findings_add. If memory runs out, they continue, and `failed` is set. */
#ifndef CANDOR_ANALYSIS_FINDINGS_H
#define CANDOR_ANALYSIS_FINDINGS_H

#include "analysis/rules.h"
#include "analysis/score.h"
#include "base/strtab.h"

#include <stdbool.h>
#include <stdint.h>

enum finding_kind {
#define FINDING_KIND(symbol, ...) FINDING_##symbol,
    FINDING_ROWS(FINDING_KIND)
#undef FINDING_KIND
        FINDING_KINDS
};

/* A row of rules.h. */
struct finding_info {
    const char *id, *title, *report, *table, *remedy;
    unsigned all, any;
};

extern const struct finding_info finding_infos[FINDING_KINDS];

/* Strings are ids, 0 = unknown or none. */
struct finding {
    enum finding_kind kind;
    double score;
    uint32_t text;              /* one sentence: the problem, its place and its extent */
    uint32_t subject;           /* a lock's class, a peer, a path, a pool's threads, an exception's class */
    uint32_t site;              /* "shop.Log.write:12": where in the program */
    uint32_t owner;             /* the thread that has the lock, requested the halt, or was late */
    uint64_t count;             /* number of waits, pauses, reads ... */
    uint32_t threads;           /* number of threads that were held up; 0 = all, or unknown */
    struct amount lost_ns;      /* the time that threads lost; for halts of all threads, the time for which all were stopped */
    const char *report, *table; /* NULL = the ones in finding_infos, because the evidence is where it usually is */
    const char *remedy;         /* NULL = the one in finding_infos */
    int64_t from_ns;            /* since the epoch: start of the worst window, if that is worse than the whole; 0 = no window is worse */
    uint64_t window_ns;         /* length of the worst window */
    uint32_t worst;             /* the text for that window, if the whole recording has the finding, too */
    enum finding_kind cause;    /* if has_cause: the finding from which this one probably follows (consequences.h) */
    bool has_cause;
};

/* A rule that could not be applied, because the recording lacks data. */
struct finding_gap {
    enum finding_kind kind;
    const char *missing; /* "waits for locks" */
    const char *remedy;  /* the command that records the missing data */
    unsigned sources;    /* the missing sources, as bits of enum source */
};

struct profile_node;

/* Results about the stacks of a profile (stack.h): the marks, the innermost own method and the line of each node. */
struct findings_stacks {
    const struct profile_node *nodes; /* the nodes of the profile; slices of a profile share them */
    uint64_t *marks, *of_method;      /* NULL = not computed yet, here and below */
    uint32_t *own, *lines;
};

enum { FINDINGS_PROFILES = 8 };

struct findings {
    struct strtab strings;
    struct finding *list; /* highest score first, then most time lost; but a consequence comes after its cause */
    uint32_t count, cap;
    struct finding_gap gaps[FINDING_KINDS];
    uint32_t gap_count;
    bool left_out[FINDING_KINDS];                     /* set by the caller before analyze: findings of this kind are not wanted */
    struct findings_stacks stacks[FINDINGS_PROFILES]; /* valid as long as the evidence */
    bool failed;
};

int findings_init(struct findings *f); /* returns 0 or -ENOMEM; call findings_deinit in any case */
void findings_deinit(struct findings *f);
const char *findings_text(const struct findings *f, uint32_t string);
uint32_t findings_string(struct findings *f, const char *text);
/* Formats a text and returns its string id. Text longer than 2 KiB is cut. */
uint32_t findings_say(struct findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the kind with that id; FINDING_KINDS = there is none. */
enum finding_kind finding_named(const char *id, size_t n);
/* Adds a finding, unless its score is below SCORE_INFO, or its rule was left out on request. */
void findings_add(struct findings *f, const struct finding *one);
void findings_sort(struct findings *f);
const char *finding_report(const struct finding *one); /* "" = no report shows it */
const char *finding_table(const struct finding *one);
const char *finding_remedy(const struct finding *one);
/* Returns "warning" or "info". */
const char *finding_severity(const struct finding *one);

#endif

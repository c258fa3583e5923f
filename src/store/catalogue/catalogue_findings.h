/* Keeps the findings of rules about recordings, and which recordings the rules have not seen yet.
 *
 *     waiting       service, recording, received_ns: recordings that were not judged yet
 *     judging       service -> what became of its recordings (catalogue_judging), and turn: when the last of them was judged
 *     finding       id, service, rule, place, and the rest of struct catalogue_finding: one row for each (service, rule, place)
 *     finding_label finding, name, value: the hosts and versions whose recordings had it
 *
 * A recording waits from the transaction that adds it. It ends in exactly one of the counts of its service:
 *
 *     added since version 7 of the catalog = judged + the sum of skipped + waiting
 *
 * All functions are as in catalogue.h: one transaction each, from any thread. Only one thread at a time may judge. */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_FINDINGS_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_FINDINGS_H

#include "store/catalogue/catalogue.h"

#define CATALOGUE_EVIDENCE_MAX 20 /* recordings of one service that are kept as evidence */
enum {
    CATALOGUE_FINDINGS_MAX = 500,   /* findings of one service; the oldest resolved one makes room for a new one */
    CATALOGUE_VALUES_MAX = 100,     /* hosts of one finding, and versions */
    CATALOGUE_QUIET_RECORDINGS = 3, /* a finding is resolved only after this many judged recordings without it */
};

/* ---- recordings ---- */

/* Why a recording was not judged: it had waited too long, it is not a JFR recording, its file no longer exists or
 * is an object that cannot be fetched, it cannot be read. */
enum catalogue_skip { SKIP_LATE, SKIP_FORMAT, SKIP_MISSING, SKIP_DAMAGED, SKIPS };
extern const char *const catalogue_skip_names[SKIPS];

enum catalogue_state { STATE_OPEN, STATE_ACKNOWLEDGED, STATE_SILENCED, STATE_RESOLVED, STATES };
extern const char *const catalogue_state_names[STATES];

/* Finds the recording to judge next: the newest of the service that was judged longest ago. *recording = 0 if none waits. */
int catalogue_next_waiting(struct catalogue *c, uint64_t *recording, struct error *e);
/* Skips a recording that waits. */
int catalogue_skip(struct catalogue *c, uint64_t recording, enum catalogue_skip why, struct error *e);
/* Skips recordings that were received before this time, at most a few thousand. *n: how many. */
int catalogue_skip_late(struct catalogue *c, int64_t before_ns, uint64_t *n, struct error *e);

struct catalogue_judging {
    uint64_t judged, waiting, skipped[SKIPS];
    uint64_t unlisted;         /* findings that found no room (CATALOGUE_FINDINGS_MAX) */
    uint64_t findings[STATES]; /* number of findings, by state */
};
/* Sums up all services. */
int catalogue_judging(struct catalogue *c, struct catalogue_judging *sums, struct error *e);

/* ---- findings ---- */

/* A finding in one recording. */
struct catalogue_found {
    const char *rule, *place, *json; /* json: all of it */
    double score;
    uint64_t lost_ns;
};

/* The judgement of one recording. No two of `found` have the same rule and place. */
struct catalogue_judgement {
    uint64_t recording, duration_ns;
    const struct catalogue_found *found;
    uint32_t found_count;
    bool (*could_judge)(void *context, const char *rule); /* whether the recording allowed to judge the rule */
    void *context;
    int64_t resolve_s; /* a finding that was not seen for this long is resolved */
};
/* Enters a judgement, unless the recording no longer waits. */
int catalogue_judged(struct catalogue *c, const struct catalogue_judgement *j, struct error *e);

/* How bad a finding was in one recording. */
struct catalogue_extent {
    double score;
    uint64_t lost_ns, duration_ns; /* lost time, and the recording's duration */
};

/* A host or a version whose recordings had a finding. */
struct catalogue_seen {
    char name[8]; /* "host" or "version" */
    char value[LABEL_VALUE_MAX + 1];
};

struct catalogue_finding {
    uint64_t id;
    const char *service, *rule, *place;
    enum catalogue_state state;
    int64_t first, last, changed;          /* first and last second of the recordings that had it; when its state changed */
    uint64_t recordings;                   /* number of recordings that had it */
    struct catalogue_extent latest, worst; /* in the latest recording, and in its evidence */
    uint64_t evidence;                     /* the recording where it was worst */
    bool has_evidence;                     /* the evidence's file still exists */
    const char *note, *json;               /* note: "" = none; json: the finding in its evidence */
    const struct catalogue_seen *seen;     /* sorted by name */
    uint32_t seen_count;
};
typedef int catalogue_visit_finding(void *context, const struct catalogue_finding *f);
/* Visits the findings, those with the highest scores first. id: only this one; 0 = all. */
int catalogue_findings(struct catalogue *c, uint64_t id, const struct catalogue_patience *patience, catalogue_visit_finding *visit,
                       void *context, struct error *e);
/* Changes the state and the note of a finding. state STATES, or note NULL = it stays. Returns -ENOENT if there is no such finding. */
int catalogue_change_finding(struct catalogue *c, uint64_t id, enum catalogue_state state, const char *note, int64_t now, struct error *e);

#endif

/* Judges recordings by the rules of `candor analyze`, on a separate thread, at a limited cost: after a recording that took T of CPU
 * time, the thread rests until T is no more than the share of one processor that --analyze-cpu allows. No request waits for it. While
 * the share is 0, it judges none.
 *
 * Recordings wait in the catalog (catalogue_findings.h). The services take turns, and of a service the newest recording comes first. A
 * recording that has waited for JUDGE_PATIENCE_S is skipped, and counted. */
#ifndef CANDOR_SERVER_FLEET_JUDGE_H
#define CANDOR_SERVER_FLEET_JUDGE_H

#include "server/request/context.h"

enum { JUDGE_PATIENCE_S = 600 };

struct judge;

/* Starts the thread. Returns 0 or a code. Call judge_stop in both cases. */
int judge_start(struct judge **out, struct server *s, struct error *e);
/* Ends the thread. It returns when the recording that it judges is done. */
void judge_stop(struct judge *j);

/* Returns how long to rest after work that took `spent_ns` of CPU time and `passed_ns` of time, so that work and rest together take no more
 * than `share` of one processor. */
uint64_t judge_rest_ns(uint64_t spent_ns, uint64_t passed_ns, double share);

#endif

/* Recordings whose files are kept although they are old, because an alert fired about them (server/alerts/keep.h). They are evidence like
 * the recordings of open findings: the limits of recordings spare them, and the limits of all data take them last.
 *
 *     kept   recording -> service, rule, until (the second at which it becomes like any other) */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_KEEP_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_KEEP_H

#include "store/catalogue/catalogue.h"

#define CATALOGUE_KEPT_MAX 20 /* recordings of one service that are kept for alerts */

/* Keeps these recordings until that second, or for longer if they are kept already. If a service then has more than CATALOGUE_KEPT_MAX,
 * those that would be kept for the shortest time are given up. rule: the alert's, for people. */
int catalogue_keep(struct catalogue *c, const uint64_t *recordings, uint32_t n, const char *rule, int64_t until, struct error *e);
/* Gives up the recordings whose time is over. */
int catalogue_keep_until(struct catalogue *c, int64_t now, struct error *e);

struct catalogue_kept {
    uint64_t recording;
    const char *rule;
    int64_t until;
};
typedef int catalogue_visit_kept(void *context, const struct catalogue_kept *k);
/* Visits the recordings that are kept and whose files exist, ordered by rule, then by recording. */
int catalogue_kept(struct catalogue *c, catalogue_visit_kept *visit, void *context, struct error *e);

#endif

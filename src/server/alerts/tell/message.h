/* The messages to targets, in the formats that are built in: Alertmanager's API v2, a webhook with everything that is known, and text for
 * Slack and others like it. */
#ifndef CANDOR_SERVER_ALERTS_TELL_MESSAGE_H
#define CANDOR_SERVER_ALERTS_TELL_MESSAGE_H

#include "base/text/jsonw.h"
#include "server/alerts/verdict.h"

struct alert_note {
    const struct alert_rule *rule;
    const struct alert *alert;
    bool test;
};

enum { ALERT_FINGERPRINT = 17, ALERT_TIME = 32 };

/* Writes the body for a target of any type but email, in the format that is built in. now: seconds since the epoch. Returns 0 or
 * -ENOMEM. */
int message_put(FILE *out, const struct alert_target *target, const struct alert_note *notes, uint32_t count, int64_t now);

/* The labels of an alert, and their fingerprint: equal labels have equal fingerprints. Both also serve answers of the API. strict: names
 * are changed to those that Prometheus allows. */
void message_put_labels(struct jsonw *j, const struct alert_note *note, bool strict);
char *message_fingerprint(const struct alert_note *note, char out[ALERT_FINGERPRINT]);
/* One sentence about the last value. Returns out. */
char *message_describe(const struct alert_rule *rule, const struct alert *alert, char *out, size_t size);
/* RFC 3339. Returns out. */
char *message_time(int64_t seconds, char out[ALERT_TIME]);

#endif

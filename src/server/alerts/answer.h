/* What the answers about alerts share. */
#ifndef CANDOR_SERVER_ALERTS_ANSWER_H
#define CANDOR_SERVER_ALERTS_ANSWER_H

#include "server/alerts/keep.h"
#include "server/alerts/verdict.h"
#include "server/request/question.h"

/* Whether the server has rules. If not, it has answered with an error. */
bool answer_has_alerts(struct http *h);
/* Copies the rule of that name. Returns false if there is none; then it has answered with an error, which has this status. */
bool answer_find_rule(struct http *h, const char *name, unsigned status, struct alert_rule *out);
/* Writes the members of a rule into an object that is open; likewise those of a figure: value (null without data), low, high, samples.
 * kept: as for keep_put. */
void answer_put_rule(struct jsonw *j, const struct alert_rule *r, const struct keep_list *kept);
/* Returns out with the version of a rule, which is another one after any change of the rule; NULL = no memory. */
enum { ANSWER_VERSION = 33 };
const char *answer_version(const struct alert_rule *r, char out[ANSWER_VERSION]);
void answer_put_figure(struct jsonw *j, const struct alert_figure *f);

#endif

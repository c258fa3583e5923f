/* The states of an alert, and what one evaluation makes of them. It knows no clock: times are those of the data, so that a preview of past
 * windows goes through the same states.
 *
 *     inactive -> pending -> firing -> resolved -> pending ...        pending ends in inactive if the value does not hold for `for`
 *
 * A value is beyond a threshold only if its whole 95 % interval is. */
#ifndef CANDOR_SERVER_ALERTS_VERDICT_H
#define CANDOR_SERVER_ALERTS_VERDICT_H

#include "server/alerts/sources.h"

enum alert_state { ALERT_INACTIVE, ALERT_PENDING, ALERT_FIRING, ALERT_RESOLVED, ALERT_STATES };
extern const char *const alert_states[ALERT_STATES];

/* The state of an alert as a target knows it. */
struct alert_told {
    enum alert_state what; /* firing, resolved, or inactive for nothing */
    int64_t started;       /* `started` of the alert that the target got */
    int64_t when;          /* seconds since the epoch, by the server's clock */
};

struct alert {
    char rule[ALERT_NAME_MAX];
    char *value; /* of the label `each`; NULL = the rule has none. Belongs to the owner of the alert */
    enum alert_state state;
    int64_t at;             /* the end of the last window; 0 = never evaluated */
    int64_t since;          /* when the state began */
    int64_t started, ended; /* of the last time that it fired */
    int64_t seen;           /* the end of the last window with data */
    int64_t held;           /* pending: for how many seconds the value has been beyond the threshold */
    bool announced;         /* it fires, or has fired, outside quiet times and silences: it is sent to targets */
    struct alert_figure figure;
    struct alert_told told[ALERT_TARGETS_MAX];
};

/* Puts the figure of the window that ends at `to` into the alert. step: the longest time between two evaluations that counts for `for`; a
 * longer one, such as a server's absence or a clock that was set, counts as this. silent: a silence is about the alert, so it is not
 * announced now. Returns whether the state has changed. */
bool verdict(struct alert *a, const struct alert_rule *rule, const struct alert_figure *figure, int64_t to, int64_t step, bool silent);
/* The state for targets: firing, resolved, or inactive for nothing. An alert that is over stays resolved for them until it fires again.
 * So a target that could not be reached gets the end even if the value has been beyond the threshold since then. */
enum alert_state verdict_for_targets(const struct alert *a);
/* Whether the figure is surely beyond the threshold. */
bool verdict_is_beyond(const struct alert_rule *rule, const struct alert_figure *figure, double threshold);

#endif

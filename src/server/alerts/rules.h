/* The rules of alerts, and the targets to which alerts are sent: the file of --alerts (docs/fleet.md#alerts, base/ini.h).
 *
 *     [send ops]                          [alert json]
 *     type = alertmanager                 select = env="live"
 *     url = http://alerts.example:9093    value = total
 *                                         method = com\.fasterxml\.
 *                                         above = 5%
 *
 * A rule contains only texts and numbers, so it can be copied. */
#ifndef CANDOR_SERVER_ALERTS_RULES_H
#define CANDOR_SERVER_ALERTS_RULES_H

#include "http/mail.h"
#include "server/alerts/quiet.h"
#include "store/catalogue/catalogue.h"

#include <limits.h>

enum {
    ALERT_NAME_MAX = 64,
    ALERT_TEXT_MAX = 512,
    ALERT_ACTION_MAX = 160,
    ALERT_ADDRESS_MAX = 255,
    ALERT_TEMPLATE_MAX = 8192,
    ALERT_TEXTS_MAX = 8,
    ALERT_QUIET_MAX = 4,
    ALERT_TARGETS_MAX = 8,
    ALERT_RULES_MAX = 10000,
    ALERT_SEASONS_LEAST = 3,
    ALERT_SEASONS_MAX = 8,
};

#define ALERT_TYPE "cpu:ns" /* the type of a rule that names none */

struct alert_source; /* sources.h */

struct alert_text {
    char name[ALERT_NAME_MAX], value[ALERT_TEXT_MAX];
};

struct alert_rule {
    char name[ALERT_NAME_MAX];
    bool of_samples; /* `select` has matchers for labels of samples */
    char select[ALERT_TEXT_MAX], each[ALERT_NAME_MAX], type[CATALOGUE_TYPE_MAX], method[ALERT_TEXT_MAX];
    char threshold_text[32], resolve_text[32]; /* as they are written; "" = not set */
    const struct alert_source *source;
    int64_t window, interval, delay, hold, no_data; /* seconds; hold is the key `for` */
    char baseline[24];                              /* as it is written; "" = there is none */
    int64_t before;                                 /* seconds from one window of the baseline to the next; 0 = there is no baseline */
    uint32_t seasons;                               /* the number of windows of the baseline */
    bool below;
    double threshold, resolve;
    struct quiet quiet[ALERT_QUIET_MAX];
    uint32_t quiet_count;
    struct alert_text labels[ALERT_TEXTS_MAX], annotations[ALERT_TEXTS_MAX];
    uint32_t label_count, annotation_count;
    char action[ALERT_ACTION_MAX]; /* what to do besides when it begins to fire: "profile EVENTS DURATION [JVMS]"; "" = nothing */
    int64_t keep_s;                /* likewise: for so many seconds it keeps recordings; 0 = it keeps none */
    uint32_t keep_most;            /* how many of them */
    char to[ALERT_TEXT_MAX];       /* names of targets; "" = all */
    uint32_t targets;              /* bits */
};

enum alert_target_kind { ALERT_MANAGER, ALERT_WEBHOOK, ALERT_SLACK, ALERT_EMAIL, ALERT_TARGET_KINDS };
extern const char *const alert_target_kinds[ALERT_TARGET_KINDS];

struct alert_target {
    char name[ALERT_NAME_MAX], url[1088], token_file[PATH_MAX], ca_file[PATH_MAX];
    enum alert_target_kind kind;
    int64_t repeat; /* seconds after which an alert that still fires is sent again; 0 = never */
    bool repeat_set;
    char template[ALERT_TEMPLATE_MAX]; /* of the body (template.h); "" = the format that is built in */
    char content_type[ALERT_NAME_MAX]; /* of such a body; "" = JSON */
    /* Of type email. */
    char from[ALERT_ADDRESS_MAX], recipients[MAIL_RECIPIENTS_MAX][ALERT_ADDRESS_MAX], user[ALERT_ADDRESS_MAX], password_file[PATH_MAX];
    char subject[ALERT_ADDRESS_MAX]; /* a template; "" = the one that is built in */
    uint32_t recipient_count;
    bool open; /* send it also to a server that does not offer TLS */
};

struct alert_rules {
    struct alert_rule *list;
    uint32_t count, cap;
    struct alert_target targets[ALERT_TARGETS_MAX];
    uint32_t target_count;
};

/* Reads the file. Returns 0, or a negative code; the message in e names the file, and the line or the rule. Call rules_deinit in both
 * cases. */
int rules_read(struct alert_rules *r, const char *path, struct error *e);
void rules_deinit(struct alert_rules *r);
/* Reads a text with one section [alert NAME] that is not in the file. with: the rules of the file, whose targets the rule may name; NULL =
 * there are none, and targets are not checked. Returns 0, or a negative code with a message in e. */
int rules_draft(struct alert_rule *out, const char *text, const struct alert_rules *with, struct error *e);
/* Returns the rule of that name, or NULL. */
const struct alert_rule *rules_find(const struct alert_rules *r, const char *name);
/* Whether an alert that begins at that time is not sent. */
bool rules_is_quiet(const struct alert_rule *rule, int64_t seconds);

/* For rules.c, in rule_keys.c: set one key of a rule or of a target. Return 0, or -EINVAL with a message in e. */
int rule_set(struct alert_rule *rule, const char *key, const char *value, struct error *e);
int target_set(struct alert_target *target, const char *key, const char *value, struct error *e);
/* Checks a target when its section is complete: what goes together, what is missing. */
int target_finish(struct alert_target *target, struct error *e);
/* Checks a rule when its section is complete: keys that exclude each other, and keys that are missing. */
int rule_finish(struct alert_rule *rule, struct error *e);

#endif

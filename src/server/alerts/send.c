/* The threads that send alerts, one for each target, so that no target waits for another. A target gets each alert that fires and each
 * that is resolved. After the target has answered, the alert notes what the target got. So after a crash the target may get the same
 * twice, with the same fingerprint, but nothing is lost. */
#include "base/text/units.h"
#include "base/time_units.h"
#include "http/post.h"
#include "http/token.h"
#include "server/alerts/alerts_internal.h"
#include "server/alerts/tell/mail.h"
#include "server/alerts/tell/body.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 50, WAIT_MAX_S = 60, ASKED_MAX_S = 3600, FAILURES_MAX = 6 }; /* ASKED: by the target */

/* The contents of a request, so that it can be noted after the answer. */
struct batch {
    struct alert_target target;
    uint32_t generation, count;
    struct {
        char rule[ALERT_NAME_MAX];
        char *value;
        struct alert_told told;
    } list[BATCH];
    char *bytes;
    size_t n;
};

static int64_t wall_clock(void)
{
    return (int64_t)(clock_realtime_ns() / NS_PER_S);
}

int send_body(struct alerts *a, const struct alert_target *target, const char *bytes, size_t n, uint64_t *retry_after_ns, struct error *e)
{
    char url[1200], token[TOKEN_MAX];
    struct post_answer answer = {0};
    *retry_after_ns = 0;
    if (target->kind == ALERT_EMAIL)
        return mail_send_to(&a->server->stop.asked, target, bytes, n, e);
    int rc = token_read(target->token_file, token, e);
    if (rc)
        return rc;
    struct transport *t = transport_new(target->ca_file, &a->server->stop.asked, e);
    if (!t)
        return -EIO;
    body_url(target, url, sizeof url);
    const struct post_letter letter = {.url = url,
                                       .token = token,
                                       .type = *target->content_type ? target->content_type : "application/json",
                                       .bytes = bytes,
                                       .fd = -1,
                                       .size = n};
    rc = post_send(t, &letter, &answer, e);
    transport_free(t);
    explicit_bzero(token, sizeof token);
    *retry_after_ns = answer.retry_after_ns;
    if (!rc && (answer.status < 200 || answer.status > 299))
        rc = error_set(e, -EIO, "it answered %ld: %.200s", answer.status, answer.text);
    return rc;
}

/* Whether the alert must be sent to the target. If the alert fired in quiet times only, the target gets the end if it takes an earlier
 * alert for still firing. */
static bool is_due(const struct alert *a, const struct alert_target *target, uint32_t index, int64_t now)
{
    const struct alert_told *told = &a->told[index];
    enum alert_state state = verdict_for_targets(a);
    bool waits_for_end = state == ALERT_RESOLVED && told->what == ALERT_FIRING;
    if (state == ALERT_INACTIVE || (!a->announced && !waits_for_end))
        return false;
    if (told->what != state || told->started != a->started)
        return true;
    return state == ALERT_FIRING && target->repeat && (now - told->when >= target->repeat || now < told->when);
}

/* Whether a silence keeps the alert from the target. The end is sent nevertheless, so that no target takes an alert for firing forever. */
static bool is_silenced(const struct alerts *a, const struct alert *alert, int64_t now)
{
    return verdict_for_targets(alert) == ALERT_FIRING && silences_find(&a->silences, alert->rule, alert->value, now);
}

static bool add(struct batch *b, const struct alert *a, int64_t now)
{
    char *value = a->value ? strdup(a->value) : NULL;
    if (a->value && !value)
        return false;
    memcpy(b->list[b->count].rule, a->rule, sizeof a->rule);
    b->list[b->count].value = value;
    b->list[b->count].told = (struct alert_told){verdict_for_targets(a), a->started, now};
    b->count++;
    return true;
}

/* Collects what must be sent to the target, and makes the body. The caller has the lock. */
static bool collect(struct alerts *a, uint32_t index, struct batch *b)
{
    struct alert_note notes[BATCH];
    int64_t now = wall_clock();
    if (!alerts_is_keeper(a) || index >= a->rules.target_count || a->sending[index].next_ns > clock_monotonic_ns())
        return false;
    b->count = 0;
    b->generation = a->generation;
    b->target = a->rules.targets[index];
    for (uint32_t i = 0; i < a->table.count && b->count < BATCH && b->count < body_most(&b->target); i++) {
        const struct alert *one = &a->table.list[i];
        bool is_wanted = is_due(one, &b->target, index, now) && !is_silenced(a, one, now);
        const struct alert_rule *rule = is_wanted ? rules_find(&a->rules, one->rule) : NULL;
        if (rule && rule->targets >> index & 1 && add(b, one, now))
            notes[b->count - 1] = (struct alert_note){.rule = rule, .alert = one};
    }
    if (b->count && !body_make(&b->target, notes, b->count, now, &b->bytes, &b->n))
        return true;
    b->bytes = NULL;
    return false;
}

/* Notes what became of the request. The caller has the lock. */
static void note(struct alerts *a, uint32_t index, const struct batch *b, int rc, uint64_t retry_after_ns, const struct error *e)
{
    struct alert_sending *s = &a->sending[index];
    if (b->generation != a->generation) /* the rules were replaced meanwhile: the target gets it again */
        return;
    s->sent += !rc;
    s->failed += rc != 0;
    s->failures = rc ? s->failures + (s->failures < FAILURES_MAX) : 0;
    snprintf(s->problem, sizeof s->problem, "%.299s", rc ? e->text : "");
    if (rc) {
        uint64_t wait = UINT64_C(1) << (s->failures - 1);
        wait = (wait < WAIT_MAX_S ? wait : WAIT_MAX_S) * NS_PER_S;
        uint64_t asked = retry_after_ns < ASKED_MAX_S * NS_PER_S ? retry_after_ns : ASKED_MAX_S * NS_PER_S;
        s->next_ns = clock_monotonic_ns() + (wait > asked ? wait : asked);
        return;
    }
    s->last = wall_clock();
    for (uint32_t i = 0; i < b->count; i++) {
        struct alert *one = table_find(&a->table, b->list[i].rule, b->list[i].value);
        if (one)
            one->told[index] = b->list[i].told;
    }
}

static void clear(struct batch *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        free(b->list[i].value);
    free(b->bytes);
    b->bytes = NULL;
    b->count = 0;
}

void *send_run(void *sender)
{
    struct alert_sender *me = sender;
    struct alerts *a = me->alerts;
    struct batch *b = calloc(1, sizeof *b);
    pthread_mutex_lock(&a->lock);
    while (b && !a->stopping) {
        uint64_t retry_after_ns;
        struct error e;
        if (!collect(a, me->target, b)) {
            clear(b);
            alerts_wait(a);
            continue;
        }
        pthread_mutex_unlock(&a->lock);
        int rc = send_body(a, &b->target, b->bytes, b->n, &retry_after_ns, &e);
        pthread_mutex_lock(&a->lock);
        note(a, me->target, b, rc, retry_after_ns, &e);
        pthread_mutex_unlock(&a->lock);
        if (!rc)
            alerts_save(a);
        clear(b);
        pthread_mutex_lock(&a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    free(b);
    return NULL;
}

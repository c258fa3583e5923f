#include "server/alerts/tell/message.h"

#include "base/map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long Alertmanager believes that an alert fires if no more messages come, as a multiple of the time between two repeats. */
enum { BELIEF = 4, TEST_S = 300 };

char *message_time(int64_t seconds, char out[ALERT_TIME])
{
    time_t t = (time_t)seconds;
    struct tm tm;
    strftime(out, ALERT_TIME, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &tm));
    return out;
}

static char *clean(const char *name, bool strict, char out[ALERT_NAME_MAX])
{
    size_t i = 0;
    for (; name[i] && i < ALERT_NAME_MAX - 1; i++)
        out[i] = strict && strchr(".-", name[i]) ? '_' : name[i];
    out[i] = 0;
    return out;
}

void message_put_labels(struct jsonw *j, const struct alert_note *note, bool strict)
{
    char name[ALERT_NAME_MAX];
    jsonw_object(j);
    jsonw_member_text(j, "alertname", note->rule->name);
    if (note->alert->value && *note->alert->value)
        jsonw_member_text(j, clean(note->rule->each, strict, name), note->alert->value);
    for (uint32_t i = 0; i < note->rule->label_count; i++)
        jsonw_member_text(j, clean(note->rule->labels[i].name, strict, name), note->rule->labels[i].value);
    if (note->test)
        jsonw_member_text(j, "test", "true");
    jsonw_object_end(j);
}

char *message_fingerprint(const struct alert_note *note, char out[ALERT_FINGERPRINT])
{
    const struct alert_rule *r = note->rule;
    uint64_t hash = hash_bytes(r->name, strlen(r->name));
    const char *value = note->alert->value ? note->alert->value : "";
    hash = hash_mix(hash ^ hash_bytes(r->each, strlen(r->each))) ^ hash_bytes(value, strlen(value));
    for (uint32_t i = 0; i < r->label_count; i++) {
        hash = hash_mix(hash) ^ hash_bytes(r->labels[i].name, strlen(r->labels[i].name));
        hash = hash_mix(hash) ^ hash_bytes(r->labels[i].value, strlen(r->labels[i].value));
    }
    snprintf(out, ALERT_FINGERPRINT, "%016" PRIx64, hash_mix(hash ^ note->test));
    return out;
}

char *message_describe(const struct alert_rule *rule, const struct alert *alert, char *out, size_t size)
{
    const struct alert_figure *f = &alert->figure;
    bool percent = sources_is_share(rule);
    double by = percent ? 100 : 1;
    char until[ALERT_TIME], figure[120 + sizeof f->method] = "no data";
    if (f->known)
        snprintf(figure, sizeof figure, "%.3g%s [%.3g..%.3g]%s%s", by * f->value, percent ? " %" : "", by * f->low, by * f->high,
                 *f->method ? " of " : "", f->method);
    snprintf(out, size, "%s%s%.200s: %s in the %" PRId64 " s until %s; the threshold is %s %s%s%s", rule->source->title,
             *rule->method ? " " : "", rule->method, figure, rule->window, message_time(alert->at, until), rule->below ? "below" : "above",
             rule->threshold_text, rule->before && !rule->source->compares ? " of the baseline" : "",
             missing_parts(&f->missing) ? "; data are incomplete" : "");
    return out;
}

static void put_annotations(struct jsonw *j, const struct alert_note *note, bool strict)
{
    char text[1024], name[ALERT_NAME_MAX];
    jsonw_key(j, "annotations");
    jsonw_object(j);
    jsonw_member_text(j, "description", note->test ? "a test of this rule" : message_describe(note->rule, note->alert, text, sizeof text));
    for (uint32_t i = 0; i < note->rule->annotation_count; i++)
        jsonw_member_text(j, clean(note->rule->annotations[i].name, strict, name), note->rule->annotations[i].value);
    jsonw_object_end(j);
}

/* ---- Alertmanager ---- */

static void put_alertmanager(struct jsonw *j, const struct alert_target *target, const struct alert_note *notes, uint32_t count,
                             int64_t now)
{
    char time[ALERT_TIME];
    jsonw_array(j);
    for (uint32_t i = 0; i < count; i++) {
        const struct alert *a = notes[i].alert;
        int64_t end = notes[i].test ? now + TEST_S : a->state == ALERT_FIRING ? now + BELIEF * target->repeat : a->ended;
        jsonw_object(j);
        jsonw_key(j, "labels");
        message_put_labels(j, &notes[i], true);
        put_annotations(j, &notes[i], true);
        jsonw_member_text(j, "startsAt", message_time(a->started, time));
        jsonw_member_text(j, "endsAt", message_time(end, time));
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

/* ---- webhook ---- */

static const char *status_of(const struct alert_note *note)
{
    return note->alert->state == ALERT_FIRING ? "firing" : "resolved";
}

static void put_one(struct jsonw *j, const struct alert_note *note)
{
    char time[ALERT_TIME], fingerprint[ALERT_FINGERPRINT];
    const struct alert *a = note->alert;
    jsonw_object(j);
    jsonw_member_text(j, "status", status_of(note));
    jsonw_member_text(j, "fingerprint", message_fingerprint(note, fingerprint));
    jsonw_member_text(j, "rule", note->rule->name);
    jsonw_key(j, "labels");
    message_put_labels(j, note, false);
    put_annotations(j, note, false);
    jsonw_member_text(j, "startsAt", message_time(a->started, time));
    jsonw_member_text_or_null(j, "endsAt", a->state == ALERT_FIRING ? NULL : message_time(a->ended, time));
    jsonw_member_number(j, "value", a->figure.value);
    jsonw_member_number(j, "low", a->figure.low);
    jsonw_member_number(j, "high", a->figure.high);
    jsonw_key(j, "complete");
    jsonw_bool(j, !missing_parts(&a->figure.missing));
    jsonw_key(j, "test");
    jsonw_bool(j, note->test);
    jsonw_object_end(j);
}

static void put_webhook(struct jsonw *j, const struct alert_target *target, const struct alert_note *notes, uint32_t count)
{
    jsonw_object(j);
    jsonw_member_text(j, "version", "1");
    jsonw_member_text(j, "receiver", target->name);
    jsonw_key(j, "alerts");
    jsonw_array(j);
    for (uint32_t i = 0; i < count; i++)
        put_one(j, &notes[i]);
    jsonw_array_end(j);
    jsonw_object_end(j);
}

/* ---- Slack ---- */

/* Appends a text with the escapes that Slack's markup requires. */
static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '&' || *text == '<' || *text == '>')
            fputs(*text == '&' ? "&amp;" : *text == '<' ? "&lt;" : "&gt;", out);
        else
            fputc(*text, out);
}

static void put_line(FILE *out, const struct alert_note *note)
{
    char text[1024];
    fprintf(out, "%s%s: %s", note->test ? "test of " : "", status_of(note), note->rule->name);
    if (note->alert->value) {
        fprintf(out, " (%s=", note->rule->each);
        put_escaped(out, note->alert->value);
        fputc(')', out);
    }
    for (uint32_t i = 0; i < note->rule->annotation_count; i++)
        if (!strcmp(note->rule->annotations[i].name, "summary")) {
            fputs(", ", out);
            put_escaped(out, note->rule->annotations[i].value);
        }
    if (!note->test) {
        fputs(". ", out);
        put_escaped(out, message_describe(note->rule, note->alert, text, sizeof text));
    }
}

static int put_slack(struct jsonw *j, const struct alert_note *notes, uint32_t count)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        fputs(i ? "\n" : "", out);
        put_line(out, &notes[i]);
    }
    int rc = fclose(out) ? -ENOMEM : 0;
    jsonw_object(j);
    jsonw_member_text(j, "text", rc ? "" : text);
    jsonw_object_end(j);
    free(text);
    return rc;
}

/* ---- all ---- */

int message_put(FILE *out, const struct alert_target *target, const struct alert_note *notes, uint32_t count, int64_t now)
{
    struct jsonw j;
    int rc = 0;
    jsonw_init(&j, out);
    if (target->kind == ALERT_MANAGER)
        put_alertmanager(&j, target, notes, count, now);
    else if (target->kind == ALERT_WEBHOOK)
        put_webhook(&j, target, notes, count);
    else
        rc = put_slack(&j, notes, count);
    jsonw_finish(&j);
    return rc;
}

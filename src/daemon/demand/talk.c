#include "daemon/demand/talk.h"

#include "base/text/jsonw.h"
#include "base/time_units.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_MAX = 48 };

/* ---- the daemon's message ---- */

/* Names a JVM for this daemon: its process, which the start time makes unique. */
static char *id_of(char out[ID_MAX], const struct member *t)
{
    snprintf(out, ID_MAX, "%d-%" PRIu64, (int)t->pid, t->start);
    return out;
}

/* Whether the server may ask for a recording of the JVM. It may not if the JVM has ended, or if the daemon does not know it well yet. */
static bool is_listed(const struct member *t)
{
    return !t->live.demand && *t->live.query && (t->state == MEMBER_RECORDING || t->state == MEMBER_LEFT) && !member_is_gone(t);
}

static void put_jvms(struct jsonw *j, const struct fleet *f)
{
    char id[ID_MAX];
    uint32_t listed = 0, left_out = 0;
    jsonw_key(j, "jvms");
    jsonw_array(j);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct member *t = f->members[i];
        if (!is_listed(t))
            continue;
        if (listed == TALK_JVMS_MAX || ftell(j->out) > TALK_MESSAGE_MAX) {
            left_out++;
            continue;
        }
        listed++;
        jsonw_object(j);
        jsonw_member_text(j, "id", id_of(id, t));
        jsonw_member_text(j, "labels", t->live.query);
        jsonw_member_text_or_null(j, "refuses", t->refuses_demand);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_member_uint(j, "jvms_left_out", left_out);
}

/* Whether the JVM is not recorded, for a reason that people may want to know. One that is just being started has none. */
static bool is_unrecorded(const struct member *t)
{
    return !t->live.demand && t->state == MEMBER_LEFT && *t->reason && !member_is_gone(t);
}

/* Which JVMs are not recorded, and why: the server shows it. */
static void put_unrecorded(struct jsonw *j, const struct fleet *f)
{
    uint32_t listed = 0, left_out = 0;
    jsonw_key(j, "not_recorded");
    jsonw_array(j);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct member *t = f->members[i];
        if (!is_unrecorded(t))
            continue;
        if (listed == TALK_UNRECORDED_MAX || ftell(j->out) > TALK_MESSAGE_MAX) {
            left_out++;
            continue;
        }
        listed++;
        jsonw_object(j);
        jsonw_member_text_or_null(j, "service", t->service);
        jsonw_member_text_or_null(j, "main", t->name);
        jsonw_member_text_or_null(j, "user", t->user);
        jsonw_member_text_or_null(j, "jdk", t->jdk);
        jsonw_member_text(j, "reason", t->reason);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_member_uint(j, "not_recorded_left_out", left_out);
    jsonw_member_uint(j, "recorded", fleet_recording(f));
}

static void put_tasks(struct jsonw *j, struct fleet *f)
{
    char id[ID_MAX];
    jsonw_key(j, "tasks");
    jsonw_array(j);
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *t = f->members[i];
        if (!t->live.demand || t->told)
            continue;
        jsonw_object(j);
        jsonw_member_uint(j, "request", t->live.demand);
        jsonw_member_text(j, "jvm", id_of(id, t));
        jsonw_member_text(j, "state", demand_outcome_names[t->state == MEMBER_ENDED ? t->outcome : DEMAND_RUNS]);
        jsonw_member_text_or_null(j, "reason", t->state == MEMBER_ENDED ? t->reason : NULL);
        jsonw_object_end(j);
        t->being_told = t->state == MEMBER_ENDED;
    }
    jsonw_array_end(j);
}

char *talk_make(struct fleet *f)
{
    struct jsonw j;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return NULL;
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_member_text(&j, "host", f->config->host);
    put_tasks(&j, f);
    put_jvms(&j, f);
    put_unrecorded(&j, f);
    jsonw_object_end(&j);
    jsonw_finish(&j);
    bool failed = ferror(out);
    if (!fclose(out) && !failed)
        return text;
    free(text);
    return NULL;
}

/* ---- the server's answer ---- */

static bool copy_text(char *out, size_t size, const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    *out = 0;
    if (!v || json_is_null(v))
        return true;
    size_t n = json_string_length(v);
    return json_is_string(v) && strlen(json_string_value(v)) == n && (size_t)snprintf(out, size, "%s", json_string_value(v)) < size;
}

static bool read_task(const json_t *one, struct fleet_demand *d)
{
    char jvm[ID_MAX];
    int pid, end = 0;
    json_int_t request = json_integer_value(json_object_get(one, "request"));
    json_int_t seconds = json_integer_value(json_object_get(one, "seconds"));
    *d = (struct fleet_demand){.request = (uint64_t)request, .duration_ns = (uint64_t)seconds * NS_PER_S};
    if (request < 1 || seconds < 1 || seconds > TALK_DURATION_MAX_S || !copy_text(jvm, sizeof jvm, one, "jvm") ||
        !copy_text(d->events, sizeof d->events, one, "events") || !copy_text(d->interval, sizeof d->interval, one, "interval"))
        return false;
    bool good = sscanf(jvm, "%d-%" SCNu64 "%n", &pid, &d->start, &end) == 2 && !jvm[end] && pid > 0;
    d->pid = pid;
    return good;
}

int talk_read(struct talk_orders *out, const char *text, size_t n, struct error *e)
{
    json_t *json = json_loadb(text, n, 0, NULL), *one;
    json_int_t after = json_integer_value(json_object_get(json, "after"));
    size_t i;
    *out = (struct talk_orders){0};
    bool good = json_is_object(json) && after >= 1 && after <= TALK_AFTER_MAX_S;
    out->after_ns = good ? (uint64_t)after * NS_PER_S : 0;
    json_array_foreach(json_object_get(json, "tasks"), i, one)
    {
        bool fits = good && out->count < TALK_TASKS_MAX && read_task(one, &out->list[out->count]);
        out->count += fits;
        out->bad += !fits;
    }
    json_decref(json);
    return good ? 0 : error_set(e, -EBADMSG, "the answer is not that of a Candor server");
}

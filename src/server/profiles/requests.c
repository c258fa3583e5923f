#include "server/profiles/requests.h"

#include "base/map.h"
#include "base/text/pattern.h"
#include "server/request/json_file.h"
#include "store/selector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A daemon reports within OFFER_S that it has begun a recording, and at most SILENT_S after the end how it ended; or it has fallen silent.
 * */
enum { FILE_MAX = 256 << 20, OFFER_S = 120, SILENT_S = 300 };

static int64_t int_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static bool is(const json_t *task, const char *state)
{
    return !strcmp(json_member_text(task, "state"), state);
}

/* ---- the file ---- */

/* Daemons could not speak while there was no server, so their silence begins now. Otherwise a server that was down for long would ask other
 * JVMs for recordings that are being made. Of the JVMs that were asked one in place of the other, this is for those that came last. */
static void hear_again(const json_t *request, int64_t now)
{
    json_t *tasks = json_object_get(request, "tasks"), *task;
    int64_t most = now < int_of(request, "until") ? int_of(request, "jvms") : 0;
    for (size_t i = 0; (task = json_array_get(tasks, i)); i++)
        most -= is(task, "done") || is(task, "cut");
    for (size_t i = json_array_size(tasks); most > 0 && i-- > 0;) {
        task = json_array_get(tasks, i);
        if (!is(task, "offered") && !is(task, "recording"))
            continue;
        json_object_set_new(task, "heard", json_integer(now));
        most--;
    }
}

int requests_open(struct requests *r, const char *data, int64_t now, struct error *e)
{
    *r = (struct requests){.next = 1};
    snprintf(r->file, sizeof r->file, "%s/profiles.json", data);
    int rc = list_file_read(r->file, "requests", FILE_MAX, now, &r->list, &r->next, e);
    for (size_t i = 0; i < json_array_size(r->list); i++)
        hear_again(json_array_get(r->list, i), now);
    return rc == -EBADMSG ? error_set(e, rc, "%s is damaged: the list of requests for profiles is empty now", r->file) : rc;
}

void requests_close(struct requests *r)
{
    json_decref(r->list);
    r->list = NULL;
}

int requests_save(const struct requests *r, struct error *e)
{
    return list_file_write(r->file, "requests", r->list, r->next, e);
}

/* ---- states ---- */

const char *requests_task_state(const json_t *request, const json_t *task, int64_t now)
{
    int64_t silent = now - int_of(task, "heard");
    if (is(task, "offered") && silent > OFFER_S)
        return "unanswered";
    if (is(task, "recording") && silent > int_of(request, "seconds") + SILENT_S)
        return "lost";
    return json_member_text(task, "state");
}

struct tally {
    uint32_t active, recorded, all;
};

static struct tally count(const json_t *request, int64_t now)
{
    const json_t *tasks = json_object_get(request, "tasks"), *task;
    struct tally n = {0};
    for (size_t i = 0; (task = json_array_get(tasks, i)); i++) {
        const char *state = requests_task_state(request, task, now);
        n.active += !strcmp(state, "offered") || !strcmp(state, "recording");
        n.recorded += !strcmp(state, "done") || !strcmp(state, "cut");
        n.all++;
    }
    return n;
}

bool requests_is_open(const json_t *request, int64_t now)
{
    struct tally n = count(request, now);
    return now < int_of(request, "until") && n.active + n.recorded < int_of(request, "jvms") && n.all < REQUESTS_TASKS_MAX;
}

const char *requests_state(const json_t *request, int64_t now)
{
    struct tally n = count(request, now);
    return n.active ? "running" : requests_is_open(request, now) ? "waiting" : n.recorded ? "done" : n.all ? "failed" : "expired";
}

static bool is_over(const json_t *request, int64_t now)
{
    return !count(request, now).active && !requests_is_open(request, now);
}

json_t *requests_pending(const struct requests *r, int64_t now)
{
    json_t *pending = json_array();
    for (size_t i = 0; pending && i < json_array_size(r->list); i++)
        if (!is_over(json_array_get(r->list, i), now) && json_array_append(pending, json_array_get(r->list, i))) {
            json_decref(pending);
            pending = NULL;
        }
    return pending;
}

/* ---- adding ---- */

int64_t requests_add(struct requests *r, const struct wanted *w, int64_t now, struct error *e)
{
    size_t open = 0, same = 0;
    for (size_t i = 0; i < json_array_size(r->list); i++) {
        const json_t *other = json_array_get(r->list, i);
        bool is_open = !is_over(other, now);
        open += is_open;
        same += is_open && !strcmp(json_member_text(other, "services"), w->services);
    }
    if (!pattern_is_any(w->services) && same >= REQUESTS_OPEN_OF_SOME)
        return error_set(e, -EBUSY, "%d requests for profiles of these services wait or run already", REQUESTS_OPEN_OF_SOME);
    if (open >= REQUESTS_OPEN_MAX)
        return error_set(e, -EBUSY, "%d requests for profiles wait or run already", REQUESTS_OPEN_MAX);
    for (size_t i = 0; json_array_size(r->list) >= REQUESTS_MAX && i < json_array_size(r->list);)
        if (is_over(json_array_get(r->list, i), now))
            json_array_remove(r->list, i);
        else
            i++;
    json_t *one = json_pack("{s:I,s:s,s:s,s:s,s:I,s:i,s:f,s:o,s:s,s:I,s:I,s:[]}", "id", (json_int_t)r->next, "select", w->select, "events",
                            w->events, "interval", w->interval, "seconds", (json_int_t)w->seconds, "jvms", (int)w->jvms, "share", w->share,
                            "by", json_text(w->by, sizeof w->by), "services", w->services, "created", (json_int_t)now, "until",
                            (json_int_t)(now + w->within), "tasks");
    if (!one || json_array_append_new(r->list, one))
        return error_set(e, -ENOMEM, "out of memory");
    return r->next++;
}

void requests_take_back(struct requests *r)
{
    json_array_remove(r->list, json_array_size(r->list) - 1);
    r->next--;
}

/* ---- the JVMs of a daemon ---- */

static json_t *find_task(const json_t *request, const char *host, const char *jvm)
{
    json_t *tasks = json_object_get(request, "tasks"), *task;
    for (size_t i = 0; (task = json_array_get(tasks, i)); i++)
        if (!strcmp(json_member_text(task, "jvm"), jvm) && !strcmp(json_member_text(task, "host"), host))
            return task;
    return NULL;
}

/* Whether a recording on demand runs in the JVM, or will as soon as its daemon has heard of it. */
static bool is_busy(const json_t *pending, const struct requests_jvm *jvm, int64_t now)
{
    for (size_t i = 0; i < json_array_size(pending); i++) {
        const json_t *request = json_array_get(pending, i), *task = find_task(request, jvm->host, jvm->id);
        const char *state = task ? requests_task_state(request, task, now) : "";
        if (!strcmp(state, "offered") || !strcmp(state, "recording"))
            return true;
    }
    return false;
}

/* Draws whether the JVM is among the request's share: the result is always the same for the same JVM. */
static bool is_drawn(const json_t *request, const struct requests_jvm *jvm)
{
    uint64_t hash =
        hash_bytes(jvm->id, strlen(jvm->id)) ^ hash_mix(hash_bytes(jvm->host, strlen(jvm->host)) ^ (uint64_t)int_of(request, "id"));
    return (double)(hash_mix(hash) >> 11) * 0x1p-53 < json_number_value(json_object_get(request, "share"));
}

static bool is_meant(const json_t *request, const struct requests_jvm *jvm)
{
    struct selector s;
    struct error e;
    bool meant = !selector_parse(&s, json_member_text(request, "select"), &e);
    s.services = json_member_text(request, "services");
    meant = meant && selector_matches(&s, jvm->labels);
    selector_deinit(&s);
    return meant;
}

static int add_task(json_t *request, const struct requests_jvm *jvm, int64_t now)
{
    json_t *task =
        json_pack("{s:s,s:s,s:s,s:s,s:o,s:I,s:I}", "host", jvm->host, "jvm", jvm->id, "service", jvm->service, "state",
                  jvm->refuses ? "refused" : "offered", "reason", json_text(jvm->refuses ? jvm->refuses : "", REQUESTS_REASON_MAX), "since",
                  (json_int_t)now, "heard", (json_int_t)now);
    return task && !json_array_append_new(json_object_get(request, "tasks"), task) ? 0 : -ENOMEM;
}

static int add_offer(json_t *offers, const json_t *request, const struct requests_jvm *jvm)
{
    json_t *offer = json_pack("{s:I,s:s,s:s,s:s,s:I}", "request", (json_int_t)int_of(request, "id"), "jvm", jvm->id, "events",
                              json_member_text(request, "events"), "interval", json_member_text(request, "interval"), "seconds",
                              (json_int_t)int_of(request, "seconds"));
    return offer && !json_array_append_new(offers, offer) ? 0 : -ENOMEM;
}

static int match_one(const json_t *pending, json_t *request, const struct requests_jvm *jvm, int64_t now, json_t *offers, bool *changed)
{
    json_t *task = find_task(request, jvm->host, jvm->id);
    if (task) /* the answer to an offer may have been lost */
        return !strcmp(requests_task_state(request, task, now), "offered") ? add_offer(offers, request, jvm) : 0;
    if (!requests_is_open(request, now) || !is_meant(request, jvm) || !is_drawn(request, jvm) || is_busy(pending, jvm, now))
        return 0;
    *changed = true;
    int rc = add_task(request, jvm, now);
    return rc || jvm->refuses ? rc : add_offer(offers, request, jvm);
}

int requests_match(json_t *pending, const struct requests_jvm *jvm, int64_t now, json_t *offers, bool *changed)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < json_array_size(pending); i++)
        rc = match_one(pending, json_array_get(pending, i), jvm, now, offers, changed);
    return rc;
}

static bool is_state(const char *word)
{
    static const char *const states[] = {"recording", "done", "cut", "failed", "refused"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (!strcmp(states[i], word))
            return true;
    return false;
}

void requests_report(struct requests *r, const char *host, const json_t *report, const char *services, int64_t now, bool *changed)
{
    json_t *request, *task = NULL;
    const char *state = json_member_text(report, "state"), *reason = json_member_text(report, "reason");
    for (size_t i = 0; !task && i < json_array_size(r->list); i++) {
        request = json_array_get(r->list, i);
        task = int_of(request, "id") == int_of(report, "request") ? find_task(request, host, json_member_text(report, "jvm")) : NULL;
    }
    if (!task || !is_state(state) || !pattern_matches(services, json_member_text(task, "service")))
        return;
    json_object_set_new(task, "heard", json_integer(now));
    if (is(task, state) || !(is(task, "offered") || is(task, "recording"))) /* a daemon that was restarted may repeat itself */
        return;
    json_object_set_new(task, "state", json_string(state));
    json_object_set_new(task, "reason", json_text(reason, REQUESTS_REASON_MAX));
    json_object_set_new(task, "since", json_integer(now));
    *changed = true;
}

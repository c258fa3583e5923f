/* The life of alerts: start, end, the file of their states, and what /metrics says. */
#include "server/alerts/alerts_internal.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "server/keeper/keeper.h"
#include "server/request/exposition.h"
#include "store/files/disk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void alerts_wait(struct alerts *a)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    if (!a->stopping)
        pthread_cond_clockwait(&a->wake, &a->lock, CLOCK_MONOTONIC, &until);
}

/* ---- what one keeper leaves to the next ----
 *
 * States of alerts, what targets were told, and silences. Servers that are not the keeper (server/keeper/keeper.h) take it over, too, so
 * they answer what the keeper would. */

bool alerts_is_keeper(const struct alerts *a)
{
    return a->epoch && a->epoch == keeper_epoch(a->server->keeper);
}

/* Takes over the states of `json`. The caller has the lock. */
static int use(struct alerts *a, const json_t *json)
{
    struct alert_table table;
    const json_t *silences = json_object_get(json, "silences");
    int rc = table_parse(&table, &a->rules, json_object_get(json, "alerts"));
    if (rc)
        return rc;
    table_fit(&table, &a->rules, &a->rules);
    table_deinit(&a->table);
    a->table = table;
    json_t *list = json_object_get(silences, "list");
    if (json_is_array(list))
        silences_use(&a->silences, json_incref(list), json_integer_value(json_object_get(silences, "next")));
    return 0;
}

void alerts_take_over(struct alerts *a)
{
    uint64_t epoch = keeper_epoch(a->server->keeper); /* asked before the state is taken: so the state is at least as new */
    char *text = a->server->keeper ? keeper_take(a->server->keeper, &a->handed) : NULL;
    json_t *json = text ? json_loads(text, 0, NULL) : NULL;
    pthread_mutex_lock(&a->lock);
    int rc = text ? use(a, json) : 0;
    a->epoch = epoch;
    pthread_mutex_unlock(&a->lock);
    if (rc)
        a->tell("alerts: the states that the keeper has left cannot be read; those of this server are used");
    json_decref(json);
    free(text);
}

void alerts_leave(struct alerts *a)
{
    char *bytes, *text = NULL;
    size_t n;
    if (!a->server->keeper)
        return;
    pthread_mutex_lock(&a->saving); /* so that no earlier state replaces a later one */
    pthread_mutex_lock(&a->lock);
    uint64_t epoch = a->epoch;
    json_t *silences = json_pack("{s:O, s:I}", "list", a->silences.list, "next", (json_int_t)a->silences.next);
    json_t *json = NULL;
    if (silences && !table_write(&a->table, &a->rules, &bytes, &n)) {
        json = json_pack("{s:o, s:O}", "alerts", json_loadb(bytes, n, 0, NULL), "silences", silences);
        free(bytes);
    }
    text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(json);
    json_decref(silences);
    pthread_mutex_unlock(&a->lock);
    if (text && epoch)
        keeper_save(a->server->keeper, epoch, text);
    pthread_mutex_unlock(&a->saving);
    free(text);
}

/* ---- the file ---- */

void alerts_save(struct alerts *a)
{
    char *bytes;
    size_t n;
    struct error e = {"out of memory"};
    pthread_mutex_lock(&a->saving);
    pthread_mutex_lock(&a->lock);
    int rc = table_write(&a->table, &a->rules, &bytes, &n);
    pthread_mutex_unlock(&a->lock);
    if (!rc) {
        rc = disk_write_synced(a->file, bytes, n, &e);
        free(bytes);
    }
    pthread_mutex_lock(&a->lock);
    bool is_new = rc && !a->save_failed;
    a->save_failed = rc;
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_unlock(&a->saving);
    if (is_new)
        a->tell(e.text);
    alerts_leave(a);
}

/* Reads the rules, and the alerts and silences of the run before. A damaged file of these is reported, and does not keep the server from
 * starting. */
static int read_files(struct alerts *a, struct error *e)
{
    struct alert_rules rules;
    struct error why;
    stat(a->path, &a->seen);
    int rc = rules_read(&rules, a->path, e);
    if (!rc && silences_open(&a->silences, a->server->options->data, (int64_t)(clock_realtime_ns() / NS_PER_S), &why))
        a->tell(why.text);
    if (!rc && table_read(&a->table, &rules, a->file, &why))
        a->tell(why.text);
    if (!rc)
        table_fit(&a->table, &rules, &rules);
    if (!rc && watch_use(a, &rules))
        rc = error_set(e, -ENOMEM, "out of memory");
    if (rc)
        rules_deinit(&rules);
    return rc;
}

static int start_threads(struct alerts *a, struct error *e)
{
    int rc = pthread_create(&a->watcher, NULL, watch_run, a);
    a->watching = !rc;
    for (uint32_t i = 0; !rc && i < ALERT_TARGETS_MAX; i++) {
        a->senders[i].alerts = a;
        a->senders[i].target = i;
        rc = pthread_create(&a->senders[i].thread, NULL, send_run, &a->senders[i]);
        a->senders[i].running = !rc;
    }
    return rc ? error_set(e, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}

int alerts_start(struct alerts **out, struct server *server, void (*tell)(const char *text), struct error *e)
{
    struct alerts *a = calloc(1, sizeof *a);
    *out = NULL;
    if (!a)
        return error_set(e, -ENOMEM, "out of memory");
    a->server = server;
    a->path = server->options->alerts;
    a->tell = tell;
    snprintf(a->file, sizeof a->file, "%s/alerts.json", server->options->data);
    pthread_cond_init(&a->wake, NULL);
    pthread_mutex_init(&a->lock, NULL);
    pthread_mutex_init(&a->saving, NULL);
    a->patterns = patterns_new();
    int rc = a->patterns ? read_files(a, e) : error_set(e, -ENOMEM, "out of memory");
    rc = rc ? rc : start_threads(a, e);
    if (rc)
        alerts_stop(a);
    else
        *out = a;
    return rc;
}

void alerts_stop(struct alerts *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->stopping = true;
    pthread_cond_broadcast(&a->wake);
    pthread_mutex_unlock(&a->lock);
    if (a->watching)
        pthread_join(a->watcher, NULL);
    for (int i = 0; i < ALERT_TARGETS_MAX; i++)
        if (a->senders[i].running)
            pthread_join(a->senders[i].thread, NULL);
    table_deinit(&a->table);
    silences_close(&a->silences);
    rules_deinit(&a->rules);
    patterns_free(a->patterns);
    free(a->status);
    pthread_mutex_destroy(&a->lock);
    pthread_mutex_destroy(&a->saving);
    pthread_cond_destroy(&a->wake);
    free(a);
}

/* ---- /metrics ---- */

static void put_states(FILE *out, const struct alert_table *t)
{
    uint64_t n[ALERT_STATES] = {0};
    for (uint32_t i = 0; i < t->count; i++)
        n[t->list[i].state]++;
    exposition_head(out, "alerts", "gauge", "Alerts by state.");
    for (int i = 0; i < ALERT_STATES; i++)
        fprintf(out, "candor_server_alerts{state=\"%s\"} %" PRIu64 "\n", alert_states[i], n[i]);
}

static void put_targets(FILE *out, const struct alerts *a)
{
    exposition_head(out, "alert_requests_total", "counter", "Requests to targets of alerts.");
    for (uint32_t i = 0; i < a->rules.target_count; i++) {
        fprintf(out, "candor_server_alert_requests_total{to=\"%s\",result=\"sent\"} %" PRIu64 "\n", a->rules.targets[i].name,
                a->sending[i].sent);
        fprintf(out, "candor_server_alert_requests_total{to=\"%s\",result=\"failed\"} %" PRIu64 "\n", a->rules.targets[i].name,
                a->sending[i].failed);
    }
}

void alerts_put_metrics(FILE *out, struct server *server)
{
    struct alerts *a = server->alerts;
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    exposition_put(out, "alert_rules", "gauge", "Rules of alerts.", a->rules.count);
    exposition_put(out, "alert_rules_good", "gauge",
                   "1 if the file of the rules could be read as it is now; otherwise earlier rules are in use.", !*a->problem);
    exposition_put(out, "alert_evaluations_total", "counter", "Evaluations of a rule for a window.", a->counts.evaluations);
    exposition_put(out, "alert_evaluations_failed_total", "counter", "Evaluations that failed.", a->counts.failed);
    exposition_put(out, "alert_reads_total", "counter", "Windows that evaluations read from the store.", a->counts.reads);
    exposition_put(out, "alerts_fired_total", "counter", "Alerts that began to fire.", a->counts.fired);
    exposition_put(out, "alerts_resolved_total", "counter", "Alerts that were resolved.", a->counts.resolved);
    exposition_head(out, "alert_evaluation_seconds_total", "counter", "Time spent on evaluations.");
    fprintf(out, "candor_server_alert_evaluation_seconds_total %.6f\n", (double)a->counts.ns / NS_PER_S);
    put_states(out, &a->table);
    put_targets(out, a);
    pthread_mutex_unlock(&a->lock);
}

/* alerts.json: the table, with the names of targets in place of their numbers. */
#include "base/text/jsonw.h"
#include "server/alerts/table.h"
#include "server/request/json_file.h"
#include "store/files/disk.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 256 << 20, FILE_VERSION = 1 };

/* ---- writing ---- */

static void put_int(struct jsonw *j, const char *key, int64_t v)
{
    jsonw_key(j, key);
    jsonw_int(j, v);
}

static void put_exact(struct jsonw *j, const char *key, double v)
{
    jsonw_key(j, key);
    jsonw_exact(j, v, false);
}

/* Parsers of JSON refuse larger integers, and then the whole file could not be read. */
static void put_sum(struct jsonw *j, uint64_t v)
{
    jsonw_uint(j, v < INT64_MAX ? v : INT64_MAX);
}

static void put_missing(struct jsonw *j, const struct missing *m)
{
    jsonw_key(j, "missing");
    jsonw_array(j);
    for (int i = 0; i < MISSING_REASONS; i++) {
        put_sum(j, m->sums[i].parts);
        put_sum(j, m->sums[i].rows);
        put_sum(j, m->sums[i].weight);
    }
    jsonw_array_end(j);
}

static void put_told(struct jsonw *j, const struct alert *a, const struct alert_rules *rules)
{
    jsonw_key(j, "told");
    jsonw_object(j);
    for (uint32_t i = 0; i < rules->target_count; i++) {
        if (a->told[i].what == ALERT_INACTIVE)
            continue;
        jsonw_key(j, rules->targets[i].name);
        jsonw_object(j);
        put_int(j, "what", a->told[i].what);
        put_int(j, "started", a->told[i].started);
        put_int(j, "when", a->told[i].when);
        jsonw_object_end(j);
    }
    jsonw_object_end(j);
}

static void put_alert(struct jsonw *j, const struct alert *a, const struct alert_rules *rules)
{
    jsonw_object(j);
    jsonw_member_text(j, "rule", a->rule);
    if (a->value)
        jsonw_member_text(j, "of", a->value);
    put_int(j, "state", a->state);
    put_int(j, "at", a->at);
    put_int(j, "since", a->since);
    put_int(j, "started", a->started);
    put_int(j, "ended", a->ended);
    put_int(j, "seen", a->seen);
    put_int(j, "held", a->held);
    put_int(j, "announced", a->announced);
    put_int(j, "known", a->figure.known);
    put_exact(j, "value", a->figure.value);
    put_exact(j, "low", a->figure.low);
    put_exact(j, "high", a->figure.high);
    put_int(j, "samples", (int64_t)a->figure.samples);
    jsonw_member_text(j, "method", a->figure.method);
    put_missing(j, &a->figure.missing);
    put_told(j, a, rules);
    jsonw_object_end(j);
}

int table_write(const struct alert_table *t, const struct alert_rules *rules, char **bytes, size_t *n)
{
    struct jsonw j;
    FILE *out = open_memstream(bytes, n);
    if (!out)
        return -ENOMEM;
    jsonw_init(&j, out);
    jsonw_object(&j);
    put_int(&j, "version", FILE_VERSION);
    jsonw_key(&j, "alerts");
    jsonw_array(&j);
    for (uint32_t i = 0; i < t->count; i++)
        put_alert(&j, &t->list[i], rules);
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    jsonw_finish(&j);
    if (!fclose(out))
        return 0;
    free(*bytes);
    return -ENOMEM;
}

/* ---- reading ---- */

static int64_t get_int(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* A number that JSON cannot express was infinite. */
static double get_real(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    return json_is_number(v) ? json_number_value(v) : HUGE_VAL;
}

static enum alert_state get_state(const json_t *object, const char *key)
{
    int64_t v = get_int(object, key);
    return v >= 0 && v < ALERT_STATES ? (enum alert_state)v : ALERT_INACTIVE;
}

static void get_missing(const json_t *list, struct missing *m)
{
    for (size_t i = 0; i < MISSING_REASONS; i++) {
        uint64_t n[3];
        for (size_t k = 0; k < 3; k++)
            n[k] = (uint64_t)json_integer_value(json_array_get(list, 3 * i + k));
        m->sums[i] = (struct missing_sum){n[0], n[1], n[2]};
    }
}

static void get_told(const json_t *told, struct alert *a, const struct alert_rules *rules)
{
    for (uint32_t i = 0; i < rules->target_count; i++) {
        const json_t *one = json_object_get(told, rules->targets[i].name);
        a->told[i] = (struct alert_told){get_state(one, "what"), get_int(one, "started"), get_int(one, "when")};
    }
}

static int get_alert(const json_t *one, struct alert_table *t, const struct alert_rules *rules)
{
    const char *rule = json_string_value(json_object_get(one, "rule"));
    struct alert *a = rule ? table_get(t, rule, json_string_value(json_object_get(one, "of"))) : NULL;
    if (!a)
        return rule ? -ENOMEM : -EBADMSG;
    a->state = get_state(one, "state");
    a->at = get_int(one, "at");
    a->since = get_int(one, "since");
    a->started = get_int(one, "started");
    a->ended = get_int(one, "ended");
    a->seen = get_int(one, "seen");
    a->held = get_int(one, "held");
    a->announced = get_int(one, "announced");
    a->figure = (struct alert_figure){.value = get_real(one, "value"),
                                      .low = get_real(one, "low"),
                                      .high = get_real(one, "high"),
                                      .known = get_int(one, "known"),
                                      .samples = (uint64_t)get_int(one, "samples")};
    snprintf(a->figure.method, sizeof a->figure.method, "%s", json_member_text(one, "method"));
    get_missing(json_object_get(one, "missing"), &a->figure.missing);
    get_told(json_object_get(one, "told"), a, rules);
    return 0;
}

int table_parse(struct alert_table *t, const struct alert_rules *rules, const json_t *json)
{
    size_t i;
    json_t *one;
    *t = (struct alert_table){0};
    int rc = json && get_int(json, "version") == FILE_VERSION ? 0 : -EBADMSG;
    json_array_foreach(json_object_get(json, "alerts"), i, one) rc = rc ? rc : get_alert(one, t, rules);
    if (rc)
        table_deinit(t);
    return rc;
}

int table_read(struct alert_table *t, const struct alert_rules *rules, const char *path, struct error *e)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    *t = (struct alert_table){0};
    int rc = disk_read_file(path, FILE_MAX, &bytes, &n, e);
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    json_t *json = json_loadb((const char *)bytes, n, 0, NULL);
    free(bytes);
    rc = table_parse(t, rules, json);
    json_decref(json);
    if (!rc)
        return 0;
    return error_set(e, rc, rc == -ENOMEM ? "out of memory" : "%s is damaged: the states of all alerts are lost", path);
}

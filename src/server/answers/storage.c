#include "server/answers/storage.h"

#include "base/text/pattern.h"
#include "server/request/exposition.h"
#include "server/request/question.h"
#include "store/store.h"

#include <inttypes.h>

enum { METRICS_SERVICES = 100, SECONDS_PER_DAY = 86400 };

const char *const storage_reasons[DELETED_REASONS] =
    {[DELETED_AGE] = "age", [DELETED_RAW] = "max_recordings", [DELETED_QUOTA] = "max_disk_per_service", [DELETED_DISK] = "max_disk"};

/* ---- /v1/storage ---- */

static void put_limits(struct jsonw *j, const struct server_limits *o)
{
    jsonw_key(j, "limits");
    jsonw_object(j);
    jsonw_member_uint(j, "retain", o->retain_s);
    jsonw_member_uint(j, "retain_recordings", o->retain_raw_s ? o->retain_raw_s : o->retain_s);
    jsonw_member_uint(j, "retain_hours", o->retain_hours_s);
    jsonw_member_uint(j, "retain_days", o->retain_hours_s ? o->retain_days_s : 0);
    jsonw_member_uint(j, "max_disk", o->max_disk);
    if (o->max_raw)
        jsonw_member_uint(j, "max_recordings", o->max_raw);
    if (o->max_service)
        jsonw_member_uint(j, "max_disk_per_service", o->max_service);
    jsonw_object_end(j);
}

static void put_deleted(struct jsonw *j, struct store *store)
{
    struct store_deleted d = store_deleted(store);
    jsonw_key(j, "deleted");
    jsonw_object(j);
    for (int i = 0; i < DELETED_REASONS; i++) {
        jsonw_key(j, storage_reasons[i]);
        jsonw_object(j);
        jsonw_member_uint(j, "days", d.days[i]);
        jsonw_member_uint(j, "recordings", d.raw_files[i]);
        jsonw_member_uint(j, "recording_bytes", d.raw_bytes[i]);
        jsonw_object_end(j);
    }
    jsonw_object_end(j);
}

struct listing {
    struct http_writer *writer;
    const char *services; /* a pattern: which of them to list */
};

static void put_oldest(struct jsonw *j, const char *name, int64_t day)
{
    if (day == INT64_MAX)
        return;
    jsonw_key(j, name);
    jsonw_int(j, day * SECONDS_PER_DAY);
}

static int put_service(void *listing, const struct catalogue_usage *u)
{
    const struct listing *l = listing;
    struct jsonw *j = &l->writer->json;
    if (!pattern_matches(l->services, u->name))
        return 0;
    jsonw_object(j);
    jsonw_member_text(j, "name", u->name);
    jsonw_member_uint(j, "recordings", u->recordings);
    jsonw_member_uint(j, "recording_bytes", u->raw_bytes);
    jsonw_member_uint(j, "cold_bytes", u->cold_bytes);
    jsonw_member_uint(j, "segment_bytes", u->segment_bytes);
    jsonw_member_uint(j, "dictionary_bytes", u->dictionary_bytes);
    jsonw_member_uint(j, "rollup_bytes", u->rollup_bytes);
    put_oldest(j, "oldest", u->oldest_day);
    put_oldest(j, "oldest_hours", u->oldest_hours);
    put_oldest(j, "oldest_days", u->oldest_days);
    jsonw_object_end(j);
    return l->writer->full;
}

void storage_answer(struct http *h)
{
    struct http_writer w;
    struct listing l = {&w, h->token.services};
    struct error e;
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    put_limits(&w.json, &h->server->limits);
    if (!token_is_bound(&h->token))
        put_deleted(&w.json, h->server->store);
    jsonw_key(&w.json, "services");
    jsonw_array(&w.json);
    int rc = catalogue_usage(store_catalogue(h->server->store), put_service, &l, &e);
    jsonw_array_end(&w.json);
    jsonw_object_end(&w.json);
    if (rc < 0) {
        http_write_abandon(&w);
        question_failed(h, rc, &e);
    } else {
        http_write_end(h, &w, HTTP_OK, "application/json");
    }
}

/* ---- /metrics ---- */

struct samples {
    FILE *out;
    uint32_t count;
};

static void put_escaped(FILE *out, const char *value)
{
    for (; *value; value++) {
        if (*value == '\\' || *value == '"')
            fputc('\\', out);
        fputc(*value, out);
    }
}

static void put_bytes(FILE *out, const char *service, const char *what, uint64_t bytes)
{
    fputs("candor_server_service_bytes{service=\"", out);
    put_escaped(out, service);
    fprintf(out, "\",of=\"%s\"} %" PRIu64 "\n", what, bytes);
}

static int put_usage(void *samples, const struct catalogue_usage *u)
{
    struct samples *s = samples;
    put_bytes(s->out, u->name, "recordings", u->raw_bytes);
    put_bytes(s->out, u->name, "segments", u->segment_bytes);
    put_bytes(s->out, u->name, "dictionaries", u->dictionary_bytes);
    put_bytes(s->out, u->name, "rollups", u->rollup_bytes);
    return ++s->count == METRICS_SERVICES;
}

static void put_each(FILE *out, const char *name, const char *help, const uint64_t values[DELETED_REASONS])
{
    exposition_head(out, name, "counter", help);
    for (int i = 0; i < DELETED_REASONS; i++)
        fprintf(out, "candor_server_%s{reason=\"%s\"} %" PRIu64 "\n", name, storage_reasons[i], values[i]);
}

static void put_moves(FILE *out, struct server *s)
{
    struct store_moves m;
    struct catalogue_sums sums;
    struct error e;
    if (!store_moves(s->store, &m) || catalogue_sums(store_catalogue(s->store), &sums, &e))
        return;
    exposition_put(out, "store_cold_recordings", "gauge", "Recordings whose files are objects.", sums.cold_recordings);
    exposition_put(out, "store_cold_bytes", "gauge", "Their bytes.", sums.cold_bytes);
    exposition_put(out, "store_cold_going", "gauge", "Objects to remove.", sums.cold_going);
    exposition_put(out, "store_cold_moved_total", "counter", "Recordings that became objects.", m.moved);
    exposition_put(out, "store_cold_moved_bytes_total", "counter", "Their bytes.", m.moved_bytes);
    exposition_put(out, "store_cold_fetched_total", "counter", "Objects that were fetched.", m.fetched);
    exposition_put(out, "store_cold_fetched_bytes_total", "counter", "Their bytes.", m.fetched_bytes);
    exposition_put(out, "store_cold_hits_total", "counter", "Objects that were found in the cache.", m.hits);
    exposition_put(out, "store_cold_removed_total", "counter", "Objects that were removed.", m.removed);
    exposition_put(out, "store_cold_failures_total", "counter", "Requests for objects that failed.", m.failed);
}

void storage_put_metrics(FILE *out, struct server *s)
{
    struct store_deleted d = store_deleted(s->store);
    struct samples samples = {.out = out};
    struct error e;
    put_each(out, "store_deleted_days_total", "Days of services whose samples were deleted.", d.days);
    put_each(out, "store_deleted_recordings_total", "Recordings as they were sent that were deleted, while their samples stay.",
             d.raw_files);
    put_each(out, "store_deleted_recording_bytes_total", "Their bytes.", d.raw_bytes);
    put_moves(out, s);
    exposition_head(out, "service_bytes", "gauge", "Bytes of a service on the disk; of the 100 largest services.");
    catalogue_usage(store_catalogue(s->store), put_usage, &samples, &e);
}

#include "server/answers/metrics.h"

#include "base/time_units.h"
#include "server/alerts/alerts.h"
#include "server/answers/storage.h"
#include "server/fleet/findings.h"
#include "server/forward/arrivals.h"
#include "server/forward/forward.h"
#include "server/keeper/keeper.h"
#include "server/logs/audit.h"
#include "server/pull/pull.h"
#include "server/request/exposition.h"
#include "server/logs/journal.h"
#include "server/logs/tell.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends a sample's line, with an exemplar if there is one and it is wanted. */
static void put_exemplar(FILE *out, const char *label, const struct counters_exemplar *x, bool wanted)
{
    if (wanted && *x->id)
        fprintf(out, " # {%s=\"%s\"} %.6g %.3f", label, x->id, x->value, (double)x->at_ms / 1000);
    fputc('\n', out);
}

static void put_recordings(FILE *out, const struct counters *c, bool exemplars)
{
    uint64_t ended = 0, received = 0;
    for (int i = 0; i < REFUSALS; i++)
        ended += c->ended[i];
    for (int i = 0; i < PROTOCOLS; i++)
        received += c->received[i];
    exposition_put(out, "recordings_received_total", "counter", "Recordings that were sent.", received);
    fprintf(out, "# HELP candor_server_recordings_received_by_total Recordings that were sent, by protocol.\n"
                 "# TYPE candor_server_recordings_received_by_total counter\n");
    for (int i = 0; i < PROTOCOLS; i++)
        fprintf(out, "candor_server_recordings_received_by_total{protocol=\"%s\"} %" PRIu64 "\n", counters_protocols[i], c->received[i]);
    exposition_head(out, "recordings_stored_total", "counter", "Recordings that were stored on disk.");
    fprintf(out, "candor_server_recordings_stored_total %" PRIu64, c->ended[STORED]);
    put_exemplar(out, "recording", &c->stored, exemplars && c->ended[STORED]);
    exposition_put(out, "recordings_duplicates_total", "counter", "Recordings that the server already had.", c->ended[DUPLICATE]);
    exposition_put(out, "recordings_in_progress", "gauge", "Recordings on their way.", received - ended);
    fprintf(out, "# HELP candor_server_recordings_refused_total Recordings that were refused.\n"
                 "# TYPE candor_server_recordings_refused_total counter\n");
    for (int i = DUPLICATE + 1; i < REFUSALS; i++)
        fprintf(out, "candor_server_recordings_refused_total{reason=\"%s\"} %" PRIu64 "\n", counters_names[i], c->ended[i]);
    exposition_put(out, "recordings_left_out_total", "counter", "Recordings that were stored, but have data that queries cannot see.",
                   c->left_out);
    exposition_put(out, "received_bytes_total", "counter", "Bytes of recordings that were stored.", c->bytes);
}

static void put_connections(FILE *out, const struct counters *c)
{
    const uint64_t *n = c->connections;
    exposition_put(out, "connections", "gauge", "Connections that are open.", n[CONNECTION_ACCEPTED] - n[CONNECTION_CLOSED]);
    exposition_put(out, "connections_accepted_total", "counter", "Connections that were accepted.", n[CONNECTION_ACCEPTED]);
    fprintf(out,
            "# HELP candor_server_connections_refused_total Connections beyond a limit, of all or of one address.\n"
            "# TYPE candor_server_connections_refused_total counter\n"
            "candor_server_connections_refused_total{limit=\"all\"} %" PRIu64 "\n"
            "candor_server_connections_refused_total{limit=\"address\"} %" PRIu64 "\n",
            n[CONNECTION_TOO_MANY], n[CONNECTION_TOO_MANY_OF_ONE]);
    fprintf(out,
            "# HELP candor_server_connections_timed_out_total Connections that were closed because the client was too slow.\n"
            "# TYPE candor_server_connections_timed_out_total counter\n"
            "candor_server_connections_timed_out_total{during=\"handshake\"} %" PRIu64 "\n"
            "candor_server_connections_timed_out_total{during=\"head\"} %" PRIu64 "\n"
            "candor_server_connections_timed_out_total{during=\"body\"} %" PRIu64 "\n"
            "candor_server_connections_timed_out_total{during=\"answer\"} %" PRIu64 "\n",
            n[CONNECTION_SLOW_HANDSHAKE], n[CONNECTION_SLOW_HEAD], n[CONNECTION_SLOW_BODY], n[CONNECTION_SLOW_READER]);
    exposition_put(out, "requests_malformed_total", "counter", "Requests that are not well-formed HTTP.", n[CONNECTION_MALFORMED]);
    exposition_put(out, "connections_flooded_total", "counter",
                   "Connections of HTTP/2 that were closed after too many frames that request nothing.", n[CONNECTION_FLOODED]);
    exposition_put(out, "streams_refused_total", "counter", "Requests over HTTP/2 beyond the limit of a connection or an address.",
                   n[CONNECTION_TOO_MANY_STREAMS]);
}

static void put_queries(FILE *out, const struct counters *c)
{
    exposition_put(out, "queries_total", "counter", "Queries answered.", c->queries);
    fprintf(out,
            "# HELP candor_server_query_seconds_total Time spent on queries.\n# TYPE candor_server_query_seconds_total "
            "counter\n"
            "candor_server_query_seconds_total %.6f\n",
            (double)c->query_ns / NS_PER_S);
    fprintf(out,
            "# HELP candor_server_queries_given_up_total Queries that took too long, or whose client had closed the connection.\n"
            "# TYPE candor_server_queries_given_up_total counter\n"
            "candor_server_queries_given_up_total{reason=\"time\"} %" PRIu64 "\n"
            "candor_server_queries_given_up_total{reason=\"client\"} %" PRIu64 "\n",
            c->queries_timed_out, c->queries_left);
}

static void put_analyze(FILE *out, const struct counters *c)
{
    fprintf(out,
            "# HELP candor_server_analyze_cpu_seconds_total CPU time of the rules of findings.\n"
            "# TYPE candor_server_analyze_cpu_seconds_total counter\n"
            "candor_server_analyze_cpu_seconds_total %.6f\n",
            (double)c->analyze_ns / NS_PER_S);
}

static void put_store(FILE *out, const struct catalogue_sums *s)
{
    exposition_put(out, "store_recordings", "gauge", "Recordings in the store.", s->recordings);
    exposition_put(out, "store_recording_bytes", "gauge", "Bytes of recordings as they were sent.", s->recording_bytes);
    exposition_put(out, "store_segments", "gauge", "Segments that can be read.", s->segments);
    exposition_put(out, "store_segment_bytes", "gauge", "Bytes of segments.", s->segment_bytes);
    exposition_put(out, "store_dictionary_bytes", "gauge", "Bytes of dictionaries.", s->dictionary_bytes);
    exposition_put(out, "store_rollup_bytes", "gauge", "Bytes of roll-ups: sums of samples by hour and by day.", s->rollup_bytes);
    exposition_put(out, "store_parts_pending", "gauge", "Days of recordings that are not sealed yet.", s->pending);
    exposition_put(out, "store_parts_lost", "gauge", "Days of recordings whose segment and recording are both damaged.", s->lost);
    exposition_put(out, "store_segments_quarantined", "gauge", "Segments that were damaged.", s->bad);
}

static void put_latencies(FILE *out, const char *group, const struct latencies *l, bool exemplars)
{
    static const char name[] = "candor_server_request_seconds";
    uint64_t count = 0;
    for (int i = 0; i < COUNTERS_BUCKETS; i++) {
        char limit[24] = "+Inf";
        if (i < COUNTERS_BUCKETS - 1)
            snprintf(limit, sizeof limit, "%g", (double)counters_limits_ns[i] / NS_PER_S);
        fprintf(out, "%s_bucket{route=\"%s\",le=\"%s\"} %" PRIu64, name, group, limit, count += l->buckets[i]);
        put_exemplar(out, "trace_id", &l->exemplars[i], exemplars);
    }
    fprintf(out, "%s_sum{route=\"%s\"} %.6f\n%s_count{route=\"%s\"} %" PRIu64 "\n", name, group, (double)l->sum_ns / NS_PER_S, name, group,
            count);
}

static void put_requests(FILE *out, const struct counters *c, uint64_t dropped, uint64_t lost, bool exemplars)
{
    fputs("# HELP candor_server_request_seconds Time from the head of a request to the last byte of its answer.\n"
          "# TYPE candor_server_request_seconds histogram\n",
          out);
    for (int i = 0; i < GROUPS; i++)
        put_latencies(out, counters_groups[i], &c->latencies[i], exemplars);
    exposition_put(out, "request_bytes_total", "counter", "Bytes of heads and bodies of requests.", c->received_bytes);
    exposition_put(out, "answer_bytes_total", "counter", "Bytes of heads and bodies of answers.", c->sent_bytes);
    exposition_put(out, "access_log_dropped_total", "counter", "Lines of the access log that were dropped, because the disk was too slow.",
                   dropped);
    exposition_put(out, "audit_log_lost_total", "counter", "Lines of the audit log that could not be written.", lost);
    exposition_put(out, "log_left_out_total", "counter", "Lines that were left out of the log, because there were too many.",
                   tell_left_out());
}

static void put_remote(FILE *out, const struct counters *c)
{
    const uint64_t *n = c->remote;
    exposition_put(out, "remote_write_samples_total", "counter", "Samples that a receiver of remote write accepted.", n[REMOTE_SENT]);
    exposition_put(out, "remote_write_failures_total", "counter",
                   "Requests of remote write that failed, including those that are sent again and those that could not be made.",
                   n[REMOTE_FAILED]);
    exposition_head(out, "remote_write_dropped_samples_total", "counter", "Samples that were dropped before a receiver accepted them.");
    fprintf(out,
            "candor_server_remote_write_dropped_samples_total{reason=\"queue\"} %" PRIu64 "\n"
            "candor_server_remote_write_dropped_samples_total{reason=\"refused\"} %" PRIu64 "\n",
            n[REMOTE_DROPPED_QUEUE], n[REMOTE_DROPPED_REFUSED]);
    exposition_put(out, "remote_write_waiting", "gauge", "Requests of remote write that wait.", n[REMOTE_WAITING]);
}

/* Writes a metric of each other server; `place` is that of its value. */
static void put_of_each(FILE *out, struct forward *f, const char *name, const char *type, const char *help, size_t place)
{
    struct forward_counts c;
    exposition_head(out, name, type, help);
    for (uint32_t i = 0; forward_counts(f, i, &c); i++) {
        fprintf(out, "candor_server_%s{to=\"", name);
        exposition_label(out, c.url);
        fprintf(out, "\"} %" PRIu64 "\n", *(const uint64_t *)((const char *)&c + place));
    }
}

static void put_forward(FILE *out, struct forward *f)
{
#define PUT(name, type, help, member) put_of_each(out, f, name, type, help, offsetof(struct forward_counts, member))
    PUT("forward_waiting", "gauge", "Recordings that wait to be sent to another server (--forward).", waiting);
    PUT("forward_waiting_bytes", "gauge", "Their bytes.", waiting_bytes);
    PUT("forward_sent_total", "counter", "Recordings that the other server has acknowledged.", sent);
    PUT("forward_failures_total", "counter", "Requests to the other server that failed, and are sent again.", failures);
    PUT("forward_refused", "gauge", "Recordings that the other server will never take, kept in a folder 'refused'.", refused);
    PUT("forward_lost_total", "counter", "Recordings whose files somebody removed before they were sent.", lost);
#undef PUT
}

static void put_arrivals(FILE *out, const struct server *s)
{
    struct arrivals_counts c = arrivals_counts(s->arrivals);
    if (!s->store)
        exposition_put(out, "arrivals_left_total", "counter",
                       "Recordings left in object storage, for a server that keeps them (--arrivals).", c.left);
    if (s->store && keeper_epoch(s->keeper))
        exposition_put(out, "arrivals_waiting", "gauge", "Recordings in object storage that are not taken over yet (--arrivals).",
                       c.waiting);
    if (s->store) {
        exposition_put(out, "arrivals_taken_total", "counter", "Recordings taken over from there.", c.taken);
        exposition_put(out, "arrivals_refused_total", "counter", "Recordings that no server will ever take, now objects under refused/.",
                       c.refused);
    }
    exposition_put(out, "arrivals_failures_total", "counter", "What failed about recordings there, and is tried again.", c.failures);
}

static void put_keeper(FILE *out, struct keeper *k)
{
    struct keeper_view view = keeper_look(k);
    exposition_put(out, "keeper", "gauge", "1 if this server is the keeper, which evaluates alerts and fetches profiles (--keeper).",
                   view.is_me);
    exposition_put(out, "keeper_epoch", "gauge", "How many keepers there were: grows by 1 when another server becomes the keeper.",
                   view.epoch);
    exposition_put(out, "keeper_failures_total", "counter", "Requests about the lease of the keeper that failed.", view.failures);
}

/* Writes what is kept here, and what was found in it. */
static void put_kept(FILE *out, struct server *s)
{
    struct catalogue_sums sums;
    struct error e;
    findings_put_metrics(out, s);
    if (!catalogue_sums(store_catalogue(s->store), &sums, &e))
        put_store(out, &sums);
    exposition_put(out, "dictionaries_memory_bytes", "gauge", "Bytes of memory of the dictionaries of services that are in memory.",
                   store_dictionaries_bytes(s->store));
    exposition_put(out, "recall_memory_bytes", "gauge", "Bytes of memory of the stacks that are remembered from one recording to the next.",
                   store_recall_bytes(s->store));
    storage_put_metrics(out, s);
}

void metrics_write(FILE *out, struct server *s, bool exemplars)
{
    struct counters c = counters_read(&s->counters);
    fputs("# HELP candor_server_build_info The version of the server.\n# TYPE candor_server_build_info gauge\n"
          "candor_server_build_info{version=\"" CANDOR_VERSION "\"} 1\n",
          out);
    put_recordings(out, &c, exemplars);
    put_connections(out, &c);
    put_queries(out, &c);
    put_analyze(out, &c);
    put_requests(out, &c, journal_dropped(s->journal), audit_lost(s->audit), exemplars);
    quotas_put_metrics(s->quotas, out);
    if (s->options->remote_write)
        put_remote(out, &c);
    if (s->store)
        put_kept(out, s);
    if (s->forward)
        put_forward(out, s->forward);
    if (s->arrivals)
        put_arrivals(out, s);
    if (s->keeper)
        put_keeper(out, s->keeper);
    alerts_put_metrics(out, s);
    pull_put_metrics(out, s);
}

/* ---- OpenMetrics ---- */

/* Writes a line of the text format in the form of OpenMetrics: the family of a counter is named without the _total of its samples. */
static void put_line(FILE *out, const char *line, const char *type_line)
{
    static const char total[] = "_total", counter[] = " counter";
    size_t n = strcspn(type_line, "\n"), end = sizeof counter - 1;
    bool of_counter = n > end && !strncmp(type_line + n - end, counter, end);
    size_t name = strlen("# HELP ") + strcspn(line + strlen("# HELP "), " "), cut = sizeof total - 1;
    if (of_counter && !strncmp(line + name - cut, total, cut))
        fprintf(out, "%.*s%.*s\n", (int)(name - cut), line, (int)(strcspn(line, "\n") - name), line + name);
    else
        fprintf(out, "%.*s\n", (int)strcspn(line, "\n"), line);
}

/* Converts the text. Each line of help is followed by the type of the same family. */
static void convert(FILE *out, const char *text)
{
    for (const char *next; *text; text = next) {
        next = text + strcspn(text, "\n") + 1;
        if (!strncmp(text, "# HELP ", 7))
            put_line(out, text, next);
        else if (!strncmp(text, "# TYPE ", 7))
            put_line(out, text, text);
        else
            fprintf(out, "%.*s", (int)(next - text), text);
    }
    fputs("# EOF\n", out);
}

/* Whether the client prefers OpenMetrics. Prometheus names it in Accept only if it can read it. */
static bool wants_openmetrics(const struct http *h)
{
    const char *accept = http_header(h, "Accept");
    return accept && strstr(accept, "application/openmetrics-text");
}

void metrics_answer(struct http *h)
{
    struct http_writer w;
    char *text = NULL;
    size_t n = 0;
    bool open = wants_openmetrics(h);
    FILE *out = open_memstream(&text, &n);
    if (out)
        metrics_write(out, h->server, open);
    if (!out || fclose(out)) {
        free(text);
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return;
    }
    if (!http_write_begin(h, &w)) {
        if (open)
            convert(w.out, text);
        else
            fputs(text, w.out);
        http_write_end(h, &w, HTTP_OK,
                       open ? "application/openmetrics-text; version=1.0.0; charset=utf-8" : "text/plain; version=0.0.4; charset=utf-8");
    }
    free(text);
}

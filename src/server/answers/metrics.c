#include "server/answers/metrics.h"

#include "base/time_units.h"
#include "server/answers/storage.h"
#include "server/fleet/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    fprintf(out, "# HELP candor_server_%s %s\n# TYPE candor_server_%s %s\ncandor_server_%s %" PRIu64 "\n", name, help, name, type, name,
            value);
}

static void put_recordings(FILE *out, const struct counters *c)
{
    uint64_t ended = 0, received = 0;
    for (int i = 0; i < REFUSALS; i++)
        ended += c->ended[i];
    for (int i = 0; i < PROTOCOLS; i++)
        received += c->received[i];
    put(out, "recordings_received_total", "counter", "Recordings that were sent.", received);
    fprintf(out, "# HELP candor_server_recordings_received_by_total Those recordings, by how they came.\n"
                 "# TYPE candor_server_recordings_received_by_total counter\n");
    for (int i = 0; i < PROTOCOLS; i++)
        fprintf(out, "candor_server_recordings_received_by_total{protocol=\"%s\"} %" PRIu64 "\n", counters_protocols[i], c->received[i]);
    put(out, "recordings_stored_total", "counter", "Recordings that are on disk since then.", c->ended[STORED]);
    put(out, "recordings_duplicates_total", "counter", "Recordings that were there already.", c->ended[DUPLICATE]);
    put(out, "recordings_in_progress", "gauge", "Recordings on their way.", received - ended);
    fprintf(out, "# HELP candor_server_recordings_refused_total Recordings that were not taken.\n"
                 "# TYPE candor_server_recordings_refused_total counter\n");
    for (int i = DUPLICATE + 1; i < REFUSALS; i++)
        fprintf(out, "candor_server_recordings_refused_total{reason=\"%s\"} %" PRIu64 "\n", counters_names[i], c->ended[i]);
    put(out, "recordings_left_out_total", "counter", "Recordings that were stored, and of which queries cannot see all.", c->left_out);
    put(out, "received_bytes_total", "counter", "Bytes of recordings that were stored.", c->bytes);
}

static void put_connections(FILE *out, const struct counters *c)
{
    const uint64_t *n = c->connections;
    put(out, "connections", "gauge", "Connections that are open.", n[CONNECTION_ACCEPTED] - n[CONNECTION_CLOSED]);
    put(out, "connections_accepted_total", "counter", "Connections that were accepted.", n[CONNECTION_ACCEPTED]);
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
    put(out, "requests_malformed_total", "counter", "Requests that are not well-formed HTTP/1.1.", n[CONNECTION_MALFORMED]);
}

static void put_queries(FILE *out, const struct counters *c)
{
    put(out, "queries_total", "counter", "Queries answered.", c->queries);
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
    put(out, "store_recordings", "gauge", "Recordings in the store.", s->recordings);
    put(out, "store_recording_bytes", "gauge", "Bytes of recordings as they were sent.", s->recording_bytes);
    put(out, "store_segments", "gauge", "Segments that can be read.", s->segments);
    put(out, "store_segment_bytes", "gauge", "Bytes of segments.", s->segment_bytes);
    put(out, "store_dictionary_bytes", "gauge", "Bytes of dictionaries.", s->dictionary_bytes);
    put(out, "store_parts_pending", "gauge", "Days of recordings that are not sealed yet.", s->pending);
    put(out, "store_parts_lost", "gauge", "Days of recordings whose segment and recording are both damaged.", s->lost);
    put(out, "store_segments_quarantined", "gauge", "Segments that were damaged.", s->bad);
}

void metrics_answer(struct http *h)
{
    struct http_writer w;
    struct counters c = counters_read(&h->server->counters);
    struct catalogue_sums sums;
    struct error e;
    if (http_write_begin(h, &w))
        return;
    put_recordings(w.out, &c);
    put_connections(w.out, &c);
    put_queries(w.out, &c);
    put_analyze(w.out, &c);
    findings_put_metrics(w.out, h->server);
    if (!catalogue_sums(store_catalogue(h->server->store), &sums, &e))
        put_store(w.out, &sums);
    storage_put_metrics(w.out, h->server);
    http_write_end(h, &w, HTTP_OK, "text/plain; version=0.0.4; charset=utf-8");
}

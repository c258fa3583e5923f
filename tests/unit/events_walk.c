#include "events_walk.h"

#include "base/buffer.h"
#include "base/text/utf8.h"
#include "events/as_json.h"
#include "events/as_text.h"
#include "events/recorded.h"
#include "events/summary.h"
#include "events/timeline.h"
#include "events/walk.h"
#include "jfr/read/scrub.h"

#include <stdio.h>
#include <stdlib.h>

enum { PRINTED = 20 }; /* events of each file that are printed; a limit, because references may make each event large */

struct run {
    struct as_text text;
    struct as_json json;
    char *out;
    size_t len;
    uint64_t events;
};

static void fault(const char *what)
{
    fprintf(stderr, "events_walk: %s\n", what);
    abort();
}

static int on_event(void *context, struct jfr_event *event)
{
    struct run *run = context;
    if (run->events++ >= PRINTED)
        return 0;
    FILE *out = open_memstream(&run->out, &run->len);
    run->text.out = out;
    as_text_event(&run->text, event);
    jsonw_init(&run->json.json, out);
    as_json_event(&run->json, event);
    fclose(out);
    for (size_t at = 0, n; at < run->len; at += n)
        if (!(n = utf8_length(run->out + at, run->len - at)))
            fault("output is not UTF-8");
    free(run->out);
    return 0;
}

static void summarize(const struct jfr_file *file, struct summary *summary)
{
    static struct jfr_problems problems;
    struct error e;
    if (summary_read(summary, file, &problems, &e))
        fault(e.text);
}

static void scrub(const struct jfr_file *file, struct buffer *out, struct jfr_scrubbed *counts)
{
    struct error e;
    for (uint32_t i = 0; i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        uint8_t *bytes;
        size_t size;
        if (jfr_chunk_open(&chunk, file, i, NULL, &e))
            fault(e.text);
        if (chunk && jfr_scrub_chunk(chunk, &bytes, &size, counts))
            fault("scrub: no memory");
        if (chunk) {
            buffer_put(out, bytes, size);
            free(bytes);
        }
        jfr_chunk_close(chunk);
    }
}

static void check_scrubbed(const struct jfr_file *file, const struct summary *before)
{
    struct jfr_scrubbed counts = {0};
    struct jfr_file *clean;
    struct summary after;
    struct error e;
    struct buffer out;
    buffer_init(&out, 1 << 30);
    scrub(file, &out, &counts);
    if (out.len) {
        if (jfr_file_open_memory(&clean, out.data, out.len, "scrubbed", NULL, &e))
            fault(e.text);
        summarize(clean, &after);
        if (after.chunks != before->read_chunks || after.read_chunks != after.chunks || after.events + counts.dropped < before->events ||
            after.events > before->events)
            fault("scrub lost something");
        summary_deinit(&after);
        jfr_file_close(clean);
    }
    buffer_deinit(&out);
}

static void make_view(struct halt_view *v, const struct halts *h, int64_t from, int64_t to)
{
    if (halt_view_make(v, h, from, to, NULL))
        fault("halts: no memory");
    if (v->stopped_ns + v->waited_ns + v->unexplained_ns != (uint64_t)(to - from) || v->all_waited_ns > v->waited_ns)
        fault("the time of the halts does not add up");
}

static void check_timeline(struct halts *h, const struct halt_view *v, const struct jfr_file *file)
{
    enum { COLUMNS = 7 };
    struct timeline t;
    struct error e;
    if (timeline_make(&t, h, v, file, COLUMNS, 0, NULL, &e))
        fault(e.text);
    for (uint32_t i = 0; i < t.count; i++)
        for (uint32_t c = 0; c < COLUMNS; c++)
            timeline_cell(&t, &t.rows[i], c);
    timeline_deinit(&t);
}

static void check_halts(const struct jfr_file *file)
{
    struct halts h;
    struct halt_view v;
    struct error e;
    if (halts_read(&h, file, NULL, &e))
        fault(e.text);
    int64_t length = (int64_t)h.duration_ns;
    make_view(&v, &h, h.start_ns + length / 3, h.start_ns + length / 2);
    halt_view_deinit(&v);
    make_view(&v, &h, h.start_ns, h.start_ns + length);
    check_timeline(&h, &v, file);
    halt_view_deinit(&v);
    halts_deinit(&h);
}

static void check_recorded(const struct jfr_file *file)
{
    static const char *const events[] = {"jdk.SocketRead", "candor.CpuSample"};
    static const struct time_range all = {INT64_MIN, INT64_MAX};
    struct recorded_throws throws;
    struct error e;
    uint32_t processors;
    bool in[2];
    if (recorded_events(file, events, 2, &all, in, &throws, &processors, &e))
        fault(e.text);
}

int64_t events_walk(const void *bytes, size_t size)
{
    static struct jfr_problems problems;
    struct jfr_file *file;
    struct summary summary;
    struct selection selection;
    struct error e;
    struct run run = {.text = {.stack_depth = 5}, .json = {.stack_depth = size % 3}};
    int rc = jfr_file_open_memory(&file, bytes, size, "walk", NULL, &e);
    if (rc)
        return rc;
    summarize(file, &summary);
    if (selection_init(&selection, size % 2 ? "*" : NULL, NULL) || walk_events(file, &selection, on_event, &run, &problems, &e))
        fault(e.text);
    if (run.events != summary.events)
        fault("print and summary do not agree");
    check_scrubbed(file, &summary);
    check_halts(file);
    check_recorded(file);
    summary_deinit(&summary);
    selection_deinit(&selection);
    jfr_file_close(file);
    return (int64_t)run.events;
}

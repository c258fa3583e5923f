/* Answers what the threads of one trace did, in all services, as candor trace does for a file. */
#include "server/spans/spans.h"

#include "base/array.h"
#include "report/trace.h"
#include "server/spans/kept.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 32 };

struct tracing {
    struct question query;
    struct kept kept;
    char id[DIGITS + 1];
    struct trace trace;
    struct strtab processes;
    struct profile *profiles; /* the profiles with samples of the trace; `trace` refers to them */
    uint32_t count, cap;
};

/* Drops the samples outside the question's time, or with other labels than it selects. */
static void keep_asked(const struct tracing *t, struct profile *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (kept_has(&t->query, p, &p->samples[i]))
            p->samples[kept++] = p->samples[i];
    p->sample_count = kept;
}

/* Whether the trace shows samples of this kind. */
static bool is_shown(const struct profile *p)
{
    bool is_of_traces = false;
    for (int i = 0; i < TRACE_KINDS; i++)
        is_of_traces |= p->kind == trace_kinds[i];
    return is_of_traces && p->unit == profile_kinds[p->kind].unit;
}

static int name_process(struct tracing *t, const struct labels *labels)
{
    char name[2 * LABEL_VALUE_MAX + 8];
    const char *host = labels_get(labels, "host");
    snprintf(name, sizeof name, "%s%s%s", labels_get(labels, "service"), *host ? " on " : "", host);
    uint32_t id = strtab_add_text(&t->processes, name);
    t->trace.process = strtab_text(&t->processes, id);
    return id ? 0 : -ENOMEM;
}

static int take_recording(void *context, uint64_t id, const struct labels *labels, struct store_profiles *profiles)
{
    struct tracing *t = context;
    int rc = name_process(t, labels);
    (void)id;
    for (uint32_t i = 0; !rc && i < profiles->count; i++) {
        struct profile *p = &profiles->list[i];
        if (!is_shown(p))
            continue;
        rc = trace_keep(p, t->id);
        if (!rc)
            keep_asked(t, p);
        if (rc || !p->sample_count)
            continue;
        rc = trace_add(&t->trace, p);
        if (!rc && !(rc = ARRAY_GROW(t->profiles, t->cap, t->count))) {
            t->profiles[t->count++] = *p; /* its texts stay where they are */
            *p = (struct profile){0};
        }
    }
    return rc;
}

static int read_id(struct tracing *t, struct http *h, const char *text)
{
    if (strlen(text) != DIGITS || strspn(text, "0123456789abcdefABCDEF") != DIGITS) {
        http_error(h, HTTP_BAD_REQUEST, "'%.60s' is not a trace id, which has %d hexadecimal digits", text, DIGITS);
        return -EINVAL;
    }
    for (size_t i = 0; i < DIGITS; i++)
        t->id[i] = (char)tolower((unsigned char)text[i]);
    return 0;
}

/* Writes the trace as the text that candor trace prints. */
static int put_text(struct jsonw *j, const struct tracing *t)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return -ENOMEM;
    trace_text(out, &t->trace, t->id);
    int rc = fclose(out) ? -ENOMEM : 0;
    if (!rc)
        jsonw_member_text(j, "text", text);
    free(text);
    return rc;
}

static int put_trace(struct http_writer *w, const struct tracing *t, bool as_text)
{
    int rc = 0;
    jsonw_object(&w->json);
    kept_put(&w->json, &t->kept, false);
    if (as_text && t->trace.samples) {
        rc = put_text(&w->json, t);
    } else {
        jsonw_key(&w->json, "trace");
        if (t->trace.samples)
            trace_json(w->out, &t->trace, t->id);
        else
            jsonw_null(&w->json);
    }
    jsonw_object_end(&w->json);
    return rc;
}

static void answer(struct tracing *t, struct http *h)
{
    struct http_writer w;
    struct error e;
    const char *format = http_parameter(h, "format", NULL);
    int rc =
        strtab_init(&t->processes) ? error_set(&e, -ENOMEM, "out of memory") : kept_read(&t->kept, h, &t->query, take_recording, t, &e);
    if (!rc && trace_finish(&t->trace))
        rc = error_set(&e, -ENOMEM, "out of memory");
    if (rc) {
        question_failed(h, rc, &e);
    } else if (!http_write_begin(h, &w)) {
        rc = put_trace(&w, t, format && !strcmp(format, "text"));
        if (rc) {
            error_set(&e, rc, "out of memory");
            http_write_abandon(&w);
            question_failed(h, rc, &e);
        } else {
            http_write_end(h, &w, HTTP_OK, "application/json");
        }
    }
}

void spans_answer_trace(struct http *h, const char *trace)
{
    struct tracing t = {0};
    int rc = question_init_of_samples(&t.query, h);
    rc = rc ? rc : read_id(&t, h, trace);
    rc = rc ? rc : kept_init(&t.kept, h);
    t.trace.link = h->server->options->trace_link;
    if (!rc)
        answer(&t, h);
    trace_deinit(&t.trace);
    strtab_deinit(&t.processes);
    while (t.count)
        profile_deinit(&t.profiles[--t.count]);
    free(t.profiles);
    question_deinit(&t.query);
}

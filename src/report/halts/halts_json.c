#include "report/halts/halts.h"

#include "base/text/jsonw.h"
#include "report/halts/timeline.h"

#include <stdlib.h>

static void put_int(struct jsonw *j, const char *key, int64_t v)
{
    jsonw_key(j, key);
    jsonw_int(j, v);
}

static void put_string(struct jsonw *j, const struct halt_view *v, const char *key, uint32_t string)
{
    jsonw_key(j, key);
    if (string)
        jsonw_string(j, halts_text(v->h, string), strtab_len(&v->h->strings, string));
    else
        jsonw_null(j);
}

static void put_kinds(struct jsonw *j, const struct halt_view *v)
{
    jsonw_key(j, "kinds");
    jsonw_object(j);
    for (int kind = 0; kind < HALT_KINDS; kind++) {
        const struct halt_sums *s = &v->kinds[kind];
        if (!s->count)
            continue;
        jsonw_key(j, halt_kinds[kind].name);
        jsonw_object(j);
        jsonw_member_uint(j, "count", s->count);
        jsonw_member_uint(j, "by_agent", s->by_agent);
        jsonw_member_uint(j, "total_ns", s->total_ns);
        jsonw_member_uint(j, "p50_ns", s->p50_ns);
        jsonw_member_uint(j, "p90_ns", s->p90_ns);
        jsonw_member_uint(j, "p99_ns", s->p99_ns);
        jsonw_member_uint(j, "max_ns", s->max_ns);
        jsonw_object_end(j);
    }
    jsonw_object_end(j);
}

static void put_causes(struct jsonw *j, const struct halt_view *v)
{
    jsonw_key(j, "causes");
    jsonw_array(j);
    for (uint32_t i = 0; i < v->cause_count; i++) {
        const struct halt_cause *c = &v->causes[i];
        jsonw_object(j);
        jsonw_member_text(j, "kind", halt_kinds[c->kind].name);
        put_string(j, v, "what", c->what);
        put_string(j, v, "site", c->site);
        jsonw_member_uint(j, "count", c->count);
        jsonw_member_uint(j, "total_ns", c->total_ns);
        jsonw_member_uint(j, "max_ns", c->max_ns);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_halt(struct jsonw *j, const struct halt_view *v, const struct halt *one)
{
    static const char *const scopes[] = {
        [HALT_OF_ALL] = "all", [HALT_OF_PART] = "part", [HALT_OF_THREAD] = "thread", [HALT_OF_MOMENT] = "moment"};
    jsonw_object(j);
    jsonw_member_text(j, "kind", halt_kinds[one->kind].name);
    jsonw_member_text(j, "scope", scopes[halt_scope(one)]);
    put_int(j, "start_ns", one->start_ns);
    jsonw_member_uint(j, "duration_ns", one->ns);
    jsonw_member_uint(j, "overlap_ns", halt_overlap(v, one));
    put_string(j, v, "what", one->what);
    put_string(j, v, "thread", one->thread);
    put_string(j, v, "by", one->by);
    if (one->context || one->by_context) {
        put_string(j, v, "context", one->context);
        put_string(j, v, "by_context", one->by_context);
    }
    put_string(j, v, "site", one->site);
    if (one->id)
        jsonw_member_uint(j, "id", one->id);
    if (one->bytes)
        jsonw_member_uint(j, "bytes", one->bytes);
    if (one->kind == HALT_SAFEPOINTS_COUNTED)
        jsonw_member_uint(j, "count", one->count);
    if (one->kind == HALT_SAFEPOINT || one->kind == HALT_SAFEPOINTS_COUNTED) {
        jsonw_member_uint(j, one->sync_known ? "sync_ns" : "begin_ns", one->sync_ns);
        put_string(j, v, "late", one->late);
        if (one->late_ns)
            jsonw_member_uint(j, "late_ns", one->late_ns);
    }
    jsonw_key(j, "agent");
    jsonw_bool(j, one->told_by_agent);
    jsonw_object_end(j);
}

static int put_halts(struct jsonw *j, const struct halt_view *v, uint32_t top)
{
    static const enum halt_scope order[] = {HALT_OF_ALL, HALT_OF_THREAD, HALT_OF_PART};
    jsonw_key(j, "halts");
    jsonw_array(j);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint32_t *list;
        int64_t n = halt_view_longest(v, order[i], top, &list);
        for (int64_t k = 0; k < n; k++)
            put_halt(j, v, &v->h->list[list[k]]);
        free(list);
        if (n < 0)
            return (int)n;
    }
    jsonw_array_end(j);
    return 0;
}

static void put_problems(struct jsonw *j, const struct jfr_problems *problems)
{
    jsonw_key(j, "problems");
    jsonw_array(j);
    for (uint32_t i = 0; i < problems->listed; i++)
        jsonw_text(j, problems->list[i].text);
    jsonw_array_end(j);
}

int halts_report_json(FILE *out, const struct halt_view *v, const struct halts_report *o)
{
    struct jsonw j;
    jsonw_init(&j, out);
    j.line_depth = 2;
    jsonw_object(&j);
    put_int(&j, "start_ns", v->h->start_ns);
    jsonw_member_uint(&j, "duration_ns", v->h->duration_ns);
    put_int(&j, "from_ns", v->from_ns);
    put_int(&j, "to_ns", v->to_ns);
    jsonw_member_uint(&j, "stopped_ns", v->stopped_ns);
    jsonw_member_uint(&j, "waited_ns", v->waited_ns);
    jsonw_member_uint(&j, "unexplained_ns", v->unexplained_ns);
    jsonw_member_uint(&j, "all_waited_ns", v->all_waited_ns);
    jsonw_member_uint(&j, "waiting_threads", v->threads);
    jsonw_member_uint(&j, "most_waiting", v->most_waiting);
    jsonw_member_uint(&j, "unplaced", v->h->unplaced);
    jsonw_member_uint(&j, "unplaced_ns", v->h->unplaced_ns);
    jsonw_member_uint(&j, "told_twice", v->h->told_twice);
    jsonw_member_uint(&j, "waits_told_twice", v->h->waits_told_twice);
    put_kinds(&j, v);
    put_causes(&j, v);
    int rc = put_halts(&j, v, o->top);
    if (rc)
        return rc;
    if (o->timeline) {
        jsonw_key(&j, "timeline");
        timeline_json(&j, o->timeline, o->top);
    }
    put_problems(&j, o->problems);
    jsonw_object_end(&j);
    jsonw_finish(&j);
    return 0;
}

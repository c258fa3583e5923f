#include "report/report.h"

#include "base/json.h"
#include "profile/books_json.h"

static uint32_t rows(const struct stats_table *t, const struct report_options *o)
{
    return o->top_set && o->top && o->top < t->count ? o->top : t->count;
}

static void put_uint(struct json *j, const char *key, uint64_t v)
{
    json_key(j, key);
    json_uint(j, v);
}

static void put_text(struct json *j, const struct profile *p, const char *key, uint32_t string)
{
    json_key(j, key);
    json_string(j, profile_text(p, string), strtab_len(&p->strings, string));
}

static void put_number(struct json *j, const char *key, double v)
{
    json_key(j, key);
    json_number(j, v);
}

static void put_self(struct json *j, const struct stats_figure *f)
{
    put_uint(j, "self", f->weight);
    put_number(j, "self_share", f->share);
    put_number(j, "self_low", f->interval.low);
    put_number(j, "self_high", f->interval.high);
}

static void put_total(struct json *j, const struct stats_figure *f)
{
    put_uint(j, "total", f->weight);
    put_number(j, "total_share", f->share);
    put_number(j, "total_low", f->interval.low);
    put_number(j, "total_high", f->interval.high);
}

static void put_types(struct json *j, const struct stats_row *r)
{
    json_key(j, "types");
    json_object(j);
    for (uint8_t type = 0; type < PROFILE_TYPES; type++)
        if (r->by_type[type])
            put_uint(j, profile_type_name(type), r->by_type[type]);
    json_object_end(j);
}

static void put_rows(struct json *j, const struct profile *p, const char *key, const struct stats_table *t,
                     const struct report_options *o, bool lines)
{
    json_key(j, key);
    json_array(j);
    for (uint32_t i = 0; i < rows(t, o); i++) {
        const struct stats_row *r = &t->rows[i];
        json_object(j);
        put_text(j, p, "name", r->label);
        if (lines)
            put_uint(j, "line", (uint64_t)r->line);
        put_self(j, &r->self);
        put_total(j, &r->total);
        put_uint(j, "samples", r->total.samples);
        put_uint(j, "self_samples", r->self.samples);
        put_types(j, r);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_threads(struct json *j, const struct profile *p, const struct stats_table *t,
                        const struct report_options *o)
{
    json_key(j, "threads");
    json_array(j);
    for (uint32_t i = 0; i < rows(t, o); i++) {
        const struct stats_row *r = &t->rows[i];
        const struct profile_thread *thread = &p->threads[r->label];
        json_object(j);
        put_text(j, p, "name", thread->name);
        put_uint(j, "os_id", thread->os_id);
        put_uint(j, "java_id", thread->java_id);
        put_uint(j, "virtual_threads", thread->virtual_threads);
        put_self(j, &r->self);
        put_uint(j, "samples", r->self.samples);
        json_key(j, "cpu_ns");
        if (thread->cpu_known)
            json_uint(j, thread->cpu_ns);
        else
            json_null(j);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_settings(struct json *j, const struct profile *p)
{
    json_key(j, "settings");
    json_object(j);
    for (uint32_t i = 0; i < p->setting_count; i++)
        put_text(j, p, profile_text(p, p->settings[i].name), p->settings[i].value);
    json_object_end(j);
}

static void put_problems(struct json *j, const struct profile *p)
{
    json_key(j, "problems");
    json_array(j);
    for (uint32_t i = 0; i < p->problem_count; i++) {
        json_object(j);
        put_text(j, p, "level", p->problems[i].level);
        put_text(j, p, "text", p->problems[i].text);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_header(struct json *j, const struct profile *p, const struct stats *s)
{
    json_key(j, "version");
    json_uint(j, 1);
    put_text(j, p, "process", p->command);
    put_uint(j, "pid", p->pid);
    put_text(j, p, "jvm", p->jvm_version);
    put_text(j, p, "source", p->source);
    json_key(j, "kind");
    json_text(j, p->kind == PROFILE_WAITING ? "waiting" : profile_is_safepoint(p) ? "running" : "cpu");
    json_key(j, "unit");
    json_text(j, p->unit == PROFILE_UNIT_NS ? "ns" : "samples");
    json_key(j, "start_ns");
    json_int(j, p->start_ns);
    put_uint(j, "duration_ns", p->duration_ns);
    put_uint(j, "interval_ns", p->interval_ns);
    put_uint(j, "samples", p->cpu_samples);
    put_uint(j, "execution_samples", p->execution_samples);
    put_uint(j, "safepoint_samples", p->safepoint_samples);
    put_uint(j, "sampled", s->weight);
    put_number(j, "effective_samples", s->effective);
    put_number(j, "approximate_share", stats_approximate_share(p));
}

int report_json(FILE *out, const struct profile *p, struct stats *s, const struct report_options *o)
{
    struct json j;
    json_init(&j, out);
    j.line_depth = 2;
    stats_sort(&s->methods, p, o->order);
    stats_sort(&s->lines, p, o->order);
    json_object(&j);
    put_header(&j, p, s);
    if (o->sections & REPORT_METHODS)
        put_rows(&j, p, "methods", &s->methods, o, false);
    if (o->sections & REPORT_LINES)
        put_rows(&j, p, "lines", &s->lines, o, true);
    if (o->sections & REPORT_THREADS)
        put_threads(&j, p, &s->threads, o);
    if (o->sections & REPORT_BOOKS) {
        json_key(&j, "books");
        books_json(&j, p);
        json_key(&j, "thread_time");
        books_json_thread_time(&j, p);
    }
    put_settings(&j, p);
    put_problems(&j, p);
    json_object_end(&j);
    json_finish(&j);
    return 0;
}

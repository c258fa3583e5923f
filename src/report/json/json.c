#include "report/report.h"

#include "base/text/jsonw.h"
#include "profile/figures/books_json.h"
#include "report/json/json_live.h"
#include "report/json/json_tree.h"

static uint32_t rows(const struct stats_table *t, const struct report_options *o)
{
    return o->top_set && o->top && o->top < t->count ? o->top : t->count;
}

static void put_text(struct jsonw *j, const struct profile *p, const char *key, uint32_t string)
{
    jsonw_key(j, key);
    jsonw_string(j, profile_text(p, string), strtab_len(&p->strings, string));
}

static void put_self(struct jsonw *j, const struct stats_figure *f)
{
    jsonw_member_uint(j, "self", f->weight);
    jsonw_member_number(j, "self_share", f->share);
    jsonw_member_number(j, "self_low", f->interval.low);
    jsonw_member_number(j, "self_high", f->interval.high);
}

static void put_total(struct jsonw *j, const struct stats_figure *f)
{
    jsonw_member_uint(j, "total", f->weight);
    jsonw_member_number(j, "total_share", f->share);
    jsonw_member_number(j, "total_low", f->interval.low);
    jsonw_member_number(j, "total_high", f->interval.high);
}

static void put_types(struct jsonw *j, const struct stats_row *r)
{
    jsonw_key(j, "types");
    jsonw_object(j);
    for (uint8_t type = 0; type < PROFILE_TYPES; type++)
        if (r->by_type[type])
            jsonw_member_uint(j, profile_type_name(type), r->by_type[type]);
    jsonw_object_end(j);
}

static void put_rows(struct jsonw *j, const struct profile *p, const char *key, const struct stats_table *t, const struct report_options *o,
                     bool lines)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (uint32_t i = 0; i < rows(t, o); i++) {
        const struct stats_row *r = &t->rows[i];
        jsonw_object(j);
        put_text(j, p, "name", r->label);
        if (lines)
            jsonw_member_uint(j, "line", (uint64_t)r->line);
        put_self(j, &r->self);
        put_total(j, &r->total);
        jsonw_member_uint(j, "samples", r->total.samples);
        jsonw_member_uint(j, "self_samples", r->self.samples);
        put_types(j, r);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_threads(struct jsonw *j, const struct profile *p, const struct stats_table *t, const struct report_options *o)
{
    jsonw_key(j, "threads");
    jsonw_array(j);
    for (uint32_t i = 0; i < rows(t, o); i++) {
        const struct stats_row *r = &t->rows[i];
        const struct profile_thread *thread = &p->threads[r->label];
        jsonw_object(j);
        put_text(j, p, "name", thread->name);
        jsonw_member_uint(j, "os_id", thread->os_id);
        jsonw_member_uint(j, "java_id", thread->java_id);
        jsonw_member_uint(j, "virtual_threads", thread->virtual_threads);
        put_self(j, &r->self);
        jsonw_member_uint(j, "samples", r->self.samples);
        jsonw_key(j, "cpu_ns");
        if (thread->cpu_known)
            jsonw_uint(j, thread->cpu_ns);
        else
            jsonw_null(j);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_settings(struct jsonw *j, const struct profile *p)
{
    jsonw_key(j, "settings");
    jsonw_object(j);
    for (uint32_t i = 0; i < p->setting_count; i++)
        put_text(j, p, profile_text(p, p->settings[i].name), p->settings[i].value);
    jsonw_object_end(j);
}

static void put_problems(struct jsonw *j, const struct profile *p)
{
    jsonw_key(j, "problems");
    jsonw_array(j);
    for (uint32_t i = 0; i < p->problem_count; i++) {
        jsonw_object(j);
        put_text(j, p, "level", p->problems[i].level);
        put_text(j, p, "text", p->problems[i].text);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_groups(struct jsonw *j, const struct profile *p, const char *key, const struct stats_table *t,
                       const struct report_options *o, bool types)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (uint32_t i = 0; i < rows(t, o); i++) {
        const struct stats_row *r = &t->rows[i];
        jsonw_object(j);
        jsonw_member_text(j, "name", types ? profile_type_name((uint8_t)r->label) : profile_text(p, r->label));
        put_self(j, &r->self);
        put_total(j, &r->total);
        jsonw_member_uint(j, "samples", r->total.samples);
        jsonw_member_uint(j, "self_samples", r->self.samples);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_allocated(struct jsonw *j, const struct profile *p, struct stats *s, const struct report_options *o)
{
    stats_sort(&s->methods, p, STATS_BY_SELF);
    jsonw_key(j, "allocated");
    jsonw_array(j);
    for (uint32_t i = 0; i < rows(&s->methods, o) && s->methods.rows[i].self.weight; i++) {
        const struct stats_row *r = &s->methods.rows[i];
        jsonw_object(j);
        put_text(j, p, "class", r->label);
        put_self(j, &r->self);
        jsonw_member_uint(j, "samples", r->self.samples);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_text_or_null(struct jsonw *j, const struct profile *p, const char *key, uint32_t string)
{
    if (string) {
        put_text(j, p, key, string);
        return;
    }
    jsonw_key(j, key);
    jsonw_null(j);
}

static const char *lock_kind(uint8_t state)
{
    return state == JFR_STATE_MONITOR ? "monitor" : "park";
}

static void put_lock(struct jsonw *j, const struct profile *p, const struct locks *l, const struct locks_row *r)
{
    jsonw_object(j);
    put_text_or_null(j, p, "class", r->class_name);
    jsonw_member_text(j, "kind", lock_kind(r->state));
    put_text_or_null(j, p, "address", r->address);
    put_text_or_null(j, p, "site", r->site);
    jsonw_member_uint(j, "weight", r->weight);
    jsonw_member_number(j, "share", p->weight ? (double)r->weight / (double)p->weight : 0);
    jsonw_member_uint(j, "samples", r->samples);
    jsonw_key(j, "holders");
    jsonw_array(j);
    for (uint32_t i = 0; i < r->holders; i++) {
        const struct locks_holder *h = &l->holders[r->first + i];
        jsonw_object(j);
        put_text_or_null(j, p, "name", h->owner);
        jsonw_member_uint(j, "weight", h->weight);
        jsonw_member_uint(j, "samples", h->samples);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_object_end(j);
}

static void put_deadlocks(struct jsonw *j, const struct profile *p, const struct locks *l)
{
    jsonw_key(j, "deadlocks");
    jsonw_array(j);
    for (uint32_t i = 0; i < l->link_count; i++) {
        const struct profile_sample *s = &p->samples[l->links[i].sample];
        if (!i || l->links[i - 1].ends)
            jsonw_array(j);
        jsonw_object(j);
        put_text(j, p, "thread", p->threads[s->thread].name);
        put_text_or_null(j, p, "class", locks_label(p, s, "class"));
        jsonw_member_text(j, "kind", lock_kind(s->state));
        put_text_or_null(j, p, "address", locks_label(p, s, "address"));
        put_text_or_null(j, p, "owner", locks_label(p, s, "owner"));
        jsonw_object_end(j);
        if (l->links[i].ends)
            jsonw_array_end(j);
    }
    jsonw_array_end(j);
}

static void put_locks(struct jsonw *j, const struct profile *p, const struct report_options *o)
{
    const struct locks *l = o->locks;
    uint32_t count = o->top_set && o->top && o->top < l->row_count ? o->top : l->row_count;
    jsonw_key(j, "locks");
    jsonw_array(j);
    for (uint32_t i = 0; i < count && l->rows[i].weight; i++)
        put_lock(j, p, l, &l->rows[i]);
    jsonw_array_end(j);
    if (o->idle && o->idle->samples) {
        jsonw_key(j, "idle");
        jsonw_object(j);
        jsonw_member_uint(j, "weight", o->idle->weight);
        jsonw_member_uint(j, "samples", o->idle->samples);
        jsonw_member_uint(j, "threads", o->idle->threads);
        jsonw_object_end(j);
    }
    put_deadlocks(j, p, l);
}

static void put_label(struct jsonw *j, const struct profile *p, const struct stats_table *t, const struct report_options *o)
{
    jsonw_key(j, "label");
    jsonw_object(j);
    jsonw_member_text(j, "key", o->label);
    jsonw_key(j, "values");
    jsonw_array(j);
    for (uint32_t i = 0; i < rows(t, o); i++) {
        const struct stats_row *r = &t->rows[i];
        jsonw_object(j);
        jsonw_member_text_or_null(j, "value", profile_text(p, r->label));
        put_self(j, &r->self);
        jsonw_member_uint(j, "samples", r->self.samples);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_object_end(j);
}

static void put_event_types(struct jsonw *j, const struct profile *p)
{
    jsonw_key(j, "event_types");
    jsonw_array(j);
    for (uint32_t i = 0; i < p->event_type_count; i++) {
        enum profile_kind kind;
        bool known = profile_kind_first(p->event_types[i].kinds, &kind);
        jsonw_object(j);
        put_text(j, p, "type", p->event_types[i].name);
        jsonw_member_uint(j, "count", p->event_types[i].count);
        jsonw_member_text_or_null(j, "kind", known ? profile_kinds[kind].word : "");
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_header(struct jsonw *j, const struct profile *p, const struct stats *s)
{
    jsonw_member_uint(j, "version", 1);
    put_text(j, p, "process", p->command);
    jsonw_member_uint(j, "pid", p->pid);
    put_text(j, p, "jvm", p->jvm_version);
    put_text(j, p, "source", p->source);
    jsonw_member_text(j, "kind", profile_kind_word(p));
    jsonw_member_text(j, "unit", profile_unit_word(p));
    put_text(j, p, "value", p->value);
    jsonw_key(j, "start_ns");
    jsonw_int(j, p->start_ns);
    jsonw_member_uint(j, "duration_ns", p->duration_ns);
    jsonw_key(j, "discarded");
    jsonw_bool(j, p->discarded);
    jsonw_member_uint(j, "interval_ns", p->interval_ns);
    jsonw_member_uint(j, "samples", p->cpu_samples);
    jsonw_member_uint(j, "execution_samples", p->execution_samples);
    jsonw_member_uint(j, "safepoint_samples", p->safepoint_samples);
    jsonw_member_uint(j, "allocation_samples", p->allocation_samples);
    jsonw_member_uint(j, "sampled", s->weight);
    jsonw_member_uint(j, "filtered", p->filtered_weight);
    jsonw_member_uint(j, "sample_count", s->samples);
    jsonw_member_uint(j, "filtered_count", p->filtered);
    jsonw_member_number(j, "effective_samples", s->effective);
    jsonw_member_number(j, "approximate_share", stats_approximate_share(p));
}

static void put_books(struct jsonw *j, const struct profile *p)
{
    for (int book = 0; book < BOOKS; book++) {
        if (!book_rows[book].member)
            continue;
        jsonw_key(j, book_rows[book].member);
        books_json(j, p, (enum book)book);
    }
}

int report_json(FILE *out, const struct profile *p, struct stats *s, const struct report_options *o)
{
    struct jsonw j;
    jsonw_init(&j, out);
    j.line_depth = 2;
    stats_sort(&s->methods, p, o->order);
    stats_sort(&s->lines, p, o->order);
    jsonw_object(&j);
    put_header(&j, p, s);
    put_event_types(&j, p);
    if (o->label)
        put_label(&j, p, &s->labels, o);
    if (o->allocated)
        put_allocated(&j, p, o->allocated, o);
    json_live(&j, p, o);
    if (o->locks)
        put_locks(&j, p, o);
    if (o->sections & REPORT_METHODS)
        put_rows(&j, p, "methods", &s->methods, o, false);
    if (o->sections & REPORT_LINES)
        put_rows(&j, p, "lines", &s->lines, o, true);
    if (o->sections & REPORT_THREADS)
        put_threads(&j, p, &s->threads, o);
    if (o->sections & REPORT_CLASSES)
        put_groups(&j, p, "classes", &s->classes, o, false);
    if (o->sections & REPORT_PACKAGES)
        put_groups(&j, p, "packages", &s->packages, o, false);
    if (o->sections & REPORT_TYPES)
        put_groups(&j, p, "types", &s->types, o, true);
    int rc = json_trees(&j, p, o);
    if (o->sections & REPORT_BOOKS)
        put_books(&j, p);
    put_settings(&j, p);
    put_problems(&j, p);
    jsonw_object_end(&j);
    jsonw_finish(&j);
    return rc;
}

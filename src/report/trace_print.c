#include "base/text/trace_link.h"
#include "base/time_units.h"
#include "report/trace.h"

#include "base/text/jsonw.h"
#include "base/text/units.h"
#include "base/text/utf8.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name, *member;
} kinds[PROFILE_KINDS] = {[PROFILE_RUNNING] = {"CPU", "cpu_ns"},
                          [PROFILE_WALL] = {"wall", "wall_ns"},
                          [PROFILE_ALLOC] = {"allocated", "allocated_bytes"},
                          [PROFILE_LOCK] = {"waits for locks", "lock_ns"},
                          [PROFILE_HOLDER] = {"others waited", "holder_ns"}};

static const char *endpoint_of(const struct trace *t)
{
    for (uint32_t i = 0; i < t->piece_count; i++)
        if (*t->pieces[i].endpoint)
            return t->pieces[i].endpoint;
    return "";
}

static int64_t end_of(const struct trace *t)
{
    int64_t end = t->pieces[0].to_ns;
    for (uint32_t i = 1; i < t->piece_count; i++)
        if (t->pieces[i].to_ns > end)
            end = t->pieces[i].to_ns;
    return end;
}

/* Returns the word for what a piece did: "waiting_for_cpu" for "STATE_WAITING_FOR_CPU", a verb for allocations and locks. For CPU time it
 * is the word of that kind. */
static const char *word_of(const struct trace_piece *p, char *out, size_t size)
{
    size_t n = 0;
    if (p->kind == PROFILE_RUNNING)
        return profile_kinds[p->kind].word;
    if (p->kind == PROFILE_ALLOC)
        return "allocates";
    if (p->kind == PROFILE_LOCK)
        return "waits_for_lock";
    if (p->kind == PROFILE_HOLDER)
        return "holds_lock";
    for (const char *at = jfr_thread_state_names[p->state] + strlen("STATE_"); *at && n + 1 < size; at++)
        out[n++] = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
    out[n] = 0;
    return out;
}

/* ---- text ---- */

static const char *weight_text(char *out, size_t size, enum profile_kind kind, uint64_t weight)
{
    return profile_kinds[kind].unit == PROFILE_UNIT_BYTES ? units_format_bytes(out, size, weight)
                                                          : units_format_duration(out, size, weight);
}

static void put_weights(FILE *out, const uint64_t *weights)
{
    char text[32];
    const char *comma = "";
    for (int i = 0; i < TRACE_KINDS; i++) {
        enum profile_kind kind = trace_kinds[i];
        if (!weights[kind])
            continue;
        fprintf(out, "%s%s %s", comma, kinds[kind].name, weight_text(text, sizeof text, kind, weights[kind]));
        comma = ", ";
    }
}

/* Prints a time as an offset. start: the earliest time of the trace. */
static void put_offset(FILE *out, int64_t ns, int64_t start)
{
    fprintf(out, "%+11.3f ms  ", (double)((uint64_t)ns - (uint64_t)start) / NS_PER_MS);
}

static void put_word(FILE *out, const char *before, const char *text)
{
    if (!*text)
        return;
    fputs(before, out);
    utf8_print(out, text);
}

/* Prints the lock of a wait, the thread that held it, and for which request: "for Cart, held by worker-2 (POST /pay, span ..., trace ...)".
 * The trace is left out if it is the same. */
static void put_lock(FILE *out, const struct trace_lock *lock, const char *trace)
{
    bool has_work = *lock->owner_endpoint || *lock->owner_span;
    put_word(out, "  for ", lock->class_name);
    put_word(out, ", held by ", lock->owner);
    if (!has_work)
        return;
    put_word(out, " (", *lock->owner_endpoint ? lock->owner_endpoint : "no endpoint");
    put_word(out, ", span ", lock->owner_span);
    put_word(out, ", trace ", strcmp(lock->owner_trace, trace) ? lock->owner_trace : "");
    fputc(')', out);
}

static void put_piece(FILE *out, const struct trace_piece *p, int64_t start, const char *trace, const char *span_before)
{
    char weight[32], word[40];
    put_offset(out, p->from_ns, start);
    fprintf(out, "%10s  %-16s ", weight_text(weight, sizeof weight, p->kind, p->weight), word_of(p, word, sizeof word));
    if (*p->process) {
        utf8_print(out, p->process);
        fputs(": ", out);
    }
    utf8_print(out, p->thread);
    fputs("  ", out);
    utf8_print(out, *p->leaf ? p->leaf : "[no stack]");
    if (*p->in && strcmp(p->in, p->leaf)) {
        fputs(" in ", out);
        utf8_print(out, p->in);
    }
    put_lock(out, &p->lock, trace);
    if (strcmp(p->span, span_before)) {
        fputs("  (span ", out);
        utf8_print(out, *p->span ? p->span : "unknown");
        fputc(')', out);
    }
    fputc('\n', out);
}

static void put_date(FILE *out, int64_t ns)
{
    char date[64];
    int64_t rest = ns % NS_PER_S;
    time_t seconds = (time_t)(ns / NS_PER_S) - (rest < 0);
    struct tm tm;
    if (gmtime_r(&seconds, &tm) && strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &tm))
        fprintf(out, "%s.%06" PRId64 " UTC", date, (rest + (rest < 0 ? NS_PER_S : 0)) / NS_PER_US);
}

void trace_text(FILE *out, const struct trace *t, const char *id)
{
    char length[32], link[TRACE_LINK_MAX];
    int64_t start = t->pieces[0].from_ns;
    fprintf(out, "Trace     %s", id);
    if (*endpoint_of(t)) {
        fputs("  ", out);
        utf8_print(out, endpoint_of(t));
    }
    if (t->link)
        fprintf(out, "\nLink      %s", trace_link_write(link, sizeof link, t->link, id, ""));
    fputs("\nSampled   ", out);
    put_date(out, start);
    fprintf(out, ", for %s, on %" PRIu32 " thread%s, %" PRIu32 " sample%s\nWeighs    ",
            units_format_duration(length, sizeof length, (uint64_t)end_of(t) - (uint64_t)start), t->threads, t->threads == 1 ? "" : "s",
            t->samples, t->samples == 1 ? "" : "s");
    put_weights(out, t->weights);
    fputs("\n\nSpans     from the first sample to the last\n", out);
    for (uint32_t i = 0; i < t->span_count; i++) {
        const struct trace_span *s = &t->spans[i];
        put_offset(out, s->from_ns, start);
        put_offset(out, s->to_ns, start);
        utf8_print(out, *s->id ? s->id : "unknown");
        fputs(*s->id && !strcmp(s->id, s->root) ? " (root)  " : "  ", out);
        put_weights(out, s->weights);
        fputc('\n', out);
    }
    fputs("\nWhat its threads did\n", out);
    const char *span = "";
    for (uint32_t i = 0; i < t->piece_count; i++) {
        put_piece(out, &t->pieces[i], start, id, span);
        span = t->pieces[i].span;
    }
}

/* ---- JSON ---- */

static void put_members(struct jsonw *j, const uint64_t *weights)
{
    for (int i = 0; i < TRACE_KINDS; i++)
        jsonw_member_uint(j, kinds[trace_kinds[i]].member, weights[trace_kinds[i]]);
}

static void put_number(struct jsonw *j, const char *key, int64_t v)
{
    jsonw_key(j, key);
    jsonw_int(j, v);
}

static void json_link(struct jsonw *j, const struct trace *t, const char *id, const char *span)
{
    char link[TRACE_LINK_MAX];
    if (t->link)
        jsonw_member_text(j, "link", trace_link_write(link, sizeof link, t->link, id, span));
}

static void json_span(struct jsonw *j, const struct trace *t, const struct trace_span *s, const char *id)
{
    jsonw_object(j);
    jsonw_member_text_or_null(j, "span_id", s->id);
    json_link(j, t, id, s->id);
    jsonw_member_text_or_null(j, "root_span_id", s->root);
    put_number(j, "from_ns", s->from_ns);
    put_number(j, "to_ns", s->to_ns);
    put_members(j, s->weights);
    jsonw_object_end(j);
}

static void json_lock(struct jsonw *j, const struct trace_lock *lock)
{
    jsonw_key(j, "lock");
    jsonw_object(j);
    jsonw_member_text_or_null(j, "class", lock->class_name);
    jsonw_member_text_or_null(j, "owner", lock->owner);
    jsonw_member_text_or_null(j, "owner_endpoint", lock->owner_endpoint);
    jsonw_member_text_or_null(j, "owner_trace_id", lock->owner_trace);
    jsonw_member_text_or_null(j, "owner_span_id", lock->owner_span);
    jsonw_object_end(j);
}

static void json_piece(struct jsonw *j, const struct trace_piece *p)
{
    char word[40];
    jsonw_object(j);
    put_number(j, "from_ns", p->from_ns);
    put_number(j, "to_ns", p->to_ns);
    jsonw_member_text(j, "state", word_of(p, word, sizeof word));
    jsonw_member_uint(j, profile_kinds[p->kind].unit == PROFILE_UNIT_BYTES ? "bytes" : "ns", p->weight);
    jsonw_member_uint(j, "samples", p->samples);
    jsonw_member_text_or_null(j, "process", p->process);
    jsonw_member_text_or_null(j, "thread", p->thread);
    jsonw_member_text_or_null(j, "span_id", p->span);
    jsonw_member_text_or_null(j, "method", p->leaf);
    jsonw_member_text_or_null(j, "in", p->in);
    if (p->kind == PROFILE_LOCK || p->kind == PROFILE_HOLDER)
        json_lock(j, &p->lock);
    jsonw_object_end(j);
}

void trace_json(FILE *out, const struct trace *t, const char *id)
{
    struct jsonw j;
    jsonw_init(&j, out);
    j.line_depth = 2;
    jsonw_object(&j);
    jsonw_member_uint(&j, "version", 1);
    jsonw_member_text(&j, "trace_id", id);
    json_link(&j, t, id, "");
    jsonw_member_text_or_null(&j, "endpoint", endpoint_of(t));
    put_number(&j, "from_ns", t->pieces[0].from_ns);
    put_number(&j, "to_ns", end_of(t));
    put_members(&j, t->weights);
    jsonw_member_uint(&j, "samples", t->samples);
    jsonw_member_uint(&j, "threads", t->threads);
    jsonw_key(&j, "spans");
    jsonw_array(&j);
    for (uint32_t i = 0; i < t->span_count; i++)
        json_span(&j, t, &t->spans[i], id);
    jsonw_array_end(&j);
    jsonw_key(&j, "pieces");
    jsonw_array(&j);
    for (uint32_t i = 0; i < t->piece_count; i++)
        json_piece(&j, &t->pieces[i]);
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    jsonw_finish(&j);
}

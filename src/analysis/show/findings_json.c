#include "analysis/show/findings_print.h"

static void put_text(struct jsonw *j, const struct findings *f, const char *key, uint32_t string)
{
    jsonw_member_text_or_null(j, key, findings_text(f, string));
}

static void put_evidence(struct jsonw *j, const struct findings *f, const struct finding *one)
{
    jsonw_key(j, "evidence");
    jsonw_object(j);
    jsonw_member_text(j, "report", finding_report(one));
    jsonw_member_text(j, "table", finding_table(one));
    put_text(j, f, "subject", one->subject);
    put_text(j, f, "site", one->site);
    put_text(j, f, "owner", one->owner);
    jsonw_member_uint(j, "count", one->count);
    jsonw_member_uint(j, "threads", one->threads);
    jsonw_member_uint(j, "lost_ns", amount_whole(one->lost_ns.value));
    jsonw_member_uint(j, "lost_low_ns", amount_whole(one->lost_ns.low));
    jsonw_member_uint(j, "lost_high_ns", amount_whole(one->lost_ns.high));
    jsonw_object_end(j);
}

static void put_window(struct jsonw *j, const struct findings *f, const struct finding *one)
{
    jsonw_key(j, "worst");
    if (!one->from_ns) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    jsonw_member_uint(j, "start_ns", (uint64_t)one->from_ns);
    jsonw_member_uint(j, "duration_ns", one->window_ns);
    put_text(j, f, "text", one->worst ? one->worst : one->text);
    jsonw_object_end(j);
}

void finding_print_json(struct jsonw *j, const struct findings *f, const struct finding *one)
{
    const struct finding_info *info = &finding_infos[one->kind];
    jsonw_object(j);
    jsonw_member_text(j, "id", info->id);
    jsonw_member_number(j, "score", one->score);
    jsonw_member_text(j, "severity", finding_severity(one));
    jsonw_member_text(j, "title", info->title);
    put_text(j, f, "text", one->text);
    jsonw_member_text(j, "remedy", finding_remedy(one));
    jsonw_member_text_or_null(j, "follows", one->has_cause ? finding_infos[one->cause].id : "");
    put_evidence(j, f, one);
    put_window(j, f, one);
    jsonw_object_end(j);
}

static void put_judged(struct jsonw *j, const struct findings *f)
{
    jsonw_key(j, "judged");
    jsonw_array(j);
    for (int kind = 0; kind < FINDING_KINDS; kind++)
        if (findings_judged(f, (enum finding_kind)kind))
            jsonw_text(j, finding_infos[kind].id);
    jsonw_array_end(j);
}

static void put_gaps(struct jsonw *j, const struct findings *f)
{
    jsonw_key(j, "not_judged");
    jsonw_array(j);
    for (uint32_t i = 0; i < f->gap_count; i++) {
        jsonw_object(j);
        jsonw_member_text(j, "id", finding_infos[f->gaps[i].kind].id);
        jsonw_member_text(j, "missing", f->gaps[i].missing);
        jsonw_member_text(j, "remedy", f->gaps[i].remedy);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_overview(struct jsonw *j, const struct findings *f, const struct overview *v)
{
    static const char *const units[] = {"", "share", "bytes/s"};
    char line[128];
    jsonw_key(j, "overview");
    jsonw_array(j);
    for (uint32_t i = 0; i < v->count; i++) {
        const struct overview_row *row = &v->rows[i];
        jsonw_object(j);
        jsonw_member_text(j, "id", row->id);
        jsonw_member_text(j, "unit", units[row->unit]);
        jsonw_member_number(j, "value", row->amount.value);
        jsonw_member_number(j, "low", row->amount.low);
        jsonw_member_number(j, "high", row->amount.high);
        put_text(j, f, "site", row->site);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_member_text_or_null(j, "judge_rest", overview_again(f, v, line, sizeof line));
}

void findings_print_json(FILE *out, const struct findings *f, const struct findings_print *o)
{
    struct jsonw j;
    uint32_t shown = o->top && o->top < f->count ? o->top : f->count;
    jsonw_init(&j, out);
    j.line_depth = 2;
    jsonw_object(&j);
    jsonw_member_uint(&j, "version", 1);
    jsonw_member_uint(&j, "duration_ns", o->duration_ns);
    jsonw_member_uint(&j, "finding_count", f->count);
    jsonw_key(&j, "findings");
    jsonw_array(&j);
    for (uint32_t i = 0; i < shown; i++)
        finding_print_json(&j, f, &f->list[i]);
    jsonw_array_end(&j);
    put_judged(&j, f);
    put_gaps(&j, f);
    if (o->overview)
        put_overview(&j, f, o->overview);
    jsonw_object_end(&j);
    jsonw_finish(&j);
}

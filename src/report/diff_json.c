#include "report/diff_report.h"

#include <math.h>

static void put_figure(struct jsonw *j, const char *key, const struct diff_figure *f)
{
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_member_number(j, "a", f->a);
    jsonw_member_number(j, "b", f->b);
    jsonw_member_number(j, "difference", f->b - f->a);
    jsonw_member_number(j, "low", f->interval.low);
    jsonw_member_number(j, "high", f->interval.high);
    jsonw_member_number(j, "p", f->p);
    jsonw_member_number(j, "q", f->q);
    jsonw_member_number(j, "detectable", f->detectable);
    jsonw_key(j, "tested");
    jsonw_bool(j, f->tested);
    jsonw_member_text(j, "change", diff_change_name(f->change));
    jsonw_object_end(j);
}

static void put_side(struct jsonw *j, const struct diff *d, enum diff_side side, const char *key, const char *name)
{
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_member_text(j, "name", name);
    jsonw_member_uint(j, "runs", d->runs[side]);
    jsonw_member_uint(j, "samples", d->samples[side]);
    jsonw_member_uint(j, "sampled", (uint64_t)d->weight[side]);
    jsonw_member_number(j, "seconds", d->seconds[side]);
    jsonw_member_number(j, "effective_samples", d->effective[side]);
    jsonw_object_end(j);
}

static void put_row(struct jsonw *j, const struct diff *d, const struct diff_row *row)
{
    jsonw_object(j);
    jsonw_key(j, "name");
    jsonw_string(j, diff_name(d, row), strtab_len(&d->names, row->name));
    jsonw_member_uint(j, "samples_a", row->samples_a);
    jsonw_member_uint(j, "samples_b", row->samples_b);
    put_figure(j, "self", &row->self);
    put_figure(j, "total", &row->total);
    jsonw_object_end(j);
}

void diff_json(FILE *out, const struct diff *d, const struct diff_options *o)
{
    static const double shares[] = {0.01, 0.1, 0.5};
    struct jsonw j;
    uint32_t shown = 0;
    jsonw_init(&j, out);
    j.line_depth = 2;
    jsonw_object(&j);
    jsonw_member_uint(&j, "version", 1);
    jsonw_member_text(&j, "compared", d->absolute ? "per second" : "shares");
    jsonw_member_text(&j, "unit", o->unit);
    put_side(&j, d, DIFF_A, "a", o->a);
    put_side(&j, d, DIFF_B, "b", o->b);
    jsonw_member_number(&j, "level", d->level);
    jsonw_member_uint(&j, "tests", d->tests);
    jsonw_member_text(&j, "variance", d->runs[DIFF_A] > 1 && d->runs[DIFF_B] > 1 ? "runs" : "blocks");
    jsonw_member_number(&j, "dispersion", d->dispersion);
    jsonw_key(&j, "detectable");
    jsonw_array(&j);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        jsonw_object(&j);
        jsonw_member_number(&j, "share", shares[i]);
        jsonw_member_number(&j, "growth", diff_detectable(d, shares[i]));
        jsonw_object_end(&j);
    }
    jsonw_array_end(&j);
    jsonw_key(&j, "methods");
    jsonw_array(&j);
    for (uint32_t i = 0; i < d->count && (!o->top || shown < o->top); i++)
        if (diff_is_shown(&d->rows[i], o)) {
            put_row(&j, d, &d->rows[i]);
            shown++;
        }
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    jsonw_finish(&j);
}

#include "page/page_parts.h"

#include "analysis/analyze.h"
#include "analysis/recording_evidence.h"
#include "analysis/show/findings_print.h"
#include "compress/intake.h"
#include "events/halts.h"
#include "format/page/marks.h"
#include "format/page/span_events.h"
#include "profile/allocated.h"
#include "profile/load/load_jfr.h"
#include "report/halts/halts.h"
#include "report/profile_report.h"

#include <errno.h>
#include <stdlib.h>

/* Begins a part, which is written to memory. Returns NULL if there is no memory. */
static FILE *begin(struct page_parts *parts, const char *name)
{
    struct page_part *part = &parts->list[parts->count];
    *part = (struct page_part){.name = name};
    return open_memstream(&part->bytes, &part->size);
}

static int end(struct page_parts *parts, FILE *file, int rc)
{
    struct page_part *part = &parts->list[parts->count];
    if (fclose(file))
        rc = -ENOMEM;
    if (rc)
        free(part->bytes);
    else
        parts->count++;
    return rc;
}

/* ---- samples ---- */

/* Whether the profile can take the place of the one that `load` would read. */
static bool is_usable(const struct profile *p)
{
    return p->kind == PROFILE_RUNNING && !p->full_names && !allocated_has_classes(p);
}

int page_parts_load_kinds(struct page_parts *parts, unsigned kinds)
{
    struct profile *list[PROFILE_KINDS];
    struct intake view;
    struct error e; /* not printed: p was read from the same input, and its problems were printed then */
    uint32_t n = 0;
    int rc = 0;
    for (enum profile_kind kind = 0; !rc && kind < PROFILE_KINDS; kind++) {
        if (!(kinds & 1u << kind) || parts->profiles[kind])
            continue;
        list[n] = &parts->own[kind];
        parts->profiles[kind] = list[n];
        rc = profile_init(list[n]);
        parts->made |= rc ? 0 : 1u << kind;
        list[n++]->kind = kind;
    }
    intake_view(&view, parts->in);
    parts->is_read = !rc && !profile_load_jfr_kinds(list, n, &view, parts->name, &e);
    return rc;
}

/* Reads these kinds, and those that the parts need. */
static int load(struct page_parts *parts, struct profile *p, unsigned kinds)
{
    if (is_usable(p))
        parts->profiles[PROFILE_RUNNING] = p;
    return page_parts_load_kinds(parts, kinds | RECORDING_EVIDENCE_KINDS);
}

struct profile *page_parts_profile(struct page_parts *parts, enum profile_kind kind)
{
    return parts->is_read && parts->made & 1u << kind ? &parts->own[kind] : NULL;
}

/* ---- parts ---- */

struct view {
    struct page_parts *parts;
    const struct jfr_problems *problems;
};

/* Makes the parts about halts, from all of them. */
static int take_halts(void *context, const struct halts *h)
{
    struct view *view = context;
    const struct halts_report o = {.top = PAGE_HALTS, .problems = view->problems};
    struct halt_view v = {0};
    FILE *f;
    int rc = halt_view_make(&v, h, h->start_ns, h->start_ns + (int64_t)h->duration_ns, NULL);
    if (!rc && v.count) {
        f = begin(view->parts, "halts");
        rc = f ? end(view->parts, f, halts_report_json(f, &v, &o)) : -ENOMEM;
        f = rc ? NULL : begin(view->parts, "marks");
        rc = f ? end(view->parts, f, marks_write(f, &v)) : -ENOMEM;
    }
    halt_view_deinit(&v);
    return rc;
}

static int make_spans(struct page_parts *parts, struct spans *spans)
{
    if (!spans_any(spans))
        return 0;
    FILE *f = begin(parts, "spans");
    return f ? end(parts, f, spans_write(f, spans, parts->trace_link)) : -ENOMEM;
}

static int make_particulars(struct page_parts *parts, unsigned kinds, enum profile_kind kind, const char *name)
{
    struct profile *p = page_parts_profile(parts, kind);
    if (!(kinds & 1u << kind) || !p || !p->sampled)
        return 0;
    FILE *f = begin(parts, name);
    return f ? end(parts, f, profile_report_particulars(p, f)) : -ENOMEM;
}

static int make_findings(struct page_parts *parts, const struct evidence *evidence)
{
    const struct findings_print o = {.file = parts->name, .duration_ns = evidence->duration_ns, .top = PAGE_FINDINGS};
    struct findings found;
    int rc = findings_init(&found);
    rc = rc ? rc : analyze(&found, evidence);
    rc = !rc && found.failed ? -ENOMEM : rc;
    FILE *f = rc ? NULL : begin(parts, "findings");
    if (f) {
        findings_print_json(f, &found, &o);
        rc = end(parts, f, 0);
    }
    findings_deinit(&found);
    return f ? rc : -ENOMEM;
}

static int make(struct page_parts *parts, unsigned kinds, struct spans *spans, struct jfr_problems *problems)
{
    struct view view = {parts, problems};
    const struct recording_shared shared = {parts->profiles, span_events_reader(spans), take_halts, &view};
    struct recording_evidence *r = NULL;
    struct error e;
    int rc = parts->is_read ? recording_evidence_load_shared(&r, parts->in, parts->name, &shared, problems, &e) : 0;
    rc = rc == -ENOMEM ? rc : make_spans(parts, spans);
    rc = rc || !r ? rc : make_findings(parts, recording_evidence_get(r));
    recording_evidence_free(r);
    rc = rc ? rc : make_particulars(parts, kinds, PROFILE_LOCK, "locks");
    return rc ? rc : make_particulars(parts, kinds, PROFILE_LIVE, "live");
}

int page_parts_make(struct page_parts *parts, struct profile *p, unsigned kinds)
{
    struct jfr_problems *problems = calloc(1, sizeof *problems);
    struct spans spans;
    int rc = spans_init(&spans);
    rc = problems ? rc : -ENOMEM;
    rc = rc ? rc : load(parts, p, kinds);
    rc = rc ? rc : spans_add(&spans, p);
    for (enum profile_kind kind = 0; !rc && kind < PROFILE_KINDS; kind++) {
        const struct profile *one = kinds & 1u << kind ? page_parts_profile(parts, kind) : NULL;
        rc = one ? spans_add(&spans, one) : 0;
    }
    rc = rc ? rc : make(parts, p->kinds, &spans, problems);
    spans_deinit(&spans);
    free(problems);
    return rc;
}

void page_parts_add(const struct page_parts *parts, struct flamegraph *f)
{
    for (uint32_t i = 0; i < parts->count; i++)
        flamegraph_add_json(f, parts->list[i].name, parts->list[i].bytes, parts->list[i].size);
}

void page_parts_deinit(struct page_parts *parts)
{
    for (enum profile_kind kind = 0; kind < PROFILE_KINDS; kind++)
        if (parts->made & 1u << kind)
            profile_deinit(&parts->own[kind]);
    for (uint32_t i = 0; i < parts->count; i++)
        free(parts->list[i].bytes);
    *parts = (struct page_parts){0};
}

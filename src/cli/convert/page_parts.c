#include "cli/convert/page_parts.h"

#include "analysis/analyze.h"
#include "analysis/show/findings_print.h"
#include "analysis/recording_evidence.h"
#include "cli/cli.h"
#include "cli/read/input.h"
#include "events/halts.h"
#include "format/page/marks.h"
#include "format/page/span_events.h"
#include "jfr/read/reader.h"
#include "report/halts/halts.h"

#include <errno.h>
#include <stdlib.h>

/* A report that is written to memory. */
struct text {
    FILE *file;
    char *bytes;
    size_t size;
};

static int begin(struct text *t)
{
    *t = (struct text){0};
    t->file = open_memstream(&t->bytes, &t->size);
    return t->file ? 0 : -ENOMEM;
}

static int end(struct text *t, struct flamegraph *f, const char *part, int rc)
{
    if (fclose(t->file))
        rc = -ENOMEM;
    if (!rc)
        flamegraph_add_json(f, part, t->bytes, t->size);
    free(t->bytes);
    return rc;
}

static int add_view(struct flamegraph *f, const struct halts *h, struct jfr_problems *problems)
{
    const struct halts_report o = {.top = PAGE_HALTS, .problems = problems};
    struct halt_view v = {0};
    struct text t;
    int rc = halt_view_make(&v, h, h->start_ns, h->start_ns + (int64_t)h->duration_ns, NULL);
    if (!rc && v.count) {
        rc = begin(&t);
        rc = rc ? rc : end(&t, f, "halts", halts_report_json(t.file, &v, &o));
        rc = rc ? rc : begin(&t);
        rc = rc ? rc : end(&t, f, "marks", marks_write(t.file, &v));
    }
    halt_view_deinit(&v);
    return rc;
}

/* Adds the halts, and reads the events of spans in the same pass. */
static int add_halts(struct flamegraph *f, const char *path, struct spans *spans, struct jfr_problems *problems)
{
    struct pass_reader of_spans = span_events_reader(spans);
    struct jfr_file *file;
    struct halts h;
    struct error e; /* not printed: the samples were read from the same file, and its problems were printed then */
    if (jfr_file_open(&file, path, problems, &e))
        return 0;
    int rc = halts_read_beside(&h, file, &of_spans, 1, problems, &e) ? 0 : add_view(f, &h, problems);
    jfr_file_close(file);
    halts_deinit(&h);
    return rc;
}

static int add_judged(struct flamegraph *f, const struct evidence *evidence, const char *path)
{
    const struct findings_print o = {.file = path, .duration_ns = evidence->duration_ns, .top = PAGE_FINDINGS};
    struct findings found;
    struct text t;
    int rc = findings_init(&found);
    rc = rc ? rc : analyze(&found, evidence);
    rc = !rc && found.failed ? -ENOMEM : rc;
    rc = rc ? rc : begin(&t);
    if (!rc) {
        findings_print_json(t.file, &found, &o);
        rc = end(&t, f, "findings", 0);
    }
    findings_deinit(&found);
    return rc;
}

static int add_particulars(struct flamegraph *f, const char *path, enum profile_kind kind, const char *part)
{
    struct profile p;
    struct text t;
    char *in = (char *)path;
    int rc = profile_init(&p);
    if (rc)
        return rc;
    if (!input_load_more(&p, NULL, &in, 1, kind) && p.sampled) {
        rc = begin(&t);
        rc = rc ? rc : end(&t, f, part, report_print_particulars(&p, t.file));
    }
    profile_deinit(&p);
    return rc;
}

static int add_spans(struct flamegraph *f, struct spans *spans, const char *trace_link)
{
    struct text t;
    int rc = begin(&t);
    return rc ? rc : end(&t, f, "spans", spans_write(t.file, spans, trace_link));
}

int page_parts_add(struct flamegraph *f, const char *path, unsigned kinds, struct spans *spans, const char *trace_link)
{
    static struct jfr_problems problems;
    struct recording_evidence *r;
    struct error e;
    int rc = add_halts(f, path, spans, &problems);
    if (!rc && spans_any(spans))
        rc = add_spans(f, spans, trace_link);
    if (!rc && kinds & PROFILE_KIND_BIT(LOCK))
        rc = add_particulars(f, path, PROFILE_LOCK, "locks");
    if (!rc && kinds & PROFILE_KIND_BIT(LIVE))
        rc = add_particulars(f, path, PROFILE_LIVE, "live");
    if (rc || recording_evidence_load(&r, path, NULL, &problems, &e))
        return rc;
    rc = add_judged(f, recording_evidence_get(r), path);
    recording_evidence_free(r);
    return rc;
}

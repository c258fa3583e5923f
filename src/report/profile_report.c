#include "report/profile_report.h"

#include "profile/allocated.h"
#include "profile/filter.h"
#include "profile/sources/sources.h"

enum { SOURCES_IN_TEXT = 5 };

static int compute(struct stats *s, const struct profile *p, bool groups, const char *label)
{
    struct successive_order order;
    int rc = successive_order_init(&order, p);
    rc = rc ? rc : stats_compute_ordered(s, &order);
    rc = rc ? rc : stats_compute_own(s, &order);
    if (!rc && groups)
        rc = stats_compute_groups(s, &order);
    if (!rc && label)
        rc = stats_compute_label(s, &order, label);
    successive_order_deinit(&order);
    return rc;
}

int profile_report(struct profile *p, FILE *out, report_printer *printer, const struct report_options *o, const char *source)
{
    struct stats s = {0}, allocated = {0};
    struct leaks leaks = {0};
    struct locks locks = {0};
    struct idle idle = {0};
    struct sources sources = {0};
    struct report_options with = *o;
    bool leaves_out = o->leaves_idle_out && (p->kind == PROFILE_WALL || p->kind == PROFILE_LOCK);
    int rc = leaves_out ? idle_drop(p, &idle) : 0;
    with.idle = &idle;
    rc = rc ? rc : compute(&s, p, o->sections & REPORT_GROUPS, o->label);
    if (!rc && source) {
        rc = sources_find(&sources, p, &s, source, o->top_set && o->top ? o->top : SOURCES_IN_TEXT);
        with.sources = &sources;
    }
    if (!rc && p->kind == PROFILE_LIVE && p->merged < 2) {
        rc = leaks_find(&leaks, p);
        with.leaks = &leaks;
    }
    if (!rc && profile_is_of_objects(p)) {
        rc = allocated_add_frames(p);
        rc = rc ? rc : compute(&allocated, p, false, NULL);
        with.allocated = &allocated;
    }
    if (!rc && p->kind == PROFILE_LOCK) {
        rc = locks_compute(&locks, p);
        rc = rc ? rc : allocated_add_frames(p);
        with.locks = &locks;
    }
    if (!rc)
        rc = printer(out, p, &s, &with);
    stats_deinit(&s);
    stats_deinit(&allocated);
    leaks_deinit(&leaks);
    locks_deinit(&locks);
    sources_deinit(&sources);
    return rc;
}

int profile_report_particulars(struct profile *p, FILE *out)
{
    const struct report_options o = {.sections = 0, .leaves_idle_out = true};
    struct filter_kept kept;
    int rc = filter_keep(&kept, p);
    rc = rc ? rc : profile_report(p, out, report_json, &o, NULL);
    filter_put_back(&kept, p);
    return rc;
}

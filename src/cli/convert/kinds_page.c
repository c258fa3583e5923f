#include "cli/convert/kinds_page.h"

#include "base/text/trace_link.h"
#include "cli/read/input.h"
#include "compress/intake.h"
#include "page/page_code.h"
#include "page/page_parts.h"
#include "profile/allocated.h"

#include <errno.h>
#include <string.h>

const char *kinds_page_title(const struct kinds_page *page, const struct profile *p, char out[PAGE_TITLE])
{
    const char *slash = strrchr(page->in[0], '/'), *name = slash ? slash + 1 : page->in[0];
    if (!page->title)
        return recording_page_title(p, name, out);
    snprintf(out, PAGE_TITLE, "%s", page->title);
    return out;
}

int kinds_page_check(const struct cli_args *args)
{
    const char *link = cli_option(args, "trace-link");
    struct error e;
    return link && trace_link_check(link, &e) ? cli_usage(args->command, "%s", e.text) : CLI_OK;
}

enum { SOURCES_IN_PAGE = 50 };

/* A page that is being written. */
struct written {
    const struct kinds_page *page;
    struct flamegraph f;
    struct page_parts parts;
    struct intake in; /* the only recording, if it can be read again */
    bool is_open;
    bool is_filtered; /* the profiles of `parts` have all samples of a recording of which the page shows some */
    uint32_t sources; /* methods whose source lines were found */
};

static int find_sources(struct sources *s, const struct profile *p, const char *folders)
{
    struct successive_order order;
    struct stats stats = {0};
    int rc = successive_order_init(&order, p);
    rc = rc ? rc : stats_compute_ordered(&stats, &order);
    rc = rc ? rc : stats_compute_own(&stats, &order);
    rc = rc ? rc : sources_find(s, p, &stats, folders, SOURCES_IN_PAGE);
    successive_order_deinit(&order);
    stats_deinit(&stats);
    return rc;
}

static int add(struct written *w, const struct profile *p, const struct page_codes *codes)
{
    const struct kinds_page *page = w->page;
    const char *folders = page->args ? cli_option(page->args, "source") : NULL;
    char title[PAGE_TITLE], biased[PAGE_TITLE + 40];
    struct sources sources = {0};
    snprintf(biased, sizeof biased, "%s (safepoint samples: biased)", kinds_page_title(page, p, title));
    int rc = folders ? find_sources(&sources, p, folders) : 0;
    w->sources += sources.count;
    rc = rc ? rc
            : flamegraph_add(&w->f, p, profile_is_safepoint(p) ? biased : title, page->threads,
                             &(struct page_extras){codes->list, codes->count, &sources});
    sources_deinit(&sources);
    return rc;
}

/* Adds the samples of a profile, if it has any, with their classes. */
static int add_sampled(struct written *w, struct profile *p)
{
    int rc = p->sampled ? allocated_show(p) : 0;
    return rc || !p->sampled ? rc : add(w, p, &(struct page_codes){0});
}

static int add_kind(struct written *w, enum profile_kind kind)
{
    const struct kinds_page *page = w->page;
    bool full_names = page->args && cli_switch(page->args, "full-names"); /* the parts have stable names */
    struct profile own, *p = full_names ? NULL : page_parts_profile(&w->parts, kind);
    if (p && w->is_filtered && input_filter(p, page->args, page->in[0]))
        return -EIO;
    if (p)
        return add_sampled(w, p);
    int rc = profile_init(&own);
    if (rc)
        return rc;
    rc = input_load_more(&own, page->args, page->in, page->count, kind) ? -EIO : add_sampled(w, &own);
    profile_deinit(&own);
    return rc;
}

/* Returns the kinds (bits) that are read in addition to that of p: none if the reader asked for one, or where they cannot be read. */
static unsigned more_kinds(const struct kinds_page *page, const struct profile *p)
{
    unsigned kinds = recording_page_kinds(p);
    bool asked = page->args && cli_option(page->args, "kind");
    for (int i = 0; i < page->count; i++) {
        if (asked || !kinds || remote_is(page->in[i]))
            return 0;
        if (!strcmp(page->in[i], "-")) {
            cli_fail("-: standard input can be read only once, so that the page shows one kind of sample; give a file for all of them");
            return 0;
        }
    }
    return kinds;
}

/* Whether the page shows only some samples. */
static bool is_narrow(const struct kinds_page *page)
{
    static const char *const narrow[] = {"kind",    "time",        "thread", "state",     "method", "not-method",
                                         "package", "not-package", "label",  "not-label", "type",   "trace"};
    for (size_t i = 0; page->args && i < sizeof narrow / sizeof *narrow; i++)
        if (cli_option(page->args, narrow[i]))
            return true;
    return false;
}

/* Reads the other kinds of a recording of which the page shows some samples, all in one pass. A file that is no JFR recording, or that
 * cannot be read in this way, is read once for each kind (add_kind). */
static int read_kinds(struct written *w, unsigned kinds)
{
    const struct kinds_page *page = w->page;
    if (!kinds || !page->args || cli_switch(page->args, "full-names"))
        return 0;
    w->is_filtered = true;
    return page_parts_load_kinds(&w->parts, kinds);
}

/* Writes the samples of p, and of the other kinds. */
static int add_samples(struct written *w, struct profile *p, unsigned kinds)
{
    struct page_codes codes = {0};
    if (w->is_open)
        page_codes_make(&codes, &w->in, p);
    int rc = p->sampled ? add(w, p, &codes) : 0;
    for (enum profile_kind kind = 0; !rc && kind < PROFILE_KINDS; kind++)
        if (kinds & 1u << kind)
            rc = add_kind(w, kind);
    if (!rc && !w->f.parts) /* a page without samples says why it has none */
        rc = add(w, p, &codes);
    page_codes_deinit(&codes);
    return rc;
}

int kinds_page_write(const struct kinds_page *page, FILE *out, struct profile *p)
{
    struct written w = {.page = page};
    unsigned kinds = more_kinds(page, p);
    struct error e; /* not printed: the file was read before, and a page without the rest is useful */
    w.is_open = page->count == 1 && !remote_is(page->in[0]) && strcmp(page->in[0], "-") != 0 && !intake_open(&w.in, page->in[0], &e);
    w.parts.in = &w.in;
    w.parts.name = page->in[0];
    w.parts.trace_link = page->args ? cli_option(page->args, "trace-link") : NULL;
    int rc = !w.is_open ? 0 : is_narrow(page) ? read_kinds(&w, kinds) : page_parts_make(&w.parts, p, kinds);
    flamegraph_begin(&w.f, out);
    rc = rc ? rc : add_samples(&w, p, kinds);
    if (!rc)
        page_parts_add(&w.parts, &w.f);
    flamegraph_end(&w.f);
    page_parts_deinit(&w.parts);
    if (w.is_open)
        intake_close(&w.in);
    if (!rc && !w.sources && page->args && cli_option(page->args, "source"))
        cli_fail("--source %s has no file of a method that costs much: it takes the folder above the packages, such as src/main/java",
                 cli_option(page->args, "source"));
    return rc;
}

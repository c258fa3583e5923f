#include "cli/convert/kinds_page.h"

#include "base/buffer.h"
#include "base/text/trace_link.h"
#include "cli/convert/page_code.h"
#include "cli/convert/page_parts.h"
#include "cli/read/input.h"
#include "format/page/flamegraph.h"
#include "format/page/spans.h"
#include "profile/allocated.h"
#include "profile/names.h"

#include <errno.h>
#include <string.h>

const char *kinds_page_title(const struct kinds_page *page, const struct profile *p, char out[KINDS_PAGE_TITLE])
{
    const char *slash = strrchr(page->in[0], '/'), *name = slash ? slash + 1 : page->in[0];
    const char *command = profile_text(p, p->command);
    struct buffer b;
    buffer_init(&b, KINDS_PAGE_TITLE);
    if (!page->title && *command)
        names_process(&b, command);
    if (!page->title && *command && p->pid)
        buffer_printf(&b, " (pid %llu)", (unsigned long long)p->pid);
    buffer_u8(&b, 0);
    snprintf(out, KINDS_PAGE_TITLE, "%s", page->title ? page->title : b.failed ? command : b.len > 1 ? (const char *)b.data : name);
    buffer_deinit(&b);
    return out;
}

int kinds_page_check(const struct cli_args *args)
{
    const char *link = cli_option(args, "trace-link");
    struct error e;
    return link && trace_link_check(link, &e) ? cli_usage(args->command, "%s", e.text) : CLI_OK;
}

int kinds_page_add_classes(struct profile *p)
{
    return allocated_has_classes(p) && p->kind != PROFILE_HOLDER ? allocated_add_frames(p) : 0;
}

enum { SOURCES_IN_PAGE = 50 };

/* A page that is being written. */
struct written {
    const struct kinds_page *page;
    struct flamegraph f;
    struct page_parts parts;
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
    char title[KINDS_PAGE_TITLE], biased[KINDS_PAGE_TITLE + 40];
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
    int rc = p->sampled ? kinds_page_add_classes(p) : 0;
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

/* Returns the kinds (bits) that are read in addition to that of p. CPU time is never one of them: if another kind is the default of a
 * recording, its jdk.ExecutionSample events are there for other tools (load_jfr.h). */
static unsigned more_kinds(const struct kinds_page *page, const struct profile *p)
{
    unsigned kinds = p->kinds & ~(1u << p->kind | PROFILE_KIND_BIT(RUNNING));
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

/* Whether the page shows one recording, and all of it. */
static bool tells_all(const struct kinds_page *page)
{
    static const char *const narrow[] = {"kind",    "time",        "thread", "state",     "method", "not-method",
                                         "package", "not-package", "label",  "not-label", "type",   "trace"};
    for (size_t i = 0; page->args && i < sizeof narrow / sizeof *narrow; i++)
        if (cli_option(page->args, narrow[i]))
            return false;
    return page->count == 1 && !remote_is(page->in[0]) && strcmp(page->in[0], "-") != 0;
}

/* Makes the parts of a page that shows all of a recording, and reads the other kinds. */
static int make_parts(struct written *w, struct profile *p, unsigned kinds)
{
    const struct kinds_page *page = w->page;
    struct spans spans;
    int rc = spans_init(&spans);
    rc = rc ? rc : page_parts_load(&w->parts, page->in[0], p, kinds);
    rc = rc ? rc : spans_add(&spans, p);
    for (enum profile_kind kind = 0; !rc && kind < PROFILE_KINDS; kind++) {
        const struct profile *one = kinds & 1u << kind ? page_parts_profile(&w->parts, kind) : NULL;
        rc = one ? spans_add(&spans, one) : 0;
    }
    rc = rc ? rc : page_parts_make(&w->parts, p->kinds, &spans, page->args ? cli_option(page->args, "trace-link") : NULL);
    spans_deinit(&spans);
    return rc;
}

/* Reads the other kinds of a recording of which the page shows some samples, all in one pass. A file that is no JFR recording, or that
 * cannot be read in this way, is read once for each kind (add_kind). */
static int read_kinds(struct written *w, unsigned kinds)
{
    const struct kinds_page *page = w->page;
    if (!kinds || page->count != 1 || !page->args || cli_switch(page->args, "full-names"))
        return 0;
    w->is_filtered = true;
    return page_parts_load_kinds(&w->parts, page->in[0], kinds);
}

/* Writes the samples of p, and of the other kinds. */
static int add_samples(struct written *w, struct profile *p, unsigned kinds)
{
    const struct kinds_page *page = w->page;
    struct page_codes codes = {0};
    if (page->count == 1)
        page_codes_make(&codes, page->in[0], p);
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
    int rc = tells_all(page) ? make_parts(&w, p, kinds) : read_kinds(&w, kinds);
    flamegraph_begin(&w.f, out);
    rc = rc ? rc : add_samples(&w, p, kinds);
    if (!rc)
        page_parts_add(&w.parts, &w.f);
    flamegraph_end(&w.f);
    page_parts_deinit(&w.parts);
    if (!rc && !w.sources && page->args && cli_option(page->args, "source"))
        cli_fail("--source %s has no file of a method that costs much: it takes the folder above the packages, such as src/main/java",
                 cli_option(page->args, "source"));
    return rc;
}

#include "format/page/flamegraph.h"

#include "format/page/page.h"
#include "web/web.h"

#include <string.h>

/* Writes the page up to the mark for the data. */
static void put_begin(FILE *out)
{
    fwrite(web_flame_html, 1, (size_t)(strstr(web_flame_html, WEB_DATA_MARK) - web_flame_html), out);
}

static void put_end(FILE *out)
{
    const char *rest = strstr(web_flame_html, WEB_DATA_MARK) + strlen(WEB_DATA_MARK);
    fwrite(rest, 1, (size_t)(web_flame_html + web_flame_html_len - rest), out);
}

/* Computes the tree's effects, the methods and the slices. The order in which samples follow each other is computed only once, for the
 * tree and for the methods. */
static int compute(struct page *page, struct calltree *tree)
{
    struct successive_order order;
    int rc = successive_order_init(&order, page->profile);
    rc = rc ? rc : calltree_add_effects(tree, &order);
    rc = rc ? rc : stats_compute_ordered(&page->stats, &order);
    rc = rc ? rc : slices_init(&page->slices, page->profile, tree);
    successive_order_deinit(&order);
    return rc;
}

static int add_side(struct page *page, enum page_side side, const struct profile *p)
{
    struct calltree tree;
    int rc = calltree_build(&tree, p, false);
    if (rc)
        return rc;
    rc = page->before ? 0 : compute(page, &tree);
    rc = rc ? rc : page_tree_add(&page->tree, side, p, &tree);
    calltree_deinit(&tree);
    return rc;
}

static int put_data(FILE *out, struct page *page)
{
    int rc = page_tree_init(&page->tree);
    rc = rc ? rc : add_side(page, PAGE_AFTER, page->profile);
    if (page->before) {
        rc = rc ? rc : add_side(page, PAGE_BEFORE, page->before->profile);
        rc = rc ? rc : page_tree_settle(&page->tree);
    }
    rc = rc ? rc : page_write(page, out);
    page_tree_deinit(&page->tree);
    slices_deinit(&page->slices);
    stats_deinit(&page->stats);
    return rc;
}

static int put_page(FILE *out, struct page *page)
{
    put_begin(out);
    int rc = put_data(out, page);
    put_end(out);
    return rc;
}

void flamegraph_begin(struct flamegraph *f, FILE *out)
{
    *f = (struct flamegraph){.out = out};
    put_begin(out);
}

/* The element for the first profile is in the template; each further profile needs its own element. */
int flamegraph_add(struct flamegraph *f, const struct profile *p, const char *title, bool threads, const struct page_extras *extras)
{
    struct page page = {.profile = p, .title = title, .threads = threads, .extras = extras ? *extras : (struct page_extras){0}};
    if (f->parts++)
        fprintf(f->out, "</script>\n<script type=\"application/json\" class=\"candor-data\" data-kind=\"%s\" data-title=\"%s\">",
                profile_kind_word(p), profile_kinds[p->kind].title);
    return put_data(f->out, &page);
}

/* Replaces each "<", which in JSON can only be inside a text. */
void flamegraph_add_json(struct flamegraph *f, const char *part, const char *json, size_t len)
{
    fprintf(f->out, "</script>\n<script type=\"application/json\" class=\"candor-part\" data-part=\"%s\">", part);
    for (size_t i = 0, n; i < len; i += n) {
        const char *bracket = memchr(json + i, '<', len - i);
        n = bracket ? (size_t)(bracket - json) - i : len - i;
        fwrite(json + i, 1, n, f->out);
        if (bracket) {
            fputs("\\u003c", f->out);
            n++;
        }
    }
}

void flamegraph_end(struct flamegraph *f)
{
    put_end(f->out);
}

int flamegraph_write(FILE *out, const struct profile *p, const char *title, bool threads)
{
    struct flamegraph f;
    flamegraph_begin(&f, out);
    int rc = flamegraph_add(&f, p, title, threads, NULL);
    flamegraph_end(&f);
    return rc;
}

int flamegraph_write_data(FILE *out, const struct profile *p, const char *title)
{
    struct page page = {.profile = p, .title = title};
    return put_data(out, &page);
}

int flamegraph_write_pruned(FILE *out, const struct profile *p, const char *title, bool data, const struct method_sum *sums, size_t count)
{
    struct page page = {.profile = p, .title = title, .sums = sums, .sum_count = count};
    return data ? put_data(out, &page) : put_page(out, &page);
}

int flamegraph_write_diff(FILE *out, const struct page_profile *before, const struct page_profile *after, const struct page_change *changes,
                          size_t change_count)
{
    struct page page = {
        .profile = after->profile,
        .title = after->title,
        .before = before,
        .changes = changes,
        .change_count = change_count,
    };
    return put_page(out, &page);
}

#include "format/page/flamegraph.h"

#include "format/page/page.h"
#include "web/web.h"

#include <string.h>

static int put_page(FILE *out, struct page *page, bool bare)
{
    if (bare)
        return page_write(page, out);
    const char *mark = strstr(web_flame_html, WEB_DATA_MARK);
    const char *rest = mark + strlen(WEB_DATA_MARK);
    fwrite(web_flame_html, 1, (size_t)(mark - web_flame_html), out);
    int rc = page_write(page, out);
    fwrite(rest, 1, (size_t)(web_flame_html + web_flame_html_len - rest), out);
    return rc;
}

/* How the samples follow each other is worked out once, for the tree and for the methods. */
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

static int write_page(FILE *out, struct page *page, bool bare)
{
    int rc = page_tree_init(&page->tree);
    rc = rc ? rc : add_side(page, PAGE_AFTER, page->profile);
    if (page->before) {
        rc = rc ? rc : add_side(page, PAGE_BEFORE, page->before->profile);
        rc = rc ? rc : page_tree_settle(&page->tree);
    }
    rc = rc ? rc : put_page(out, page, bare);
    page_tree_deinit(&page->tree);
    slices_deinit(&page->slices);
    stats_deinit(&page->stats);
    return rc;
}

int flamegraph_write_code(FILE *out, const struct profile *p, const char *title, bool threads, const struct page_code *code,
                          size_t code_count)
{
    struct page page = {.profile = p, .title = title, .threads = threads, .code = code, .code_count = code_count};
    return write_page(out, &page, false);
}

int flamegraph_write(FILE *out, const struct profile *p, const char *title, bool threads)
{
    return flamegraph_write_code(out, p, title, threads, NULL, 0);
}

int flamegraph_write_data(FILE *out, const struct profile *p, const char *title)
{
    struct page page = {.profile = p, .title = title};
    return write_page(out, &page, true);
}

int flamegraph_write_pruned(FILE *out, const struct profile *p, const char *title, bool data, const struct method_sum *sums, size_t count)
{
    struct page page = {.profile = p, .title = title, .sums = sums, .sum_count = count};
    return write_page(out, &page, data);
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
    return write_page(out, &page, false);
}

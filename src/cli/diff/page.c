#include "cli/diff/page.h"

#include "cli/cli.h"
#include "format/page/flamegraph.h"
#include "format/write/output.h"
#include "profile/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE_SIZE = 300 };

int diff_page_init(struct diff_page *page)
{
    int rc = profile_init(&page->sides[DIFF_A]);
    int other = profile_init(&page->sides[DIFF_B]);
    return rc ? rc : other;
}

void diff_page_deinit(struct diff_page *page)
{
    profile_deinit(&page->sides[DIFF_A]);
    profile_deinit(&page->sides[DIFF_B]);
}

int diff_page_add(struct diff_page *page, enum diff_side side, const struct profile *p)
{
    return profile_merge(&page->sides[side], p);
}

static struct page_change *changes_of(const struct diff *d)
{
    struct page_change *changes = calloc((size_t)d->count + 1, sizeof *changes);
    for (uint32_t i = 0; changes && i < d->count; i++) {
        const struct diff_row *row = &d->rows[i];
        changes[i] = (struct page_change){.name = diff_name(d, row),
                                          .self = row->self.interval,
                                          .total = row->total.interval,
                                          .self_sure = row->self.change != DIFF_SAME,
                                          .total_sure = row->total.change != DIFF_SAME,
                                          .self_detectable = row->self.detectable,
                                          .total_detectable = row->total.detectable};
    }
    return changes;
}

/* ---- the names of the sides ---- */

static const char *last_part(const char *path, const char *end)
{
    while (end > path && end[-1] != '/')
        end--;
    return end;
}

/* Returns the last part of the path, preceded by as many parts as are needed to distinguish it from the other path. */
static const char *short_name(const char *path, const char *other)
{
    const char *a = path + strlen(path), *b = other + strlen(other);
    while (a > path && b > other && a[-1] == b[-1]) {
        a--;
        b--;
    }
    if (a == path && b == other)
        return last_part(path, path + strlen(path));
    bool ends_part = a > path && a[-1] == '/' && b == other; /* the other path is the end of this one */
    return last_part(path, ends_part ? a - 1 : a);
}

/* Makes the title of a side: "before.jfr", or, for several runs, "before.jfr and 2 more". */
static void make_title(char out[TITLE_SIZE], char *const *files, int count, enum diff_side side)
{
    const char *name = short_name(files[side], files[!side]);
    if (count > 2)
        snprintf(out, TITLE_SIZE, "%s and %d more", name, count / 2 - 1);
    else
        snprintf(out, TITLE_SIZE, "%s", name);
}

int diff_page_write(const struct diff_page *page, const struct diff *d, char *const *files, int count, const char *path)
{
    struct output out;
    struct error e;
    char titles[2][TITLE_SIZE];
    make_title(titles[DIFF_A], files, count, DIFF_A);
    make_title(titles[DIFF_B], files, count, DIFF_B);
    const struct page_profile before = {&page->sides[DIFF_A], titles[DIFF_A]}, after = {&page->sides[DIFF_B], titles[DIFF_B]};
    struct page_change *changes = changes_of(d);
    if (!changes)
        return cli_fail("out of memory");
    int status = CLI_OK, rc = 0;
    if (output_open(&out, path, &e)) {
        status = cli_fail("%s", e.text);
    } else if ((rc = flamegraph_write_diff(out.file, &before, &after, changes, d->count))) {
        output_abandon(&out);
        status = cli_fail("%s: %s", path, strerror(-rc));
    } else if (output_close(&out, &e)) {
        status = cli_fail("%s", e.text);
    }
    free(changes);
    return status;
}

/* The table of key metrics: names and numbers occur only once, the bases of shares are not shares themselves, and
 * docs/formats/key-metrics.md is up to date with the table.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "base/agreed/key_metrics.h"
#include "docs/formats/key_metrics_page.h"

#include <stdlib.h>
#include <string.h>

static void test_rows(void)
{
    uint64_t ids = 0;
    int wrong = 0;
    for (int i = 0; i < KEY_METRICS; i++) {
        const struct key_metric_row *row = &key_metric_rows[i];
        size_t n = strlen(row->name);
        bool good = n && n <= KEY_METRIC_NAME_MAX && strspn(row->name, "abcdefghijklmnopqrstuvwxyz0123456789_") == n;
        good &= row->id <= KEY_METRIC_ID_MAX && !(ids >> row->id & 1) && (int)key_metric_named(row->name, n) == i;
        good &= row->base == KEY_TIME || (row->sort == KEY_SORT_SHARE && key_metric_rows[row->base].sort == KEY_SORT_RATE);
        good &= *row->meaning && *row->source && *row->title;
        ids |= (uint64_t)1 << (row->id & 63);
        wrong += !good;
        if (!good)
            tap_note("%s", row->name);
    }
    tap_ok(!wrong, "%d metrics, %d rows that lack something", KEY_METRICS, wrong);
    tap_ok(key_metric_named("cp", 2) == KEY_METRICS && key_metric_named("cpu ", 4) == KEY_METRICS && key_metric_named("", 0) == KEY_METRICS,
           "other names are no metric");
}

static void test_page(void)
{
    char *wanted, *page = calloc(1, 1 << 16);
    size_t size;
    FILE *out = open_memstream(&wanted, &size), *in = fopen(KEY_METRICS_DOC, "r");
    key_metrics_page_write(out);
    fclose(out);
    size_t n = in ? fread(page, 1, (1 << 16) - 1, in) : 0;
    if (in)
        fclose(in);
    tap_ok(n == size && !memcmp(page, wanted, size), "docs/formats/key-metrics.md is the table: 'ninja -C build key-metrics' writes it");
    free(page);
    free(wanted);
}

int main(void)
{
    test_rows();
    test_page();
    return tap_done();
}

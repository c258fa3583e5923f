#include "base/agreed/key_metrics.h"

#include <string.h>

#define UNIT_ROW(symbol, word, size, meaning) [KEY_UNIT_##symbol] = {word, meaning, size},
const struct key_unit_row key_unit_rows[KEY_UNIT_COUNT] = {KEY_UNITS(UNIT_ROW)};

#define SORT_ROW(symbol, minutes, jvms, meaning) [KEY_SORT_##symbol] = {minutes, jvms, meaning},
const struct key_sort_row key_sort_rows[KEY_SORT_COUNT] = {KEY_SORTS(SORT_ROW)};

#define METRIC_ROW(symbol, id, name, unit, sort, base, title, meaning, source)                                                             \
    [KEY_##symbol] = {name, title, meaning, source, id, KEY_UNIT_##unit, KEY_SORT_##sort, KEY_##base},
const struct key_metric_row key_metric_rows[KEY_METRICS] = {KEY_METRIC_ROWS(METRIC_ROW)};

_Static_assert((int)KEY_METRICS <= (int)KEY_METRIC_ID_MAX, "a set of metrics is 64 bits");

enum key_metric key_metric_named(const char *name, size_t n)
{
    int metric = 0;
    while (metric < KEY_METRICS && (strlen(key_metric_rows[metric].name) != n || memcmp(key_metric_rows[metric].name, name, n) != 0))
        metric++;
    return (enum key_metric)metric;
}

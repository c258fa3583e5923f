#include "cli/load/intervals.h"

#include "base/array.h"
#include "base/time_units.h"

#include <stdlib.h>

void load_intervals_note(struct load_intervals *l, const struct load_tick *t)
{
    if (t->warming_up || !t->length)
        return;
    if (ARRAY_GROW(l->list, l->cap, l->count)) {
        l->no_memory = true;
        return;
    }
    double length = (double)t->length / NS_PER_S;
    l->list[l->count++] = (struct load_interval){
        .at = (double)t->elapsed / NS_PER_S,
        .length = length,
        .end_ns = t->end_ns,
        .rate = (double)t->done / length,
        .failed = (double)(t->failed - l->failed_before) / length,
        .response = (double)candor_histogram_percentile(t->response, 99),
        .response_most = (double)candor_histogram_max(t->response),
        .service = (double)candor_histogram_percentile(t->service, 99),
        .service_most = (double)candor_histogram_max(t->service),
        .late = t->lateness ? (double)candor_histogram_percentile(t->lateness, 99) : 0,
    };
    l->failed_before = t->failed;
}

void load_intervals_deinit(struct load_intervals *l)
{
    free(l->list);
}

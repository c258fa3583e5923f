#include "cli/load/united_log.h"

#include "base/array.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int united_log_keep(struct united_log *all, const char *tag, double start, const struct candor_histogram_log_entry *entry)
{
    if (ARRAY_GROW(all->list, all->cap, all->count))
        return -ENOMEM;
    struct united_interval one = {start > 0 ? start : 0, entry->length, tag, strndup(entry->payload, entry->payload_len)};
    if (!one.payload)
        return -ENOMEM;
    all->list[all->count++] = one;
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct united_interval *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start ? 1 : strcmp(x->tag, y->tag);
}

int united_log_write(struct united_log *all, FILE *log)
{
    int rc = 0;
    if (all->count)
        qsort(all->list, all->count, sizeof *all->list, by_start);
    for (uint32_t i = 0; i < all->count && !rc; i++) {
        const struct united_interval *one = &all->list[i];
        struct candor_histogram h;
        rc = candor_histogram_decode(&h, one->payload, strlen(one->payload));
        if (rc)
            break;
        rc =
            candor_histogram_log_write(log, one->tag, (uint64_t)(one->start * NS_PER_S), (uint64_t)(one->length * NS_PER_S), &h, NS_PER_MS);
        candor_histogram_deinit(&h);
    }
    return rc;
}

void united_log_deinit(struct united_log *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        free(all->list[i].payload);
    free(all->list);
}

#include "candor/queue/mpmc_array.h"

#include <errno.h>

#define LEAST 2

int candor_mpmc_array_init(struct candor_mpmc_array *q, struct candor_mpmc_array_cell *cells, uint64_t capacity)
{
    if (!candor_queue_is_capacity(capacity, LEAST))
        return -EINVAL;
    *q = (struct candor_mpmc_array){.cells = cells, .mask = capacity - 1};
    for (uint64_t i = 0; i < capacity; i++)
        cells[i] = (struct candor_mpmc_array_cell){.sequence = i};
    return 0;
}

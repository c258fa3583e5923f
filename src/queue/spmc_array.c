#include "candor/queue/spmc_array.h"

#include <errno.h>

#define LEAST 2

int candor_spmc_array_init(struct candor_spmc_array *q, uint64_t *slots, uint64_t capacity)
{
    if (!candor_queue_is_capacity(capacity, LEAST))
        return -EINVAL;
    *q = (struct candor_spmc_array){.slots = slots, .mask = capacity - 1};
    for (uint64_t i = 0; i < capacity; i++)
        slots[i] = 0;
    return 0;
}

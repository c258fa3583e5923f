#include "candor/queue/mpsc_array.h"

#include <errno.h>

#define LEAST 2

int candor_mpsc_array_init(struct candor_mpsc_array *q, uint64_t *slots, uint64_t capacity)
{
    if (!candor_queue_is_capacity(capacity, LEAST))
        return -EINVAL;
    *q = (struct candor_mpsc_array){.slots = slots, .mask = capacity - 1};
    for (uint64_t i = 0; i < capacity; i++)
        slots[i] = 0;
    return 0;
}

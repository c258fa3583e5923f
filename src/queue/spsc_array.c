#include "candor/queue/spsc_array.h"

#include <errno.h>

#define LEAST      4
#define MOST_AHEAD 4096

int candor_spsc_array_init(struct candor_spsc_array *q, uint64_t *slots, uint64_t capacity)
{
    if (!candor_queue_is_capacity(capacity, LEAST))
        return -EINVAL;
    *q = (struct candor_spsc_array){.slots = slots, .mask = capacity - 1};
    q->look_ahead = capacity / 4 < MOST_AHEAD ? capacity / 4 : MOST_AHEAD;
    for (uint64_t i = 0; i < capacity; i++)
        slots[i] = 0;
    return 0;
}

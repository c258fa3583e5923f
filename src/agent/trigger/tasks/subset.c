#include "agent/trigger/tasks/subset.h"

#include "agent/hot/signal/handler.h"

/* Selection sampling (Knuth, The Art of Computer Programming, 3.4.2, algorithm S): one pass, no memory. */
uint32_t subset_draw(uint64_t *random, uint32_t count, uint32_t wanted, uint32_t *out)
{
    uint32_t chosen = 0;
    if (wanted > count)
        wanted = count;
    for (uint32_t i = 0; chosen < wanted; i++)
        if (handler_random(random) % (count - i) < wanted - chosen)
            out[chosen++] = i;
    return chosen;
}

uint64_t subset_weight(uint64_t elapsed_ns, uint32_t count, uint32_t chosen, uint32_t index)
{
    /* In two steps, because elapsed_ns x count may exceed a word. */
    uint64_t rest = elapsed_ns % chosen * count;
    return elapsed_ns / chosen * count + rest / chosen + (index < rest % chosen);
}

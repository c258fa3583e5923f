/* The SPSC array with its control words in one cache line: the same code, laid out without the padding. */
#include "contender.h"

#include "candor/queue/common.h"

#undef CANDOR_QUEUE_ALIGNED
#define CANDOR_QUEUE_ALIGNED

#include "candor/queue/spsc_array.h"

#include <string.h>

static uint64_t slots[SLOTS] __attribute__((aligned(128)));
static struct candor_spsc_array plain __attribute__((aligned(64)));

_Static_assert(sizeof(struct candor_spsc_array) <= 64, "in one line");

/* candor_spsc_array_init is compiled for the other layout. */
static void plain_init(void)
{
    memset(slots, 0, sizeof slots);
    plain = (struct candor_spsc_array){.slots = slots, .mask = SLOTS - 1, .look_ahead = 4096};
}

CONTENDER(plain, candor_spsc_array_offer(&plain, element), element = candor_spsc_array_poll(&plain))

const struct contender unpadded[] = {{"candor spsc array unpadded", "spsc", false, plain_init, NULL, plain_produce, plain_consume}};
const size_t unpadded_count = 1;

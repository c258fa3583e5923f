/* Concurrency Kit's rings. */
#include "contender.h"

#include <ck_ring.h>

static ck_ring_buffer_t buffer[SLOTS] __attribute__((aligned(128)));
static ck_ring_t ring __attribute__((aligned(128)));

static void init(void)
{
    ck_ring_init(&ring, SLOTS);
}

#define POP(how) element = ck_ring_dequeue_##how(&ring, buffer, &element) ? element : NULL

CONTENDER(ck_spsc, ck_ring_enqueue_spsc(&ring, buffer, element), POP(spsc))
CONTENDER(ck_mpsc, ck_ring_enqueue_mpsc(&ring, buffer, element), POP(mpsc))
CONTENDER(ck_mpmc, ck_ring_enqueue_mpmc(&ring, buffer, element), POP(mpmc))

const struct contender ck[] = {
    {"ck_ring spsc", "spsc", false, init, NULL, ck_spsc_produce, ck_spsc_consume},
    {"ck_ring mpsc", "mpsc", false, init, NULL, ck_mpsc_produce, ck_mpsc_consume},
    {"ck_ring mpmc", "mpmc", false, init, NULL, ck_mpmc_produce, ck_mpmc_consume},
};
const size_t ck_count = sizeof ck / sizeof *ck;

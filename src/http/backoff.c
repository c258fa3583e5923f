#include "http/backoff.h"

#include <sys/random.h>

uint64_t backoff_wait_ns(unsigned failures, uint64_t asked_ns, double random)
{
    if (asked_ns) {
        asked_ns = asked_ns < BACKOFF_ASKED_MAX_NS ? asked_ns : BACKOFF_ASKED_MAX_NS;
        uint64_t spread = asked_ns / 10 > BACKOFF_FIRST_NS ? asked_ns / 10 : BACKOFF_FIRST_NS;
        return asked_ns + (uint64_t)(random * (double)spread);
    }
    unsigned doublings = failures ? failures - 1 : 0;
    uint64_t bound = doublings < 32 ? BACKOFF_FIRST_NS << doublings : BACKOFF_MAX_NS;
    return (uint64_t)(random * (double)(bound < BACKOFF_MAX_NS ? bound : BACKOFF_MAX_NS));
}

double backoff_random(void)
{
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits)
        return 0.5;
    return (double)(bits >> 11) * 0x1p-53;
}

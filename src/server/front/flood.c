#include "server/front/flood.h"

#include "base/time_units.h"

void flood_init(struct flood *f, uint64_t now_ns)
{
    *f = (struct flood){.tokens = FLOOD_TOKENS, .filled_ns = now_ns};
}

static void give(struct flood *f, uint64_t n)
{
    uint64_t tokens = f->tokens + n;
    f->tokens = tokens < FLOOD_TOKENS ? (uint32_t)tokens : FLOOD_TOKENS;
}

bool flood_pay(struct flood *f, uint32_t price, uint64_t now_ns)
{
    const uint64_t one_ns = NS_PER_S / FLOOD_PER_SECOND;
    uint64_t earned = now_ns > f->filled_ns ? (now_ns - f->filled_ns) / one_ns : 0;
    give(f, earned < FLOOD_TOKENS ? earned : FLOOD_TOKENS);
    f->filled_ns += earned * one_ns;
    if (f->tokens < price)
        return false;
    f->tokens -= price;
    return true;
}

void flood_answered(struct flood *f)
{
    give(f, FLOOD_PER_ANSWER);
}

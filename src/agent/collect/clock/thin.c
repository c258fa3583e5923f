#include "agent/collect/clock/thin.h"

#include "agent/hot/signal/handler.h"

static void begin_piece(struct thin *t)
{
    t->at = 0;
    t->point = handler_random(&t->random) % t->every;
}

uint64_t thin_take(struct thin *t, uint64_t every, uint64_t weight)
{
    uint64_t taken = 0;
    if (t->every != every) {
        t->every = every;
        if (every)
            begin_piece(t);
    }
    if (!every)
        return weight;
    while (weight) {
        uint64_t left = every - t->at, step = weight < left ? weight : left;
        if (t->point >= t->at && t->point < t->at + step)
            taken += every;
        t->at += step;
        weight -= step;
        if (t->at == every)
            begin_piece(t);
    }
    return taken;
}

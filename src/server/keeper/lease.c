#include "server/keeper/lease.h"

void lease_init(struct lease *l, const struct lease_times *times)
{
    *l = (struct lease){.times = times, .holder = LEASE_OTHER};
}

bool lease_is_held(const struct lease *l, uint64_t now)
{
    return l->holder == LEASE_ME && now < l->ends;
}

enum lease_act lease_next(const struct lease *l, uint64_t now, bool wants, uint64_t *until)
{
    uint64_t take = l->seen + l->times->rests;
    *until = l->next;
    if (!l->known)
        return now >= l->next ? LEASE_LOOK : LEASE_WAIT;
    if (l->holder == LEASE_NOBODY)
        return LEASE_WRITE;
    if (l->holder == LEASE_ME) {
        *until = wants && l->may < l->next ? l->may : l->next;
        return now >= *until ? LEASE_WRITE : LEASE_WAIT;
    }
    if (now >= take)
        return LEASE_WRITE;
    *until = take < l->next ? take : l->next;
    return now >= l->next ? LEASE_LOOK : LEASE_WAIT;
}

void lease_saw(struct lease *l, uint64_t now, enum lease_holder holder)
{
    l->known = true;
    l->holder = holder;
    l->seen = now;
    l->next = holder == LEASE_ME ? now : now + l->times->looks; /* a write of this server of which no answer came: it writes again */
}

void lease_saw_same(struct lease *l, uint64_t now)
{
    l->known = true;
    l->next = l->holder == LEASE_ME ? now : now + l->times->looks;
}

void lease_wrote(struct lease *l, uint64_t sent)
{
    l->known = true;
    l->holder = LEASE_ME;
    l->ends = sent + l->times->lasts;
    l->next = sent + l->times->renews;
    l->may = sent + l->times->spaces;
}

void lease_refused(struct lease *l, uint64_t now)
{
    l->known = false; /* if it was an earlier write of this server that came late, this one still holds it */
    l->next = now;
}

void lease_failed(struct lease *l, uint64_t now)
{
    l->known = false;
    l->next = now + l->times->looks;
}

/*
 * The lease of the keeper, in every order of events: two servers, a store, requests that arrive late, are lost or whose answers are lost,
 * also after their server has given up or died, and clocks that tick together. At no time are both the keeper. All states are visited.
 * tier: quick
 * timeout: 120
 */
#include "../tap.h"

#include "server/keeper/lease.h"

#include <stdlib.h>
#include <string.h>

/* Times are relative to NOW, which stays: at each tick all times of the servers go back by one, until it makes no difference any more. */
enum { NOW = 100, EARLY = NOW - 4, SERVERS = 2, STATES = 1 << 21 };

enum request { NONE, LOOK, WRITE };
enum progress { SENT, ANSWERED }; /* ANSWERED: by the store; the answer is on its way */

/* How a request ended at the store. */
enum outcome { SAME, REFUSED, GOOD };

struct server {
    uint8_t known, holder, seen, ends, next; /* struct lease */
    uint8_t current;                         /* its tag is that of the version that the store has */
    uint8_t request, progress, outcome, found, sent;
    uint8_t found_current; /* the version that a look found is still the store's */
    uint8_t ghost;         /* a write that its server has given up, on its way, and with the tag of the store's version */
    uint8_t ghost_dead;    /* its server has died since */
};

struct state {
    uint8_t holder; /* 0, 1; SERVERS = nobody, because it has been given up; SERVERS + 1 = a dead server */
    struct server of[SERVERS];
};

struct space {
    struct state *list;
    uint32_t *table, count;
    struct lease_times times;
    bool both, took[SERVERS];
};

static struct lease lease_of(const struct space *x, const struct server *s)
{
    return (struct lease){.times = &x->times, .known = s->known, .holder = s->holder, .seen = s->seen, .ends = s->ends, .next = s->next};
}

static void put(struct server *s, const struct lease *l)
{
    s->known = l->known;
    s->holder = (uint8_t)l->holder;
    s->seen = (uint8_t)l->seen;
    s->ends = (uint8_t)(l->ends > NOW ? l->ends : NOW);
    s->next = (uint8_t)(l->next > NOW ? l->next : NOW);
}

static void begin(const struct space *x, struct server *s)
{
    struct lease l;
    *s = (struct server){.ghost = s->ghost, .ghost_dead = s->ghost_dead};
    lease_init(&l, &x->times);
    l.seen = EARLY;
    l.ends = l.next = NOW;
    put(s, &l);
}

static void add(struct space *x, const struct state *s)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof *s; i++)
        hash = (hash ^ ((const uint8_t *)s)[i]) * 16777619u;
    for (hash ^= hash >> 15;; hash++) {
        uint32_t *place = &x->table[hash % (4 * STATES)];
        if (!*place && x->count < STATES) {
            x->list[x->count++] = *s;
            *place = x->count;
            return;
        }
        if (!*place || !memcmp(&x->list[*place - 1], s, sizeof *s))
            return;
    }
}

/* The store has a new version: nobody else's tag is that of it any more. */
static void replace(struct state *s, uint8_t holder)
{
    s->holder = holder;
    for (int i = 0; i < SERVERS; i++)
        s->of[i].current = s->of[i].found_current = s->of[i].ghost = 0;
}

static void serve(struct state *s, int i)
{
    struct server *me = &s->of[i];
    me->progress = ANSWERED;
    if (me->request == LOOK) {
        me->outcome = me->current ? SAME : GOOD;
        me->found = s->holder == i ? LEASE_ME : s->holder == SERVERS ? LEASE_NOBODY : LEASE_OTHER;
        me->found_current = 1;
    } else if (me->current) {
        replace(s, (uint8_t)i);
        me->outcome = GOOD;
        me->found_current = 1;
    } else {
        me->outcome = REFUSED;
    }
}

static void take_answer(const struct space *x, struct server *me)
{
    struct lease l = lease_of(x, me);
    if (me->request == WRITE && me->outcome == GOOD)
        lease_wrote(&l, me->sent);
    else if (me->request == WRITE)
        lease_refused(&l, NOW);
    else if (me->outcome == SAME)
        lease_saw_same(&l, NOW);
    else
        lease_saw(&l, NOW, (enum lease_holder)me->found);
    if (me->outcome == GOOD)
        me->current = me->found_current;
    put(me, &l);
    me->request = me->progress = me->outcome = me->found = me->sent = me->found_current = 0;
}

/* Its server gives a request up, at any time. A write may reach the store later. */
static void give_up(const struct space *x, struct server *me)
{
    struct lease l = lease_of(x, me);
    if (me->request == WRITE && me->progress == SENT && me->current) {
        me->ghost = 1;
        me->ghost_dead = 0;
    }
    lease_failed(&l, NOW);
    put(me, &l);
    me->request = me->progress = me->outcome = me->found = me->sent = me->found_current = 0;
}

static void die(const struct space *x, struct state *s, int i)
{
    struct server *me = &s->of[i];
    if (s->holder == i)
        s->holder = SERVERS + 1;
    me->ghost = me->ghost || (me->request == WRITE && me->progress == SENT && me->current);
    me->ghost_dead = me->ghost;
    begin(x, me);
}

/* It ends well: gives the lease up, if that is the store's version. */
static void leave(const struct space *x, struct state *s, int i)
{
    if (s->of[i].current)
        replace(s, SERVERS);
    begin(x, &s->of[i]);
}

static uint8_t earlier(uint8_t t, uint8_t least)
{
    return t > least ? (uint8_t)(t - 1) : least;
}

static void tick(struct state *s)
{
    for (int i = 0; i < SERVERS; i++) {
        struct server *me = &s->of[i];
        me->seen = earlier(me->seen, EARLY);
        me->ends = earlier(me->ends, NOW);
        me->next = earlier(me->next, NOW);
        if (me->request == WRITE)
            me->sent = earlier(me->sent, EARLY);
    }
}

/* Adds the states to which this server's events lead. */
static void step(struct space *x, struct state from, int i)
{
    struct state s = from;
    struct server *me = &s.of[i];
    uint64_t until;
    const struct lease l = lease_of(x, me);
    if (me->request == NONE) {
        enum lease_act act = lease_next(&l, NOW, false, &until);
        if (act != LEASE_WAIT) {
            me->request = act == LEASE_LOOK ? LOOK : WRITE;
            me->sent = act == LEASE_WRITE ? NOW : 0;
            add(x, &s);
        }
        s = from;
        if (lease_is_held(&l, NOW)) {
            leave(x, &s, i);
            add(x, &s);
        }
    } else {
        if (me->progress == SENT)
            serve(&s, i);
        else
            take_answer(x, me);
        add(x, &s);
        s = from;
        give_up(x, me);
        add(x, &s);
    }
    s = from;
    if (me->ghost) {
        replace(&s, me->ghost_dead ? SERVERS + 1 : (uint8_t)i);
        add(x, &s);
        s = from;
    }
    die(x, &s, i);
    add(x, &s);
}

static void explore(struct space *x)
{
    struct state s = {.holder = SERVERS + 1};
    x->list = calloc(STATES, sizeof *x->list);
    x->table = calloc(4 * STATES, sizeof *x->table);
    for (int i = 0; i < SERVERS; i++)
        begin(x, &s.of[i]);
    add(x, &s);
    for (uint32_t at = 0; at < x->count && !x->both; at++) {
        bool held[SERVERS];
        for (int i = 0; i < SERVERS; i++) {
            const struct lease l = lease_of(x, &x->list[at].of[i]);
            held[i] = lease_is_held(&l, NOW);
            x->took[i] = x->took[i] || held[i];
            step(x, x->list[at], i);
        }
        x->both = held[0] && held[1];
        s = x->list[at];
        tick(&s);
        add(x, &s);
    }
    free(x->list);
    free(x->table);
}

/* A keeper dies; the other one sees and does everything at once. Returns how many ticks it is not the keeper. */
static uint64_t takeover(const struct lease_times *times)
{
    struct lease l;
    uint64_t now = 1, until;
    lease_init(&l, times);
    lease_saw(&l, now, LEASE_OTHER); /* the keeper writes directly after this look, and dies */
    bool is_new = true;
    for (; !lease_is_held(&l, now); now++) {
        enum lease_act act = lease_next(&l, now, false, &until);
        if (act == LEASE_LOOK && is_new)
            lease_saw(&l, now, LEASE_OTHER);
        else if (act == LEASE_LOOK)
            lease_saw_same(&l, now);
        else if (act == LEASE_WRITE)
            lease_wrote(&l, now);
        is_new = is_new && act != LEASE_LOOK;
        if (lease_is_held(&l, now))
            break;
    }
    return now - 1;
}

/* How often a holder writes in so many ticks if it wants to all the time. */
static unsigned writes(const struct lease_times *times, uint64_t ticks)
{
    struct lease l;
    uint64_t until;
    unsigned count = 0;
    lease_init(&l, times);
    lease_wrote(&l, 0);
    for (uint64_t now = 1; now <= ticks; now++)
        if (lease_next(&l, now, true, &until) == LEASE_WRITE) {
            lease_wrote(&l, now);
            count++;
        } else if (until <= now) {
            return UINT32_MAX; /* it would ask again at once */
        }
    return count;
}

int main(void)
{
    struct space good = {.times = {.lasts = 3, .rests = 4, .renews = 1, .looks = 1}};
    struct space equal = {.times = {.lasts = 3, .rests = 3, .renews = 1, .looks = 1}};
    struct space bad = {.times = {.lasts = 4, .rests = 3, .renews = 1, .looks = 1}};
    explore(&good);
    tap_ok(good.count > 1000 && good.count < STATES, "all %u states were visited", good.count);
    tap_ok(good.took[0] && good.took[1], "each server becomes the keeper");
    tap_ok(!good.both, "never both at once");
    explore(&equal);
    tap_ok(!equal.both && equal.count < STATES, "nor if a version rests exactly as long as a lease lasts (%u states)", equal.count);
    explore(&bad);
    tap_ok(bad.both, "but if it is taken too early: so this test can fail");
    tap_ok(takeover(&(struct lease_times){.lasts = 15, .rests = 20, .renews = 4, .looks = 2}) == 22, "takeover after 22 s at most");
    tap_ok(writes(&(struct lease_times){.lasts = 15, .rests = 20, .renews = 4, .looks = 2, .spaces = 3}, 30) == 10,
           "a holder that always has something to write keeps the space between two writes");
    tap_ok(writes(&(struct lease_times){.lasts = 15, .rests = 20, .renews = 4, .looks = 2, .spaces = 9}, 40) == 10,
           "and renews the lease before that, if it has to");
    return tap_done();
}

#include "daemon/demand/demand.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "daemon/demand/talk.h"
#include "daemon/log.h"
#include "http/backoff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first question comes soon after the start. A server too old for recordings on demand is asked again after UNKNOWN_S. */
enum { FIRST_S = 1, UNKNOWN_S = 600, HOUR_S = 3600, NOT_FOUND = 404 };

int demand_start(struct demand *d, struct fleet *f, struct error *e)
{
    *d = (struct demand){.fleet = f, .next_ns = clock_monotonic_ns() + FIRST_S * NS_PER_S};
    const struct config *c = f->config;
    const struct ship_files files = {.token = c->token_file, .ca = c->ca_file, .certificate = c->cert_file, .key = c->key_file};
    if (c->target.protocol != EMIT_CANDOR)
        return 0;
    return poll_start(&d->poll, &c->target, &files, e);
}

void demand_stop(struct demand *d)
{
    poll_stop(&d->poll);
}

/* ---- wanted recordings ---- */

/* Returns a place for the time of one more recording within this hour, or NULL. */
static uint64_t *find_room(struct demand *d)
{
    uint64_t now = clock_monotonic_ns(), hour = HOUR_S * NS_PER_S, *room = NULL;
    uint32_t used = 0;
    for (int i = 0; i < DEMAND_PER_HOUR_MAX; i++) {
        bool recent = d->begun[i] && now - d->begun[i] < hour;
        used += recent;
        room = recent ? room : &d->begun[i];
    }
    return used < d->fleet->config->on_demand_max ? room : NULL;
}

static void begin(struct demand *d, const struct fleet_demand *wanted)
{
    char text[120];
    uint64_t *room = find_room(d);
    if (!room) {
        snprintf(text, sizeof text, "its daemon has begun %u recordings on demand within an hour (on-demand-max)",
                 d->fleet->config->on_demand_max);
        fleet_refuse_demand(d->fleet, wanted, text);
    } else if (fleet_begin_demand(d->fleet, wanted)) {
        *room = clock_monotonic_ns();
    }
}

/* ---- the exchange with the server ---- */

static void note_told(struct demand *d, bool told)
{
    for (uint32_t i = 0; i < d->fleet->count; i++) {
        struct member *t = d->fleet->members[i];
        t->told = t->told || (told && t->being_told);
        t->being_told = false;
    }
}

/* Only the first failure in a row is logged: the sending of recordings logs the others. */
static void fail(struct demand *d, const char *text, uint64_t asked_ns)
{
    if (!d->failures++)
        log_warning("cannot ask for recordings on demand: %s", text);
    d->next_ns = clock_monotonic_ns() + backoff_wait_ns(d->failures, asked_ns, backoff_random());
}

static void take_orders(struct demand *d, const struct post_answer *got)
{
    struct talk_orders orders;
    struct error e;
    if (talk_read(&orders, got->text, got->size, &e)) {
        fail(d, e.text, 0);
        return;
    }
    d->failures = 0;
    d->next_ns = clock_monotonic_ns() + orders.after_ns;
    for (uint32_t i = 0; i < orders.count; i++)
        begin(d, &orders.list[i]);
    if (orders.bad)
        log_warning("%u recordings on demand are not understood: update this daemon", orders.bad);
}

static void take(struct demand *d, const struct poll_answer *a)
{
    char text[320];
    bool good = !a->code && a->got.status >= 200 && a->got.status < 300, unknown = !a->code && a->got.status == NOT_FOUND;
    note_told(d, good || unknown);
    if (good) {
        take_orders(d, &a->got);
    } else if (unknown) {
        d->next_ns = clock_monotonic_ns() + UNKNOWN_S * NS_PER_S;
    } else {
        snprintf(text, sizeof text, "the server answers %ld %.*s", a->got.status, (int)strcspn(a->got.text, "\r\n"), a->got.text);
        fail(d, a->code ? a->error.text : text, a->got.retry_after_ns);
    }
}

void demand_tick(struct demand *d)
{
    struct poll_answer answer;
    if (!d->poll.started) { /* another back end: nobody will ever ask what became of a recording */
        for (uint32_t i = 0; i < d->fleet->count; i++)
            d->fleet->members[i]->told = true;
        return;
    }
    if (poll_take(&d->poll, &answer))
        take(d, &answer);
    if (clock_monotonic_ns() < d->next_ns || !poll_is_idle(&d->poll))
        return;
    char *body = talk_make(d->fleet);
    if (body)
        poll_send(&d->poll, body);
}

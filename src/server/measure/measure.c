#include "server/measure/measure.h"

#include "profile/accounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void end(struct minutes *m, struct store_profiles *to)
{
    free(to->minutes);
    to->minutes = minutes_take(m, &to->minute_count);
    minutes_deinit(m);
}

/* ---- JFR ---- */

static const struct profile *of_kind(struct profile *const *profiles, uint32_t n, enum profile_kind kind)
{
    for (uint32_t i = 0; i < n; i++)
        if (profiles[i]->kind == kind)
            return profiles[i];
    return NULL;
}

static void add_samples(struct minutes *m, struct profile *const *profiles, uint32_t n)
{
    static const enum profile_kind kinds[] = {PROFILE_RUNNING, PROFILE_ALLOC, PROFILE_LOCK};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct profile *p = of_kind(profiles, n, kinds[i]);
        bool is_cpu_time = kinds[i] != PROFILE_RUNNING || (p && p->unit == PROFILE_UNIT_NS && !profile_is_safepoint(p));
        if (p && is_cpu_time && (p->sample_count || p->kinds & 1u << kinds[i]))
            measure_samples(m, p, profile_kinds[kinds[i]].stored);
    }
}

static void add_live_sets(struct minutes *m, const struct profile *p)
{
    for (uint32_t i = 0; p && i < p->live_set_count; i++)
        if (p->live_sets[i].heap_used)
            minutes_set(m, KEY_LIVE_SET, p->live_sets[i].time_ns, (int64_t)p->live_sets[i].heap_used);
}

int measure_begin(struct measuring *r, struct profile *requests)
{
    *r = (struct measuring){.recorded = {.events = measure_events, .event_count = MEASURE_EVENTS}, .requests = {.profile = requests}};
    r->recorded.in = r->by_jdk;
    map_init(&r->requests.places);
    int rc = halts_begin(&r->halts_reading, &r->halts, measure_halts_of_threads);
    const struct pass_reader readers[MEASURE_READERS] = {{halts_take, r->halts_reading},
                                                         {recorded_take, &r->recorded},
                                                         {readings_take, &r->readings},
                                                         {measure_requests_take, &r->requests}};
    memcpy(r->readers, readers, sizeof readers);
    return rc;
}

void measure_end(struct measuring *r)
{
    halts_end(r->halts_reading);
    halts_deinit(&r->halts);
    recorded_deinit(&r->recorded);
    readings_deinit(&r->readings);
    map_deinit(&r->requests.places);
    free(r->requests.list);
}

/* Adds what the profiles do not have. Recordings of the agent alone have such events only with the event halt. */
static int add_events(struct minutes *m, const struct profile *p, struct profile *names, struct measuring *r)
{
    const char *jdk = profile_setting(p, "jfr");
    bool has_jdk = !profile_setting(p, "event") || (jdk && *jdk);
    if (!has_jdk && !accounts_has_book(p, BOOK_HALT))
        return 0;
    int rc = halts_end(r->halts_reading);
    r->halts_reading = NULL;
    if (rc)
        return rc;
    measure_halts(m, p, r);
    if (!has_jdk)
        return 0;
    readings_sort(&r->readings);
    measure_readings(m, &r->readings);
    return measure_requests(m, &r->requests, names);
}

int measure_jfr(struct store_profiles *to, struct profile *const *profiles, uint32_t n, struct measuring *r)
{
    struct minutes m;
    const struct profile *p = of_kind(profiles, n, PROFILE_RUNNING);
    int rc = minutes_init(&m, p->start_ns, p->duration_ns);
    if (!rc && m.count) {
        measure_books(&m, p);
        add_samples(&m, profiles, n);
        add_live_sets(&m, of_kind(profiles, n, PROFILE_LIVE));
        rc = add_events(&m, p, &to->recalled->stacks.names, r);
    }
    end(&m, to);
    return rc;
}

/* ---- other formats ---- */

static void find_time(const struct profile *p, const struct envelope_note *note, int64_t *start_ns, uint64_t *duration_ns)
{
    bool is_told = note->from_ns > 0 && note->until_ns > note->from_ns;
    *start_ns = is_told ? note->from_ns : p->start_ns;
    *duration_ns = is_told ? (uint64_t)note->until_ns - (uint64_t)note->from_ns : p->duration_ns;
}

int measure_values(struct store_profiles *to, const struct envelope_note *note, struct error *e)
{
    char type[CATALOGUE_TYPE_MAX];
    int64_t start_ns;
    uint64_t duration_ns;
    struct minutes m;
    find_time(&to->list[0], note, &start_ns, &duration_ns);
    if (minutes_init(&m, start_ns, duration_ns))
        return error_set(e, -ENOMEM, "out of memory");
    for (uint32_t i = 0; m.count && i < to->count; i++)
        measure_samples(&m, &to->list[i], store_type_of(&to->list[i], type));
    end(&m, to);
    return 0;
}

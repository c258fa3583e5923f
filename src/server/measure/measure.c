#include "server/measure/measure.h"

#include "compress/intake.h"
#include "jfr/read/reader.h"
#include "profile/accounts.h"

#include <errno.h>
#include <stdlib.h>

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

/* Reads the events that the profiles do not have. Recordings of the agent alone have such events only with the event halt. */
static int add_events(struct minutes *m, const struct profile *p, struct profile *names, struct profile *requests, const struct intake *in,
                      struct error *e)
{
    struct intake view;
    struct jfr_file *file;
    const char *jdk = profile_setting(p, "jfr");
    bool has_jdk = !profile_setting(p, "event") || (jdk && *jdk);
    if (!has_jdk && !accounts_has_book(p, BOOK_HALT))
        return 0;
    intake_view(&view, in);
    int rc = jfr_file_take(&file, &view, "the recording", NULL, e);
    rc = rc ? rc : measure_halts(m, p, file, e);
    rc = rc || !has_jdk ? rc : measure_readings(m, file, e);
    rc = rc || !has_jdk ? rc : measure_requests(m, file, names, requests, e);
    jfr_file_close(file);
    return rc == -ENOMEM ? rc : 0;
}

int measure_jfr(struct store_profiles *to, struct profile *const *profiles, uint32_t n, struct profile *requests, const struct intake *in,
                struct error *e)
{
    struct minutes m;
    const struct profile *p = of_kind(profiles, n, PROFILE_RUNNING);
    int rc = minutes_init(&m, p->start_ns, p->duration_ns);
    if (rc)
        return error_set(e, rc, "out of memory");
    if (m.count) {
        measure_books(&m, p);
        add_samples(&m, profiles, n);
        add_live_sets(&m, of_kind(profiles, n, PROFILE_LIVE));
        rc = add_events(&m, p, &to->names, requests, in, e);
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

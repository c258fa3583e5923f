#include "profile/load_jfr.h"

#include "base/units.h"
#include "jfr/reader.h"
#include "profile/check.h"
#include "profile/load_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void note_span(struct profile *p, const struct jfr_chunk_info *info)
{
    int64_t end = p->start_ns + (int64_t)p->duration_ns;
    int64_t chunk_end;
    if (info->duration_ns < 0 || __builtin_add_overflow(info->start_ns, info->duration_ns, &chunk_end))
        return;
    bool first = !p->start_ns && !p->duration_ns;
    int64_t start = first || info->start_ns < p->start_ns ? info->start_ns : p->start_ns;
    if (!first && end > chunk_end)
        chunk_end = end;
    if (start < 0 || chunk_end < start)
        return;
    p->start_ns = start;
    p->duration_ns = (uint64_t)(chunk_end - start);
}

static int load_chunk(struct load *l, const struct jfr_file *file, uint32_t index, struct jfr_problems *problems,
                      struct error *e)
{
    struct jfr_chunk *chunk;
    int rc = jfr_chunk_open(&chunk, file, index, problems, e);
    if (rc || !chunk)
        return rc;
    note_span(l->profile, jfr_chunk_get_info(chunk));
    rc = load_begin_chunk(l, chunk);
    struct jfr_event event;
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); !rc && jfr_cursor_next(&cursor, &event);)
        rc = load_event(l, &event);
    jfr_chunk_close(chunk);
    return rc;
}

/* A sample of jdk.ExecutionSample stands for one period of a thread in Java. */
static void weigh_execution_samples(struct load *l)
{
    struct profile *p = l->profile;
    uint64_t period = l->execution_period;
    if (!period || period > (1ull << 62) / (p->weight + 1)) {
        p->unit = PROFILE_UNIT_SAMPLES;
        return;
    }
    for (uint32_t i = 0; i < p->sample_count; i++)
        p->samples[i].weight *= period;
    p->weight *= period;
}

static uint64_t nominal_interval(const struct load *l)
{
    const char *set = profile_setting(l->profile, "interval_ns");
    if (l->rank == LOAD_CPU_TIME)
        return l->cpu_time_period;
    if (l->rank == LOAD_EXECUTION)
        return l->execution_period;
    return set ? strtoull(set, NULL, 10) : 0;
}

/* What only the whole file tells: periods, and what was left out. */
static int settle(struct load *l)
{
    struct profile *p = l->profile;
    if (l->rank == LOAD_EXECUTION)
        weigh_execution_samples(l);
    p->interval_ns = nominal_interval(l);
    int rc = 0;
    if (l->native_samples)
        rc = profile_add_problem(p, "info", "%llu jdk.NativeMethodSample are not counted: such threads may have waited",
                                 (unsigned long long)l->native_samples);
    if (!rc && l->lost_samples)
        rc = profile_add_problem(p, "warning", "the JVM's sampler lost %llu samples",
                                 (unsigned long long)l->lost_samples);
    if (!rc && l->refused)
        rc = profile_add_problem(p, "warning", "%llu samples left out: their weights cannot be true",
                                 (unsigned long long)l->refused);
    return rc;
}

static int take_problems(struct profile *p, const struct jfr_problems *problems)
{
    for (uint32_t i = 0; i < problems->listed; i++) {
        const struct jfr_problem *f = &problems->list[i];
        if (profile_add_problem(p, "warning", "reading: %s (at byte %llu)", f->text, (unsigned long long)f->offset))
            return -ENOMEM;
    }
    if (problems->count > problems->listed)
        return profile_add_problem(p, "warning", "reading: %llu more problems like these",
                                   (unsigned long long)(problems->count - problems->listed));
    return 0;
}

int profile_load_jfr(struct profile *p, const char *path, struct error *e)
{
    struct jfr_file *file = NULL;
    struct load *l = NULL;
    struct jfr_problems *problems = calloc(1, sizeof *problems);
    if (!problems)
        return error_set(e, -ENOMEM, "%s: out of memory", path);
    int rc = jfr_file_open(&file, path, problems, e);
    if (rc)
        goto done;
    rc = load_new(&l, p);
    for (uint32_t i = 0; !rc && i < jfr_file_chunks(file); i++)
        rc = load_chunk(l, file, i, problems, e);
    if (!rc)
        rc = settle(l);
    if (!rc)
        rc = take_problems(p, problems);
    if (!rc)
        rc = profile_check(p);
    if (rc)
        rc = error_set(e, rc, "%s: %s", path, strerror(-rc));
done:
    load_free(l);
    jfr_file_close(file);
    free(problems);
    return rc;
}

#include "profile/load/load_jfr.h"

#include "base/text/word_list.h"
#include "compress/intake.h"
#include "jfr/read/reader.h"
#include "profile/check.h"
#include "profile/load/load_crew.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static int settle(struct load_whole *whole, const struct jfr_problems *problems)
{
    int rc = load_whole_settle(whole);
    rc = rc ? rc : take_problems(whole->profile, problems);
    return rc ? rc : profile_check(whole->profile);
}

static int load_samples(struct load_kept *kept, struct profile *const *profiles, uint32_t n, const struct pass_readers *beside,
                        const struct jfr_file *file, struct jfr_problems *problems)
{
    struct load_whole wholes[PROFILE_KINDS];
    for (uint32_t i = 0; i < n; i++)
        load_whole_init(&wholes[i], profiles[i]);
    int rc = load_crew_run(wholes, n, kept, beside, file, problems);
    for (uint32_t i = 0; !rc && i < n; i++)
        rc = settle(&wholes[i], problems);
    for (uint32_t i = 0; i < n; i++)
        load_whole_deinit(&wholes[i]);
    return rc;
}

static bool has_events_of(const struct profile *p, enum profile_kind kind)
{
    enum profile_kind first;
    for (uint32_t i = 0; i < p->event_type_count; i++)
        if (profile_kind_first(p->event_types[i].kinds, &first) && first == kind)
            return true;
    return false;
}

/* Returns the kind that replaces CPU time if there are no samples of running threads. */
static enum profile_kind other_kind(const struct profile *p)
{
    static const enum profile_kind others[] = {PROFILE_WALL, PROFILE_ALLOC, PROFILE_NATIVEMEM};
    for (size_t i = 0; p->or_others && !p->sample_count && i < sizeof others / sizeof *others; i++)
        if (has_events_of(p, others[i]))
            return others[i];
    return PROFILE_RUNNING;
}

enum profile_kind profile_jfr_kind(const struct profile *p)
{
    const char *event = profile_setting(p, "event");
    if (p->kind != PROFILE_RUNNING)
        return p->kind;
    if (word_list_has(event, "cpu"))
        return other_kind(p);
    if (word_list_has(event, "wall"))
        return PROFILE_WALL;
    return word_list_has(event, "lock") && !word_list_has(event, "alloc") ? PROFILE_LOCK : other_kind(p);
}

static int load_one(struct profile *p, const struct jfr_file *file, struct jfr_problems *problems)
{
    struct jfr_problems *opening = malloc(sizeof *opening);
    int rc = opening ? 0 : -ENOMEM;
    if (opening)
        *opening = *problems;
    rc = rc ? rc : load_samples(NULL, &p, 1, NULL, file, problems);
    enum profile_kind alone = profile_jfr_kind(p);
    if (!rc && alone != p->kind) {
        bool full_names = p->full_names;
        profile_deinit(p);
        rc = profile_init(p);
        p->kind = alone;
        p->full_names = full_names;
        *problems = *opening;
        rc = rc ? rc : load_samples(NULL, &p, 1, NULL, file, problems);
    }
    free(opening);
    return rc;
}

/* Loads the file. n = 0: there is one profile, which may change its kind. kept, beside: as in load_crew_run. */
static int load(struct load_kept *kept, struct profile *const *profiles, uint32_t n, const struct pass_readers *beside, struct intake *in,
                const char *name, struct error *e)
{
    struct jfr_file *file = NULL;
    struct jfr_problems *problems = calloc(1, sizeof *problems);
    if (!problems) {
        intake_close(in);
        return error_set(e, -ENOMEM, "%s: out of memory", name);
    }
    int rc = jfr_file_take(&file, in, name, problems, e);
    if (!rc) {
        rc = n ? load_samples(kept, profiles, n, beside, file, problems) : load_one(profiles[0], file, problems);
        rc = rc ? error_set(e, rc, "%s: %s", name, strerror(-rc)) : 0;
    }
    jfr_file_close(file);
    free(problems);
    return rc;
}

int profile_load_jfr_from(struct profile *p, struct intake *in, const char *name, struct error *e)
{
    return load(NULL, &p, 0, NULL, in, name, e);
}

int profile_load_jfr_kinds(struct profile *const *profiles, uint32_t n, struct intake *in, const char *name, struct error *e)
{
    return load(NULL, profiles, n, NULL, in, name, e);
}

int profile_load_jfr_shared(struct load_kept *kept, struct profile *const *profiles, uint32_t n, const struct pass_readers *beside,
                            struct intake *in, const char *name, struct error *e)
{
    return load(kept, profiles, n, beside, in, name, e);
}

int profile_load_jfr(struct profile *p, const char *path, struct error *e)
{
    struct intake in;
    int rc = intake_open(&in, path, e);
    return rc ? rc : profile_load_jfr_from(p, &in, intake_name(path), e);
}

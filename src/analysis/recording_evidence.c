#include "analysis/recording_evidence.h"

#include "base/word_list.h"
#include "profile/load_jfr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CPU, WALL, LOCK, HOLDER, KINDS };

static const enum profile_kind kinds[KINDS] = {PROFILE_RUNNING, PROFILE_WALL, PROFILE_LOCK, PROFILE_HOLDER};

/* Events of the JDK's, and what they are evidence of. */
static const char *const jdk_events[] = {"jdk.JavaMonitorEnter", "jdk.GCPhasePause", "jdk.SafepointStateSynchronization", "jdk.SocketRead",
                                         "jdk.FileForce", "jdk.VirtualThreadPinned", "jdk.ExceptionStatistics"};
static const enum source jdk_sources[] = {SOURCE_LOCKS, SOURCE_PAUSES, SOURCE_ASKED, SOURCE_SOCKETS, SOURCE_FORCES, SOURCE_PINNED,
                                          SOURCE_THROWS};

enum { JDK_EVENTS = sizeof jdk_events / sizeof *jdk_events };

struct recording_evidence {
    struct profile profiles[KINDS];
    int made; /* how many of them */
    struct halts halts;
    bool has_halts;
    struct evidence evidence;
};

static int load_profile(struct recording_evidence *r, int i, const char *path, struct error *e)
{
    struct profile *p = &r->profiles[i];
    int rc = profile_init(p);
    if (rc)
        return error_set(e, rc, "no memory for the samples of %s", path);
    r->made = i + 1;
    p->kind = kinds[i];
    return profile_load_jfr(p, path, e);
}

static bool comes_from(const struct profile *p, const char *event)
{
    return p->sample_count && !strcmp(profile_text(p, p->source), event);
}

/* Samples of CPU time, and no other's that were read in their place. */
static bool is_of_cpu(const struct profile *p)
{
    return p->sample_count && p->kind == PROFILE_RUNNING && !profile_is_safepoint(p) &&
           (p->unit == PROFILE_UNIT_NS || p->unit == PROFILE_UNIT_SAMPLES);
}

static void give_profiles(struct recording_evidence *r)
{
    struct evidence *e = &r->evidence;
    const struct profile *cpu = &r->profiles[CPU];
    const char *event = profile_setting(cpu, "event");
    bool locks = word_list_has(event, "lock"), halts = word_list_has(event, "halt");
    e->cpu = is_of_cpu(cpu) ? cpu : NULL;
    e->wall = comes_from(&r->profiles[WALL], "candor.WallSample") ? &r->profiles[WALL] : NULL;
    e->lock = comes_from(&r->profiles[LOCK], "jdk.JavaMonitorEnter") ? &r->profiles[LOCK] : NULL;
    e->holder = comes_from(&r->profiles[HOLDER], "candor.LockHolder") ? &r->profiles[HOLDER] : NULL;
    e->sources |= e->cpu || word_list_has(event, "cpu") ? SOURCE_BIT(SOURCE_CPU) : 0;
    e->sources |= e->wall || word_list_has(event, "wall") ? SOURCE_BIT(SOURCE_WALL) : 0;
    e->sources |= locks ? SOURCE_BIT(SOURCE_LOCKS) | SOURCE_BIT(SOURCE_OWNERS) : 0;
    e->sources |= halts ? SOURCE_BIT(SOURCE_PAUSES) : 0;
    e->sources |= halts && profile_book(cpu, "halt_safepoints", "") ? SOURCE_BIT(SOURCE_SAFEPOINTS) : 0;
}

static int load_file(struct recording_evidence *r, const struct jfr_file *file, struct jfr_problems *problems, struct error *e)
{
    bool recorded[JDK_EVENTS];
    int rc = halts_read(&r->halts, file, problems, e);
    r->has_halts = true;
    rc = rc ? rc : recorded_events(file, jdk_events, JDK_EVENTS, recorded, &r->evidence.throws, e);
    for (int i = 0; !rc && i < JDK_EVENTS; i++)
        r->evidence.sources |= recorded[i] ? SOURCE_BIT(jdk_sources[i]) : 0;
    r->evidence.halts = &r->halts;
    r->evidence.duration_ns = r->halts.duration_ns;
    return rc;
}

static int load(struct recording_evidence *r, const char *path, struct jfr_problems *problems, struct error *e)
{
    struct jfr_file *file;
    int rc = jfr_file_open(&file, path, problems, e);
    if (rc)
        return rc;
    rc = load_file(r, file, problems, e);
    jfr_file_close(file);
    for (int i = 0; !rc && i < KINDS; i++)
        rc = load_profile(r, i, path, e);
    if (!rc)
        give_profiles(r);
    if (!rc && r->profiles[CPU].duration_ns > r->evidence.duration_ns)
        r->evidence.duration_ns = r->profiles[CPU].duration_ns;
    return rc;
}

int recording_evidence_load(struct recording_evidence **out, const char *path, struct jfr_problems *problems, struct error *e)
{
    struct recording_evidence *r = calloc(1, sizeof *r);
    int rc = r ? load(r, path, problems, e) : error_set(e, -ENOMEM, "no memory for %s", path);
    if (rc) {
        recording_evidence_free(r);
        return rc;
    }
    *out = r;
    return 0;
}

void recording_evidence_free(struct recording_evidence *r)
{
    if (!r)
        return;
    while (r->made--)
        profile_deinit(&r->profiles[r->made]);
    if (r->has_halts)
        halts_deinit(&r->halts);
    free(r);
}

const struct evidence *recording_evidence_get(const struct recording_evidence *r)
{
    return &r->evidence;
}

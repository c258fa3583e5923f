/* The evidence in recordings of several profilers: what can be judged with it, and which part of it lies within the recording.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "analysis/show/overview.h"
#include "analysis/recording_evidence.h"
#include "compress/intake.h"
#include "jfr_craft.h"
#include "profile/load/load_jfr.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 10, STRING, BOOLEAN, STATE, SETTING = 100, SAMPLE, WALL, LIVE, MONITOR };

#define EVENT "jdk.jfr.Event"
#define MODEL                                                                                                                              \
    {LONG, "long"}, {STRING, "java.lang.String"}, {BOOLEAN, "boolean"},                                                                    \
    {                                                                                                                                      \
        STATE, "jdk.types.ThreadState", NULL,                                                                                              \
        {                                                                                                                                  \
            {                                                                                                                              \
                "name", STRING                                                                                                             \
            }                                                                                                                              \
        }                                                                                                                                  \
    }

static const struct craft_type of_async[] = {
    MODEL,
    {SETTING, "jdk.ActiveSetting", EVENT, {{"startTime", LONG}, {"id", LONG}, {"name", STRING}, {"value", STRING}}},
    {SAMPLE, "jdk.ExecutionSample", EVENT, {{"startTime", LONG}, {"state", STATE, .pooled = true}}},
    {WALL, "profiler.WallClockSample", EVENT, {{"startTime", LONG}, {"state", STATE, .pooled = true}, {"samples", LONG}}},
    {LIVE, "profiler.LiveObject", EVENT, {{"startTime", LONG}, {"allocationSize", LONG}}},
};

static const struct craft_type of_candor[] = {
    MODEL,
    {SETTING, "candor.Setting", EVENT, {{"startTime", LONG}, {"name", STRING}, {"value", STRING}}},
    {MONITOR, "jdk.JavaMonitorEnter", EVENT, {{"startTime", LONG}, {"duration", LONG}, {"weight", LONG}, {"finished", BOOLEAN}}},
};

static struct buffer file;
static size_t chunk;
static struct recording_evidence *r;

static void begin(bool by_candor)
{
    buffer_init(&file, 1 << 20);
    chunk = by_candor ? craft_begin(&file, of_candor, sizeof of_candor / sizeof *of_candor)
                      : craft_begin(&file, of_async, sizeof of_async / sizeof *of_async);
}

static void put(unsigned type, uint64_t tick, const uint64_t *numbers, int count)
{
    size_t event = craft_event(&file, type);
    buffer_varint(&file, tick);
    for (int i = 0; i < count; i++)
        buffer_varint(&file, numbers[i]);
    craft_event_end(&file, event);
}

static void put_wait(uint64_t tick, uint64_t ticks)
{
    put(MONITOR, tick, (const uint64_t[]){ticks, ticks * 1000, 1}, 3);
}

/* A setting of an event type that async-profiler names. */
static void put_setting(uint64_t of, const char *name, const char *value)
{
    size_t event = craft_event(&file, SETTING);
    buffer_varint(&file, CRAFT_START_TICKS);
    if (of)
        buffer_varint(&file, of);
    craft_text(&file, name);
    craft_text(&file, value);
    craft_event_end(&file, event);
}

static const struct evidence none;

/* Completes the file at `path`, which ends in XXXXXX. */
static bool write_file(char *path)
{
    int fd = mkstemp(path);
    size_t pool = craft_pool(&file, STATE, 1);
    buffer_varint(&file, 1);
    craft_text(&file, "STATE_SLEEPING");
    craft_event_end(&file, pool);
    craft_end(&file, chunk);
    bool good = fd >= 0 && write(fd, file.data, file.len) == (ssize_t)file.len;
    close(fd);
    buffer_deinit(&file);
    return good;
}

static const struct evidence *load(void)
{
    static struct jfr_problems problems;
    char path[] = "/tmp/candor-evidence-XXXXXX";
    struct error e = {""};
    bool good = write_file(path) && !recording_evidence_load(&r, path, NULL, &problems, &e);
    tap_ok(good, "read: %s", e.text);
    unlink(path);
    return good ? recording_evidence_get(r) : &none;
}

static void end(void)
{
    recording_evidence_free(r);
    r = NULL;
}

static bool has_row(const struct evidence *e, const char *id)
{
    struct findings f;
    struct overview v;
    bool found = false;
    findings_init(&f);
    overview_make(&v, &f, e);
    for (uint32_t i = 0; i < v.count; i++)
        found |= !strcmp(v.rows[i].id, id);
    findings_deinit(&f);
    return found;
}

static void test_wall(void)
{
    begin(false);
    put_setting(SAMPLE, "wall", "5ms");
    put(WALL, CRAFT_START_TICKS + 1, (const uint64_t[]){1, 3}, 2);
    const struct evidence *e = load();
    tap_ok(e->wall && e->wall->weight == 15000000, "wall-clock samples of async-profiler are time");
    tap_ok(!evidence_has(e, SOURCE_WALL) && !has_row(e, "ready"), "but do not say who had no processor");
    end();
    begin(false);
    put(SAMPLE, CRAFT_START_TICKS + 1, (const uint64_t[]){1}, 1);
    e = load();
    tap_ok(!e->wall && !evidence_has(e, SOURCE_WALL), "those without a period are no time");
    end();
    begin(true);
    put_setting(0, "event", "cpu,wall");
    e = load();
    tap_ok(!e->wall && evidence_has(e, SOURCE_WALL), "the agent's clock that saw nothing says that there was nothing");
    end();
}

static void test_live(void)
{
    begin(false);
    put(LIVE, CRAFT_START_TICKS + 1, (const uint64_t[]){24}, 1);
    const struct evidence *e = load();
    tap_ok(e->live && !evidence_has(e, SOURCE_LIVE), "objects that are alive, without collections, do not say what grows");
    end();
}

static void test_waits(void)
{
    begin(true);
    put_setting(0, "event", "cpu,lock");
    put_wait(CRAFT_START_TICKS - 600, 1000);
    put_wait(CRAFT_START_TICKS + 5, 10);
    const struct evidence *e = load();
    bool good = e->lock && e->lock->sample_count == 2;
    tap_ok(good && e->lock->samples[0].weight == 400000 && e->lock->samples[0].time_ns == e->start_ns,
           "a wait that began before the recording begins with it");
    tap_ok(good && e->lock->samples[1].weight == 10000 && e->lock->samples[1].time_ns == e->start_ns + 5000, "another stays as it is");
    end();
}

/* ---- what a caller shares with the evidence ---- */

struct seen {
    uint32_t halts, chunks;
};

static int see_halts(void *context, const struct halts *h)
{
    ((struct seen *)context)->halts += h->count;
    return 0;
}

static int see_chunk(void *context, struct jfr_chunk *one)
{
    ((struct seen *)context)->chunks++;
    return 0;
}

static const enum profile_kind shared_kinds[] = {PROFILE_RUNNING, PROFILE_WALL, PROFILE_LOCK, PROFILE_HOLDER, PROFILE_ALLOC, PROFILE_LIVE};
enum { SHARED = sizeof shared_kinds / sizeof *shared_kinds };

static bool load_shared(const char *path, struct profile *const *by_kind, struct seen *seen)
{
    static struct jfr_problems problems;
    struct profile *list[SHARED];
    const struct recording_shared shared = {by_kind, {see_chunk, seen}, see_halts, seen};
    struct intake in = {0}, view;
    struct error e = {""};
    for (int i = 0; i < SHARED; i++)
        list[i] = by_kind[shared_kinds[i]];
    bool good = !intake_open(&in, path, &e);
    intake_view(&view, &in);
    good = good && !profile_load_jfr_kinds(list, SHARED, &view, path, &e) &&
           !recording_evidence_load_shared(&r, &in, path, &shared, &problems, &e);
    intake_close(&in);
    tap_ok(good, "read with shared samples: %s", e.text);
    return good;
}

static void test_shared(void)
{
    char path[] = "/tmp/candor-evidence-XXXXXX";
    struct profile profiles[PROFILE_KINDS], *by_kind[PROFILE_KINDS] = {NULL};
    struct seen seen = {0};
    unsigned kinds = 0;
    for (int i = 0; i < SHARED; i++) {
        enum profile_kind kind = shared_kinds[i];
        by_kind[kind] = &profiles[kind];
        kinds |= profile_init(by_kind[kind]) ? 0 : 1u << kind;
        by_kind[kind]->kind = kind;
    }
    tap_ok(kinds == RECORDING_EVIDENCE_KINDS, "these are the kinds that are evidence");
    begin(true);
    put_setting(0, "event", "cpu,lock");
    put_wait(CRAFT_START_TICKS - 600, 1000);
    put_wait(CRAFT_START_TICKS + 5, 10);
    bool good = write_file(path) && load_shared(path, by_kind, &seen);
    const struct profile *waits = by_kind[PROFILE_LOCK];
    const struct evidence *e = good ? recording_evidence_get(r) : &none;
    tap_ok(e->lock == waits && waits->sample_count == 2 && waits->weight == 410000 && waits->samples[0].weight == 400000,
           "the caller's waits are the evidence, cut to the recording's time");
    tap_ok(seen.chunks == 1 && seen.halts == 2, "the caller sees each chunk once, and all halts");
    end();
    tap_ok(waits->sample_count == 2 && waits->weight == 1010000 && waits->samples[0].weight == 1000000 && waits->samples[1].weight == 10000,
           "and has whole waits afterwards");
    for (int i = 0; i < SHARED; i++)
        profile_deinit(by_kind[shared_kinds[i]]);
    unlink(path);
}

int main(void)
{
    test_wall();
    test_live();
    test_waits();
    test_shared();
    return tap_done();
}

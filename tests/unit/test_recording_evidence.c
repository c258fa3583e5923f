/* The evidence in recordings of several profilers: what can be judged with it, and which part of it lies within the recording.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "analysis/show/overview.h"
#include "analysis/recording_evidence.h"
#include "jfr_craft.h"

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

static const struct evidence *load(void)
{
    static const struct evidence none;
    static struct jfr_problems problems;
    char path[] = "/tmp/candor-evidence-XXXXXX";
    struct error e = {""};
    int fd = mkstemp(path);
    size_t pool = craft_pool(&file, STATE, 1);
    buffer_varint(&file, 1);
    craft_text(&file, "STATE_SLEEPING");
    craft_event_end(&file, pool);
    craft_end(&file, chunk);
    bool good = fd >= 0 && write(fd, file.data, file.len) == (ssize_t)file.len;
    good = good && !recording_evidence_load(&r, path, NULL, &problems, &e);
    tap_ok(good, "read: %s", e.text);
    close(fd);
    unlink(path);
    buffer_deinit(&file);
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

int main(void)
{
    test_wall();
    test_live();
    test_waits();
    return tap_done();
}

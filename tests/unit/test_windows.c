/* The windows of a recording: how many there are, however long it is, which samples each contains, and where a part of a wait begins.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "analysis/findings.h"
#include "analysis/windows.h"
#include "base/time_units.h"
#include "events/halt_parts.h"
#include "profile_maker.h"

#include <inttypes.h>
#include <string.h>

#define BEGAN ((int64_t)1000 * NS_PER_S)
#define DAY   (86400 * NS_PER_S)

static struct profile cpu, lock;
static struct halts halts;
static struct evidence e;
static struct {
    uint32_t calls, empty, early, halts;
    uint64_t cpu_samples, lock_ns, longest_ns;
} seen;

/* Takes the place of the rules. */
static void look(struct findings *f, const struct evidence *part)
{
    (void)f;
    seen.calls++;
    seen.empty += !part->cpu->sample_count && !part->lock->sample_count && !part->halts->count;
    seen.cpu_samples += part->cpu->sample_count;
    seen.halts += part->halts->count;
    seen.longest_ns = part->duration_ns > seen.longest_ns ? part->duration_ns : seen.longest_ns;
    for (uint32_t i = 0; i < part->lock->sample_count; i++) {
        const struct profile_sample *s = &part->lock->samples[i];
        seen.lock_ns += s->weight;
        seen.early += s->time_ns < part->start_ns || s->time_ns + (int64_t)s->weight > part->start_ns + (int64_t)part->duration_ns;
    }
}

static void begin(uint64_t duration_ns)
{
    maker_init(&cpu);
    maker_init(&lock);
    lock.kind = PROFILE_LOCK;
    halts = (struct halts){0};
    strtab_init(&halts.strings);
    e = (struct evidence){.cpu = &cpu, .lock = &lock, .halts = &halts, .duration_ns = duration_ns, .start_ns = BEGAN};
}

static void add(struct profile *p, uint64_t from_ns, uint64_t weight)
{
    struct profile_sample s = {.time_ns = BEGAN + (int64_t)from_ns, .weight = weight, .outcome = maker_string(p, "complete")};
    s.stack = maker_stack(p, "demo.Main.work:1");
    profile_thread(p, maker_string(p, "main"), 1, 1, &s.thread);
    profile_add_sample(p, &s);
}

static void cut(void)
{
    struct findings f;
    memset(&seen, 0, sizeof seen);
    if (findings_init(&f))
        tap_ok(false, "there is memory");
    windows_add(&f, &e, look);
    findings_deinit(&f);
    profile_deinit(&cpu);
    profile_deinit(&lock);
    halts_deinit(&halts);
}

/* Samples come in any order. */
static void test_samples(void)
{
    begin(200 * NS_PER_S);
    for (uint64_t i = 200; i-- > 0;)
        add(&cpu, i * NS_PER_S, 1);
    cut();
    tap_ok(seen.calls == 44 && !seen.empty, "39 windows of 10 s and 5 of 60 s: %u", seen.calls);
    tap_ok(seen.cpu_samples == 39 * 10 + 5 * 60, "each has the samples of its time: %" PRIu64, seen.cpu_samples);
}

static void test_waits(void)
{
    begin(1000 * NS_PER_S);
    add(&lock, 5 * NS_PER_S, 900 * NS_PER_S);
    add(&lock, 7 * NS_PER_S, NS_PER_S);
    cut();
    tap_ok(seen.lock_ns == 2 * (900 + 1) * NS_PER_S, "windows side by side have all of a wait: %" PRIu64, seen.lock_ns);
    tap_ok(!seen.early, "its parts begin and end within their windows");
}

static void test_halts(void)
{
    begin(1000 * NS_PER_S);
    halts_add(&halts, &(struct halt){.kind = HALT_GC, .ns = 25 * NS_PER_S, .count = 1, .start_ns = BEGAN + 100 * NS_PER_S});
    cut();
    tap_ok(seen.calls == 5 && seen.halts == 5, "a pause of 25 s is in three windows of 10 s and in two of 60 s: %u", seen.halts);
}

static void test_long(void)
{
    begin(DAY);
    for (uint64_t i = 0; i < 86400; i++)
        add(&cpu, i * NS_PER_S, 1);
    cut();
    tap_ok(seen.calls == 480 && seen.longest_ns == 180 * NS_PER_S, "480 windows of 3 minutes in a day: %u", seen.calls);
    tap_ok(seen.cpu_samples == 86400, "which have each sample once: %" PRIu64, seen.cpu_samples);
    begin(5 * 3600 * NS_PER_S);
    add(&cpu, NS_PER_S, 1);
    add(&cpu, 4 * 3600 * NS_PER_S, 1);
    cut();
    tap_ok(seen.calls == 4 && seen.longest_ns == 60 * NS_PER_S, "in five hours those of 60 s stay as they are, and the others are of 40 s");
}

static void test_gap(void)
{
    begin(365 * DAY);
    add(&cpu, NS_PER_S, 1);
    add(&cpu, 364 * DAY, 1);
    cut();
    tap_ok(seen.calls == 2 && !seen.empty, "two recordings a year apart: nothing is judged between them: %u", seen.calls);
    begin(UINT64_MAX / 2 - (uint64_t)BEGAN);
    add(&cpu, NS_PER_S, 1);
    cut();
    tap_ok(seen.calls == 1, "a span of 292 years, as a damaged file may have it");
    begin(UINT64_MAX);
    add(&cpu, NS_PER_S, 1);
    cut();
    tap_ok(!seen.calls, "a span beyond all time has no windows");
}

int main(void)
{
    test_samples();
    test_waits();
    test_halts();
    test_long();
    test_gap();
    return tap_done();
}

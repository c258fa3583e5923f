/* Recordings with chunks of two recorders, ours and the JDK's: samples of one are not counted again from the other.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "base/time_units.h"
#include "compress/intake.h"
#include "halts_craft.h"
#include "jfr_craft.h"
#include "profile/load/load_jfr.h"

#include <string.h>

enum { OURS = 40000000 };       /* weight of the agent's wait, ns */
enum { THEIRS = 80000 };        /* duration of the JDK's three waits, in the file's ticks */
enum { EARLY = 40000 + 10000 }; /* the part of them that begins in the first 320 ms */

static struct buffer bytes;

static void load(struct profile *p, enum profile_kind kind)
{
    struct intake in;
    struct error e = {""};
    profile_init(p);
    p->kind = kind;
    if (intake_open_memory(&in, bytes.data, bytes.len, "crafted", &e) || profile_load_jfr_from(p, &in, "crafted", &e))
        tap_ok(false, "it is read: %s", e.text);
}

static bool says(const struct profile *p, const char *text)
{
    for (uint32_t i = 0; i < p->problem_count; i++)
        if (strstr(profile_text(p, p->problems[i].text), text))
            return true;
    return false;
}

static void is(enum profile_kind kind, uint32_t samples, uint64_t weight, const char *left_out, const char *about)
{
    struct profile p;
    load(&p, kind);
    if (!tap_ok(p.sample_count == samples && p.weight == weight && (left_out ? says(&p, left_out) : !says(&p, "left out")), "%s", about))
        tap_note("%u samples, %llu", p.sample_count, (unsigned long long)p.weight);
    profile_deinit(&p);
}

static void test_time(void)
{
    struct profile p;
    load(&p, PROFILE_LOCK);
    tap_ok(p.start_ns == CRAFT_START_NS && p.duration_ns == NS_PER_S, "the recording is as long as our chunks");
    profile_deinit(&p);
}

static void test_locks(void)
{
    craft_halts_joined(&bytes, "cpu,lock", true);
    is(PROFILE_LOCK, 1, OURS, "3 jdk.JavaMonitorEnter events of the JDK's recorder are left out", "what the agent records it alone tells");
    is(PROFILE_RUNNING, 0, 0, "5 jdk.ExecutionSample events of the JDK's recorder are left out",
       "samples of the JDK's are not CPU time of ours");
    test_time();
    buffer_reset(&bytes);
    craft_halts_joined(&bytes, "cpu", true);
    is(PROFILE_LOCK, 3, THEIRS, NULL, "what it does not, the JDK's recorder tells");
    static const uint8_t shorter[8] = {0, 0, 0, 0, 0x13, 0x12, 0xd0, 0};
    memcpy(bytes.data + 40, shorter, sizeof shorter); /* our chunk: of 320 ms */
    is(PROFILE_LOCK, 2, EARLY, NULL, "of the time of the recording alone");
}

/* A file that was made by joining two files. */
static void test_other_order(void)
{
    buffer_reset(&bytes);
    craft_halts_jdk(&bytes);
    is(PROFILE_LOCK, 3, THEIRS, NULL, "the JDK's alone");
    craft_halts_joined(&bytes, "cpu,lock", true);
    is(PROFILE_LOCK, 1, OURS, "6 jdk.JavaMonitorEnter", "and those make room where ours come behind them");
}

int main(void)
{
    buffer_init(&bytes, 1 << 20);
    test_locks();
    test_other_order();
    buffer_deinit(&bytes);
    return tap_done();
}

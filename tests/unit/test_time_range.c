/* Ranges of time as people write them: from the start, to the end, absolute, by the clock, over midnight; and invalid ones.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "base/text/time_range.h"
#include "base/time_units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* 2026-11-22T23:59:50Z, 20 s long: it extends into the next day. In New York it is 18:59:50. */
#define START  (INT64_C(1795391990) * NS_PER_S)
#define LENGTH (20 * NS_PER_S)

static void is(const char *text, int64_t from, int64_t to)
{
    struct time_range r;
    int rc = time_range_parse(&r, text, START, LENGTH);
    if (!tap_ok(!rc && r.from_ns == from && r.to_ns == to, "%s", text))
        tap_note("%d: %" PRId64 "..%" PRId64 ", not %" PRId64 "..%" PRId64, rc, r.from_ns, r.to_ns, from, to);
}

static void is_none(const char *text)
{
    struct time_range r;
    tap_ok(time_range_parse(&r, text, START, LENGTH) == -EINVAL, "'%s' is none", text);
}

static void zone(const char *name)
{
    setenv("TZ", name, 1);
    tzset();
}

int main(void)
{
    zone("UTC0");
    is("+1s..+2.5s", START + NS_PER_S, START + 2 * NS_PER_S + NS_PER_S / 2);
    is("-5s..", START + 15 * NS_PER_S, INT64_MAX);
    is("..-5s", INT64_MIN, START + 15 * NS_PER_S);
    is("+1s..2026-11-23T00:00:01.25Z", START + NS_PER_S, START + 11 * NS_PER_S + NS_PER_S / 4);
    is("2026-11-22T23:59:51..2026-11-22T23:59:52", START + NS_PER_S, START + 2 * NS_PER_S);
    is("23:59:51..23:59:52.000000001", START + NS_PER_S, START + 2 * NS_PER_S + 1);
    is("23:59:51..00:00:03", START + NS_PER_S, START + 13 * NS_PER_S);
    is("00:00:02..00:00:03", START + 12 * NS_PER_S, START + 13 * NS_PER_S);
    is("23:59..", START - 50 * NS_PER_S, INT64_MAX);
    is("12:00:00..", START - 12 * 3600 * NS_PER_S + 10 * NS_PER_S, INT64_MAX); /* on neither day: the first is used */
    zone("EST5");
    is("18:59:51..18:59:52", START + NS_PER_S, START + 2 * NS_PER_S);
    is("2026-11-22T18:59:51..2026-11-22T23:59:52Z", START + NS_PER_S, START + 2 * NS_PER_S);
    is("19:00:01..", START + 11 * NS_PER_S, INT64_MAX);
    static const char *const none[] = {"",
                                       "..",
                                       "10s",
                                       "10s..",
                                       "+10s",
                                       "+2s..+1s",
                                       "+1s..+1s",
                                       "+x..",
                                       "25:00..",
                                       "12:00:00Z..",
                                       "12:00:00 ..",
                                       "12..",
                                       "noon..",
                                       "+1s..x",
                                       "2026-11-22..",
                                       "-..",
                                       "2026-11-22T23:59:51x.."};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        is_none(none[i]);
    struct time_range r;
    tap_ok(time_range_parse(&r, "+1s..", INT64_MAX - 1, 1) == -EINVAL, "what begins at the end of numbers has no part behind it");
    tap_ok(time_range_parse(&r, "..-1s", INT64_MIN, 1) == -EINVAL, "and none before it");
    return tap_done();
}

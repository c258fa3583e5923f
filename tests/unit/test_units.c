/* Durations, rates and sizes as people write them.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "base/text/units.h"

#include <inttypes.h>

typedef int parse(const char *text, uint64_t *value);

struct reading {
    const char *text;
    uint64_t value; /* 0: refused */
};

static void check(parse *read, const struct reading *r)
{
    for (; r->text; r++) {
        uint64_t value = 0;
        bool good = !read(r->text, &value);
        if (r->value)
            tap_ok(good && value == r->value, "'%s' is %" PRIu64, r->text, r->value);
        else
            tap_ok(!good, "'%s' is refused", r->text);
    }
}

int main(void)
{
    check(units_parse_size, (struct reading[]){{"1", 1},
                                               {"512k", 512 << 10},
                                               {"512K", 512 << 10},
                                               {"16m", 16 << 20},
                                               {"100MB", 100 << 20},
                                               {"2MiB", 2 << 20},
                                               {"2g", UINT64_C(2) << 30},
                                               {"1T", UINT64_C(1) << 40},
                                               {"16777216T", 0},
                                               {"", 0},
                                               {"-1", 0},
                                               {"k", 0},
                                               {"5x", 0},
                                               {"5iB", 0},
                                               {"5kk", 0},
                                               {"1.5M", 0},
                                               {"512 MiB", 512 << 20},
                                               {"512  kB", 512 << 10},
                                               {"512 M iB", 0},
                                               {"5 x", 0},
                                               {NULL, 0}});
    check(units_parse_duration, (struct reading[]){{"7ns", 7},
                                                   {"500us", 500000},
                                                   {"1.5s", 1500000000},
                                                   {"2m", UINT64_C(120000000000)},
                                                   {"1h", UINT64_C(3600000000000)},
                                                   {"7d", UINT64_C(604800000000000)},
                                                   {"5", 0},
                                                   {"s", 0},
                                                   {"-1s", 0},
                                                   {"1x", 0},
                                                   {"1e300s", 0},
                                                   {"100 us", 100000},
                                                   {"1.25 s", 1250000000},
                                                   {"100\u00b5s", 100000},
                                                   {"100 \u03bcs", 100000},
                                                   {"5 ", 0},
                                                   {"1 x", 0},
                                                   {"1 0s", 0},
                                                   {NULL, 0}});
    check(units_parse_seconds, (struct reading[]){{"3", 3000000000},
                                                  {"1.5", 1500000000},
                                                  {"3s", 3000000000},
                                                  {"3ms", 3000000},
                                                  {"", 0},
                                                  {".", 0},
                                                  {"1.2.3", 0},
                                                  {"-3", 0},
                                                  {NULL, 0}});
    check(units_parse_rate,
          (struct reading[]){{"600/s", 600}, {"600", 600}, {"600 /s", 600}, {"0/s", 0}, {"6.5/s", 0}, {"6/m", 0}, {"", 0}, {NULL, 0}});
    return tap_done();
}

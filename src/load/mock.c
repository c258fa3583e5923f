#include "load/mock.h"

#include "base/map.h"
#include "base/text/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool take_pause(struct mock *m, const char *text)
{
    char word[32];
    size_t n = strcspn(text, "-");
    if (n >= sizeof word || text[n] != '-')
        return false;
    snprintf(word, sizeof word, "%.*s", (int)n, text);
    return !units_parse_duration(word, &m->pause_least) && !units_parse_duration(text + n + 1, &m->pause_most) &&
           m->pause_least <= m->pause_most;
}

int mock_parse(struct mock *m, const char *text, uint64_t seed, struct error *e)
{
    *m = (struct mock){.random = hash_mix(seed + 1), .pause_least = 50000000, .pause_most = 200000000};
    m->hiccup = !strcmp(text, "hiccup") || (!strncmp(text, "hiccup=", 7) && take_pause(m, text + 7));
    if (!m->hiccup && (strncmp(text, "delay=", 6) || units_parse_duration(text + 6, &m->delay)))
        return error_set(e, -EINVAL, "--mock '%.60s': use delay=TIME, hiccup or hiccup=TIME-TIME, such as delay=4ms or hiccup=50ms-200ms",
                         text);
    return 0;
}

static double draw(struct mock *m)
{
    m->random += 0x9e3779b97f4a7c15u; /* a counter with a mixing function, as in splitmix64 */
    return (double)(hash_mix(m->random) >> 11) / 9007199254740992.0;
}

static uint64_t between(struct mock *m, double least, double most)
{
    return (uint64_t)(least + draw(m) * (most - least));
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t mock_done(struct mock *m, uint64_t now)
{
    if (!m->hiccup)
        return now + m->delay;
    double u = draw(m);
    uint64_t start = later(now, m->gate);
    if (u >= 0.9999) {
        start = later(start, m->busy_to);
        return m->gate = m->busy_to = start + between(m, (double)m->pause_least, (double)m->pause_most);
    }
    uint64_t takes = u < 0.9 ? between(m, 2e5, 1e6) : u < 0.99 ? between(m, 1e6, 1e7) : between(m, 1e7, 5e7);
    m->busy_to = later(m->busy_to, start + takes);
    return start + takes;
}

#include "load/workload/keys.h"

#include <math.h>

const char *const keys_names[KEYS_KINDS] = {"uniform", "sequential", "zipfian_unscrambled", "zipfian", "latest", "hotspot", "exponential"};

uint64_t keys_hash(uint64_t number)
{
    uint64_t hash = 0xCBF29CE484222325ULL;
    for (int i = 0; i < 8; i++, number >>= 8)
        hash = (hash ^ (number & 0xff)) * 1099511628211ULL;
    return hash >> 63 ? 0 - hash : hash;
}

/* The sum of 1 / i^theta for i from a + 1 to b, by the Euler-Maclaurin formula. The error is below 0.1 / a^4. */
static double zeta_between(double a, double b)
{
    double theta = KEYS_ZIPFIAN_THETA, between = (pow(b, 1 - theta) - pow(a, 1 - theta)) / (1 - theta);
    return between + (pow(b, -theta) - pow(a, -theta)) / 2 - theta * (pow(b, -theta - 1) - pow(a, -theta - 1)) / 12;
}

static double zeta(uint64_t n)
{
    enum { TERMS = 100000 };
    double sum = 0;
    uint64_t exact = n < TERMS ? n : TERMS;
    for (uint64_t i = exact; i >= 1; i--)
        sum += pow((double)i, -KEYS_ZIPFIAN_THETA);
    return n == exact ? sum : sum + zeta_between((double)exact, (double)n);
}

static struct keys_zipf zipf_of(double items, double zeta_items)
{
    double theta = KEYS_ZIPFIAN_THETA, half = pow(0.5, theta), zeta2 = 1 + half;
    return (struct keys_zipf){items, zeta_items, 1 / (1 - theta), (1 - pow(2 / items, 1 - theta)) / (1 - zeta2 / zeta_items), half};
}

static uint64_t zipf_draw(const struct keys_zipf *z, struct draw *d)
{
    double u = draw_unit(d), uz = u * z->zeta;
    if (uz < 1)
        return 0;
    if (uz < 1 + z->half)
        return 1;
    double value = z->items * pow(z->eta * u - z->eta + 1, z->alpha);
    return value < z->items ? (uint64_t)value : (uint64_t)z->items - 1;
}

void keys_init(struct keys *k, enum keys_kind kind, uint64_t first, uint64_t count, uint64_t expected)
{
    *k = (struct keys){.kind = kind, .first = first, .count = count, .hot_set = 0.2, .hot_draws = 0.8};
    if (kind == KEYS_SCRAMBLED) {
        k->count += expected;
        k->zipf = zipf_of(KEYS_SCRAMBLED_ITEMS, KEYS_SCRAMBLED_ZETA);
    } else if (kind == KEYS_ZIPFIAN || kind == KEYS_LATEST) {
        k->zipf = zipf_of((double)count, zeta(count));
    }
    k->gamma = -log(1 - KEYS_EXPONENTIAL_PERCENT / 100) / ((double)count * KEYS_EXPONENTIAL_SHARE);
}

static uint64_t hotspot(const struct keys *k, struct draw *d)
{
    uint64_t hot = (uint64_t)((double)k->count * k->hot_set);
    if (hot && (hot == k->count || draw_unit(d) < k->hot_draws))
        return draw_below(d, hot);
    return hot + draw_below(d, k->count - hot);
}

/* The zipfian numbers of `latest`: their count grows with the inserts. */
static uint64_t latest(const struct keys *k, struct draw *d, uint64_t count)
{
    if (count <= k->count)
        return zipf_draw(&k->zipf, d);
    struct keys_zipf grown = zipf_of((double)count, k->zipf.zeta + zeta_between((double)k->count, (double)count));
    return zipf_draw(&grown, d);
}

/* A number counted down from the newest; draws beyond the oldest are repeated, as YCSB does. */
static uint64_t from_newest(const struct keys *k, struct draw *d, uint64_t newest)
{
    uint64_t back;
    do
        back = k->kind == KEYS_LATEST ? latest(k, d, newest - k->first + 1) : (uint64_t)(-log(1 - draw_unit(d)) / k->gamma);
    while (back > newest - k->first);
    return newest - back;
}

uint64_t keys_draw(const struct keys *k, struct draw *d, uint64_t n, uint64_t newest)
{
    if (k->count <= 1 && k->kind != KEYS_LATEST && k->kind != KEYS_EXPONENTIAL)
        return k->first;
    switch (k->kind) {
    case KEYS_UNIFORM:
        return k->first + draw_below(d, k->count);
    case KEYS_SEQUENTIAL:
        return k->first + n % k->count;
    case KEYS_ZIPFIAN:
        return k->first + zipf_draw(&k->zipf, d);
    case KEYS_SCRAMBLED:
        return k->first + keys_hash(zipf_draw(&k->zipf, d)) % k->count;
    case KEYS_HOTSPOT:
        return k->first + hotspot(k, d);
    default:
        return from_newest(k, d, newest);
    }
}

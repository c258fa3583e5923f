/* Distributions of numbers, with the formulas and constants of YCSB's generators:
 *
 *     uniform       all numbers alike
 *     sequential    one after the other, and again from the beginning
 *     zipfian       number i with a probability in proportion to 1 / (i + 1)^0.99, by the method of Gray et al. that YCSB uses
 *     scrambled     the hash of a zipfian number out of 10^10, so that popular numbers are spread
 *     latest        zipfian, counted down from the newest
 *     hotspot       a share of the draws goes to a share of the numbers, both uniform
 *     exponential   95 % of the draws are in the newest 85.7 % of the numbers; counted down from the newest
 */
#ifndef CANDOR_LOAD_WORKLOAD_KEYS_H
#define CANDOR_LOAD_WORKLOAD_KEYS_H

#include "load/workload/draw.h"

#include <stdint.h>

enum keys_kind { KEYS_UNIFORM, KEYS_SEQUENTIAL, KEYS_ZIPFIAN, KEYS_SCRAMBLED, KEYS_LATEST, KEYS_HOTSPOT, KEYS_EXPONENTIAL, KEYS_KINDS };

extern const char *const keys_names[KEYS_KINDS]; /* as in YCSB's property files */

#define KEYS_ZIPFIAN_THETA       0.99
#define KEYS_SCRAMBLED_ITEMS     10000000000.0
#define KEYS_SCRAMBLED_ZETA      26.46902820178302 /* the sum of 1 / i^0.99 for i from 1 to 10^10 */
#define KEYS_EXPONENTIAL_PERCENT 95.0
#define KEYS_EXPONENTIAL_SHARE   0.8571428571

struct keys_zipf {
    double items, zeta, alpha, eta, half;
};

struct keys {
    enum keys_kind kind;
    uint64_t first, count; /* numbers first to first + count - 1 */
    double hot_set, hot_draws;
    double gamma; /* of the exponential */
    struct keys_zipf zipf;
};

/* expected: numbers that may become valid later, for scrambled, as YCSB adds them. */
void keys_init(struct keys *k, enum keys_kind kind, uint64_t first, uint64_t count, uint64_t expected);
/* Draws a number. n: the number of the request, for sequential. newest: the newest number, for latest and exponential. Any thread. */
uint64_t keys_draw(const struct keys *k, struct draw *d, uint64_t n, uint64_t newest);

/* YCSB's hash of a number (FNV-1a over its 8 bytes, without the sign). */
uint64_t keys_hash(uint64_t number);

#endif

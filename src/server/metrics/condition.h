/* Conditions on key metrics, by which minutes of JVMs are searched for: "lock_wait > 2 and gc_share < 10 %".
 *
 *     condition  = all { "or" all }
 *     all        = one { "and" one }
 *     one        = "not" one | "(" condition ")" | METRIC ( ">" | ">=" | "<" | "<=" | "=" | "!=" ) NUMBER [ UNIT ]
 *
 * UNIT is, for shares, "%"; for seconds "s", "ms", "us"; for bytes, and bytes per second, "KB", "MB", "GB" (powers of 1000), "KiB", "MiB",
 * "GiB". Without a unit, a number is in the metric's unit. A comparison with a metric that a JVM does not have is neither true nor false,
 * and a minute is found if the whole condition is true. */
#ifndef CANDOR_SERVER_METRICS_CONDITION_H
#define CANDOR_SERVER_METRICS_CONDITION_H

#include "store/query/metrics.h"

enum { CONDITION_NODES_MAX = 64, CONDITION_DEPTH_MAX = 16, CONDITION_BYTES_MAX = 1000 };

struct condition {
    struct condition_node {
        enum { CONDITION_OR, CONDITION_AND, CONDITION_NOT, CONDITION_COMPARE } what;
        uint8_t left, right; /* places of nodes */
        enum key_metric metric;
        enum { IS_MORE, IS_LEAST, IS_LESS, IS_MOST, IS_EQUAL, IS_OTHER } compare;
        double number;
    } nodes[CONDITION_NODES_MAX];
    uint32_t count;
    uint8_t root;
    enum key_metric first; /* the metric that is named first */
    uint64_t metrics;      /* bits: those that it needs */
};

/* Reads a condition. Returns 0, or -EINVAL with a message in e that names the place. */
int condition_parse(struct condition *c, const char *text, size_t len, struct error *e);
/* Whether the condition is true for the minute. */
bool condition_holds(const struct condition *c, const struct store_minute *m);

#endif

/* The description of a workload: YCSB's core workloads by name, its property files, and lists such as ops(insert=1,read=9). */
#ifndef CANDOR_LOAD_WORKLOAD_RECIPE_H
#define CANDOR_LOAD_WORKLOAD_RECIPE_H

#include "base/error.h"
#include "load/workload/keys.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECIPE_FIELDS_MAX = 1000, RECIPE_FIELD_LENGTH_MAX = 1 << 20 };

enum workload_action { WORKLOAD_READ, WORKLOAD_UPDATE, WORKLOAD_INSERT, WORKLOAD_SCAN, WORKLOAD_MODIFY, WORKLOAD_ACTIONS };

extern const char *const workload_action_names[WORKLOAD_ACTIONS];

struct recipe {
    char name[128];                      /* for messages */
    uint64_t records;                    /* recordcount */
    uint64_t operations;                 /* operationcount; 0 = as many as the time allows */
    uint64_t insert_start, insert_count; /* the part of the records that the load phase of this run inserts */
    uint32_t fields, field_length, field_length_least;
    double proportions[WORKLOAD_ACTIONS];
    enum keys_kind distribution, scan_distribution, field_length_distribution;
    double hot_set, hot_draws;
    uint32_t scan_least, scan_most;
    bool read_all, write_all, ordered;
    uint32_t zero_padding;
    char table[64];
};

/* Reads `text`: one of a to f (also workloada to workloadf), ops(NAME=WEIGHT,...), or the name of a property file. Returns 0 or a negative
 * code with e. */
int recipe_read(struct recipe *s, const char *text, struct error *e);
/* Sets one property, as `-p NAME=VALUE` of YCSB does. Returns 0 or -EINVAL with e. */
int recipe_set(struct recipe *s, const char *name, const char *value, struct error *e);
/* Checks what depends on several properties, once all are set. */
int recipe_check(struct recipe *s, struct error *e);

#endif

/* candor load --find-rate: the highest rate at which a limit on response times holds. */
#ifndef CANDOR_CLI_LOAD_FIND_H
#define CANDOR_CLI_LOAD_FIND_H

#include "base/error.h"
#include "cli/cli.h"
#include "load/load.h"

#include <stdbool.h>

struct find_limit {
    char text[40];  /* as the user wrote it */
    double percent; /* 100 for max */
    uint64_t ns;
};

/* How to do one run; `run` returns a status, and fills the result in any case. find_rate changes the schedule. */
struct find_runs {
    const struct cli_args *args;
    struct load_config *config;
    int (*run)(const struct cli_args *args, struct load_config *config, struct load_result *result);
};

/* One run at one rate. */
struct find_trial {
    double rate;
    int64_t reached; /* ns: the percentile */
    double errors;   /* share of the requests that ended with an error */
    bool holds;
};

enum { FIND_TRIALS_MAX = 64 };

struct find_result {
    struct find_trial trials[FIND_TRIALS_MAX];
    uint32_t count;
    double holds, breaks; /* the interval: the highest rate that held, and the lowest that broke; 0 = none */
    bool interrupted;
};

/* Parses "p99<20ms" or "max<1s". Returns 0 or -EINVAL with e. */
int find_parse(struct find_limit *limit, const char *text, struct error *e);
/* Runs trials: doubles or halves the rate of the schedule until the limit is between two rates, and narrows the interval until it is at
 * most 1 %. Returns a status. */
int find_rate(const struct find_runs *runs, const struct find_limit *limit, struct find_result *found);
void find_print_text(const struct find_limit *limit, const struct find_result *found);
void find_print_json(const struct find_limit *limit, const struct find_result *found);

#endif

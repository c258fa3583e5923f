/* The load generator. Calling sequence: load_resolve for a server, load_run, load_result_deinit, load_target_deinit. */
#ifndef CANDOR_LOAD_LOAD_H
#define CANDOR_LOAD_LOAD_H

#include "load/config.h"

struct load_result {
    struct outcome outcome;
    uint64_t elapsed; /* ns: the measured time, without the warm-up */
    uint64_t warm_up_requests;
    uint64_t cpu; /* ns: CPU time of the generator during the run */
    bool interrupted;
};

/* Finds the server's address by connecting to it. Returns 0 or a negative code with e. */
int load_resolve(struct target *target, struct error *e);
/* Frees the results of load_resolve. */
void load_target_deinit(struct target *target);
/* Runs the whole load test. Returns 0, or a negative code if it could not start or the log could not be written. Call load_result_deinit
 * in either case. */
int load_run(const struct load_config *config, struct load_result *result, struct error *e);
void load_result_deinit(struct load_result *result);

#endif

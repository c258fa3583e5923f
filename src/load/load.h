/* The load generator. Calling sequence: load_resolve for a server, load_run, load_result_deinit, load_target_deinit. */
#ifndef CANDOR_LOAD_LOAD_H
#define CANDOR_LOAD_LOAD_H

#include "load/config.h"

struct load_result {
    struct outcome outcome;
    uint64_t elapsed; /* ns measured, without the warm-up */
    uint64_t warm_up_requests;
    uint64_t cpu; /* ns that the generator used while it ran */
    bool interrupted;
};

/* Finds the server's address by connecting to it. 0 or a negative code. */
int load_resolve(struct target *target, struct error *e);
/* Frees what load_resolve found. */
void load_target_deinit(struct target *target);
/* Runs it all. 0, or a negative code when it could not start or the log could not be written; deinit in either case. */
int load_run(const struct load_config *config, struct load_result *result, struct error *e);
void load_result_deinit(struct load_result *result);

#endif

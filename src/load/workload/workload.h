/* Which record each request reads or writes, and with which values: YCSB's core workload. Everything about request n follows from n and the
 * seed, except for the newest record, which depends on the inserts that have ended.
 *
 * Values follow from the record's key and the field, so that what is read can be compared with what was written, as with YCSB's
 * dataintegrity. They are slices of a block of random text, so that neither writing nor comparing costs time to make them. */
#ifndef CANDOR_LOAD_WORKLOAD_WORKLOAD_H
#define CANDOR_LOAD_WORKLOAD_WORKLOAD_H

#include "base/error.h"
#include "candor/load_driver.h"
#include "load/workload/inserted.h"
#include "load/workload/keys.h"
#include "load/workload/recipe.h"

struct workload {
    const struct recipe *recipe;
    enum workload_action actions[WORKLOAD_ACTIONS]; /* by the type of a request */
    uint64_t seed;
    bool loading; /* the phase that fills the table */
    /* Of several generators that share the inserts, each inserts the records first + share, first + share + shares, ..., and reads no
     * record that another inserts, because it does not know whether it is there. shares 0 = there is one generator. */
    uint32_t share, shares;
    uint64_t first;
    struct keys keys;
    struct keys scan_lengths;
    struct keys field_lengths;
    struct inserted inserted;
    char *text;              /* the block */
    uint64_t checked, wrong; /* atomic: fields that were read */
};

/* One request in progress. */
struct operation {
    struct candor_load_request request; /* the first member */
    char key[160];
    uint64_t own, record;   /* own: its number without the records that other generators insert */
    bool inserts, modifies; /* modifies: a write follows the read */
    bool wrong;             /* a value that was read differs */
    int32_t write_field;    /* of the write that follows */
    struct candor_load_bytes *values;
};

/* recipe must live as long as the workload. Returns 0 or -ENOMEM. */
int workload_init(struct workload *w, const struct recipe *recipe, uint64_t seed, bool loading);
void workload_deinit(struct workload *w);

int operation_init(struct operation *o, const struct workload *w);
void operation_deinit(struct operation *o);

/* Any thread. Makes request n, of the given type. */
void workload_begin(struct workload *w, struct operation *o, uint64_t n, uint32_t type);
/* Any thread. Compares a field that was read. */
void workload_check(struct workload *w, struct operation *o, uint32_t field, const void *bytes, size_t n);
/* Any thread. The request has ended, well or not. Must be called once for each workload_begin. */
void workload_end(struct workload *w, struct operation *o);
/* Turns a read-modify-write whose read has ended into its write. Returns false if there is none to do. */
bool operation_modify(struct operation *o);

/* The value of a field: *at is valid as long as the workload. */
void workload_value(const struct workload *w, uint64_t record, uint32_t field, struct candor_load_bytes *value);

#endif

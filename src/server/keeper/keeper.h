/* One of several servers is the keeper (--keeper): it alone evaluates rules of alerts and fetches profiles. They agree by an object in
 * object storage, the lease (lease.h). If the keeper dies, another one is the keeper after 22 seconds, or at once if it has ended well.
 *
 *     PREFIX/keeper         {"version": 1, "holder": ID, "name": TEXT, "epoch": N, "count": N, "state": ...}; holder "" = nobody
 *     PREFIX/keeper-probe   tells whether the service refuses to replace a version that somebody else has replaced
 *
 * Each server that becomes the keeper has the next epoch. The state is what the next keeper has to know; it is in the lease itself, so the
 * write by which a server becomes the keeper is also one that the state has not changed since it was read, and one who is not the keeper
 * any more cannot change it.
 *
 *   keeper_open -> keeper_start -> keeper_epoch, keeper_take, keeper_save, from any thread ... -> keeper_close
 *
 * While the object storage is away, no server is the keeper: nobody can know whether another one is. */
#ifndef CANDOR_SERVER_KEEPER_KEEPER_H
#define CANDOR_SERVER_KEEPER_KEEPER_H

#include "store/objects/s3.h"

struct keeper;

enum { KEEPER_NAME = 300 };

struct keeper_options {
    const char *url; /* s3://BUCKET/PREFIX */
    struct s3_options s3;
    const char *name;               /* by which people know this server */
    void (*tell)(const char *text); /* prints a line of the log */
};

/* What it refers to must outlive it. Returns 0, or a code with a message in e. */
int keeper_open(struct keeper **out, const struct keeper_options *o, struct error *e);
/* Starts the thread that looks after the lease. Returns 0 or a code with a message in e. k may be NULL. */
int keeper_start(struct keeper *k, struct error *e);
/* Ends it. If this server is the keeper, the next one need not wait. k may be NULL. */
void keeper_close(struct keeper *k);

/* The epoch of this server if it is the keeper now; 0 = it is not. k may be NULL: a server alone is the keeper, in epoch 1. */
uint64_t keeper_epoch(struct keeper *k);
/* Takes the state that an earlier keeper has left, if it is another one than that of *version. Before keeper_epoch returns a new epoch, the
 * state of the epoch before is here. Returns a text of JSON, which the caller frees, or NULL if there is nothing new, or no memory. */
char *keeper_take(struct keeper *k, uint64_t *version);
/* Leaves a state, a text of JSON, if this server is the keeper in that epoch. It is written as soon as possible. k may be NULL. */
void keeper_save(struct keeper *k, uint64_t epoch, const char *state);

struct keeper_view {
    bool is_me;
    uint64_t epoch;    /* that was seen last; 0 = none */
    uint64_t failures; /* requests that failed */
    char name[KEEPER_NAME];
};

/* What is known of the keeper, for people. The name is that of the last one. */
struct keeper_view keeper_look(struct keeper *k);

#endif

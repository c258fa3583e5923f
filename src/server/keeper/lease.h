/* Decides when one of several servers may be the keeper. They share one object, the lease, which each replaces only if it is still the
 * version that it has seen (s3_replace). Nothing here asks anybody or reads a clock, so that a test can try every order of events
 * (tests/unit/test_server_lease.c).
 *
 * A server holds the lease for `lasts` from when it sent a write that succeeded. Another one takes it if it has seen the same version for
 * `rests`. Each measures with its own clock, and clocks of different servers are never compared. A version that was seen had been written
 * before, and its write was sent before that. So the lease is over at its holder's before another one takes it, if `rests` is longer than
 * `lasts` by more than the clocks of two servers differ over that time. */
#ifndef CANDOR_SERVER_KEEPER_LEASE_H
#define CANDOR_SERVER_KEEPER_LEASE_H

#include <stdbool.h>
#include <stdint.h>

struct lease_times {
    uint64_t lasts, rests;
    uint64_t renews; /* the holder writes so often */
    uint64_t looks;  /* the others look so often, and all of them after a failure */
    uint64_t spaces; /* the holder writes no sooner than this after a write that succeeded, whatever it wants to write */
};

enum lease_holder { LEASE_NOBODY, LEASE_ME, LEASE_OTHER };
enum lease_act { LEASE_WAIT, LEASE_LOOK, LEASE_WRITE };

struct lease {
    const struct lease_times *times;
    bool known;               /* the last request told which version there is */
    enum lease_holder holder; /* of the version that was seen last */
    uint64_t seen;            /* when it was first seen */
    uint64_t ends;            /* of the last write of this server that succeeded */
    uint64_t next;            /* when to renew, or to look */
    uint64_t may;             /* when the holder may write again */
};

void lease_init(struct lease *l, const struct lease_times *times);
/* What to do now; *until: when to ask again, if it is to wait. wants: the holder has something to write. */
enum lease_act lease_next(const struct lease *l, uint64_t now, bool wants, uint64_t *until);
/* Whether this server is the keeper. */
bool lease_is_held(const struct lease *l, uint64_t now);

/* What came of a look: the version is another than before, or the same. An object that is not there is a version of LEASE_OTHER. */
void lease_saw(struct lease *l, uint64_t now, enum lease_holder holder);
void lease_saw_same(struct lease *l, uint64_t now);
/* What came of a write: it succeeded; there was another version. sent: when it was sent. */
void lease_wrote(struct lease *l, uint64_t sent);
void lease_refused(struct lease *l, uint64_t now);
/* A look or a write failed, or nobody knows what came of it. */
void lease_failed(struct lease *l, uint64_t now);

#endif

/* How much of the spool each JVM uses, for its current recording and its waiting data. When space is needed, the JVM that uses
 * most loses its own data first, so that a JVM which fills the spool costs the others nothing. */
#ifndef CANDOR_DAEMON_SPOOL_CHARGES_H
#define CANDOR_DAEMON_SPOOL_CHARGES_H

#include <stdbool.h>
#include <stdint.h>

/* A recording's id begins with its JVM's: live.h. */
enum { CHARGES_OWNER = 9 };

struct charge {
    char owner[CHARGES_OWNER];
    uint64_t live, waiting; /* bytes */
    uint64_t lost_recordings, lost_bytes;
};

struct charges {
    struct charge *list;
    uint32_t count, cap;
    uint64_t live; /* of all together */
};

/* The charge of the JVM with this recording, created if necessary; NULL without memory. */
struct charge *charges_of(struct charges *c, const char *id);
const struct charge *charges_find(const struct charges *c, const char *id);
bool charges_is_of(const struct charge *c, const char *id);
/* All live bytes will be reported again; a JVM without any may be forgotten. */
void charges_begin_live(struct charges *c);
void charges_add_live(struct charges *c, const char *id, uint64_t bytes);
/* The JVM that uses most, or has most waiting; NULL = none has anything. */
struct charge *charges_largest(struct charges *c, bool waiting_only);
void charges_deinit(struct charges *c);

#endif

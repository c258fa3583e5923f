/* Counts how much of the spool each JVM uses, for its current recording and its waiting data. When space is needed, the JVM that uses most
 * loses its own data first. So a JVM that fills the spool does not harm the others. */
#ifndef CANDOR_DAEMON_SPOOL_CHARGES_H
#define CANDOR_DAEMON_SPOOL_CHARGES_H

#include <stdbool.h>
#include <stdint.h>

/* The id of a recording begins with the id of its JVM; see live.h. */
enum { CHARGES_OWNER = 9 };

struct charge {
    char owner[CHARGES_OWNER];
    uint64_t live, waiting; /* in bytes */
    uint64_t lost_recordings, lost_bytes;
};

struct charges {
    struct charge *list;
    uint32_t count, cap;
    uint64_t live; /* sum over all JVMs */
};

/* Returns the charge of the JVM with this recording, and creates it if necessary. Returns NULL if there is no memory. */
struct charge *charges_of(struct charges *c, const char *id);
const struct charge *charges_find(const struct charges *c, const char *id);
bool charges_is_of(const struct charge *c, const char *id);
/* Sets all live bytes to 0, because they will be reported again. May forget JVMs that have nothing waiting. */
void charges_begin_live(struct charges *c);
void charges_add_live(struct charges *c, const char *id, uint64_t bytes);
/* Returns the JVM that uses most or, if waiting_only, that has most waiting. Returns NULL if no JVM has anything. */
struct charge *charges_largest(struct charges *c, bool waiting_only);
void charges_deinit(struct charges *c);

#endif

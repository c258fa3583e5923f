/* Waits for locks (PROFILE_LOCK). The labels of a sample describe the lock. "class" is its class, as for allocations (allocated.h), and
 * "address" the address of a monitor. "owner" is the thread that held the lock. "owner_id" and "open" belong to a wait without a
 * deadline that had not ended when the recording ended. The sample's state shows whether the thread waited for a monitor or was parked.
 *
 *   locks_compute -> read -> locks_deinit
 *
 * A cycle of threads that wait for each other is a deadlock. Each link of the cycle is a sample: its thread waits for a lock that the
 * thread of the next link holds. Merged recordings have no cycles here, because their thread numbers come from different JVMs. */
#ifndef CANDOR_PROFILE_LOCKS_H
#define CANDOR_PROFILE_LOCKS_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct locks_holder {
    uint32_t row;
    uint32_t owner; /* string id: the thread's name; 0 = unknown */
    uint64_t weight;
    uint32_t samples;
};

/* One monitor, or the locks of one class. */
struct locks_row {
    uint32_t class_name, address; /* string ids; 0 = unknown, or none */
    uint8_t state;                /* JFR_STATE_MONITOR or JFR_STATE_PARKED */
    uint32_t site;                /* label: the program's own method in which threads waited for it most of the time; 0 = none */
    uint64_t weight;
    uint32_t samples;
    uint32_t first, holders; /* its range in `holders`, sorted by weight, largest first */
};

struct locks_link {
    uint32_t sample;
    bool ends; /* this link closes its cycle; the cycle's first link is the one after the previous end */
};

struct locks {
    struct locks_row *rows; /* sorted by weight, largest first */
    uint32_t row_count, row_cap;
    struct locks_holder *holders;
    uint32_t holder_count, holder_cap;
    struct locks_link *links;
    uint32_t link_count, link_cap;
};

/* Returns 0 or -ENOMEM. Call locks_deinit in either case. */
int locks_compute(struct locks *l, struct profile *p);
void locks_deinit(struct locks *l);

/* Returns the string id of a label's value; 0 = the sample has no label with that key. */
uint32_t locks_label(const struct profile *p, const struct profile_sample *s, const char *key);
/* The same with the key's string id. */
uint32_t locks_value(const struct profile *p, const struct profile_sample *s, uint32_t key);
/* Whether there may be waits that had not ended. */
bool locks_has_open(const struct profile *p);
/* Adds a label to a set of labels. value: a string id. Returns 0 or -ENOMEM. */
int locks_add_label(struct profile *p, const char *key, uint32_t value, bool number, uint32_t *labels);

#endif

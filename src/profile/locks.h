/* Waits for locks (PROFILE_LOCK). A sample's labels describe the lock: "class", as for allocations (allocated.h); "address" of
 * a monitor; "owner", the thread that held it; "owner_id" and "open" for a wait without a deadline that still went on when the
 * recording ended. The state shows whether it was a monitor or a park.
 *
 *   locks_compute -> read -> locks_deinit
 *
 * A cycle of threads that wait for each other is a deadlock: each of its links is a sample, whose thread waits for a lock that
 * the thread of the next one holds. In merged recordings there are none, because their thread numbers come from different JVMs. */
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
    uint64_t weight;
    uint32_t samples;
    uint32_t first, holders; /* its part of `holders`, those of most weight first */
};

struct locks_link {
    uint32_t sample;
    bool ends; /* the circle closes with the first one after the end before */
};

struct locks {
    struct locks_row *rows; /* those of most weight first */
    uint32_t row_count, row_cap;
    struct locks_holder *holders;
    uint32_t holder_count, holder_cap;
    struct locks_link *links;
    uint32_t link_count, link_cap;
};

/* 0 or -ENOMEM; deinit in either case. */
int locks_compute(struct locks *l, struct profile *p);
void locks_deinit(struct locks *l);

/* The value of a sample's label, as string id; 0 = it has none. */
uint32_t locks_label(const struct profile *p, const struct profile_sample *s, const char *key);
/* Adds a label to a set; value: string id. 0 or -ENOMEM. */
int locks_add_label(struct profile *p, const char *key, uint32_t value, bool number, uint32_t *labels);

#endif

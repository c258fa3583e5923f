/* Which inserted records can be read: all up to `newest`, because all inserts up to there have ended. Inserts end in any order. */
#ifndef CANDOR_LOAD_WORKLOAD_INSERTED_H
#define CANDOR_LOAD_WORKLOAD_INSERTED_H

#include <stdint.h>

enum { INSERTED_WINDOW = 1 << 24 }; /* how far an insert may be ahead of the oldest one in progress, and still become readable */

struct inserted {
    uint64_t next;   /* atomic: the record of the next insert */
    uint64_t newest; /* atomic */
    uint8_t *ended;  /* atomic bytes, by record modulo the window */
};

/* next: the first record that is to be inserted. Returns 0 or -ENOMEM. */
int inserted_init(struct inserted *i, uint64_t next);
void inserted_deinit(struct inserted *i);
/* Any thread. */
uint64_t inserted_begin(struct inserted *i);
void inserted_end(struct inserted *i, uint64_t record);
uint64_t inserted_newest(const struct inserted *i);

#endif

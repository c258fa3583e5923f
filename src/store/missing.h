/* Data that an answer lacks although it was received: an answer is never incomplete without saying so. */
#ifndef CANDOR_STORE_MISSING_H
#define CANDOR_STORE_MISSING_H

#include <stddef.h>
#include <stdint.h>

enum missing_why {
    MISSING_DAMAGED,  /* found damaged by this query; it is made again from the recording, where that is there */
    MISSING_UNSEALED, /* received, and not yet where queries look: the disk was full, or it is being made again */
    MISSING_LOST,     /* damaged, and the recording is gone or damaged, too */
    MISSING_RETAIN,   /* deleted: older than --retain */
    MISSING_DISK,     /* deleted: beyond --max-disk */
    MISSING_QUOTA,    /* deleted: beyond --max-disk-per-service */
    MISSING_REBUILT,  /* lost with a catalog that was damaged, because their recordings had been deleted, with whatever labels and type */
    MISSING_FLAWED,   /* recordings that were damaged when they came: what could be read of them is there */
    MISSING_REASONS
};
extern const char *const missing_names[MISSING_REASONS];

/* A part is the data of a recording for one day. Rows and weight are those of whole parts: if the query's time ends within one,
 * they are an upper limit. For flawed recordings, and those lost with a catalog, they are
 * unknown: 0. */
struct missing {
    struct missing_sum {
        uint64_t parts, rows, weight;
    } sums[MISSING_REASONS];
};

void missing_add(struct missing *m, enum missing_why why, uint64_t parts, uint64_t rows, uint64_t weight);
void missing_add_all(struct missing *to, const struct missing *from);
uint64_t missing_parts(const struct missing *m);
/* One line for people, such as "incomplete: 2 parts of recordings are missing (1 not sealed yet, 1 deleted by --retain); 120 rows,
 * 1.20 s at most"; "" when nothing is missing. type: what weights are of. Returns out. */
char *missing_text(const struct missing *m, const char *type, char *out, size_t size);

#endif

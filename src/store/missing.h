/* Data that an answer lacks although it was received, and precision that it lacks. An answer that is incomplete always reports this. */
#ifndef CANDOR_STORE_MISSING_H
#define CANDOR_STORE_MISSING_H

#include <stddef.h>
#include <stdint.h>

enum missing_why {
    MISSING_DAMAGED,   /* this query found the segment damaged; it is made again if the recording still exists */
    MISSING_UNSEALED,  /* received, but not yet in a segment: the disk was full, or the segment is being made again */
    MISSING_LOST,      /* the segment is damaged, and the recording is gone or damaged, too */
    MISSING_RETAIN,    /* deleted, because it was older than --retain */
    MISSING_DISK,      /* deleted, because of --max-disk */
    MISSING_QUOTA,     /* deleted, because of --max-disk-per-service */
    MISSING_REBUILT,   /* lost with a damaged catalog, because the recordings had been deleted; their labels and types are unknown */
    MISSING_COARSE,    /* kept by the hour or day only, and the query has a part of that hour or day */
    MISSING_FLAWED,    /* recordings that were damaged when they were received; the readable rest is in the answer */
    MISSING_UNLABELED, /* stored by a version that kept no labels of samples, by which the query selects */
    MISSING_UNREAD,    /* of questions that only recordings can answer: one was deleted or not read; its samples may still be there */
    MISSING_REREAD,    /* the catalog was lost, and the recording is not read again yet; its labels and types are unknown until then */
    MISSING_WAITING,   /* acknowledged by a receiver, but not here yet (store_note_waiting); labels, types and times are unknown */
    MISSING_REASONS
};
extern const char *const missing_names[MISSING_REASONS];

/* A part is the data of a recording for one type and day. Rows and weight are those of whole parts. If the query's time ends within a part,
 * they are an upper limit. For flawed recordings, and those that are lost with a catalog or not read yet, they are unknown, and are 0. */
struct missing {
    struct missing_sum {
        uint64_t parts, rows, weight;
    } sums[MISSING_REASONS];
    int64_t rounded_since; /* rows of recordings received since then, in seconds, may have rounded weights; 0 = none have */
};

void missing_add(struct missing *m, enum missing_why why, uint64_t parts, uint64_t rows, uint64_t weight);
void missing_add_all(struct missing *to, const struct missing *from);
uint64_t missing_parts(const struct missing *m);
/* Writes one line for people, for example: "incomplete: 2 parts of recordings are missing (1 not sealed yet, 1 deleted by --retain); 120
 * rows, 1.20 s at most". The line is "" if nothing is missing. type: the type of the weights. Returns out. */
char *missing_text(const struct missing *m, const char *type, char *out, size_t size);

#endif

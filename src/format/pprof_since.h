/* Computes what a program has added to its sums since the profile before. Go's profiles of memory and of contention are sums since the
 * program's start, so each contains all of those before it.
 *
 *   pprof_since_new -> [ pprof_since_take -> (the caller keeps the output) -> pprof_since_keep ]* -> pprof_since_free
 *
 * Samples are the same if they have the same stack, down to the addresses, and the same labels. A sum never decreases while a program
 * runs. So if one did, or is no longer there, the program has started again, and all of the new profile was added since. A start is not
 * noticed if each new sum exceeds the old one. */
#ifndef CANDOR_FORMAT_PPROF_SINCE_H
#define CANDOR_FORMAT_PPROF_SINCE_H

#include "base/buffer.h"
#include "base/error.h"

enum { PPROF_SINCE_VALUES = 8 }; /* the most values that a sample may have */

enum pprof_since_result {
    PPROF_SINCE_FIRST,   /* there was no profile before, so nothing is known to be new */
    PPROF_SINCE_MORE,    /* the output has what is new; */
    PPROF_SINCE_NOTHING, /* nothing is new */
    PPROF_SINCE_RESTART, /* the program has started again: the output has the whole profile */
};

struct pprof_since;

/* Returns NULL if there is no memory. */
struct pprof_since *pprof_since_new(void);
void pprof_since_free(struct pprof_since *s); /* s may be NULL */
/* Reads an unpacked profile, and appends to `out` the same profile with what is new in place of each sum. Values whose name begins with
 * `inuse` are no sums, and stay as they are. For _FIRST and _NOTHING the output is of no use. Returns 0, -ENOMEM, or -EINVAL with a message
 * in e. */
int pprof_since_take(struct pprof_since *s, const void *bytes, size_t n, struct buffer *out, enum pprof_since_result *result,
                     struct error *e);
/* Makes the profile that was taken last the one that the next is compared with. Without this call, the one before it stays. */
void pprof_since_keep(struct pprof_since *s);

#endif

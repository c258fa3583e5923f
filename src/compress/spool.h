/* Collects an unknown number of bytes, which are then read as one piece of memory. Up to SPOOL_MEMORY bytes are kept in memory. More are
 * kept in a file without a name in TMPDIR (otherwise /var/tmp, otherwise /tmp), which disappears with the spool. One owner. */
#ifndef CANDOR_COMPRESS_SPOOL_H
#define CANDOR_COMPRESS_SPOOL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define SPOOL_MEMORY ((uint64_t)64 << 20)

struct spool {
    uint8_t *bytes; /* valid after spool_finish; NULL if there are no bytes */
    uint64_t size, cap;
    int fd; /* descriptor of the file; -1 = in memory */
};

void spool_init(struct spool *s);
/* Appends bytes. Returns 0, or a negative code with a message in e, which names no file of the user's. */
int spool_put(struct spool *s, const void *bytes, size_t n, struct error *e);
int spool_finish(struct spool *s, struct error *e);
void spool_deinit(struct spool *s);

#endif

/* A pass over the chunks of a recording, for several readers at once. To open a chunk costs much more than to look at its events, because
 * its constants are read then. */
#ifndef CANDOR_JFR_READ_PASS_H
#define CANDOR_JFR_READ_PASS_H

#include "jfr/read/reader.h"

struct pass_reader {
    /* Looks at a chunk, which is closed afterwards. Returns 0 or -ENOMEM, which ends the pass. */
    int (*take)(void *context, struct jfr_chunk *chunk);
    void *context;
};

/* Several of them. */
struct pass_readers {
    const struct pass_reader *list;
    uint32_t count;
};

/* Opens each chunk once, and gives it to the readers in their order. Damage is added to problems, which may be NULL. Returns 0 or -ENOMEM
 * with e. */
int pass_run(const struct jfr_file *file, const struct pass_reader *readers, uint32_t count, struct jfr_problems *problems,
             struct error *e);

#endif
